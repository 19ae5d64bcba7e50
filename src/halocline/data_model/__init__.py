"""A component that computes nothing: it gives fields from files, or takes fields and writes them."""
