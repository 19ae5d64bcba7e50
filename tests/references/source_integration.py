"""Plain bottom friction, breaking and one step of the source integration (Tolman 1992)."""

from __future__ import annotations

import math

import numpy as np


def friction_rate(sigma, wavenumber, group_velocity, depth, coefficient=-0.067, gravity=9.806):
    ratio = group_velocity * wavenumber / sigma - 0.5
    rate = 2 * coefficient / gravity * np.maximum(ratio, 0) / depth
    return np.where(wavenumber * depth > 6, 0.0, rate)


def breaking_share(ratio):
    """Solve (1 - Q) / -ln Q = ratio as far as three rounds bring it."""
    if ratio <= 0.04:
        return 0.0
    if ratio >= 1:
        return 1.0
    b = math.sqrt(ratio)
    guess = (2 * b - 1) ** 2 if b > 0.5 else 0.0
    argument = math.exp((guess - 1) / ratio)
    share = guess - ratio * (guess - argument) / (ratio - argument)
    for _ in range(3):
        share = math.exp((share - 1) / ratio)
    return share


def breaking_rate(variance, mean_frequency, depth, intensity=1.0, height_ratio=0.73):
    ratio = 8 * variance / (height_ratio * depth) ** 2
    per_wave = breaking_share(ratio) / ratio if ratio < 1 else ratio
    return -2 * intensity * mean_frequency * per_wave


def largest_change(density, initial, wavenumber, group_velocity, sigma, xp=0.15, xr=0.10, xf=0.05):
    """Largest change of each component [m2 Hz-1 rad-1]."""
    unit = group_velocity / (2 * math.pi * sigma)  # action of density 1
    parametric = xp * 0.62e-3 / math.pi * (2 * math.pi) ** 4 / 9.806**2 / (wavenumber**3 * sigma)
    noise = max(parametric[-1], xf * (density * unit[:, None]).max())
    relative = np.maximum(xr * initial * unit[:, None], noise)
    return np.minimum(parametric[:, None], relative) / unit[:, None], parametric / unit


def choose_step(source, diagonal, most, left, least):
    """Length of the step and whether the limiter acts."""
    with np.errstate(divide="ignore"):
        wanted = most / np.abs(source)
    factor = 1 + wanted * np.minimum(0, diagonal)
    step = np.where(factor > 0, wanted / np.where(factor > 0, factor, 1), np.inf)
    step = max(0.5, min(left, step.min()))
    step = left / (1 + int(0.99 * left / step))
    limited = step < least and step < left
    return max(step, min(least, left)), limited
