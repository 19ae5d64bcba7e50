"""Plain wind input and dissipation of Tolman and Chalikov (1996), one spectrum at a time."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

options = SimpleNamespace(
    wind_height=10.0,
    swell_factor=0.1,
    a0=4.8,
    a1=1.7e-4,
    a2=2.0,
    b0=3.0e-4,
    b1=0.47,
    least_phi=0.003,
    least_peak=0.009,
    reference_level=0.002,
)


def exact_growth_rate(apparent_frequency, drag):
    """Interaction parameter beta of Chalikov and Belevich (1993), times the ratio of densities."""
    w, c = apparent_frequency, drag
    w1, w2 = 1.075 + 75 * c, 1.2 + 300 * c
    a1, a2, a4 = 0.25 + 395 * c, 0.35 + 150 * c, 0.3 + 300 * c
    a9, a10 = 0.35 + 240 * c, -0.06 + 470 * c
    a5 = a4 * w1
    a0 = 0.25 * a5**2 / a4
    a3 = (a0 - a2 - a1) / (a0 + a4 + a5)
    a6 = a0 * (1 - a3)
    a7 = (a9 * (w2 - 1) ** 2 + a10) / (w2 - w1)
    a8 = a7 * w1
    if w < -1:
        beta = -a1 * w**2 - a2
    elif w < w1 / 2:
        beta = a3 * w * (a4 * w - a5) - a6
    elif w < w1:
        beta = w * (a4 * w - a5)
    elif w < w2:
        beta = a7 * w - a8
    else:
        beta = a9 * (w - 1) ** 2 + a10
    return 1e-4 * beta


def growth_rate(apparent_frequency, drag):
    """The same, read bilinearly from WAVEWATCH III's table, low drags one column up."""
    row, column = math.floor(apparent_frequency / 0.1), int(drag / 5e-4)
    along, across = apparent_frequency / 0.1 - row, drag / 5e-4 - column
    column = min(max(column, 1), 20)
    return sum(
        weight * share * exact_growth_rate(0.1 * (row + i), 5e-4 * (column + j))
        for i, weight in ((0, 1 - along), (1, along))
        for j, share in ((0, 1 - across), (1, across))
    )


def input_peak_to_peak(star):
    """Nondimensional spectral peak of that of the input (Tolman and Chalikov 1996, eq. 26)."""
    return 3.6e-4 + 0.92 * star - 6.3e-10 / star**3


def wave_number(sigma, depth, gravity=9.806):
    k = sigma**2 / gravity
    for _ in range(100):
        k = sigma**2 / (gravity * math.tanh(k * depth)) * 0.5 + 0.5 * k
    return k


def stress(wind_speed, input_peak, friction_velocity, depth, gravity=9.806):
    """Friction velocity, roughness and drag of Chalikov's (1995) boundary layer, three rounds."""
    u = max(0.01, wind_speed)
    old = max(1e-4, friction_velocity)
    peak = input_peak_to_peak(max(0.008, input_peak * old / gravity)) / old * gravity
    sigma = max(peak, 0.001 * 2 * math.pi)
    speed = sigma / wave_number(sigma, depth, gravity)
    for _ in range(3):
        level = 0.57 / (speed / max(friction_velocity, 1e-4)) ** 1.5
        r = max(0.0, math.log(10.0 * gravity / (0.2 * math.sqrt(level) * u**2)))
        drag = 1e-3 * (0.021 + 10.4 / (r**1.23 + 1.85))
        friction_velocity = math.sqrt(drag) * u
    return friction_velocity, 10.0 * math.exp(-0.4 / math.sqrt(drag)), drag


