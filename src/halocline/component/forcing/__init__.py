"""Input in time: maps from files."""
