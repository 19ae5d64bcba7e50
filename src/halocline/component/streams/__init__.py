"""Output streams of maps and what they share with others."""
