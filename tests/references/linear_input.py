"""Linear wind input of Cavaleri and Malanotte-Rizzoli (1981), filtered by Tolman (1992)."""

from __future__ import annotations

import numpy as np


def linear_input(
    options, grid, wavenumber, group_velocity, friction_velocity, wind_direction, cutoff_sigma=0.0
):
    """Source [m2 Hz-1 rad-1 s-1], shape (frequency, direction), of one point.

    `wavenumber` [rad m-1] and `group_velocity` [m s-1] by frequency; `wind_direction` towards, from
    east [rad]; `cutoff_sigma`: highest prognostic angular frequency [rad s-1].
    """
    gravity, density_ratio = 9.806, 1.225e-3
    sigma = grid.sigma
    peak = options.peak_factor * gravity / (28.0 * friction_velocity)
    filter_sigma = max(peak, options.cutoff_factor * min(cutoff_sigma, sigma[-1]))
    filter_sigma = min(filter_sigma, 2.0 * sigma[-1])
    source = np.zeros(grid.shape)
    for i in range(grid.frequencies):
        if sigma[i] < 0.5 * filter_sigma:
            continue
        for j in range(grid.directions):
            along = max(0.0, np.cos(grid.direction[j] - wind_direction))
            action = (
                options.coefficient
                * density_ratio**2
                / gravity**2
                * (friction_velocity * along) ** 4
                / wavenumber[i]
                * np.exp(-((sigma[i] / filter_sigma) ** -4))
            )
            source[i, j] = action * 2.0 * np.pi * sigma[i] / group_velocity[i]
    return source
