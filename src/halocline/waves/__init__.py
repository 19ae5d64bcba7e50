"""The spectral wind-wave model."""

from halocline.waves.inspection import BoxModel, sources

__all__ = ["BoxModel", "sources"]
