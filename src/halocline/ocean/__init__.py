"""The ocean general circulation model."""
