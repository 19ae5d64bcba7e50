"""The page of a record, and the same on the terminal."""
