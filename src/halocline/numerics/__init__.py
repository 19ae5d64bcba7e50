"""Operators and solvers; only mathematics in the names."""
