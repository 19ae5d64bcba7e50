"""Results remembered, and how they change."""
