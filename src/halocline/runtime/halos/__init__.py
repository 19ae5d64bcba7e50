"""Halo exchange: one call, many ways."""
