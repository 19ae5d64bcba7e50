"""What output, restarts and input cost."""
