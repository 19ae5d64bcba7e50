"""Grids, metrics, masks and places on them."""
