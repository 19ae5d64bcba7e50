"""The non-hydrostatic atmosphere."""
