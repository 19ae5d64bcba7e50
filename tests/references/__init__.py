"""Plain NumPy references of the kernels."""
