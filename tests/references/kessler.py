"""Kessler's warm rain in NumPy, after its equations: Klemp and Wilhelmson 1978, 2.13 to 2.15."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
autoconversion, threshold, accretion, most_courant = 1e-3, 1e-3, 2.2, 0.75
latent, capacity, gas_ratio = 2.5e6, 1004.5, 287.0 / 461.6


def vapor_pressure(temperature: Array) -> Array:
    """At saturation over water [Pa] (Bolton 1980, equation 10)."""
    return 611.2 * np.exp(17.67 * (temperature - 273.15) / (temperature - 29.65))


def saturated(temperature: Array, pressure: Array) -> Array:
    """Mixing ratio of vapour at saturation [1]."""
    e = vapor_pressure(temperature)
    return gas_ratio * e / (pressure - e)


def fall_speed(rain: Array, density: Array, ground: float) -> Array:
    """Of rain [m s-1] in air of `density` over air of density `ground` [kg m-3]."""
    return 36.34 * (1e-3 * density * rain) ** 0.1364 * np.sqrt(ground / density)


def fall(rain: Array, density: Array, depth: Array, dt: float) -> tuple[Array, float]:
    """Rain of a column after `dt` [s], and what fell on the ground [kg m-2]."""
    left, ground = dt, 0.0
    while left > 0.0:
        speed = fall_speed(rain, density, density[0])
        parts = int(left * np.max(speed / depth) / most_courant) + 1
        step = left / parts
        flux = np.append(density * rain * speed, 0.0)
        rain = rain + step * np.diff(flux) / (density * depth)
        ground += step * flux[0]
        left = left - step if parts > 1 else 0.0
    return rain, ground


def change(
    theta: Array, water: Array, pressure: Array, exner: Array, density: Array, dt: float
) -> tuple[Array, Array]:
    """Potential temperature [K] and water [1] after changes of phase at points."""
    vapor, cloud, rain = water
    left = 1.0 / (1.0 + accretion * dt * rain**0.875)
    begun = autoconversion * dt * np.maximum(cloud - threshold, 0.0)
    collected = cloud * (1.0 - left) + left * begun
    cloud, rain = cloud - collected, rain + collected

    temperature = theta * exner
    most = saturated(temperature, pressure)
    e = vapor_pressure(temperature)
    slope = most * pressure / (pressure - e) * 17.67 * 243.5 / (temperature - 29.65) ** 2
    excess = (vapor - most) / (1.0 + latent / capacity * slope)
    condensed = np.maximum(excess, -cloud)

    r = 1e-3 * density
    ventilation = 1.6 + 124.9 * (r * rain) ** 0.2046
    rate = ventilation * (r * rain) ** 0.525 / (2.55e8 / (pressure * most) + 5.4e5)
    evaporated = dt * rate * np.maximum(most - vapor, 0.0) / (r * most)
    deficit = np.maximum(-excess - cloud, 0.0)
    evaporated = np.minimum(np.minimum(evaporated, deficit), rain)

    made = condensed - evaporated
    water = np.stack((vapor - made, cloud + condensed, rain - evaporated))
    return theta + latent / capacity * made / exner, water