def wind_input(grid, spectrum, wavenumber, wind, drag, roughness, gravity=9.806, o=options):
    """Growth rate of the input [s-1] and its peak frequency [rad s-1]; wind is (u, v)."""
    u, direction = math.hypot(*wind), math.atan2(wind[1], wind[0])
    sigma, theta = grid.sigma, grid.direction
    rate = np.empty(grid.shape)
    for i in range(grid.frequencies):
        for j in range(grid.directions):
            c = math.cos(theta[j] - direction)
            c = math.copysign(max(0.0087, abs(c)), c)
            length = 2 * math.pi / (wavenumber[i] * abs(c))
            aloft = u / math.log(o.wind_height / roughness) * math.log(length / roughness)
            apparent = wavenumber[i] * aloft * c / sigma[i]
            rate[i, j] = sigma[i] * growth_rate(apparent, drag * (u / aloft) ** 2)
    gain = np.maximum(rate * spectrum, 0).sum(axis=1) * grid.output_band_width / sigma**3
    tail = gain[-1] / grid.output_band_width[-1] / (2 * math.pi) * sigma[-1]
    m0 = gain.sum() + 0.25 * tail
    m1 = (gain / sigma).sum() + 0.20 * tail / sigma[-1]
    peak = m0 / m1 if m1 > 1e-30 else grid.factor * sigma[-1]
    # filter for swell
    friction_velocity = u * math.sqrt(drag)
    star = max(o.least_peak, peak * friction_velocity / gravity)
    first = 0.8 * input_peak_to_peak(star) * gravity / friction_velocity
    share = np.clip((sigma / first - 0.75) / 0.25, 0, 1)[:, None]
    filtered = np.maximum(rate, o.swell_factor * rate)
    return (1 - share) * filtered + share * rate, peak


def dissipation(
    grid, spectrum, wavenumber, group_velocity, peak, friction_velocity, gravity=9.806, o=options
):
    """Growth rate of the dissipation for each frequency [s-1]."""
    sigma = grid.sigma
    row = spectrum.sum(axis=1) * grid.direction_width
    level = wavenumber**3 * group_velocity / math.pi * row
    high = 2.0 * peak
    step = math.log(grid.factor)
    place = math.log(high / sigma[0]) / step + 1
    last = grid.frequencies
    if high < sigma[-1] * grid.factor:
        start = min(last, int(place + 0.5))
        share = 1 - (place + 0.5) % 1
        if start == last:
            share = max(0.0, share - 0.5)
        energy = share * row[start - 1] * grid.output_band_width[start - 1]
        energy += (row[start:] * grid.output_band_width[start:]).sum()
        height = 4 * math.sqrt(energy + 0.25 * row[-1] * grid.frequency[-1])
    else:
        density = row[-1] / (2 * math.pi) * (sigma[-1] / high) ** 5
        height = 4 * math.sqrt(0.25 * high * density)
    star = max(o.least_peak, peak / (2 * math.pi) * friction_velocity / gravity)
    b2 = o.least_peak**4 * (o.least_phi - o.b0 - o.b1 * o.least_peak)
    phi = o.b0 + o.b1 * star + b2 / star**4
    share = np.clip((sigma - 1.75 * peak) / ((2.5 - 1.75) * peak), 0, 1)
    low = -2 * friction_velocity * height * phi * wavenumber**2
    frequency = grid.frequency
    power = np.minimum(25, o.a1 / (friction_velocity * frequency / gravity) ** o.a2)
    high_part = (
        -o.a0
        * (friction_velocity / gravity) ** 2
        * frequency**3
        * (level / o.reference_level) ** power
    )
    return (1 - share) * low + share * high_part


def sources(grid, spectrum, depth, wind, wavenumber, group_velocity, rounds=20):
    """Input rate, dissipation rate, friction velocity and peak in equilibrium with the spectrum."""
    friction_velocity, peak = 0.04 * math.hypot(*wind), 2 * math.pi * 0.1
    for _ in range(rounds):
        friction_velocity, roughness, drag = stress(
            math.hypot(*wind), peak, friction_velocity, depth
        )
        rate, peak = wind_input(grid, spectrum, wavenumber, wind, drag, roughness)
    loss = dissipation(grid, spectrum, wavenumber, group_velocity, peak, friction_velocity)
    return rate, loss, friction_velocity, peak
