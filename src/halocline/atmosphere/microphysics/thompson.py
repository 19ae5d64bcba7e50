"""Clouds with ice, with numbers of drops and crystals (Thompson et al. 2008)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from halocline.atmosphere.microphysics.scheme import MicrophysicsScheme
from halocline.core.options import option


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

    @property
    def reflectivity(self) -> dict[str, float]:
        """What `echo` takes beside its arrays."""
        return {}
