"""Plain reference of the mean parameters of one spectrum."""

import math

import numpy as np


def mean_parameters(spectrum, grid, wavenumber, gravity=9.806):
    """Parameters of `spectrum` [frequency][direction]; `wavenumber` [frequency] in rad m-1."""
    f, theta, dtheta = grid.frequency, grid.direction, grid.direction_width
    width = grid.output_band_width
    energy = spectrum.sum(axis=1) * dtheta

    def moment(density, order):
        tail = density[-1] * f[-1] ** (order + 1) / (4 - order)
        return (density * f**order * width).sum() + tail

    m0 = moment(energy, 0)
    mean = {
        name: moment((spectrum * shape).sum(axis=1) * dtheta, 0) / m0
        for name, shape in {
            "directional_moment_a1": np.cos(theta),
            "directional_moment_b1": np.sin(theta),
            "directional_moment_a2": np.cos(2 * theta),
            "directional_moment_b2": np.sin(2 * theta),
        }.items()
    }
    a1, b1 = mean["directional_moment_a1"], mean["directional_moment_b1"]
    peak = int(np.argmax(energy))
    peak_frequency = f[peak]
    if 0 < peak < f.size - 1:
        three = slice(peak - 1, peak + 2)
        a, b, _ = np.polyfit(f[three] / f[peak] - 1, energy[three] / energy[peak], 2)
        peak_frequency *= 1 - b / (2 * a)
    east, north = (spectrum[peak] * [np.cos(theta), np.sin(theta)]).sum(axis=1)

    sigma = 2 * math.pi * f
    with np.errstate(divide="ignore"):
        k_d = np.arctanh(np.minimum(sigma**2 / (gravity * wavenumber), 1.0))
    capped = np.minimum(k_d, 50.0)
    surface = sigma * wavenumber * np.cosh(2 * capped) / np.sinh(capped) ** 2
    drift = [
        surface * (spectrum * unit).sum(axis=1) * dtheta for unit in (np.cos(theta), np.sin(theta))
    ]
    return {
        "significant_height": 4 * math.sqrt(m0),
        "mean_period_energy": moment(energy, -1) / m0,
        "mean_period": m0 / moment(energy, 1),
        "mean_period_zero_crossing": math.sqrt(m0 / moment(energy, 2)),
        "peak_frequency": peak_frequency,
        "peak_period": 1 / peak_frequency,
        "mean_direction": (270 - math.degrees(math.atan2(b1, a1))) % 360,
        "peak_direction": (270 - math.degrees(math.atan2(north, east))) % 360,
        "directional_spread": math.degrees(math.sqrt(2 * max(1 - math.hypot(a1, b1), 0.0))),
        **mean,
        "stokes_drift_u": (drift[0] * width).sum() + drift[0][-1] * f[-1],
        "stokes_drift_v": (drift[1] * width).sum() + drift[1][-1] * f[-1],
        "mean_square_slope": (wavenumber**2 * energy * width).sum(),
    }
