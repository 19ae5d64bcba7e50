"""Columns of the hybrid dry-mass coordinate: pressures, and heights in the balance of the core."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.constants import (
    dry_gas_constant,
    kappa,
    reference_pressure,
    vapor_gas_constant,
)
from halocline.atmosphere.coordinate import HybridCoordinate
from halocline.core.errors import UserError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class HybridColumn:
    """Layers of the hybrid coordinate (Skamarock et al. 2019, equations 2.2 to 2.6).

    The mass of layer k [Pa] is `thickness[k] (c1[k] mu + c2[k])`, mu the column mass of dry air
    [Pa]; k counts upward, interface k lies below layer k.
    """

    c1: Array  # [1], shape (nk,)
    c2: Array  # [Pa], shape (nk,)
    c1_face: Array  # [1] at interfaces, shape (nk + 1,)
    c2_face: Array  # [Pa] at interfaces
    thickness: Array  # of layers in eta, positive [1], shape (nk,)
    top_pressure: float  # [Pa]

    @classmethod
    def of(cls, eta: Array, share: Array, top_pressure: float) -> HybridColumn:
        """From interfaces eta (1 to 0) and the share B of them that follows the ground (1 to 0)."""
        thickness, rest = -np.diff(eta), reference_pressure - top_pressure
        c1 = -np.diff(share) / thickness
        middle, middle_share = 0.5 * (eta[1:] + eta[:-1]), 0.5 * (share[1:] + share[:-1])
        c1_face = np.ones(eta.size)
        c1_face[1:-1] = np.diff(middle_share) / np.diff(middle)
        c1_face[-1] = c1[-1]
        return cls(c1, (1 - c1) * rest, c1_face, (1 - c1_face) * rest, thickness, top_pressure)

    @classmethod
    def of_coordinate(cls, coordinate: HybridCoordinate) -> HybridColumn:
        """The columns of the model's own layers."""
        c = coordinate
        return cls(c.c1, c.c2, c.c1_face, c.c2_face, c.thickness, c.top)

    def layer_mass(self, mass: Array) -> Array:
        """Mass of dry air over eta [Pa], shape (nk, ...), of column masses (...)."""
        extra = (slice(None),) + (None,) * mass.ndim
        return self.c1[extra] * mass + self.c2[extra]

    def pressure(self, mass: Array, water: Array) -> Array:
        """Pressure of layers [Pa] that balances the weight above, as the core has it.

        At interfaces (p[k-1] - p[k]) is the distance of the middles of the layers times the mass
        there over the dilution 1 / (1 + water), which is brought there as the core does; the
        uppermost layer lies half its thickness below the top. `water` are mixing ratios of all
        water (nk, ...).
        """
        layer, found = self.layer_mass(mass), np.empty(water.shape)
        thick, dilution = self.thickness, 1.0 / (1.0 + water)
        found[-1] = self.top_pressure + 0.5 * thick[-1] * layer[-1] / dilution[-1]
        for k in range(water.shape[0] - 1, 0, -1):
            apart = 0.5 * (thick[k] + thick[k - 1])
            face = self.c1_face[k] * mass + self.c2_face[k]
            share = 0.5 * thick[k - 1] / apart  # of the layer above
            there = share * dilution[k] + (1.0 - share) * dilution[k - 1]
            found[k - 1] = found[k] + apart * face / there
        return found

    def interface_pressure(self, mass: Array, water: Array) -> Array:
        """Pressure at interfaces [Pa]: the weight of dry air and water above, (nk + 1, ...)."""
        weight = self.weight(mass, 1.0 + water)
        above = np.cumsum(weight[::-1], axis=0)[::-1]
        return self.top_pressure + np.concatenate([above, np.zeros((1, *mass.shape))])

    def weight(self, mass: Array, share: Array) -> Array:
        """Weight of what is `share` times the dry air, per area and layer [Pa]."""
        extra = (slice(None),) + (None,) * mass.ndim
        return self.layer_mass(mass) * self.thickness[extra] * share

    def dry_mass(
        self, surface_pressure: Array, water_at: Callable[[Array], Array]
    ) -> tuple[Array, Array, Array]:
        """Dry column mass, pressure of layers [Pa] and their water [1] under a surface pressure.

        The surface pressure is the weight of dry air and water, and the water of a layer depends
        on its pressure (`water_at`, mixing ratio of all water [1]): both are found in turns until
        no column changes by more than 1e-6 Pa. A turn takes an error to that of the water's
        weight, about a hundredth of it.
        """
        mass = surface_pressure - self.top_pressure
        water = np.zeros((self.thickness.size, *mass.shape))
        for _ in range(40):
            pressure = self.pressure(mass, water)
            water = water_at(pressure)
            next_mass = (surface_pressure - self.top_pressure) - (
                self.weight(mass, water).sum(axis=0)
            )
            change = float(np.abs(next_mass - mass).max())
            mass = next_mass
            if change <= 1e-6:
                return mass, self.pressure(mass, water), water
        raise UserError(
            f"The weight of water is not found: the column mass still changes by {change:.3g} Pa"
            " after 40 turns. Is the humidity of the analysis what its name and units say?"
        )

    def geopotential(self, ground: Array, mass: Array, volume: Array) -> Array:
        """Geopotential of interfaces [m2 s-2] in the core's balance, from that of the ground.

        phi[k+1] = phi[k] + thickness[k] layer_mass[k] volume[k], with the specific volume of dry
        air [m3 kg-1].
        """
        rise = np.cumsum(self.weight(mass, volume), axis=0)
        return ground + np.concatenate([np.zeros((1, *mass.shape)), rise])


def moist_theta(temperature: Array, pressure: Array, vapor: Array) -> Array:
    """Moist potential temperature theta (1 + Rv/Rd q) [K], the core's."""
    factor = 1.0 + vapor_gas_constant / dry_gas_constant * vapor
    return temperature * (reference_pressure / pressure) ** kappa * factor


def dry_volume(theta: Array, pressure: Array) -> Array:
    """Specific volume of dry air [m3 kg-1] from moist potential temperature and pressure."""
    return dry_gas_constant * theta / pressure * (pressure / reference_pressure) ** kappa
