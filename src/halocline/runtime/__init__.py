"""Decompositions, fields, halos, sums, the runner and its record; no physics words."""
