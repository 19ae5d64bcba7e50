"""The runner: kernels on fields, halos filled, checks, the choice of ways."""
