"""Options of the soil."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.atmosphere.land.land_use import LandCover, covers
from halocline.core.options import Options, option

soil_depth = (0.01, 0.02, 0.04, 0.08, 0.16)
"""Thickness of the layers of soil, the uppermost first [m] (Dudhia 1996, 6th MM5 workshop)."""


@dataclass(frozen=True, kw_only=True)
class SlabOptions(Options):
    """Soil of five layers, 1 to 16 cm thick, over a substrate of constant temperature."""

    cover: str = option(
        "grassland", "", "of land, where nothing else is known", choices=tuple(covers)
    )
    season: str = option("summer", "", "of the cover", choices=("summer", "winter"))
    diffusivity: float = option(
        5e-7,
        "m2 s-1",
        "of heat in soil",
        at_least=1e-8,
        at_most=1e-5,
        source="Dudhia 1996, 6th MM5 workshop, 49",
    )

    @property
    def land_cover(self) -> LandCover:
        """Constants of `cover` in `season`."""
        return covers[self.cover][self.season == "winter"]

    @property
    def heat_capacity(self) -> float:
        """Of a volume of soil [J m-3 K-1], from the thermal inertia of the cover."""
        return self.land_cover.thermal_inertia / self.diffusivity**0.5
