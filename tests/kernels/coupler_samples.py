"""Samples of the kernels of the coupler."""

from __future__ import annotations

import numpy as np

from kernels.samples import Sample, sample

ranges = {
    "wind_east": (-20.0, 20.0),
    "wind_north": (-20.0, 20.0),
    "air_temperature": (270.0, 305.0),
    "air_humidity": (0.002, 0.02),
    "air_pressure": (97e3, 104e3),
    "sea_temperature": (-1.0, 30.0),
    "short_wave": (0.0, 900.0),
    "long_wave": (200.0, 430.0),
    "rain": (0.0, 1e-3),
    "wave_height": (0.0, 6.0),
    "wave_period": (3.0, 16.0),
}
"""Of what is drawn at random; currents and all else between 0.5 and 1.5."""


@sample("air_sea_fluxes")
def air_sea_fluxes(random: np.random.Generator, dtype: type) -> Sample:
    from halocline.coupler import _native

    shape = (6, 13)
    arrays = {
        name: random.uniform(*ranges.get(name, (0.5, 1.5)), shape).astype(dtype)
        for name, *_ in _native.contracts["air_sea_fluxes"]
    }
    arrays["sea"] = (random.uniform(size=shape) < 0.8).astype(dtype)
    scalars = {
        "wind_height": 10.0, "air_height": 2.0, "gravity": 9.8, "cool_skin": 1, "turns": 10,
    }  # fmt: skip
    return Sample((1, 5, 1, 12, 0), arrays, scalars)
