"""Analytic spectra in frequency and direction, and conversions of conventions.

Directions inside are Cartesian: towards, anticlockwise from east [rad]. At the door they are
nautical: from, clockwise from north [degree].
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halocline.core import constants
from halocline.waves.spectrum import SpectralGrid

Array = NDArray[np.float64]


def to_cartesian(direction: ArrayLike) -> Array:
    """Turn a direction from, clockwise from north [degree] into towards, from east [rad].

    >>> float(to_cartesian(270.0)), round(float(to_cartesian(180.0)), 6)
    (0.0, 1.570796)
    """
    return np.radians((270.0 - np.asarray(direction, np.float64)) % 360.0)


def to_nautical(direction: ArrayLike) -> Array:
    """Turn a direction towards, from east [rad] into from, clockwise from north [degree].

    >>> float(to_nautical(0.0)), round(float(to_nautical(math.pi / 2)), 6)
    (270.0, 180.0)
    """
    return (270.0 - np.degrees(np.asarray(direction, np.float64))) % 360.0


def turned(direction: ArrayLike) -> Array:
    """Exchange 'from' and 'to' of a direction in degrees.

    >>> float(turned(240.0))
    60.0
    """
    return (np.asarray(direction, np.float64) + 180.0) % 360.0


def per_radian(density: ArrayLike) -> Array:
    """Turn a density per degree into one per radian."""
    return np.asarray(density, np.float64) * (180.0 / math.pi)


def per_degree(density: ArrayLike) -> Array:
    """Turn a density per radian into one per degree."""
    return np.asarray(density, np.float64) * (math.pi / 180.0)


def per_angular_frequency(density: ArrayLike) -> Array:
    """Turn a density per Hz into one per rad s-1."""
    return np.asarray(density, np.float64) / (2.0 * math.pi)


def per_hertz(density: ArrayLike) -> Array:
    """Turn a density per rad s-1 into one per Hz."""
    return np.asarray(density, np.float64) * (2.0 * math.pi)


def jonswap(
    frequency: ArrayLike,
    alpha: ArrayLike = 0.0081,
    peak_frequency: ArrayLike = 0.1,
    gamma: ArrayLike = 3.3,
    sigma_a: float = 0.07,
    sigma_b: float = 0.09,
) -> Array:
    """Give the JONSWAP spectrum [m2 Hz-1] at `frequency` [Hz] (Hasselmann et al. 1973).

    E = alpha g2 (2 pi)^-4 f^-5 exp(-5/4 (f/fp)^-4) gamma^exp(-(f/fp - 1)2 / (2 sigma2)), with
    sigma_a up to the peak frequency [Hz] and sigma_b above it. Arguments broadcast.

    >>> grid = SpectralGrid(frequencies=25)
    >>> m0 = np.sum(jonswap(grid.frequency) * grid.band_width)
    >>> bool(abs(4 * np.sqrt(m0) - 4.95) < 0.01)
    True
    """
    f = np.asarray(frequency, np.float64)
    relative = f / np.asarray(peak_frequency, np.float64)
    width = np.where(relative <= 1.0, sigma_a, sigma_b)
    peak = np.exp(-0.5 * ((relative - 1.0) / width) ** 2)
    level = np.asarray(alpha, np.float64) * (constants.gravity**2 / (2.0 * math.pi) ** 4)
    shape = np.exp(-1.25 * relative**-4.0 + np.log(np.asarray(gamma, np.float64)) * peak)
    return np.asarray(level * f**-5.0 * shape)


def pierson_moskowitz(
    frequency: ArrayLike, peak_frequency: ArrayLike = 0.1, alpha: ArrayLike = 0.0081
) -> Array:
    """Give the spectrum of a fully grown sea [m2 Hz-1] (Pierson and Moskowitz 1964)."""
    return jonswap(frequency, alpha, peak_frequency, gamma=1.0)


def cosine_power(direction: ArrayLike, mean: ArrayLike, power: float) -> Array:
    """Give the shape max(0, cos(direction - mean))^power, not normalised; angles in rad."""
    difference = np.asarray(direction, np.float64) - np.asarray(mean, np.float64)
    return np.asarray(np.maximum(0.0, np.cos(difference)) ** power)


def hasselmann_spread(frequency: ArrayLike, peak_frequency: float) -> Array:
    """Give the exponent s of cos^2s (Hasselmann, Dunckel and Ewing 1980, wind-age term left out).

    s = 9.77 (f/fp)^4.06 below the peak and 9.77 min(2.5, f/fp)^-2.34 above it.
    """
    relative = np.asarray(frequency, np.float64) / peak_frequency
    above = np.clip(relative, 1.0, 2.5) ** -2.34
    return np.asarray(9.77 * np.where(relative < 1.0, relative**4.06, above))


def half_angle_power(direction: ArrayLike, mean: float, exponent: ArrayLike) -> Array:
    """Give the shape cos^2s((direction - mean) / 2), not normalised; one row for each exponent."""
    cosine = np.abs(np.cos(0.5 * (np.asarray(direction, np.float64) - mean)))
    return np.asarray(cosine ** (2.0 * np.asarray(exponent, np.float64)[..., None]))


def normalised(shape: ArrayLike, width: float) -> Array:
    """Scale a directional shape so that its sum over the last axis times `width` is one."""
    values = np.asarray(shape, np.float64)
    return np.asarray(values / (values.sum(axis=-1, keepdims=True) * width))


def jonswap_directional(
    grid: SpectralGrid,
    alpha: float = 0.0081,
    peak_frequency: float = 0.1,
    gamma: float = 3.3,
    direction: float = 270.0,
    *,
    cosine: float | None = None,
) -> Array:
    """Give a JONSWAP spectrum in frequency and direction [m2 Hz-1 rad-1], shape `grid.shape`.

    `direction` is where waves come from, clockwise from north [degree]. The directional shape is
    cos^2s of Hasselmann et al. (1980), or cos^n with n = `cosine` where given; it is normalised
    over the directions of the grid.

    >>> jonswap_directional(SpectralGrid(frequencies=25, directions=24)).shape
    (25, 24)
    """
    energy = jonswap(grid.frequency, alpha, peak_frequency, gamma)
    mean = float(to_cartesian(direction))
    if cosine is None:
        exponent = hasselmann_spread(grid.frequency, peak_frequency)
        shape = half_angle_power(grid.direction, mean, exponent)
    else:
        shape = cosine_power(grid.direction, mean, cosine)[None, :]
    return energy[:, None] * normalised(shape, grid.direction_width)
