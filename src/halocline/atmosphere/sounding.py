"""Moist air at rest that a run begins with: profiles by height, integrated finely."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.constants import (
    dry_gas_constant,
    gravity,
    heat_capacity,
    kappa,
    reference_pressure,
)
from halocline.core.errors import UserError
from halocline.core.moist_air import epsilon, mixing_ratio, saturation_pressure, vaporization
from halocline.core.options import Options, option

Array = NDArray[np.float64]
step = 10.0
"""Of the integration upward [m]."""


@dataclass(frozen=True, kw_only=True)
class SoundingOptions(Options):
    """Moist air at rest.

    `weisman-klemp` is the analytic profile of Weisman and Klemp (1982, Mon. Wea. Rev. 110, 504,
    equations 1 to 3). `saturated-neutral` air is saturated throughout; what rises in it stays as
    buoyant as it is (after Bryan and Fritsch 2002, Mon. Wea. Rev. 130, 2917).
    """

    kind: str = option(
        "none", "", "profile that replaces the dry one of `atmosphere.air`",
        choices=("none", "weisman-klemp", "saturated-neutral"),
    )  # fmt: skip
    surface_pressure: float = option(1e5, "Pa", "at sea level", at_least=5e4, at_most=1.1e5)
    vapor: float = option(
        0.014, "1", "of 'weisman-klemp', the most vapour", at_least=0.0, at_most=0.03
    )
    theta: float = option(
        300.0, "K", "of 'weisman-klemp', potential temperature at sea level",
        at_least=250.0, at_most=320.0,
    )  # fmt: skip
    tropopause: float = option(12e3, "m", "of 'weisman-klemp'", at_least=5e3, at_most=2e4)
    tropopause_theta: float = option(
        343.0, "K", "potential temperature there", at_least=300.0, at_most=450.0
    )
    tropopause_temperature: float = option(
        213.0, "K", "temperature above it", at_least=150.0, at_most=260.0
    )
    equivalent_theta: float = option(
        320.0, "K", "of 'saturated-neutral', wet equivalent potential temperature at sea level",
        at_least=280.0, at_most=380.0,
    )  # fmt: skip
    total_water: float = option(
        0.02, "1", "of 'saturated-neutral', vapour and cloud", at_least=0.0, at_most=0.04
    )

    def profile(self, top: float) -> MoistProfile:
        """From sea level up to where the pressure is `top` [Pa].

        >>> SoundingOptions(kind="weisman-klemp").profile(1e4).theta[[0, -1]].round(1).tolist()
        [300.0, 421.1]
        """
        if self.kind == "saturated-neutral":
            return self._saturated(top)
        return self._weisman_klemp(top)

    def _weisman_klemp(self, top: float) -> MoistProfile:
        def air(z: float, exner: float) -> tuple[float, float]:
            share = z / self.tropopause
            if share < 1.0:
                warm = self.theta + (self.tropopause_theta - self.theta) * share**1.25
                humidity = 1.0 - 0.75 * share**1.25
            else:
                above = gravity * (z - self.tropopause)
                warm = self.tropopause_theta * np.exp(
                    above / (heat_capacity * self.tropopause_temperature)
                )
                humidity = 0.25
            return warm, min(humidity * saturated(warm, exner), self.vapor)

        def rate(z: float, y: Array) -> Array:
            warm, vapor = air(z, float(y[0]))
            return np.array([-gravity / (heat_capacity * density_theta(warm, vapor, vapor))])

        z, found = integrated(rate, [self._surface_exner], top)
        warm, vapor = np.array([air(*pair) for pair in zip(z, found[:, 0], strict=True)]).T
        return MoistProfile(z, exner_pressure(found[:, 0]), warm, vapor, np.zeros_like(z))

    def _saturated(self, top: float) -> MoistProfile:
        """d theta = -Lv / (cp exner) d qvs along it: what schemes of microphysics here do."""

        def rate(z: float, y: Array) -> Array:
            exner, warm = map(float, y)
            vapor = saturated(warm, exner)
            fall = -gravity / (heat_capacity * density_theta(warm, vapor, self.total_water))
            p, e = exner_pressure(exner), float(saturation_pressure(np.array(warm * exner)))
            slope = 17.67 * (273.15 - 29.65) / (warm * exner - 29.65) ** 2
            by_temperature = vapor * p / (p - e) * slope
            by_pressure = -vapor / (p - e)
            less = by_temperature * warm * fall + by_pressure * p / kappa * fall / exner
            warming = -vaporization / (heat_capacity * exner) * less
            return np.array([fall, warming / (1.0 + vaporization / heat_capacity * by_temperature)])

        z, found = integrated(rate, [self._surface_exner, self._surface_theta()], top)
        vapor = saturated(found[:, 1], found[:, 0])
        if vapor[0] > self.total_water:
            raise UserError(
                f"atmosphere.start.sounding.total_water = {self.total_water:g}: the air at the"
                f" ground holds {vapor[0]:.4f} as vapour. Give more, or a lower equivalent_theta."
            )
        cloud = self.total_water - vapor
        return MoistProfile(z, exner_pressure(found[:, 0]), found[:, 1], vapor, cloud)

    @property
    def _surface_exner(self) -> float:
        return float((self.surface_pressure / reference_pressure) ** kappa)

    def _surface_theta(self) -> float:
        """Of saturated air of `equivalent_theta` at the ground."""
        low, high = 200.0, 340.0
        for _ in range(60):
            middle = 0.5 * (low + high)
            found = wet_equivalent_theta(
                np.array(middle * self._surface_exner),
                np.array(saturated(middle, self._surface_exner)),
                np.array(self.total_water),
                np.array(self.surface_pressure),
            )
            low, high = (middle, high) if found < self.equivalent_theta else (low, middle)
        return low


class MoistProfile(NamedTuple):
    """Pressure [Pa], potential temperature [K], mixing ratios of vapour and cloud at heights."""

    height: Array
    pressure: Array
    theta: Array
    vapor: Array
    cloud: Array

    @property
    def dry_density(self) -> Array:
        """[kg m-3]"""
        return dry_density(self.theta, self.vapor, self.pressure)


def dry_density(theta: Array, vapor: Array, pressure: Array) -> Array:
    """Of the dry air in moist air [kg m-3]."""
    exner = (pressure / reference_pressure) ** kappa
    return np.asarray(pressure / (dry_gas_constant * theta * exner * (1.0 + vapor / epsilon)))


def density_theta(theta: float, vapor: float, water: float) -> float:
    """Potential temperature of dry air as heavy as this with all its water [K]."""
    return theta * (1.0 + vapor / epsilon) / (1.0 + water)


def exner_pressure(exner: Any) -> Any:
    """Pressure [Pa]."""
    return reference_pressure * exner ** (1.0 / kappa)


def saturated(theta: Any, exner: Any) -> Any:
    """Mixing ratio of vapour at saturation over water [1]."""
    return mixing_ratio(saturation_pressure(theta * exner), exner_pressure(exner))


def wet_equivalent_theta(temperature: Array, vapor: Array, water: Array, pressure: Array) -> Array:
    """Wet equivalent potential temperature of saturated air with `water` in all [K].

    Emanuel 1994 (Atmospheric Convection, equation 4.5.11), as in Bryan and Fritsch (2002).
    """
    liquid_capacity, vapor_capacity = 4186.0, 1885.0  # J kg-1 K-1
    capacity = heat_capacity + liquid_capacity * water
    latent = vaporization + (vapor_capacity - liquid_capacity) * (temperature - 273.15)
    dry = pressure / (1.0 + vapor / epsilon)
    power = dry_gas_constant / capacity
    return np.asarray(
        temperature
        * (reference_pressure / dry) ** power
        * np.exp(latent * vapor / (capacity * temperature))
    )


def integrated(
    rate: Callable[[float, Array], Array], start: list[float], top: float
) -> tuple[Array, Array]:
    """Heights, and values whose first is the Exner function, up to the pressure `top` (RK4)."""
    end = (top / reference_pressure) ** kappa
    heights, values = [0.0], [np.array(start)]
    while values[-1][0] > end:
        z, y = heights[-1], values[-1]
        first = rate(z, y)
        second = rate(z + 0.5 * step, y + 0.5 * step * first)
        third = rate(z + 0.5 * step, y + 0.5 * step * second)
        fourth = rate(z + step, y + step * third)
        values.append(y + step / 6.0 * (first + 2.0 * (second + third) + fourth))
        heights.append(z + step)
    # the last point is where the pressure is that of the top
    share = (values[-2][0] - end) / (values[-2][0] - values[-1][0])
    heights[-1] = heights[-2] + share * step
    values[-1] = values[-2] + share * (values[-1] - values[-2])
    return np.array(heights), np.array(values)
