"""A jet in balance with what it blows around: geostrophic and hydrostatic in closed form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.constants import dry_gas_constant, gravity
from halocline.core.options import Options, option

Array = NDArray[np.float64]
jet_source = "Ullrich, Reed and Jablonowski (2015), Q. J. R. Meteorol. Soc. 141, 2984"


@dataclass(frozen=True, kw_only=True)
class JetOptions(Options):
    """A jet along x, and a gust that disturbs it.

    Of kind `channel` it blows over the width of a channel (`BalancedJet`); of kind `globe` one
    blows in each hemisphere (`GlobalJet`), and the middle of the gust has a longitude and latitude.
    """

    kind: str = option("channel", "", "where it blows", choices=("channel", "globe"))
    speed: float = option(
        0.0, "m s-1", "scale of the jet, which has 0.86 of it where it is fastest; 0: no jet",
        at_least=0.0, at_most=60.0, source=f"{jet_source}: 35 m s-1",
    )  # fmt: skip
    depth: float = option(
        2.0, "1", "of the jet, in logarithms of pressure over that at the ground",
        at_least=0.5, at_most=10.0, source=jet_source,
    )  # fmt: skip
    temperature: float = option(
        288.0, "K", "mean temperature at the ground", at_least=150.0, at_most=400.0,
        source=jet_source,
    )  # fmt: skip
    lapse_rate: float = option(
        0.005, "K m-1", "at which the mean temperature falls with height", at_least=1e-4,
        at_most=0.0097, source=jet_source,
    )  # fmt: skip
    gust: float = option(
        0.0, "m s-1", "wind along x at all heights, exp(-(r / gust_radius)^2)", at_least=-10.0,
        at_most=10.0, source=f"{jet_source}: 1 m s-1",
    )  # fmt: skip
    gust_radius: float = option(6e5, "m", "its radius", at_least=1.0, source=jet_source)
    gust_x: float = option(0.0, "m or degree", "of its middle")
    gust_y: float = option(0.0, "m or degree", "of its middle")


@dataclass(frozen=True)
class BalancedJet:
    """The jet in a channel on a turning plane; pressure at the ground is the same everywhere.

    With eta the pressure over that at the ground and b the depth, u = -speed sin^2(pi y / width)
    ln eta exp(-(ln eta / b)^2), y from the southern side; temperature follows by the thermal wind.
    """

    options: JetOptions
    south: float  # y of the southern side [m]
    width: float  # of the channel [m]
    rotation: float  # Coriolis parameter in the middle [s-1]
    gradient: float  # its gradient northward [s-1 m-1]

    def wind(self, x: Array, y: Array, eta: Array) -> Array:
        """Along x [m s-1], with the gust."""
        o = self.options
        log = np.log(eta)
        share = np.sin(np.pi * (y - self.south) / self.width) ** 2
        squared = ((x - o.gust_x) ** 2 + (y - o.gust_y) ** 2) / o.gust_radius**2
        jet = -o.speed * share * log * np.exp(-((log / o.depth) ** 2))
        return np.asarray(jet + o.gust * np.exp(-squared))

    def temperature(self, y: Array, eta: Array) -> Array:
        """[K]"""
        o = self.options
        mean = o.temperature * eta ** (dry_gas_constant * o.lapse_rate / gravity)
        log = (np.log(eta) / o.depth) ** 2
        differs = self._geopotential(y) / dry_gas_constant * (2.0 * log - 1.0) * np.exp(-log)
        return np.asarray(mean + differs)

    def _geopotential(self, y: Array) -> Array:
        """What is multiplied by ln eta exp(-(ln eta / b)^2) in the geopotential [m2 s-2]: its
        gradient is the Coriolis parameter times speed sin^2."""
        wide, away = self.width, y - self.south
        turn = 2.0 * np.pi * away / wide
        steady = away - 0.5 * wide - wide / (2.0 * np.pi) * np.sin(turn)
        part = wide * wide / (2.0 * np.pi**2)
        rising = away**2 - wide * away / np.pi * np.sin(turn) - part * np.cos(turn)
        rising = rising - wide * wide / 3.0 - part
        at_south = self.rotation - 0.5 * self.gradient * wide
        return 0.5 * self.options.speed * (at_south * steady + 0.5 * self.gradient * rising)
