"""Sides of a limited area: values that are given there, and where they come from."""
