"""Halocline: waves, ocean, atmosphere and biogeochemistry, and the runtime that makes them fast."""

__version__ = "0.1.0"
