"""Clouds smaller than the grid."""
