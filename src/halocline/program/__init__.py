"""A component whose steps another program computes, which has joined the run on its ranks."""
