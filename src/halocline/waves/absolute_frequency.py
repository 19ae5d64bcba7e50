"""The frequency at which waves on a current pass a place that does not move."""

from __future__ import annotations

import math
from typing import Any

from halocline.core.constants import gravity
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.running.runner import Runner
from halocline.waves import _native
from halocline.waves.parameters import MeanParameters
from halocline.waves.spectrum import SpectralGrid

kernels = kernels_of(_native)
absolute_outputs = {"absolute_peak_frequency": "Hz", "absolute_peak_period": "s"}
"""Output fields with their units."""


class AbsolutePeak:
    """Fields of the peak as it is seen from the ground, sigma + k . U, and how to fill them."""

    def __init__(self, decomposition: Decomposition, spectral: SpectralGrid, dtype: Any) -> None:
        self.peak = MeanParameters(
            decomposition, spectral, ("peak_frequency", "peak_direction"), dtype
        )
        self.fields = {
            name: Field(name, units, decomposition, dtype=dtype)
            for name, units in absolute_outputs.items()
        }

    def compute(
        self, run: Runner, spectrum: Field, wavenumber: Field, depth: Field, current: Field
    ) -> None:
        """Fill `fields` for spectra over water of some `depth` [m] with a `current` [m s-1]."""
        self.peak.compute(run, spectrum, wavenumber)
        run(
            kernels["absolute_peak"],
            depth=depth,
            point_current=current,
            gravity=gravity,
            missing=math.nan,
            **self.peak.fields,
            **self.fields,
        )
