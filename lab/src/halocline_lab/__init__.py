"""Benchmarks and records of performance."""
