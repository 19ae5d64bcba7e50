"""Maps that follow from columns: sea-level pressure, vapour, values on levels of pressure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.constants import dry_gas_constant, gravity
from halocline.core import moist_air

Array = NDArray[np.float64]

lapse_rate = 0.0065
"""Below the ground, downward [K m-1] (ICAO Doc 7488)."""

free_of_the_ground = 10e3
"""How far above the ground [Pa] air does not follow the day (Stoelinga 2009: 100 hPa)."""


def on_pressure_levels(values: Array, pressure: Array, levels: Array) -> Array:
    """Values (nk, ...) at `levels` [Pa], lines in log p; not a number outside of the column.

    >>> on_pressure_levels(np.array([0.0, 1.0]), np.array([1e5, 1e4]), np.array([1e4**1.125, 2e5]))
    array([0.5, nan])
    """
    log, found = np.log(pressure), np.empty((levels.size, *values.shape[1:]))
    for n, level in enumerate(np.log(levels)):
        low = np.clip((log >= level).sum(axis=0) - 1, 0, log.shape[0] - 2)[None]
        below, above = (np.take_along_axis(log, at, 0)[0] for at in (low, low + 1))
        share = (level - below) / (above - below)
        ends = [np.take_along_axis(values, at, 0)[0] for at in (low, low + 1)]
        inside = (share >= -1e-9) & (share <= 1.0 + 1e-9)
        found[n] = np.where(inside, (1.0 - share) * ends[0] + share * ends[1], np.nan)
    return found


def sea_level_pressure(
    surface_pressure: Array, ground: Array, pressure: Array, temperature: Array, vapor: Array
) -> Array:
    """Pressure reduced to sea level [Pa].

    The (virtual) temperature of the ground follows from that 100 hPa above it, which does not
    follow the day, by 6.5 K/km, and so the air below the `ground` [m].
    """
    virtual = temperature * moist_air.virtual_factor(vapor)
    log = np.log(pressure)
    free = np.log(np.maximum(surface_pressure - free_of_the_ground, pressure[-1]))
    low = np.clip((log >= free).sum(axis=0) - 1, 0, log.shape[0] - 2)[None]
    below, above = (np.take_along_axis(log, at, 0)[0] for at in (low, low + 1))
    share = (free - below) / (above - below)
    ends = [np.take_along_axis(virtual, at, 0)[0] for at in (low, low + 1)]
    power = dry_gas_constant * lapse_rate / gravity
    air = (1.0 - share) * ends[0] + share * ends[1]
    at_ground = air * (surface_pressure / np.exp(free)) ** power
    return surface_pressure * (1.0 + lapse_rate * ground / at_ground) ** (1.0 / power)


def precipitable_water(layer_weight: Array, vapor: Array) -> Array:
    """Vapour of columns [kg m-2] from the weight of the dry air of layers [Pa], (nk, ...)."""
    return (layer_weight * vapor).sum(axis=0) / gravity


def relative_humidity(pressure: Array, temperature: Array, vapor: Array) -> Array:
    """Pressure of vapour over that of saturation over water [1]."""
    return moist_air.vapor_pressure(vapor, pressure) / moist_air.saturation_pressure(temperature)
