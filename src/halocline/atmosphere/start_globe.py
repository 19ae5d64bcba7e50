"""Jets around the globe in balance with what they blow around (Jablonowski and Williamson 2006)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.constants import dry_gas_constant, gravity
from halocline.atmosphere.start_jet import JetOptions
from halocline.core.constants import earth_rotation

Array = NDArray[np.float64]

level = 0.252
"""Pressure over that at the ground where the jets are fastest [1]."""
tropopause = 0.2
"""The same from which the mean temperature rises upward again [1]."""
warming = 4.8e5
"""Of the air above that: times (tropopause - eta)^5 [K]."""


@dataclass(frozen=True)
class GlobalJet:
    """A jet in the middle latitudes of each hemisphere; pressure at the ground is the same
    everywhere, and the ground is a surface of balance.

    With eta the pressure over that at the ground, u = speed cos^(3/2) v sin^2(2 latitude) with
    v = (eta - 0.252) pi / 2; geopotential and temperature follow by the balance of a hydrostatic
    atmosphere without the parts of the rotation that act upward (Jablonowski and Williamson 2006,
    Q. J. R. Meteorol. Soc. 132, 2943, equations 2 to 10). Latitudes and longitudes are in degrees.
    """

    options: JetOptions
    radius: float  # of the sphere [m]

    def wind(self, x: Array, y: Array, eta: Array) -> Array:
        """Eastward at longitudes and latitudes [m s-1], with the gust."""
        o = self.options
        latitude, middle = np.radians(y), np.radians(o.gust_y)
        jet = o.speed * self._upright(eta) * np.sin(2.0 * latitude) ** 2
        cosine = np.sin(middle) * np.sin(latitude)
        cosine = cosine + np.cos(middle) * np.cos(latitude) * np.cos(np.radians(x - o.gust_x))
        away = self.radius * np.arccos(np.clip(cosine, -1.0, 1.0))
        return np.asarray(jet + o.gust * np.exp(-((away / o.gust_radius) ** 2)))

    def temperature(self, y: Array, eta: Array) -> Array:
        """[K]"""
        o = self.options
        mean = o.temperature * eta ** (dry_gas_constant * o.lapse_rate / gravity)
        mean = mean + warming * np.maximum(tropopause - eta, 0.0) ** 5
        jet, turning = self._balance(y)
        v = 0.5 * np.pi * (eta - level)
        height = 0.75 * eta * np.pi * o.speed / dry_gas_constant * np.sin(v)
        share = np.sqrt(np.cos(v))
        return np.asarray(mean + height * share * (2.0 * jet * self._upright(eta) + turning))

    def ground(self, y: Array) -> Array:
        """Height of the ground [m]."""
        jet, turning = self._balance(y)
        upright = self._upright(np.array(1.0))
        return np.asarray(self.options.speed * upright * (jet * upright + turning) / gravity)

    def _upright(self, eta: Array) -> Array:
        return np.asarray(np.cos(0.5 * np.pi * (eta - level)) ** 1.5)

    def _balance(self, y: Array) -> tuple[Array, Array]:
        """What the curvature of circles and the rotation give the geopotential [m s-1], whose
        means over the sphere are 0."""
        sine, cosine = np.sin(np.radians(y)), np.cos(np.radians(y))
        jet = -2.0 * sine**6 * (cosine**2 + 1.0 / 3.0) + 10.0 / 63.0
        turning = 1.6 * cosine**3 * (sine**2 + 2.0 / 3.0) - 0.25 * np.pi
        return self.options.speed * jet, self.radius * earth_rotation * turning
