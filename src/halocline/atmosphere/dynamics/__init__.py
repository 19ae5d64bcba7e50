"""The dynamics: what moves the air, by kernels."""
