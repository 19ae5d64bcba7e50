"""Warm rain (Kessler 1969, Meteor. Monogr. 10, 32; Klemp and Wilhelmson 1978)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from halocline.atmosphere.microphysics.scheme import MicrophysicsScheme
from halocline.core.options import option


@dataclass(frozen=True, kw_only=True)
class KesslerOptions(MicrophysicsScheme):
    """Vapour, cloud and rain, without ice (Kessler 1969; Klemp and Wilhelmson 1978).

    >>> KesslerOptions().numbers["threshold"]
    0.001
    """

    kernel: ClassVar[str] = "atmosphere_kessler"
    species: ClassVar[tuple[str, ...]] = ("vapor", "cloud", "rain")
    fallen: ClassVar[tuple[str, ...]] = ("rain_fallen",)

    autoconversion: float = option(
        1e-3, "s-1", "rate at which cloud above the threshold becomes rain", at_least=0.0
    )
    threshold: float = option(1e-3, "1", "cloud water at which rain begins", at_least=0.0)
    accretion: float = option(2.2, "s-1", "of cloud by rain, times qc qr^0.875", at_least=0.0)
    courant: float = option(
        0.75, "1", "of a sub-step of falling rain at most", at_least=0.05, at_most=1.0
    )

    rain_intercept: float = option(
        8e6, "m-4", "drops per diameter, of diameter 0, for reflectivity", at_least=1e4,
        at_most=1e9, source="Marshall and Palmer 1948",
    )  # fmt: skip

    @property
    def reflectivity(self) -> dict[str, float]:
        """What `atmosphere_reflectivity` takes beside its arrays, which hold no ice."""
        ice = {"snow_intercept": 1.0, "graupel_intercept": 1.0, "graupel_density": 1.0}
        return ice | {"rain_intercept": self.rain_intercept, "wet": False}

    @property
    def numbers(self) -> dict[str, float]:
        """What the kernel takes beside its arrays and `dt`."""
        return {
            "autoconversion": self.autoconversion,
            "threshold": self.threshold,
            "accretion": self.accretion,
            "courant": self.courant,
        }
