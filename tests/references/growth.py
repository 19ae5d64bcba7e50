"""Published curves of wave growth, for a steady wind over deep water.

Fetch [m], duration [s], wind speed at 10 m [m s-1]; heights are 4 sqrt(m0) [m], peak frequencies in
Hz. Dimensionless: X = g fetch / U2, energy g2 m0 / U4, frequency f U / g.
"""

import math

import numpy as np

gravity = 9.806


def dimensionless_fetch(fetch, wind):
    return gravity * np.asarray(fetch, float) / wind**2


def _height(energy, wind):
    return 4.0 * np.sqrt(energy) * wind**2 / gravity


def kahma_calkoen(fetch, wind, stratification="composite"):
    """Height and peak frequency by fetch (Kahma and Calkoen 1992, J. Phys. Oceanogr. 22, table 2;
    1994, in Komen et al., Dynamics and Modelling of Ocean Waves, section II.8)."""
    a, b, c, d = {
        "composite": (5.2e-7, 0.90, 13.7, 0.27),
        "stable": (9.3e-7, 0.76, 12.0, 0.24),
        "unstable": (5.4e-7, 0.94, 14.2, 0.28),
    }[stratification]
    x = dimensionless_fetch(fetch, wind)
    return _height(a * x**b, wind), c * x**-d / (2.0 * math.pi) * gravity / wind


def jonswap(fetch, wind):
    """Height and peak frequency by fetch (Hasselmann et al. 1973)."""
    x = dimensionless_fetch(fetch, wind)
    return _height(1.6e-7 * x, wind), 3.5 * x**-0.33 * gravity / wind


def pierson_moskowitz(wind):
    """Height and peak frequency of the fully grown sea: energy 3.64e-3, frequency 0.13
    (Pierson and Moskowitz 1964, as scaled by Komen et al. 1984)."""
    return float(_height(3.64e-3, wind)), 0.13 * gravity / wind


def fetch_of_duration(duration, wind):
    """Fetch [m] that limits growth as this duration [s] does: t = 77.23 X^0.67 / (U^0.34 g^0.33)
    (Coastal Engineering Manual 2002, eq. II-2-35)."""
    time = np.asarray(duration, float)
    return (time * wind**0.34 * gravity**0.33 / 77.23) ** (1.0 / 0.67)


def limited_by_duration(duration, wind):
    """Height and peak frequency after a duration [s], not beyond the fully grown sea."""
    height, frequency = kahma_calkoen(fetch_of_duration(duration, wind), wind)
    most, least = pierson_moskowitz(wind)
    return np.minimum(height, most), np.maximum(frequency, least)
