"""Shift of waves in frequency where currents change along their way or the depth in time."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.core.options import Options, option
from halocline.waves.spatial_propagation import schemes
from halocline.waves.spectrum import SpectralGrid

Array = NDArray[np.float64]
tail_power = 5
"""The tail above the last frequency falls as F ~ f^-5, as in the integrals of output."""


@dataclass(frozen=True, kw_only=True)
class FrequencyShift(Options):
    """Shift of the spectrum in frequency by currents and by water that rises or falls."""

    enabled: bool = option(
        True, "", "whether waves shift in frequency", source="Tolman and Booij (1998)"
    )
    scheme: str = option(
        "UQ",
        "",
        "first-order upwind, third-order QUICKEST, or that with the ULTIMATE limiter (UQ)",
        choices=tuple(schemes),
        source="Leonard (1979, 1991)",
    )
    maximum_courant: float = option(
        0.75, "1", "most bins of frequency that waves shift in a step", at_least=0.01, at_most=1.0
    )
    open_ends: bool = option(
        True,
        "",
        "whether action leaves below the first and passes into, or comes from, the tail above the"
        " last frequency; else nothing passes either end",
    )


def double_angles(spectral: SpectralGrid) -> Array:
    """Cosine and sine of twice each direction, shape (directions, 2)."""
    return np.array([[math.cos(2.0 * a), math.sin(2.0 * a)] for a in spectral.direction])


def tail_ratio(spectral: SpectralGrid) -> float:
    """F of the frequency above the last one over that of the last."""
    return float(spectral.factor**-tail_power)
