"""What parts of the package take on this machine."""
