"""Radiation of the sun and of the Earth."""
