"""Whether two outputs are the same."""
