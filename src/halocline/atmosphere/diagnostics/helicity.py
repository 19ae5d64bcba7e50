"""How the wind turns with height: motion of storms and helicity relative to it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

deviation = 7.5
"""Of storms that turn, across the shear [m s-1] (Bunkers et al. 2000)."""


def mean_wind(height: Array, wind: Array, bottom: float, top: float) -> Array:
    """Mean over height [m] of a component (nk, ...), lines between layers; ends held constant."""
    edges = np.linspace(bottom, top, 61)
    values = at_heights(height, wind, edges)
    weight = np.ones(61)
    weight[[0, -1]] = 0.5
    return np.tensordot(weight, values, 1) / 60.0


def at_heights(height: Array, values: Array, wanted: Array) -> Array:
    """Values (nk, ...) at heights [m] (n), lines between layers; the end ones outside.

    >>> at_heights(np.array([0.0, 10.0]), np.array([1.0, 3.0]), np.array([-5.0, 5.0, 50.0]))
    array([1., 2., 3.])
    """
    found = np.empty((wanted.size, *values.shape[1:]))
    for n, z in enumerate(wanted):
        low = np.clip((height <= z).sum(axis=0) - 1, 0, height.shape[0] - 2)[None]
        below, above = (np.take_along_axis(height, at, 0)[0] for at in (low, low + 1))
        share = np.clip((z - below) / (above - below), 0.0, 1.0)
        ends = [np.take_along_axis(values, at, 0)[0] for at in (low, low + 1)]
        found[n] = (1.0 - share) * ends[0] + share * ends[1]
    return found


def right_moving_storm(height: Array, u: Array, v: Array) -> tuple[Array, Array]:
    """Motion of a storm that turns to the right [m s-1] (Bunkers et al. 2000, Wea. Forecasting 15).

    The mean wind of the lowest 6 km, and 7.5 m/s to the right of the shear between the means of the
    lowest and the highest 500 m of these; `height` is that above the ground [m] (nk, ...).
    """
    mean = [mean_wind(height, wind, 0.0, 6000.0) for wind in (u, v)]
    low = [mean_wind(height, wind, 0.0, 500.0) for wind in (u, v)]
    high = [mean_wind(height, wind, 5500.0, 6000.0) for wind in (u, v)]
    shear_u, shear_v = high[0] - low[0], high[1] - low[1]
    size = np.maximum(np.hypot(shear_u, shear_v), 1e-9)
    return mean[0] + deviation * shear_v / size, mean[1] - deviation * shear_u / size


def storm_relative_helicity(
    height: Array, u: Array, v: Array, depth: float, storm_u: Array, storm_v: Array
) -> Array:
    """Helicity of the lowest `depth` [m] relative to a storm that moves [m2 s-2].

    Twice the area that the wind relative to the storm sweeps in the hodograph, positive where it
    turns to the right with height (Markowski and Richardson 2010, equation 8.15).
    """
    top_u, top_v = (at_heights(height, wind, np.array([depth])) for wind in (u, v))
    keep = height < depth
    wind_u = np.concatenate([np.where(keep, u, top_u), top_u]) - storm_u
    wind_v = np.concatenate([np.where(keep, v, top_v), top_v]) - storm_v
    return (wind_u[1:] * wind_v[:-1] - wind_u[:-1] * wind_v[1:]).sum(axis=0)
