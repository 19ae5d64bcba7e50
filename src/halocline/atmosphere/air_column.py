"""Dry air at rest in closed form: pressure by height, potential temperature by pressure."""

from __future__ import annotations

from dataclasses import dataclass

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
from halocline.core.options import Options, option

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class AirColumn(Options):
    """Hydrostatic dry air."""

    kind: str = option(
        "isentropic",
        "",
        "profile: of one potential temperature, of one temperature, of one buoyancy frequency, or"
        " as air is on the whole: T = temperature + lapse ln(p / 1000 hPa), at least `floor`",
        choices=("isentropic", "isothermal", "stable", "standard"),
        source="'standard': Skamarock et al. (2019), NCAR/TN-556, section 5.2.2",
    )
    surface_pressure: float = option(1e5, "Pa", "pressure at sea level", at_least=1e3, at_most=2e5)
    theta: float = option(
        300.0, "K", "potential temperature of 'isentropic' air, of 'stable' air at sea level",
        at_least=100.0, at_most=600.0,
    )  # fmt: skip
    frequency: float = option(
        0.01, "s-1", "buoyancy frequency of 'stable' air", at_least=1e-5, at_most=0.1
    )
    temperature: float = option(
        290.0, "K", "of 'isothermal' air, of 'standard' air at 1000 hPa", at_least=100, at_most=400
    )
    lapse: float = option(
        50.0, "K", "how much warmer 'standard' air is where the pressure is e times as high",
        at_least=1.0, at_most=200.0,
    )  # fmt: skip
    floor: float = option(200.0, "K", "least temperature of 'standard' air", at_least=50.0)

    def pressure(self, height: Array) -> Array:
        """At heights above sea level [Pa].

        >>> AirColumn(kind="isothermal", temperature=250.0).pressure(np.array([0.0])).tolist()
        [100000.0]
        """
        z, p0 = np.asarray(height, np.float64), self.surface_pressure
        if self.kind == "isothermal":
            return p0 * np.exp(-gravity * z / (dry_gas_constant * self.temperature))
        if self.kind == "standard":
            return self._standard_pressure(z)
        exner = self._surface_exner + self._exner_rise(z)
        if (exner <= 0.0).any():
            raise UserError(
                f"Air of this profile ('{self.kind}', potential temperature {self.theta:g} K) ends"
                f" below {z.max():g} m. Use a lower atmosphere.layers.top, or another profile."
            )
        result: Array = reference_pressure * exner ** (1.0 / kappa)
        return result

    def potential_temperature(self, pressure: Array) -> Array:
        """Where the pressure is so high [K]."""
        p = np.asarray(pressure, np.float64)
        exner = (p / reference_pressure) ** kappa
        if self.kind == "isentropic":
            return np.full_like(p, self.theta)
        if self.kind == "isothermal":
            return np.asarray(self.temperature / exner)
        if self.kind == "standard":
            warm = self.temperature + self.lapse * np.log(p / reference_pressure)
            return np.asarray(np.maximum(warm, self.floor) / exner)
        colder = heat_capacity * self.theta * (self.frequency / gravity) ** 2
        return np.asarray(self.theta / (1.0 + colder * (exner - self._surface_exner)))

    @property
    def _surface_exner(self) -> float:
        return float((self.surface_pressure / reference_pressure) ** kappa)

    def _exner_rise(self, z: Array) -> Array:
        """How much greater the Exner function is than at sea level."""
        if self.kind == "isentropic":
            return -gravity * z / (heat_capacity * self.theta)
        rate = self.frequency**2 / gravity
        return gravity / (heat_capacity * self.theta * rate) * np.expm1(-rate * z)

    def _standard_pressure(self, z: Array) -> Array:
        """By T dT = -(lapse g / R) dz, from sea level up to the least temperature."""
        warm = self.temperature + self.lapse * np.log(self.surface_pressure / reference_pressure)
        most = dry_gas_constant / (2.0 * gravity * self.lapse) * (warm**2 - self.floor**2)
        squared = warm**2 - 2.0 * self.lapse * gravity / dry_gas_constant * np.minimum(z, most)
        cooled = (np.sqrt(squared) - warm) / self.lapse
        above = gravity * np.maximum(z - most, 0.0) / (dry_gas_constant * self.floor)
        result: Array = self.surface_pressure * np.exp(cooled - above)
        return result
