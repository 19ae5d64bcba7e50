"""Maps of files, turned to our conventions."""
