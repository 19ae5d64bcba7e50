"""Output streams and restarts: who writes which bytes when."""
