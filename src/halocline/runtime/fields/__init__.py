"""What a rank holds: the cut of a grid, fields on it, and what kernels say of them."""
