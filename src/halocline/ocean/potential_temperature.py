"""Potential temperature of sea water from the temperature that is measured in its depth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def lapse_rate(temperature: Array, salinity: Array, pressure: Array) -> Array:
    """How much warmer water gets per pressure [K dbar-1] without any heat (Bryden 1973).

    Of in-situ temperature [degree C], salinity [1e-3] and sea pressure [dbar]; the polynomial and
    its check value are those of Fofonoff and Millard 1983, Unesco Technical Papers in Marine
    Science 44.

    >>> lapse_rate(np.array(40.0), np.array(40.0), np.array(10000.0)).round(10).item()
    0.0003255976
    """
    t, s, p = temperature, salinity - 35.0, pressure
    at_surface = 3.5803e-5 + t * (8.5258e-6 + t * (-6.836e-8 + t * 6.6228e-10))
    of_salt = s * (1.8932e-6 - 4.2393e-8 * t)
    linear = 1.8741e-8 + t * (-6.7795e-10 + t * (8.733e-12 - t * 5.4481e-14))
    linear += s * (-1.1351e-10 + 2.7759e-12 * t)
    square = -4.6206e-13 + t * (1.8676e-14 - t * 2.1687e-16)
    return at_surface + of_salt + p * (linear + p * square)


def potential_temperature(temperature: Array, salinity: Array, pressure: Array) -> Array:
    """Temperature [degree C] of water that rose to the surface without heat.

    One Runge-Kutta step of fourth order along the lapse rate, in Gill's form, as in Fofonoff and
    Millard 1983, whose check value this is.

    >>> potential_temperature(np.array(40.0), np.array(40.0), np.array(10000.0)).round(5).item()
    36.89073
    """
    root, half, rise = np.sqrt(0.5), 0.5 * pressure, -pressure
    t = temperature
    first = rise * lapse_rate(t, salinity, pressure)
    t, kept = t + 0.5 * first, first
    second = rise * lapse_rate(t, salinity, half)
    t = t + (1.0 - root) * (second - kept)
    kept = 2.0 * (1.0 - root) * second + (3.0 * root - 2.0) * kept
    third = rise * lapse_rate(t, salinity, half)
    t = t + (1.0 + root) * (third - kept)
    kept = 2.0 * (1.0 + root) * third - (3.0 * root + 2.0) * kept
    fourth = rise * lapse_rate(t, salinity, np.zeros_like(pressure))
    return np.asarray(t + (fourth - 2.0 * kept) / 6.0)
