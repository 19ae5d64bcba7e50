"""What model components stand on: their cases, forcing and output, and what they promise."""
