"""Runs at two sites, measured: a network of any length and width on one machine."""
