"""The spectral wind-wave model."""
