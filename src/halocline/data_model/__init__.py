"""A component that computes nothing: it gives fields of files, or takes fields and writes them."""
