"""Source package of Ardhuin et al. (2010) for one point, in plain NumPy and double precision."""

from __future__ import annotations

import numpy as np

GRAVITY = 9.806
VON_KARMAN = 0.4
DENSITY_RATIO = 1.225e-3
AIR_VISCOSITY = 1.4e-5


def friction_velocity(p, wind_speed, wave_stress):
    """Friction velocity [m s-1] and roughness [m] over waves that carry `wave_stress` [m2 s-2].

    Bisection of u* log(z / z1) = kappa U, z1 = charnock u*^2 / g / sqrt(1 - wave_stress / u*^2)
    (Janssen 1991), with the stress of the waves and then the drag not above their limits.
    """
    wind = max(wind_speed, 0.01)
    if p.maximum_wave_stress > 0:
        wave_stress = min(wave_stress, p.maximum_wave_stress)

    def excess(u):
        roughness = p.charnock * u**2 / GRAVITY
        if p.maximum_roughness > 0:
            roughness = min(roughness, p.maximum_roughness)
        roughness /= np.sqrt(1.0 - wave_stress / u**2)
        return u * np.log(p.wind_height / roughness) - VON_KARMAN * wind

    low, high = np.sqrt(wave_stress * 1.0001 + 1e-12), 0.2 * wind + np.sqrt(wave_stress) + 1e-5
    for _ in range(200):
        middle = 0.5 * (low + high)
        if excess(middle) > 0:
            high = middle
        else:
            low = middle
    u = 0.5 * (low + high)
    if p.maximum_drag > 0:
        u = min(u, wind * np.sqrt(p.maximum_drag))
    return u, p.wind_height * np.exp(-VON_KARMAN * min(wind / u, 100.0))


def tail_stress(p, u, roughness, level, highest_sigma, steps=4000):
    """Stress [m2 s-2] taken by a tail F ~ f^-5 of this level beyond `highest_sigma` [rad s-1].

    Small steps of d tau / d log y = -level beta(tau, y) tau from the end of the spectrum, or
    0.05 g / u*, to y = sigma sqrt(z0 / g) = 1 (midpoint rule).
    """
    scale = np.sqrt(roughness / GRAVITY)
    start = min(np.log(max(highest_sigma, 0.05 * GRAVITY / u) * scale), 0.0)
    step = -start / steps

    def beta(log_y, stress):
        age = np.sqrt(stress) * np.exp(log_y) / (GRAVITY * scale) + p.wave_age_shift
        log_mu = min(2.0 * log_y + min(VON_KARMAN / age, 20.0), 0.0)
        return p.growth_factor / VON_KARMAN**2 * np.exp(log_mu) * log_mu**4

    stress = u**2
    for at in range(steps):
        here = start + at * step
        half = stress * (1.0 - 0.5 * step * level * beta(here, stress))
        stress -= step * level * beta(here + 0.5 * step, half) * half
    return u**2 - stress


def kelvin_square(x):
    """ker^2 + kei^2 of x as |K0(x e^(i pi/4))|^2, by fine quadrature of exp(-z cosh t)."""
    z = x * np.exp(0.25j * np.pi)
    t = np.linspace(0.0, np.arccosh(max(100.0 / x, 2.0)), 20001)
    value = np.exp(-z * np.cosh(t))
    integral = (value.sum() - 0.5 * (value[0] + value[-1])) * (t[1] - t[0])
    return np.abs(integral) ** 2


def friction_factor(ratio):
    """Friction factor of the air over waves for amplitude / roughness = `ratio` (at least 3).

    Grant and Madsen (1979): f = 0.08 / (ker^2 + kei^2)(2 sqrt(zeta)),
    zeta = 1 / (21.2 kappa ratio sqrt(f)), at most 0.5; damped iteration.
    """
    factor, zeta = 0.05, 0.0
    for _ in range(100):
        before, zeta_before = factor, zeta
        zeta = 1.0 / (21.2 * VON_KARMAN * max(ratio, 3.0) * np.sqrt(factor))
        factor = 0.5 * (before + 0.08 / kelvin_square(2.0 * np.sqrt(zeta)))
        zeta = 0.5 * (zeta_before + zeta)
    return min(factor, 0.5)


def swell(p, grid, spectrum, u, roughness):
    """Turbulent share, viscous share, and friction factor times orbital velocity [m s-1]."""
    energy = spectrum.sum(axis=1) * grid.direction_width * grid.output_band_width
    variance, velocity = energy.sum(), 2.0 * np.sqrt((energy * grid.sigma**2).sum())
    height = 2.0 * variance ** (1.0 - 0.5 * p.reynolds_height_power)
    reynolds = 4.0 * velocity * height / AIR_VISCOSITY
    turbulent = 0.5 + 0.5 * np.tanh((reynolds - p.critical_reynolds) / p.reynolds_width)
    smooth = max(0.1 * AIR_VISCOSITY / max(u, 1e-4), p.roughness_ratio * roughness)
    return turbulent, 1.0 - turbulent, friction_factor(2 * np.sqrt(variance) / smooth) * velocity


