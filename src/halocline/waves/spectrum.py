"""The spectral grid: geometric frequencies and regular directions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from halocline.core.options import Options, option

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class SpectralGrid(Options):
    """Frequencies f_i = f_1 X^(i-1) and directions (j - 1 + offset) 360 / M, towards, from east.

    >>> grid = SpectralGrid(frequencies=25, directions=24)
    >>> grid.shape, round(float(grid.frequency[-1]), 5)
    ((25, 24), 0.41172)
    """

    first_frequency: float = option(0.0418, "Hz", "lowest frequency", at_least=1e-4)
    factor: float = option(1.1, "1", "ratio of successive frequencies", at_least=1.001, at_most=3.0)
    frequencies: int = option(25, "1", "number of frequencies", at_least=3, at_most=1000)
    directions: int = option(24, "1", "number of directions", at_least=4, at_most=1440)
    offset: float = option(
        0.0, "1", "shift of the first direction, in bins", at_least=-0.5, at_most=0.5
    )

    @property
    def shape(self) -> tuple[int, int]:
        """Number of frequencies and of directions."""
        return self.frequencies, self.directions

    @property
    def components(self) -> int:
        """Number of spectral components; component = frequency * directions + direction."""
        return self.frequencies * self.directions

    @cached_property
    def frequency(self) -> Array:
        """Frequencies [Hz], shape (frequencies,)."""
        return self.first_frequency * self.factor ** np.arange(self.frequencies, dtype=np.float64)

    @cached_property
    def sigma(self) -> Array:
        """Intrinsic angular frequencies [rad s-1]."""
        return 2.0 * math.pi * self.frequency

    @cached_property
    def band_width(self) -> Array:
        """Width of each band as an inner one, f (X - 1/X) / 2 [Hz]."""
        return 0.5 * self.frequency * (self.factor - 1.0 / self.factor)

    @cached_property
    def output_band_width(self) -> Array:
        """Widths for integrals of output, halved outside the first and last frequency [Hz]."""
        width = self.band_width.copy()
        width[0] = 0.5 * self.frequency[0] * (self.factor - 1.0)
        width[-1] = 0.5 * self.frequency[-1] * (self.factor - 1.0) / self.factor
        return width

    @cached_property
    def direction(self) -> Array:
        """Directions towards which waves travel, anticlockwise from east [rad]."""
        return (np.arange(self.directions, dtype=np.float64) + self.offset) * self.direction_width

    @property
    def direction_width(self) -> float:
        """Width of a direction bin [rad]."""
        return 2.0 * math.pi / self.directions
