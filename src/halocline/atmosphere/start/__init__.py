"""Starts and sides of the atmosphere from analyses on pressure levels."""
