"""Clouds with ice, with numbers of drops and crystals (Thompson et al. 2008)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.microphysics.scheme import MicrophysicsScheme
from halocline.core.constants import water_density
from halocline.core.options import option

Array = NDArray[np.float64]
start_intercept = 8e6
"""Of drops of a start that tells none [m-4] (Marshall and Palmer 1948, J. Meteor. 5, 165)."""
start_crystals = 5.38e7
"""Crystals of such a start [m-3] at 1 kg m-3 of ice, with its power 0.75 (Hong, Dudhia and Chen
2004, Mon. Wea. Rev. 132, 103)."""


@dataclass(frozen=True, kw_only=True)
class ThompsonOptions(MicrophysicsScheme):
    """Six kinds of water; numbers of drops and crystals (Thompson et al. 2008).

    >>> ThompsonOptions().species[-2:]
    ('rain_number', 'ice_number')
    """

    kernel: ClassVar[str] = "atmosphere_thompson"
    species: ClassVar[tuple[str, ...]] = (
        "vapor", "cloud", "rain", "ice", "snow", "graupel", "rain_number", "ice_number",
    )  # fmt: skip
    fallen: ClassVar[tuple[str, ...]] = ("rain_fallen", "snow_fallen", "graupel_fallen")
    echo: ClassVar[str] = "atmosphere_thompson_reflectivity"

    droplets: float = option(
        1e8, "m-3", "cloud droplets; 3e8 over land", at_least=1e7, at_most=1e9,
        source="Thompson et al. 2008",
    )  # fmt: skip
    courant: float = option(
        0.75, "1", "of a sub-step of falling at most", at_least=0.05, at_most=1.0
    )
    longest: float = option(
        120.0, "s", "step at most; longer ones are divided", at_least=1.0, at_most=600.0
    )

    @property
    def numbers(self) -> dict[str, float]:
        """What the kernel takes beside its arrays and `dt`."""
        return {"longest": self.longest, "courant": self.courant, "droplets": self.droplets}

    def start_numbers(self, water: Mapping[str, Array], density: Array) -> dict[str, Array]:
        """Numbers [kg-1] of rain of Marshall and Palmer, and of crystals as WSM6 has them.

        >>> water, density = {"rain": np.array([1e-3]), "ice": np.array([1e-5])}, np.array([0.5])
        >>> found = ThompsonOptions().start_numbers(water, density)
        >>> [float(found[name][0].round()) for name in ("rain_number", "ice_number")]
        [6009.0, 11377.0]
        """
        rain, ice = (density * np.maximum(water[kind], 0.0) for kind in ("rain", "ice"))
        length = (rain / (np.pi * water_density * start_intercept)) ** 0.25
        return {
            "rain_number": start_intercept * length / density,
            "ice_number": start_crystals * ice**0.75 / density,
        }

    @property
    def reflectivity(self) -> dict[str, float]:
        """What `echo` takes beside its arrays."""
        return {}
