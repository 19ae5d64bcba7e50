"""Columns of air over one ground brought to another one, at whose height they are cut anew.

Air keeps its potential temperature, its water and its wind at each pressure. A column gets so much
mass that the geopotential of its top is as far from that of the base state as before: what is above
the ground does not feel that it is another. What was out of balance stays so on its interfaces, but
for what interpolation between columns over unlike ground makes of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.constants import gravity, kappa, reference_temperature
from halocline.atmosphere.start.hybrid_column import HybridColumn, dry_volume
from halocline.atmosphere.starting_air import ReferenceColumns

Array = NDArray[np.float64]

turns = 8
"""In which the mass is found: each leaves a tenth of the error or less, of tens of Pa at first.
Their number is fixed, so that a column has the same bits whatever others are beside it."""

few_turns = 4
"""The same for a difference of two that is itself small."""


class AirColumns(NamedTuple):
    """Columns as the model's fields have them, less the base state over their ground."""

    mass: Array  # [Pa], shape (columns,)
    theta: Array  # moist potential temperature less 300 K, shape (nk, columns)
    geopotential: Array  # of interfaces [m2 s-2], shape (nk + 1, columns)
    water: Array  # mixing ratios and numbers by mass, shape (species, nk, columns)


@dataclass(frozen=True)
class OtherGround:
    """Brings columns from one ground to another; the first `kinds` of their water weigh."""

    column: HybridColumn
    reference: ReferenceColumns
    kinds: int

    def columns(self, air: AirColumns, former: Array, ground: Array, spread: Array) -> AirColumns:
        """Over a ground the columns that stood over a `former` one [m], both (columns,).

        They may be interpolated between grounds whose heights have a standard deviation `spread`.
        """
        balanced = self._balanced(air, former)
        off = air.geopotential - balanced
        made = self._made(air, former, spread, balanced[-1])
        found = self._stood(air, former, ground, balanced[-1] + made[-1], turns)
        return found._replace(geopotential=found.geopotential + (off - made))

    def _balanced(self, air: AirColumns, ground: Array) -> Array:
        """Geopotential of the balance of columns, less that of the base state."""
        base = self.reference.columns(ground)
        mass, theta = base.mass + air.mass, air.theta + reference_temperature
        pressure = self.column.pressure(mass, self._weighing(air.water))
        found = self.column.geopotential(gravity * ground, mass, dry_volume(theta, pressure))
        return np.asarray(found - base.geopotential)

    def _made(self, air: AirColumns, former: Array, spread: Array, top: Array) -> Array:
        """Geopotential off the balance that interpolation makes between columns in balance.

        It does so as their balance is not linear in the height of the ground: as in the middle
        between two, higher and lower by the spread.
        """
        air = air._replace(water=self._weighing(air.water)[None])
        beside = [
            self._stood(air, former, former + step, top, few_turns) for step in (spread, -spread)
        ]
        middle = AirColumns(*(0.5 * (one + other) for one, other in zip(*beside, strict=True)))
        return middle.geopotential - self._balanced(middle, former)

    def _stood(
        self, air: AirColumns, former: Array, ground: Array, top: Array, turns: int
    ) -> AirColumns:
        """The same in balance, with a geopotential of their `top` less that of the base state."""
        old, new = self.reference.columns(former), self.reference.columns(ground)
        column, theta = self.column, air.theta + reference_temperature
        mass, weight = old.mass + air.mass, self._weighing(air.water)
        pressure, weighing = column.pressure(mass, weight), weight
        mass = mass + (new.mass - old.mass)
        for turn in range(turns + 1):
            there = column.pressure(mass, weighing)
            between = Between.of(pressure, there)
            weighing, warm = between.held(weight), self._heat(theta, pressure, there, between)
            volume = dry_volume(warm, there)
            found = column.geopotential(gravity * ground, mass, volume)
            if turn < turns:
                mass = mass - (found[-1] - (top + new.geopotential[-1])) / volume[0]
        water = np.array([between.held(one) for one in air.water]).reshape(air.water.shape)
        return AirColumns(
            mass - new.mass, warm - reference_temperature, found - new.geopotential, water
        )

    def wind(self, wind: Array, former: Array, ground: Array) -> Array:
        """The same for wind (nk, columns), by the pressure of the base state."""
        old, new = self.reference.columns(former), self.reference.columns(ground)
        return Between.of(old.pressure, new.pressure).held(wind)

    def _heat(self, theta: Array, pressure: Array, there: Array, between: Between) -> Array:
        """Potential temperature [K] at pressures `there`, that off the base state on lines.

        It goes on below the lowest layer as it does above it, but there it neither rises downward
        nor falls faster than in air of one temperature.
        """
        base, own = (self.reference.base.potential_temperature(at) for at in (pressure, there))
        steepness = (base[1] - base[0]) / between.step
        bounds = -kappa * theta[0] - steepness, -steepness
        return np.asarray(own + between.going_on(theta - base, *bounds))

    def _weighing(self, water: Array) -> Array:
        """Mixing ratio of all water, (nk, columns)."""
        return np.asarray(sum(water[: self.kinds], np.zeros(water.shape[1:])))


class Between(NamedTuple):
    """Where pressures lie between those of layers, in logarithms, (nk, columns) each."""

    below: NDArray[np.int64]  # the layer below, or the lowest, or the last but one
    share: Array  # of the layer above, less than 0 below the lowest and more than 1 above the last
    beyond: Array  # logarithm of the pressure less that of the lowest layer
    step: Array  # of logarithms from the lowest layer to the next, (columns,)

    @classmethod
    def of(cls, pressure: Array, wanted: Array) -> Between:
        """Of wanted pressures among those of layers, which fall upward."""
        lines, at = np.log(pressure), np.log(wanted)
        below = np.zeros(at.shape, np.int64)
        for one in lines[1:-1]:
            below += at <= one
        low, high = (np.take_along_axis(lines, below + n, axis=0) for n in (0, 1))
        return cls(below, (at - low) / (high - low), at - lines[0], lines[1] - lines[0])

    def held(self, values: Array) -> Array:
        """Linear between layers, and constant beyond the lowest and the last one."""
        return self._at(values, np.clip(self.share, 0.0, 1.0))

    def going_on(self, values: Array, least: Array, most: Array) -> Array:
        """Linear between layers, above the last one too, and below the lowest one as above it.

        There they change with the logarithm by `least` to `most`, (columns,).
        """
        change = np.clip((values[1] - values[0]) / self.step, least, most)
        found = self._at(values, np.maximum(self.share, 0.0))
        return np.asarray(found + change * np.maximum(self.beyond, 0.0))

    def _at(self, values: Array, share: Array) -> Array:
        low, high = (np.take_along_axis(values, self.below + n, axis=0) for n in (0, 1))
        return np.asarray(low + share * (high - low))
