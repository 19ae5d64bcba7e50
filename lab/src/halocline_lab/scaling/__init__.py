"""Scaling over ranks and placements; laws, and the tables of the papers."""
