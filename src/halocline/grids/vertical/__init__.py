"""Levels above a horizontal grid."""
