"""The ground below the atmosphere."""
