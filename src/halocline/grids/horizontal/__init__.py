"""Horizontal grids: coordinates, metrics, masks, depths."""
