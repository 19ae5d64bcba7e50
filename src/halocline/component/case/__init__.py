"""Case files: the tables that all components share, what ships, and who is registered."""
