"""Options of clouds smaller than the grid."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class KainFritschOptions(Options):
    """Deep and shallow convection (Kain 2004, J. Appl. Meteor. 43, 170)."""

    interval: float = option(300.0, "s", "between looks for new clouds", at_least=0.0)
    memory: float = option(
        600.0, "s", "of the mean of upward wind that sets air off", at_least=1.0, at_most=86400.0
    )
    rain_rate: float = option(
        0.03, "s-1", "at which condensed water falls out of rising air", at_least=0.0, at_most=1.0,
        source="Ogura and Cho 1973, J. Atmos. Sci. 30, 1276",
    )  # fmt: skip
    removed: float = option(
        0.9, "1", "part of what is available to a cloud that it removes", at_least=0.1, at_most=0.99
    )
    shortest: float = option(1800.0, "s", "least time in which it does", at_least=60.0)
    longest: float = option(3600.0, "s", "most time", at_least=60.0)
    shallow: bool = option(True, "", "whether there are clouds too flat to rain")
    turbulent_energy: float = option(
        5.0, "m2 s-2", "of eddies below shallow clouds, which sets their strength", at_least=0.0,
        at_most=20.0,
    )  # fmt: skip
