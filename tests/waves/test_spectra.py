"""Analytic spectra: their integrals, peaks and conventions."""

import math

import numpy as np
import pytest

from halocline.core import constants
from halocline.waves import spectra
from halocline.waves.spectrum import SpectralGrid


def fine_integral(energy, power=0):
    frequency = np.geomspace(0.02, 40.0, 200_001)
    return np.trapezoid(energy(frequency) * frequency**power, frequency)


def test_pierson_moskowitz_has_its_exact_integrals():
    # m0 = alpha g^2 (2 pi)^-4 fp^-4 / 5, and m1, m2 by the gamma function.
    alpha, peak = 0.0081, 0.1
    level = alpha * constants.gravity**2 / (2 * math.pi) ** 4

    def moment(n):
        return level * peak ** (n - 4) * 0.25 * 1.25 ** (n / 4 - 1) * math.gamma(1 - n / 4)

    for n in (0, 1, 2):
        measured = fine_integral(lambda f: spectra.pierson_moskowitz(f, peak, alpha), n)
        assert measured == pytest.approx(moment(n), rel=1e-3 if n == 2 else 1e-5)


def test_jonswap_peak_is_enhanced_by_gamma():
    at_peak = spectra.jonswap(0.1, gamma=3.3) / spectra.pierson_moskowitz(0.1)
    assert at_peak == pytest.approx(3.3)
    frequency = np.linspace(0.08, 0.12, 4001)
    assert frequency[np.argmax(spectra.jonswap(frequency))] == pytest.approx(0.1, abs=2e-5)


@pytest.mark.parametrize(
    "relative, sigma",
    [(0.86, 0.07), (0.93, 0.07), (0.98, 0.07), (1.02, 0.09), (1.09, 0.09), (1.18, 0.09)],
)
def test_jonswap_peak_has_the_widths_of_hasselmann(relative, sigma):
    """0.07 below the peak and 0.09 above it: at one of them the enhancement is gamma^exp(-1/2)."""
    f = 0.1 * relative
    enhanced = spectra.jonswap(f) / spectra.pierson_moskowitz(f)
    assert enhanced == pytest.approx(3.3 ** math.exp(-0.5 * ((relative - 1.0) / sigma) ** 2))


def test_jonswap_broadcasts_over_points():
    peaks = np.array([0.08, 0.1, 0.3])
    both = spectra.jonswap(np.array([0.1, 0.2])[:, None], 0.0081, peaks[None, :], 3.3)
    assert both.shape == (2, 3)
    assert both[1, 2] == pytest.approx(float(spectra.jonswap(0.2, 0.0081, 0.3, 3.3)))


def test_jonswap_of_very_low_frequency_is_zero_and_finite():
    energy = spectra.jonswap(np.array([1e-4, 0.01]), peak_frequency=0.5)
    assert np.isfinite(energy).all()
    assert (energy == 0.0).all()


def test_the_usual_grid_is_that_of_wavewatch():
    """25 frequencies from 0.0418 Hz by 1.1, 24 directions, the first one eastward."""
    grid = SpectralGrid()
    assert grid.frequency == pytest.approx(0.0418 * 1.1 ** np.arange(25))
    assert np.rad2deg(grid.direction) == pytest.approx(15.0 * np.arange(24))


@pytest.mark.parametrize("cosine", [None, 2.0, 20.0])
@pytest.mark.parametrize("direction", [0.0, 77.0, 270.0])
def test_directional_spectrum_keeps_energy_and_direction(cosine, direction):
    grid = SpectralGrid(frequencies=25, directions=36, offset=0.25)
    spectrum = spectra.jonswap_directional(grid, direction=direction, cosine=cosine)
    assert np.allclose(
        spectrum.sum(axis=1) * grid.direction_width, spectra.jonswap(grid.frequency), rtol=1e-13
    )
    x = (spectrum * np.cos(grid.direction)).sum()
    y = (spectrum * np.sin(grid.direction)).sum()
    # A broad cosine with few bins may be off by a fraction of a bin.
    difference = (spectra.to_nautical(math.atan2(y, x)) - direction + 180.0) % 360.0 - 180.0
    assert abs(difference) < 0.2


@pytest.mark.parametrize("peak", [0.1, 0.25])
def test_spread_of_hasselmann(peak):
    """Table of f / fp and s, from the formula of Hasselmann, Dunckel & Ewing (1980)."""
    relative = np.array([0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 4.0])
    expected = [0.585751, 3.948571, 9.77, 3.783041, 1.929676, 1.144761, 1.144761]
    assert spectra.hasselmann_spread(relative * peak, peak) == pytest.approx(expected, rel=1e-5)


def test_conversions_are_inverse():
    angles = np.arange(0.0, 360.0, 7.5)
    assert np.allclose(spectra.to_nautical(spectra.to_cartesian(angles)), angles, atol=1e-12)
    assert np.allclose(spectra.turned(spectra.turned(angles)), angles)
    density = np.linspace(0.0, 3.0, 5)
    assert np.allclose(spectra.per_degree(spectra.per_radian(density)), density)
    assert np.allclose(spectra.per_hertz(spectra.per_angular_frequency(density)), density)
    assert spectra.per_hertz(1.0) == pytest.approx(2 * math.pi)
    assert spectra.per_degree(180.0) == pytest.approx(math.pi)
