"""Clouds with ice, one moment of six kinds of water (Hong and Lim 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from halocline.atmosphere.microphysics.scheme import MicrophysicsScheme
from halocline.core.options import option


@dataclass(frozen=True, kw_only=True)
class Wsm6Options(MicrophysicsScheme):
    """Vapour, cloud, rain, ice, snow and graupel (Hong and Lim 2006).

    >>> len(Wsm6Options().species)
    6
    """

    kernel: ClassVar[str] = "atmosphere_wsm6"
    species: ClassVar[tuple[str, ...]] = ("vapor", "cloud", "rain", "ice", "snow", "graupel")
    fallen: ClassVar[tuple[str, ...]] = ("rain_fallen", "snow_fallen", "graupel_fallen")

    droplets: float = option(3e8, "m-3", "cloud droplets", at_least=1e6, at_most=1e10)
    rain_intercept: float = option(
        8e6, "m-4", "drops per diameter, of diameter 0", at_least=1e4, at_most=1e9,
        source="Marshall and Palmer 1948",
    )  # fmt: skip
    snow_intercept: float = option(
        2e6, "m-4", "snowflakes per diameter, of diameter 0, at 0 degrees C; colder more",
        at_least=1e4, at_most=1e9, source="Hong et al. 2004",
    )  # fmt: skip
    graupel_intercept: float = option(
        4e6, "m-4", "grains per diameter, of diameter 0; 4e4 for hail", at_least=1e3, at_most=1e9,
        source="Rutledge and Hobbs 1984",
    )  # fmt: skip
    graupel_density: float = option(
        500.0, "kg m-3", "of a grain of graupel; 700 for hail", at_least=50.0, at_most=917.0
    )
    graupel_speed: float = option(
        330.0, "m0.2 s-1", "of fall, times diameter^0.8; 285 for hail", at_least=1.0, at_most=2000.0
    )
    one_speed: bool = option(
        True, "", "snow and graupel fall at their mean speed", source="Dudhia et al. 2008"
    )
    weak_if_scarce: bool = option(
        True, "", "what is less than what it collects collects less, by the square of their ratio",
        source="WRF's pull request 805, 2019",
    )  # fmt: skip
    courant: float = option(
        0.75, "1", "of a sub-step of falling at most", at_least=0.05, at_most=1.0
    )
    longest: float = option(
        120.0, "s", "step at most; longer ones are divided", at_least=1.0, at_most=600.0
    )

    wet_echo: bool = option(
        False, "", "melting snow and graupel reflect a radar's waves as the water in them would"
    )

    @property
    def reflectivity(self) -> dict[str, float]:
        """What `atmosphere_reflectivity` takes beside its arrays."""
        return {
            "rain_intercept": self.rain_intercept,
            "snow_intercept": self.snow_intercept,
            "graupel_intercept": self.graupel_intercept,
            "graupel_density": self.graupel_density,
            "wet": self.wet_echo,
        }

    @property
    def numbers(self) -> dict[str, float]:
        """What the kernel takes beside its arrays and `dt`."""
        return {
            "longest": self.longest,
            "courant": self.courant,
            "droplets": self.droplets,
            "rain_intercept": self.rain_intercept,
            "snow_intercept": self.snow_intercept,
            "graupel_intercept": self.graupel_intercept,
            "graupel_density": self.graupel_density,
            "graupel_speed": self.graupel_speed,
            "one_speed": self.one_speed,
            "weak_if_scarce": self.weak_if_scarce,
        }
