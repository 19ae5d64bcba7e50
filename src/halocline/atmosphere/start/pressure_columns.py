"""Columns on pressure levels: filled below the ground, and interpolated between levels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from halocline.core import moist_air
from halocline.core.errors import UserError

Array = NDArray[np.float64]
Index = NDArray[np.int64]

standard_gravity = 9.80665
"""By which geopotential is geopotential height [m s-2] (WMO-No. 8)."""

largest_bulge = 5.0
"""How far temperature between two levels may be taken off the line by heights [K]."""

implausible_bulge = 10.0
"""How far the heights of half of all columns put it where files are in error [K]."""


@dataclass(frozen=True)
class PressureColumns:
    """Air on pressure levels, from below upward; arrays of levels have shape (levels, ...)."""

    levels: Array  # [Pa], descending, shape (levels,)
    temperature: Array  # [K]
    vapor: Array  # mixing ratio [1]
    height: Array  # geopotential height [m]
    lapse_rate: float  # below the ground, downward [K m-1]
    keep_thickness: bool = True  # temperature between levels keeps the thickness of the layer

    def filled(
        self, surface_pressure: Array | None = None, ground: Array | None = None
    ) -> PressureColumns:
        """The same with all that lies below the ground, or is missing, made from what is above.

        Temperature grows by the lapse rate, the mixing ratio stays, heights are in balance: from
        the height of the `ground` [m] on where it is known with its pressure [Pa], both (...).
        """
        whole = self.temperature + self.vapor + self.height
        missing = below_ground(self.levels, whole, surface_pressure)
        t, q, z = self.temperature.copy(), self.vapor.copy(), self.height.copy()
        for k in range(self.levels.size - 2, -1, -1):
            some = missing[k]
            q[k][some] = q[k + 1][some]
            lower = np.full(int(some.sum()), self.levels[k])
            upper, level_above = np.full_like(lower, self.levels[k + 1]), t[k + 1][some]
            t_upper, z_upper = level_above, z[k + 1][some]
            t[k][some] = self._warmer(level_above, q[k][some], lower / upper)
            if surface_pressure is not None and ground is not None:
                at_ground, pressure = ~missing[k + 1][some], surface_pressure[some]
                t_ground = self._warmer(level_above, q[k][some], pressure / upper)
                t_upper = np.where(at_ground, t_ground, t_upper)
                z_upper = np.where(at_ground, ground[some], z_upper)
                upper = np.where(at_ground, pressure, upper)
            z[k][some] = z_upper - _rise(t[k][some], t_upper, q[k][some], lower / upper)
        return PressureColumns(self.levels, t, q, z, self.lapse_rate, self.keep_thickness)

    def _warmer(self, temperature: Array, vapor: Array, ratio: Array) -> Array:
        """Temperature [K] further below where pressure is `ratio` times as much."""
        return temperature * ratio ** (self._power * moist_air.virtual_factor(vapor))

    @property
    def _power(self) -> float:
        """Of pressure, by which temperature goes with the lapse rate [1]."""
        return moist_air.dry_gas_constant * self.lapse_rate / standard_gravity

    @cached_property
    def _log(self) -> Array:
        return np.log(self.levels)

    @cached_property
    def virtual(self) -> Array:
        """Virtual temperature [K]."""
        return self.temperature * moist_air.virtual_factor(self.vapor)

    @cached_property
    def _slope(self) -> Array:
        """Change of height by the logarithm of pressure at levels [m]."""
        return -moist_air.dry_gas_constant / standard_gravity * self.virtual

    def pressure_at(self, height: Array) -> Array:
        """Pressure [Pa] at a geopotential height [m] of every column (...).

        Between levels height is the cubic of log p that has the heights and the virtual
        temperatures of both; below the lowest level air has the lapse rate.
        """
        above_top = height > self.height[-1]
        if above_top.any():
            raise UserError(
                f"The ground lies up to {float(height[above_top].max()):.0f} m high, above the"
                f" uppermost level of the analysis ({self.levels[-1] / 100:g} hPa). Use one with"
                " higher levels."
            )
        low = np.clip((self.height <= height).sum(axis=0) - 1, 0, self.levels.size - 2)
        step = self._log[low + 1] - self._log[low]
        z0, z1 = _take(self.height, low), _take(self.height, low + 1)
        m0, m1 = step * _take(self._slope, low), step * _take(self._slope, low + 1)
        part = (height - z0) / (z1 - z0)
        for _ in range(6):
            wrong = _cubic(part, z0, z1, m0, m1) - height
            part = part - wrong / _cubic_slope(part, z0, z1, m0, m1)
        between = self.levels[low] * np.exp(step * part)
        return np.where(height < self.height[0], self._pressure_below(height), between)

    def _pressure_below(self, height: Array) -> Array:
        """Pressure [Pa] below the lowest level, of air with the lapse rate."""
        depth, virtual = np.maximum(self.height[0] - height, 0.0), self.virtual[0]
        gas = moist_air.dry_gas_constant / standard_gravity
        rate = self.lapse_rate * moist_air.virtual_factor(self.vapor[0])
        if self.lapse_rate == 0.0:
            return self.levels[0] * np.exp(depth / (gas * virtual))
        return self.levels[0] * (1.0 + rate * depth / virtual) ** (1.0 / (gas * rate))

    def vapor_at(self, pressure: Array) -> Array:
        """Mixing ratio [1] at pressures [Pa] (layers, ...), linear in log p."""
        return line_in_log(self.levels, self.vapor, pressure)

    def temperature_at(self, pressure: Array, vapor: Array) -> Array:
        """Temperature [K] at pressures [Pa] (layers, ...), where the mixing ratio is `vapor`."""
        between = line_in_log(self.levels, self.virtual, pressure)
        if self.keep_thickness:
            low, part = places(self.levels, pressure)
            between += 4.0 * part * (1.0 - part) * _take(self._bulge, low)
        below = pressure > self.levels[0]
        power = self._power * moist_air.virtual_factor(self.vapor[0])
        ratio = np.maximum(pressure / self.levels[0], 1.0)
        found = np.where(below, self.virtual[0] * ratio**power, between)
        return found / moist_air.virtual_factor(vapor)

    @cached_property
    def _bulge(self) -> Array:
        """Of virtual temperature over the line, half-way between levels [K], (levels - 1, ...).

        The mean over log p of the parabola, two thirds of the bulge, is that of the thickness; no
        more than `largest_bulge`, as near the ground heights have errors of their own.
        """
        gas = moist_air.dry_gas_constant / standard_gravity
        step = -np.diff(self._log).reshape((-1,) + (1,) * (self.height.ndim - 1))
        mean = np.diff(self.height, axis=0) / (gas * step)
        bulge = 1.5 * (mean - 0.5 * (self.virtual[1:] + self.virtual[:-1]))
        usual = np.median(np.abs(bulge).reshape(bulge.shape[0], -1), axis=1)
        if usual.max() > implausible_bulge:
            k = int(usual.argmax())
            raise UserError(
                f"Heights and temperatures of the analysis do not fit: between"
                f" {self.levels[k] / 100:g} and {self.levels[k + 1] / 100:g} hPa the heights want"
                f" the middle {usual[k]:.1f} K off the mean of both levels in half of all columns."
                " Are levels, units and times those of one analysis?"
            )
        return np.clip(bulge, -largest_bulge, largest_bulge)


near_ground = 1e3
"""So much less pressure than at the ground a level may have that is missing nevertheless [Pa]."""


def below_ground(levels: Array, values: Array, surface_pressure: Array | None) -> NDArray[np.bool_]:
    """Where values on levels are missing or below the ground, (levels, ...); not at the top.

    >>> values = np.array([[np.nan, 1.0], [2.0, 2.0]])
    >>> below_ground(np.array([1e5, 9e4]), values, np.array([9.5e4, 9.9e4])).tolist()
    [[True, True], [False, False]]
    """
    missing = np.isnan(values)
    if surface_pressure is not None:
        at = levels.reshape((-1,) + (1,) * surface_pressure.ndim)
        lost = missing & (at + near_ground < surface_pressure)
        if lost.any():
            level = levels[int(lost.reshape(lost.shape[0], -1).any(axis=1).argmax())]
            raise UserError(
                f"The analysis has missing values at {level / 100:g} hPa, in"
                f" {int(lost.any(axis=0).sum())} columns whose ground is lower: its surface"
                f" pressure is up to {float(surface_pressure[lost.any(axis=0)].max()) / 100:.0f}"
                " hPa there. Only what lies below the ground may be missing."
            )
        missing |= at > surface_pressure
    if missing[-1].any():
        raise UserError(
            f"{int(missing[-1].sum())} of {missing[-1].size} columns of the analysis have no value"
            f" above the ground: the uppermost level, {levels[-1] / 100:g} hPa, is missing or below"
            " the ground there. Use an analysis with higher levels."
        )
    gap = missing[1:] & ~missing[:-1]
    if gap.any():
        level = levels[1 + int(gap.reshape(gap.shape[0], -1).any(axis=1).argmax())]
        raise UserError(
            f"The analysis has missing values at {level / 100:g} hPa, but values below. Only what"
            " lies below the ground may be missing."
        )
    return missing


def from_above(values: Array, missing: NDArray[np.bool_]) -> Array:
    """Values on levels with the missing ones those of the level above."""
    found = values.copy()
    for k in range(values.shape[0] - 2, -1, -1):
        found[k] = np.where(missing[k], found[k + 1], found[k])
    return found


def line_in_log(levels: Array, values: Array, pressure: Array) -> Array:
    """Values at pressures (layers, ...), linear in log p; below the lowest level its value.

    >>> line_in_log(np.array([1e5, 1e4]), np.array([0.0, 1.0]), np.array([1e5, 10**4.5, 2e5]))
    array([0. , 0.5, 0. ])
    """
    low, part = places(levels, pressure)
    return (1.0 - part) * _take(values, low) + part * _take(values, low + 1)


def places(levels: Array, pressure: Array) -> tuple[Index, Array]:
    """The level below each pressure, and how far towards the next one it lies in log p [1].

    Below the lowest level the share is 0; above the uppermost is refused.
    """
    least = float(pressure.min())
    if least < levels[-1] * (1.0 - 1e-9):
        raise UserError(
            f"The uppermost layer of the model lies at {least / 100:.4g} hPa, above the uppermost"
            f" level of the analysis, {levels[-1] / 100:g} hPa. Use an analysis with higher levels,"
            " or a lower top of the model."
        )
    log = np.log(levels)
    where = np.log(pressure)
    low = np.clip(np.searchsorted(-log, -where, side="right") - 1, 0, levels.size - 2)
    part = (where - log[low]) / (log[low + 1] - log[low])
    return low, np.clip(part, 0.0, 1.0)


def _take(values: Array, level: Index) -> Array:
    """Values (levels, ...) at a level of each column; `level` is (...) or (layers, ...)."""
    if level.ndim == values.ndim:
        return np.take_along_axis(values, level, axis=0)
    return np.take_along_axis(values, level[None], axis=0)[0]


def _rise(lower: Array, upper: Array, vapor: Array, ratio: Array) -> Array:
    """Height between two temperatures with one lapse rate [m]; `ratio` that of the pressures."""
    gas = moist_air.dry_gas_constant / standard_gravity * moist_air.virtual_factor(vapor)
    power = np.log(lower / upper)
    uniform = np.abs(power) < 1e-12
    mean = np.where(uniform, upper, (lower - upper) / np.where(uniform, 1.0, power))
    return gas * mean * np.log(ratio)


def _cubic(part: Array, z0: Array, z1: Array, m0: Array, m1: Array) -> Array:
    """Hermite's cubic from z0 to z1 with slopes m0 and m1 at the ends."""
    rise = z1 - z0
    bend, twist = 3.0 * rise - 2.0 * m0 - m1, m0 + m1 - 2.0 * rise
    return z0 + part * (m0 + part * (bend + part * twist))


def _cubic_slope(part: Array, z0: Array, z1: Array, m0: Array, m1: Array) -> Array:
    rise = z1 - z0
    bend, twist = 3.0 * rise - 2.0 * m0 - m1, m0 + m1 - 2.0 * rise
    return m0 + part * (2.0 * bend + 3.0 * part * twist)
