"""Off-line transport of tracers."""
