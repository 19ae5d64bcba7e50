"""Moist air at points, as functions of arrays: vapour, condensation, adiabats; SI units.

Temperatures are in K, pressures in Pa, `mixing_ratio` is mass of vapour per mass of dry air [1].
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

dry_gas_constant = 287.0
"""Of dry air, Rd [J kg-1 K-1] (ARW: Skamarock et al. 2019, NCAR/TN-556)."""

vapor_gas_constant = 461.6
"""Of water vapour, Rv [J kg-1 K-1] (ARW)."""

heat_capacity = 3.5 * dry_gas_constant
"""Of dry air at constant pressure, cp [J kg-1 K-1] (ARW)."""

kappa = dry_gas_constant / heat_capacity
"""Rd / cp [1]."""

epsilon = dry_gas_constant / vapor_gas_constant
"""Rd / Rv [1]."""

vaporization = 2.5e6
"""Latent heat of vaporization at 0 degrees C [J kg-1] (ARW)."""

reference_pressure = 1e5
"""At which potential temperature is temperature, p0 [Pa]."""

melting_point = 273.15
"""Of ice [K]."""


def saturation_pressure(temperature: Array) -> Array:
    """Saturation vapour pressure over water [Pa] (Bolton 1980, Mon. Wea. Rev. 108, equation 10).

    >>> round(float(saturation_pressure(np.array(293.15))), 1)
    2336.9
    """
    return 611.2 * np.exp(17.67 * (temperature - melting_point) / (temperature - 29.65))


def saturation_pressure_over_ice(temperature: Array) -> Array:
    """Saturation vapour pressure over ice [Pa] (WMO-No. 8, 2018, annex 4.B).

    >>> round(float(saturation_pressure_over_ice(np.array(253.15))), 1)
    103.3
    """
    celsius = temperature - melting_point
    return 611.2 * np.exp(22.46 * celsius / (272.62 + celsius))


def saturation_pressure_of_clouds(temperature: Array) -> Array:
    """Over water above 0 degrees C, over ice below -20 degrees, between these a linear blend [Pa].

    So the relative humidity of the NCEP GFS is defined (Unified Post Processor, fpvsnew).
    """
    water = np.clip((temperature - (melting_point - 20.0)) / 20.0, 0.0, 1.0)
    over_water = saturation_pressure(np.maximum(temperature, melting_point - 20.0))
    return water * over_water + (1.0 - water) * saturation_pressure_over_ice(temperature)


def mixing_ratio(vapor_pressure: Array, pressure: Array) -> Array:
    """Mass of vapour per mass of dry air where its pressure is `vapor_pressure` [1]."""
    return epsilon * vapor_pressure / (pressure - vapor_pressure)


def vapor_pressure(mixing_ratio: Array, pressure: Array) -> Array:
    """Pressure of vapour [Pa], the inverse of `mixing_ratio`."""
    return pressure * mixing_ratio / (epsilon + mixing_ratio)


def virtual_factor(mixing_ratio: Array) -> Array:
    """Virtual temperature over temperature [1]."""
    return (1.0 + mixing_ratio / epsilon) / (1.0 + mixing_ratio)


def exner(pressure: Array) -> Array:
    """Temperature over potential temperature [1]."""
    return (pressure / reference_pressure) ** kappa


def dewpoint(vapor_pressure: Array) -> Array:
    """Temperature at which air with this pressure of vapour [Pa] is saturated over water [K].

    >>> round(float(dewpoint(saturation_pressure(np.array(285.0)))), 9)
    285.0
    """
    logarithm = np.log(vapor_pressure / 611.2)
    return (17.67 * melting_point - 29.65 * logarithm) / (17.67 - logarithm)


def condensation_temperature(temperature: Array, vapor_pressure: Array) -> Array:
    """Temperature of air that rises until it is saturated [K] (Bolton 1980, equation 21)."""
    hundreds = np.log(vapor_pressure / 100.0)
    return 2840.0 / (3.5 * np.log(temperature) - hundreds - 4.805) + 55.0


def condensation_level(temperature: Array, mixing_ratio: Array, pressure: Array) -> Array:
    """Pressure at which air that rises is saturated [Pa], of its `condensation_temperature`."""
    reached = condensation_temperature(temperature, vapor_pressure(mixing_ratio, pressure))
    return pressure * np.minimum(reached / temperature, 1.0) ** (1.0 / kappa)


def equivalent_potential_temperature(
    temperature: Array, mixing_ratio: Array, pressure: Array
) -> Array:
    """Potential temperature of air after all its vapour has rained out [K] (Bolton 1980, eq. 39).

    >>> q = mixing_ratio(saturation_pressure(np.array(291.15)), np.array(85e3))
    >>> round(float(equivalent_potential_temperature(np.array(293.15), q, np.array(85e3))), 1)
    353.9
    """
    vapor = vapor_pressure(mixing_ratio, pressure)
    reached = condensation_temperature(temperature, vapor)
    dry = temperature * (reference_pressure / (pressure - vapor)) ** kappa
    dry *= (temperature / reached) ** (0.28 * mixing_ratio)
    latent = (3036.0 / reached - 1.78) * mixing_ratio * (1.0 + 0.448 * mixing_ratio)
    return dry * np.exp(latent)


def saturated_slope(temperature: Array, pressure: Array) -> Array:
    """Change of temperature by the logarithm of pressure in saturated air that rises [K].

    Condensed water falls out at once (pseudo-adiabat; American Meteorological Society 2012).
    """
    q = mixing_ratio(saturation_pressure(temperature), pressure)
    heat = vaporization * q
    top = dry_gas_constant * temperature + heat
    return top / (heat_capacity + vaporization * heat / (vapor_gas_constant * temperature**2))


def lifted_saturated(
    temperature: Array, pressure: Array, new_pressure: Array, longest: float = 0.1
) -> Array:
    """Temperature of saturated air after it rose to another pressure [K].

    Runge and Kutta's fourth order in the logarithm of pressure, in steps not longer than `longest`;
    every element has its own number of them, whatever stands beside it.
    """
    path = np.log(new_pressure / pressure)
    steps = np.maximum(np.ceil(np.abs(path) / longest), 1.0)
    step, t = path / steps, temperature
    for n in range(int(steps.max(initial=0.0))):
        start = pressure * np.exp(n * step)
        middle, end = start * np.exp(0.5 * step), start * np.exp(step)
        first = saturated_slope(t, start)
        second = saturated_slope(t + 0.5 * step * first, middle)
        third = saturated_slope(t + 0.5 * step * second, middle)
        fourth = saturated_slope(t + step * third, end)
        further = t + step / 6.0 * (first + 2.0 * second + 2.0 * third + fourth)
        t = np.where(n < steps, further, t)
    return t
