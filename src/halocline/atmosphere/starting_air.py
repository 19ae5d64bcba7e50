"""The air at the start: a profile, a warm or cold bubble in it, wind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.air_column import AirColumn
from halocline.atmosphere.constants import (
    dry_gas_constant,
    gravity,
    kappa,
    reference_pressure,
    reference_temperature,
)
from halocline.atmosphere.coordinate import HybridCoordinate
from halocline.atmosphere.sounding import SoundingOptions
from halocline.atmosphere.start_globe import GlobalJet
from halocline.atmosphere.start_jet import BalancedJet, JetOptions
from halocline.atmosphere.wind_profile import ShearOptions
from halocline.core.errors import UserError
from halocline.core.options import Options, option

Array = NDArray[np.float64]
fine = 16
"""Points of integrals over height for each layer."""


@dataclass(frozen=True, kw_only=True)
class BubbleOptions(Options):
    """Air that is warmer by amplitude cos^2(pi L / 2) where L < 1, the distance over the radii."""

    amplitude: float = option(0.0, "K", "in its middle; negative: colder", at_most=50, at_least=-50)
    of: str = option("theta", "", "what differs by that", choices=("theta", "temperature"))
    x: float = option(0.0, "m or degree", "of its middle")
    y: float = option(0.0, "m or degree", "of its middle")
    z: float = option(2e3, "m", "of its middle, above sea level")
    radius_x: float = option(2e3, "m or degree", "0: it has no end along x", at_least=0.0)
    radius_y: float = option(0.0, "m or degree", "0: it has no end along y", at_least=0.0)
    radius_z: float = option(2e3, "m", "its vertical radius", at_least=1.0)

    def shape(self, x: Array, y: Array, z: Array | float) -> Array:
        """Share of the amplitude at places [m]."""
        sides = ((x - self.x, self.radius_x), (y - self.y, self.radius_y))
        squared = ((z - self.z) / self.radius_z) ** 2
        for away, radius in sides:
            squared = squared + ((away / radius) ** 2 if radius else 0.0)
        distance = np.minimum(np.sqrt(squared), 1.0)
        return np.asarray(np.cos(0.5 * np.pi * distance) ** 2)

    def nearest(self, longitude: Array) -> Array:
        """Longitudes of columns [degree] by whole turns as near to its middle as they are.

        >>> BubbleOptions(x=170.0).nearest(np.array([160.0, -175.0, -20.0])).tolist()
        [160.0, 185.0, 340.0]
        """
        return np.asarray(longitude + 360.0 * np.round((self.x - longitude) / 360.0))

    def refuse_beside(self, x: Array, y: Array) -> None:
        """Refuse a bubble that reaches none of some places, all columns of a grid [m]."""
        if self.amplitude and self.shape(x, y, np.full(1, self.z)).max() < 1e-9:
            raise UserError(
                f"The bubble of [atmosphere.start.bubble] lies beside the grid: its middle is at"
                f" x = {self.x:g}, y = {self.y:g}, with radii of {self.radius_x:g} and"
                f" {self.radius_y:g}; columns lie at x = {x.min():g} to {x.max():g}, y ="
                f" {y.min():g} to {y.max():g}. Move the grid (grid.x0, grid.y0) or the bubble, or"
                " set its amplitude to 0."
            )


@dataclass(frozen=True, kw_only=True)
class AirStartOptions(Options):
    """The air at the start."""

    file: str = option(
        "",
        "",
        "start of an analysis with its ground, as `halocline analysis` writes it, on the columns of"
        " the case or on more around them; what else is said of the start does not count then",
    )
    wind_u: float = option(0.0, "m s-1", "wind along x", at_least=-150.0, at_most=150.0)
    wind_v: float = option(0.0, "m s-1", "wind along y", at_least=-150.0, at_most=150.0)
    shear: ShearOptions = option(ShearOptions(), meaning="wind that changes with height")
    sounding: SoundingOptions = option(SoundingOptions(), meaning="moist air at rest")
    bubble: BubbleOptions = option(BubbleOptions(), meaning="warm or cold air")
    jet: JetOptions = option(JetOptions(), meaning="a balanced jet in place of `air`")
    balance: str = option(
        "hydrostatic",
        "",
        "with the bubble in it, columns keep their mass and are hydrostatic, or their pressure and"
        " are heavier or lighter (as published cases want it)",
        choices=("hydrostatic", "pressure"),
    )


class StartColumns(NamedTuple):
    """Less those of the base state: mass [Pa] of columns, geopotential of interfaces [m2 s-2].

    Of layers, potential temperature less 300 K.
    """

    mass: Array
    geopotential: Array
    theta: Array


class StartingAir:
    """Columns of air at the start, in discrete hydrostatic balance but for the bubble."""

    def __init__(
        self,
        coordinate: HybridCoordinate,
        air: AirColumn,
        base: AirColumn,
        start: AirStartOptions,
        jet: BalancedJet | GlobalJet | None = None,
    ) -> None:
        self.coordinate, self.air, self.start, self.jet = coordinate, air, start, jet
        self.reference = ReferenceColumns(coordinate, base)

    def columns(self, x: Array, y: Array, ground: Array) -> StartColumns:
        """Of columns at places, with the height of the ground [m]; all arrays of one shape."""
        base, mass, pressure, theta, still = self._still(ground, y)
        if self.start.bubble.amplitude:
            middle = 0.5 * (still[1:] + still[:-1]) / gravity
            warmer = self.warmer(x, y, middle)
            if self.start.balance == "pressure":
                more, lifted = self._at_pressure(x, y, ground)
                mass, still = mass + more, still + lifted
                theta = theta + self.warmer(x, y, 0.5 * (still[1:] + still[:-1]) / gravity)
            else:
                theta = theta + warmer
                still = gravity * ground + rise(self.coordinate, base.mass + mass, theta, pressure)
        return StartColumns(mass, still - base.geopotential, theta - reference_temperature)

    def middles(self, ground: Array) -> Array:
        """Heights of the middles of layers above sea level without bubble and jet [m], (n, ...)."""
        *_, still = self._still(ground)
        return np.asarray(0.5 * (still[1:] + still[:-1]) / gravity)

    def _still(
        self, ground: Array, y: Array | None = None
    ) -> tuple[BaseColumns, Array, Array, Array, Array]:
        """Base state, mass that is added to it, pressure, potential temperature, geopotential."""
        base = self.reference.columns(ground)
        at_ground = self.air.surface_pressure if self.jet else self.air.pressure(ground)
        mass = at_ground - self.coordinate.top - base.mass
        pressure = base.pressure + self.coordinate_pressure(mass)
        theta = self.air.potential_temperature(pressure)
        if self.jet and y is not None:
            exner = (pressure / reference_pressure) ** kappa
            theta = self.jet.temperature(y, pressure / self.air.surface_pressure) / exner
        still = gravity * ground + rise(self.coordinate, base.mass + mass, theta, pressure)
        return base, mass, pressure, theta, still

    def jet_wind(self, x: Array, y: Array) -> Array:
        """Wind along x of the jet in layers [m s-1]; the pressure at the ground is the same."""
        assert self.jet
        mass = np.full(np.shape(x), self.air.surface_pressure - self.coordinate.top)
        faces = self.coordinate.pressure(mass)
        middle = 0.5 * (faces[1:] + faces[:-1])
        return self.jet.wind(x, y, middle / self.air.surface_pressure)

    def coordinate_pressure(self, mass: Array) -> Array:
        """Hydrostatic pressure in the middle of layers of so much more mass [Pa]."""
        c = self.coordinate
        steps = (c.spacing[1:] * c.c1_face[1:]).reshape(-1, *(1,) * mass.ndim) * mass
        return np.asarray(np.cumsum(steps[::-1], axis=0)[::-1])

    def warmer(self, x: Array, y: Array, z: Array) -> Array:
        """Potential temperature of the bubble [K] at heights z, (n, ...)."""
        bubble = self.start.bubble
        share = bubble.amplitude * bubble.shape(x, y, z)
        if bubble.of == "theta":
            return share
        return np.asarray(share / (self.air.pressure(z) / reference_pressure) ** kappa)

    def _at_pressure(self, x: Array, y: Array, ground: Array) -> tuple[Array, Array]:
        """What the bubble adds to mass [Pa] and geopotential [m2 s-2] where pressure stays."""
        c = self.coordinate
        top = self._height_of_top()
        share = np.linspace(0.0, 1.0, fine * c.thickness.size + 1)
        flat = [np.ravel(a) for a in (x, y, ground)]
        mass, lifted = np.zeros(flat[0].size), np.zeros((c.eta.size, flat[0].size))
        inside = self.start.bubble.shape(flat[0], flat[1], self.start.bubble.z) > 1e-30
        for number in np.flatnonzero(inside):
            px, py, low = (a[number] for a in flat)
            z = low + share * (top - low)
            pressure = self.air.pressure(z)
            exner = (pressure / reference_pressure) ** kappa
            theta = self.air.potential_temperature(pressure)
            still, moved = (
                above(pressure / (dry_gas_constant * warm * exner), z)
                for warm in (theta, theta + self.warmer(px, py, z))
            )
            mass[number] = moved[0] - still[0]
            heights = [
                np.interp(c.pressure(own[0]) - c.top, own[::-1], z[::-1]) for own in (still, moved)
            ]
            lifted[:, number] = gravity * (heights[1] - heights[0])
        return mass.reshape(x.shape), lifted.reshape(-1, *x.shape)

    def _height_of_top(self) -> float:
        """Where the air has the pressure of the top [m]."""
        low, high = -1e3, 1e5
        for _ in range(80):
            middle = 0.5 * (low + high)
            try:
                lower = bool(self.air.pressure(np.array(middle)) > self.coordinate.top)
            except UserError:
                lower = False
            low, high = (middle, high) if lower else (low, middle)
        return low


class BaseColumns(NamedTuple):
    """Mass [Pa], pressure [Pa], specific volume [m3 kg-1], potential temperature [K] and
    geopotential of interfaces [m2 s-2] of columns of the base state."""

    mass: Array
    pressure: Array
    volume: Array
    theta: Array
    geopotential: Array


class ReferenceColumns:
    """Columns of the base state, which the fields are less."""

    def __init__(self, coordinate: HybridCoordinate, base: AirColumn) -> None:
        self.coordinate, self.base = coordinate, base

    def columns(self, ground: Array) -> BaseColumns:
        """Over ground of these heights [m]."""
        ground = np.asarray(ground, np.float64)
        mass = self.base.pressure(ground) - self.coordinate.top
        faces = self.coordinate.pressure(mass)
        pressure = 0.5 * (faces[1:] + faces[:-1])
        theta = self.base.potential_temperature(pressure)
        geopotential = gravity * ground + rise(self.coordinate, mass, theta, pressure)
        return BaseColumns(mass, pressure, volume_of(theta, pressure), theta, geopotential)


def volume_of(theta: Array, pressure: Array) -> Array:
    """Specific volume [m3 kg-1]."""
    exner = (pressure / reference_pressure) ** kappa
    return np.asarray(dry_gas_constant * theta * exner / pressure)


def rise(coordinate: HybridCoordinate, mass: Array, theta: Array, pressure: Array) -> Array:
    """Geopotential of interfaces above the ground [m2 s-2]."""
    thickness = coordinate.thickness.reshape(-1, *(1,) * np.ndim(mass))
    depth = volume_of(theta, pressure) * coordinate.layer_mass(mass) * thickness
    return np.concatenate([np.zeros((1, *depth.shape[1:])), np.cumsum(depth, axis=0)])


def above(density: Array, z: Array) -> Array:
    """Weight of the air above heights [Pa], by the rule of trapezia."""
    steps = 0.5 * (density[1:] + density[:-1]) * np.diff(z)
    return np.asarray(gravity * np.append(np.cumsum(steps[::-1])[::-1], 0.0))
