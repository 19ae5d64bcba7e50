"""The link between two sites of a run."""
