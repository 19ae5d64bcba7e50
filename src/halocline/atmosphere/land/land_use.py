"""What covers the land, and what the surface needs to know of it.

Numbers of MM5 (Grell, Dudhia and Stauffer 1994, NCAR/TN-398+STR, and its tables of 13 categories),
for summer (15 April to 15 October of the northern hemisphere) and winter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

calories = 4.184e4
"""cal cm-2 K-1 s-1/2 in J m-2 K-1 s-1/2."""


@dataclass(frozen=True)
class LandCover:
    """Constants of a cover in a season."""

    albedo: float
    """[1]"""
    moisture_availability: float
    """Flux of vapour over that from water [1]."""
    emissivity: float
    """Of long wave [1]."""
    roughness: float
    """For momentum [m]."""
    thermal_inertia: float
    """[J m-2 K-1 s-1/2]"""


def _both(*table: float) -> tuple[LandCover, LandCover]:
    """Covers of summer and winter, from pairs in per cent, per cent, per cent, cm, and calories."""

    def season(at: int) -> LandCover:
        albedo, moisture, emissivity, roughness, inertia = table[at::2]
        return LandCover(
            albedo / 100, moisture / 100, emissivity / 100, roughness / 100, inertia * calories
        )

    return season(0), season(1)


covers: Mapping[str, tuple[LandCover, LandCover]] = MappingProxyType(
    {
        "urban": _both(18, 18, 5, 10, 88, 88, 50, 50, 0.03, 0.03),
        "agriculture": _both(17, 23, 30, 60, 92, 92, 15, 5, 0.04, 0.04),
        "grassland": _both(19, 23, 15, 30, 92, 92, 12, 10, 0.03, 0.04),
        "deciduous-forest": _both(16, 17, 30, 60, 93, 93, 50, 50, 0.04, 0.05),
        "coniferous-forest": _both(12, 12, 30, 60, 95, 95, 50, 50, 0.04, 0.05),
        "mixed-forest": _both(14, 14, 35, 70, 95, 95, 40, 40, 0.05, 0.06),
        "water": _both(8, 8, 100, 100, 98, 98, 0.01, 0.01, 0.06, 0.06),
        "marsh": _both(14, 14, 50, 75, 95, 95, 20, 20, 0.06, 0.06),
        "desert": _both(25, 25, 2, 5, 85, 85, 10, 10, 0.02, 0.02),
        "tundra": _both(15, 70, 50, 90, 92, 92, 10, 10, 0.05, 0.05),
        "ice": _both(55, 70, 95, 95, 95, 95, 5, 5, 0.05, 0.05),
        "tropical-forest": _both(12, 12, 50, 50, 95, 95, 50, 50, 0.05, 0.05),
        "savannah": _both(20, 20, 15, 15, 92, 92, 15, 15, 0.03, 0.03),
    }
)
"""By name, of summer and of winter."""
