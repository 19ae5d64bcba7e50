"""Pictures and tables from output files."""
