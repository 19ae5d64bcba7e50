"""Parcels that rise through columns: levels of condensation and free convection, CAPE and CIN."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.core import moist_air

Array = NDArray[np.float64]
Index = NDArray[np.int64]

most_unstable_depth = 30e3
"""Of the air above the ground in which the most unstable parcel is looked for [Pa]."""


@dataclass(frozen=True)
class ParcelAscent:
    """What becomes of one parcel of each column; arrays (...), not a number where there is none."""

    cape: Array  # convective available potential energy [J kg-1]
    cin: Array  # convective inhibition, at most 0 [J kg-1]
    condensation_level: Array  # [Pa]
    free_convection_level: Array  # [Pa]
    equilibrium_level: Array  # [Pa]


def parcel_temperature(pressure: Array, start: tuple[float, float, float]) -> Array:
    """Temperature of a parcel at the pressures (nk) of a column, from its start upward [K].

    `start` are pressure [Pa], temperature [K] and mixing ratio [1]; not a number below it.
    """
    p0, t0, q0 = (np.array(value) for value in start)
    level = moist_air.condensation_level(t0, q0, p0)
    at_level = t0 * (level / p0) ** moist_air.kappa
    dry = t0 * (pressure / p0) ** moist_air.kappa
    above = np.minimum(pressure, level)
    moist = moist_air.lifted_saturated(np.broadcast_to(at_level, above.shape), level, above)
    return np.where(pressure > p0, np.nan, np.where(pressure >= level, dry, moist))


@dataclass(frozen=True)
class _Path:
    """Buoyancy along an ascent, the level of condensation inserted."""

    log_pressure: Array  # (nk + 1, ...)
    buoyancy: Array  # by the logarithm of pressure [J kg-1]
    condensation: Index  # number of the inserted level


def surface_parcel(pressure: Array, temperature: Array, mixing_ratio: Array) -> ParcelAscent:
    """The ascent of air of the lowest layer; arrays (nk, ...), k upward, in Pa, K and 1."""
    start = np.zeros(pressure.shape[1:], np.int64)
    return parcel_from(start, pressure, temperature, mixing_ratio)


def most_unstable_parcel(pressure: Array, temperature: Array, mixing_ratio: Array) -> ParcelAscent:
    """The ascent of the air with the greatest equivalent potential temperature near the ground.

    It is one of the layers in the lowest 300 hPa of a column.
    """
    theta = moist_air.equivalent_potential_temperature(temperature, mixing_ratio, pressure)
    near = pressure >= pressure[0] - most_unstable_depth
    start = np.where(near, theta, -np.inf).argmax(axis=0)
    return parcel_from(start, pressure, temperature, mixing_ratio)


def parcel_from(
    start: Index, pressure: Array, temperature: Array, mixing_ratio: Array
) -> ParcelAscent:
    """The ascent of the air of layer `start` (...) of each column.

    It rises without mixing, dry up to its level of condensation, then along a pseudo-adiabat.
    Buoyancy is Rd times the difference of virtual temperatures, a line in log p between layers
    (Doswell and Rasmussen 1994, Weather and Forecasting 9, 625). Free convection begins at the
    lowest level above condensation from which on the parcel is lighter, and ends at the highest
    one at which it becomes heavier. CAPE is the sum between these, CIN that from the start to the
    lower one; both are 0 where there is no free convection.
    """
    path, condensation = _path(start, pressure, temperature, mixing_ratio)
    lower, lower_at = _free_convection(path)
    upper, upper_at = _equilibrium(path)
    there = (lower >= 0) & (upper >= 0)
    total = np.concatenate([np.zeros((1, *start.shape)), np.cumsum(_areas(path), axis=0)])
    to_lower = _sum_to(path, total, lower, lower_at)
    to_upper = _sum_to(path, total, upper, upper_at)
    there &= to_upper > to_lower
    nothing = np.full(start.shape, np.nan)
    return ParcelAscent(
        np.where(there, to_upper - to_lower, 0.0),
        np.where(there, np.minimum(to_lower, 0.0), 0.0),
        condensation,
        np.where(there, _pressure_of(path, lower, lower_at), nothing),
        np.where(there, _pressure_of(path, upper, upper_at), nothing),
    )


def _at(values: Array, level: Index) -> Array:
    """Values (nk, ...) at one level of each column (...)."""
    return np.take_along_axis(values, level[None], axis=0)[0]


def _path(
    start: Index, pressure: Array, temperature: Array, mixing_ratio: Array
) -> tuple[_Path, Array]:
    """Buoyancy along the ascents, 0 below their start, and their level of condensation [Pa]."""
    p0, t0, q0 = (_at(values, start) for values in (pressure, temperature, mixing_ratio))
    level = np.maximum(moist_air.condensation_level(t0, q0, p0), pressure[-1])
    number = (pressure >= level).sum(axis=0)
    virtual = temperature * moist_air.virtual_factor(mixing_ratio)
    log, around = _inserted(np.log(pressure), virtual, np.log(level), number)
    nodes = np.exp(log)
    parcel = np.empty_like(nodes)
    parcel_t = t0 * (level / p0) ** moist_air.kappa
    before = level
    for k in range(nodes.shape[0]):
        above = nodes[k] < level
        reached = np.where(above, nodes[k], before)
        parcel_t = moist_air.lifted_saturated(parcel_t, before, reached)
        before = reached
        dry = t0 * (nodes[k] / p0) ** moist_air.kappa
        saturated = moist_air.mixing_ratio(moist_air.saturation_pressure(parcel_t), nodes[k])
        vapor = np.where(above, np.minimum(saturated, q0), q0)
        parcel[k] = np.where(above, parcel_t, dry) * moist_air.virtual_factor(vapor)
    buoyancy = moist_air.dry_gas_constant * (parcel - around)
    return _Path(log, np.where(nodes > p0, 0.0, buoyancy), number), level


def _inserted(log: Array, values: Array, new: Array, number: Index) -> tuple[Array, Array]:
    """Logarithms and values (nk, ...) with one more level at `new`, as level `number`."""
    nk = log.shape[0]
    low = np.clip(number - 1, 0, nk - 2)
    span = _at(log, low + 1) - _at(log, low)
    share = np.clip((new - _at(log, low)) / span, 0.0, 1.0)
    there = (1.0 - share) * _at(values, low) + share * _at(values, low + 1)
    levels = np.arange(nk + 1).reshape((-1,) + (1,) * new.ndim)
    source = np.clip(levels - (levels > number), 0, nk - 1)
    source = np.broadcast_to(source, (nk + 1, *new.shape))
    is_new = levels == number
    return (
        np.where(is_new, new, np.take_along_axis(log, source, axis=0)),
        np.where(is_new, there, np.take_along_axis(values, source, axis=0)),
    )


def _areas(path: _Path) -> Array:
    """Sums of buoyancy between levels [J kg-1]."""
    mean = 0.5 * (path.buoyancy[1:] + path.buoyancy[:-1])
    return -mean * np.diff(path.log_pressure, axis=0)


def _crossing(path: _Path) -> Array:
    """Where between two levels buoyancy is nothing, as a share of the way up [1]."""
    low, high = path.buoyancy[:-1], path.buoyancy[1:]
    change = low - high
    return np.clip(low / np.where(change == 0.0, 1.0, change), 0.0, 1.0)


def _free_convection(path: _Path) -> tuple[Index, Array]:
    """The layer between levels in which free convection begins, -1 for none, and where in it."""
    levels = np.arange(path.buoyancy.shape[0] - 1).reshape((-1,) + (1,) * path.condensation.ndim)
    low, high = path.buoyancy[:-1], path.buoyancy[1:]
    light_at_once = (levels == path.condensation) & (low > 0.0)
    begins = (levels >= path.condensation) & (low <= 0.0) & (high > 0.0) | light_at_once
    layer = begins.argmax(axis=0)
    share = np.where(_at(light_at_once, layer), 0.0, _at(_crossing(path), layer))
    return np.where(begins.any(axis=0), layer, -1), share


def _equilibrium(path: _Path) -> tuple[Index, Array]:
    """The layer between levels in which it ends, and where in it; the top where it does not."""
    count = path.buoyancy.shape[0] - 1
    levels = np.arange(count).reshape((-1,) + (1,) * path.condensation.ndim)
    low, high = path.buoyancy[:-1], path.buoyancy[1:]
    ends = (levels >= path.condensation) & (low > 0.0) & (high <= 0.0)
    layer = count - 1 - ends[::-1].argmax(axis=0)
    to_top = path.buoyancy[-1] > 0.0
    share = np.where(to_top, 1.0, _at(_crossing(path), layer))
    found = np.where(ends.any(axis=0), layer, -1)
    return np.where(to_top, count - 1, found), share


def _sum_to(path: _Path, total: Array, layer: Index, share: Array) -> Array:
    """The sum of buoyancy from the lowest level to a place in a layer [J kg-1]."""
    at = np.maximum(layer, 0)
    low, high = _at(path.buoyancy, at), _at(path.buoyancy, at + 1)
    depth = _at(path.log_pressure, at) - _at(path.log_pressure, at + 1)
    part = (low + 0.5 * (high - low) * share) * share * depth
    return _at(total, at) + part


def _pressure_of(path: _Path, layer: Index, share: Array) -> Array:
    """Pressure of a place in a layer [Pa]."""
    at = np.maximum(layer, 0)
    low, high = _at(path.log_pressure, at), _at(path.log_pressure, at + 1)
    return np.exp((1.0 - share) * low + share * high)