def wind_input(p, grid, wavenumber, spectrum, wind_direction, u, roughness):
    """Rates of input and swell dissipation [s-1], and the stress that waves take up [m2 s-2]."""
    turbulent, viscous, orbital = swell(p, grid, spectrum, u, roughness)
    total = u**2 * np.array([np.cos(wind_direction), np.sin(wind_direction)])
    taken = np.zeros(2)
    directions = np.stack([np.cos(grid.direction), np.sin(grid.direction)])
    rates = np.zeros(grid.shape)
    for i in range(grid.frequencies):
        sigma, k = grid.sigma[i], wavenumber[i]
        left = total - p.sheltering * taken
        velocity = min(np.sqrt(np.hypot(*left)), max(u, 0.3))
        along = left @ directions / np.hypot(*left)
        age = velocity * k / sigma + p.wave_age_shift
        for j in range(grid.directions):
            rate = 0.0
            if along[j] > 0.01:
                log_mu = np.log(k * roughness) + VON_KARMAN / (along[j] * age)
                if log_mu < 0.0:
                    beta = p.growth_factor / VON_KARMAN**2 * np.exp(log_mu) * log_mu**4
                    rate = DENSITY_RATIO * beta * age**2 * along[j] ** p.direction_power * sigma
            strength = orbital + (p.swell_wind_speed + p.swell_wind_direction * along[j]) * velocity
            rate -= (
                turbulent * DENSITY_RATIO * p.turbulent_swell * 16 * sigma**2 / GRAVITY * strength
            )
            rate -= (
                viscous
                * p.viscous_swell
                * DENSITY_RATIO
                * 2
                * k
                * np.sqrt(2 * AIR_VISCOSITY * sigma)
            )
            rates[i, j] = rate
            if rate > 0.0:
                energy = spectrum[i, j] * grid.direction_width * grid.output_band_width[i]
                taken += GRAVITY * k / sigma / DENSITY_RATIO * rate * energy * directions[:, j]
    level = (spectrum[-1] * np.maximum(along, 0.0) ** 3).sum() * grid.direction_width
    level *= grid.sigma[-1] ** 5 / GRAVITY**2 / (2 * np.pi)
    left = total - p.sheltering * taken
    size = np.hypot(*left)
    taken = taken + tail_stress(p, np.sqrt(size), roughness, level, grid.sigma[-1]) * left / size
    size, limit = np.hypot(*taken), max(u**2 - 1e-5, 1e-12)
    return rates, taken * min(1.0, limit / size)


def saturation(p, grid, wavenumber, group_velocity, spectrum):
    """Saturation B(frequency, direction), summed over the window of directions."""
    width = grid.direction_width
    half = min(int(np.radians(p.window_half_width) / width + 0.5), grid.directions // 2 - 1)
    result = np.zeros(grid.shape)
    for i in range(grid.frequencies):
        factor = group_velocity[i] * wavenumber[i] ** 3 / (2 * np.pi) * width
        for j in range(grid.directions):
            for d in range(-half, half + 1):
                weight = np.cos(d * width) ** p.window_power if d else 1.0
                result[i, j] += factor * weight * spectrum[i, (j + d) % grid.directions]
    return result


def spontaneous(p, grid, level):
    """Rate [s-1] of breaking from the saturation `level` (frequency, direction)."""
    excess = np.maximum(0.0, level / p.threshold - p.threshold_ratio)
    largest = np.maximum(0.0, level.max(axis=1, keepdims=True) / p.threshold - p.threshold_ratio)
    mixed = p.isotropic_part * largest**2 + (1.0 - p.isotropic_part) * excess**p.power
    return p.coefficient * grid.sigma[:, None] * mixed


def cumulative(p, grid, level):
    """Rate [s-1] of breaking by longer breakers, a full double sum over directions."""
    crests = p.breaking_probability * np.maximum(np.sqrt(level) - np.sqrt(p.threshold), 0.0) ** 2
    crests /= 2.0 * np.pi**2
    gap = max(int(p.cumulative_gap / (grid.factor - 1.0) + 0.5), 1)
    sigma, width = grid.sigma, grid.direction_width
    rate = np.zeros(grid.shape)
    for i in range(grid.frequencies):
        c = GRAVITY / sigma[i]
        for longer in range(i - gap + 1):
            c_long = GRAVITY / sigma[longer]
            band = 2 * np.pi * grid.band_width[longer] / (0.5 * c_long) * width
            for j in range(grid.directions):
                angle = grid.direction - grid.direction[j]
                speed = np.sqrt(c**2 + c_long**2 - 2 * c * c_long * np.cos(angle))
                rate[i, j] += (speed * band * crests[longer]).sum()
    return p.cumulative * rate


def dissipation(p, grid, wavenumber, group_velocity, spectrum):
    """Rate [s-1] of all breaking (frequency, direction)."""
    level = saturation(p, grid, wavenumber, group_velocity, spectrum)
    return spontaneous(p, grid, level) + cumulative(p, grid, level)


def mean_values(p, grid, wavenumber, spectrum):
    """Variance [m2], mean frequency f(m0, -1) [Hz], mean wavenumber [rad m-1], with a tail f^-5."""
    row = spectrum.sum(axis=1) * grid.direction_width
    energy, end = row * grid.output_band_width, row[-1] * grid.frequency[-1]
    variance = energy.sum() + end / 4.0
    periods = (energy / grid.frequency).sum() + end / 5.0 / grid.frequency[-1]
    power = p.wavenumber_power
    waves = (energy * wavenumber**power).sum()
    waves += end / (4.0 - 2.0 * power) * (grid.sigma[-1] ** 2 / GRAVITY) ** power
    return variance, variance / periods, (waves / variance) ** (1.0 / power)


def stressed_input(p, grid, wavenumber, spectrum, wind_speed, wind_direction, passes=3):
    """Rates of input after `passes` of friction velocity and wave stress; also u* and roughness."""
    stress = np.zeros(2)
    for _ in range(passes):
        u, roughness = friction_velocity(p, wind_speed, np.hypot(*stress))
        rates, stress = wind_input(p, grid, wavenumber, spectrum, wind_direction, u, roughness)
    return rates, u, roughness
