"""Quadruplets: conservation of each, what the grid loses, lobes, reference, depth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from halocline.waves import inspection, spectra
from halocline.waves.dispersion import linear_dispersion
from halocline.waves.quadruplets import Quadruplets
from halocline.waves.source_integration import SourceSettings
from halocline.waves.spectrum import SpectralGrid
from references import quadruplets as reference

grid = SpectralGrid()


def transfer(density, spectral=grid, depth=2500.0, dtype=np.float64, options=None):
    settings = SourceSettings(spectral, quadruplets=options or Quadruplets())
    found = inspection.sources(
        density, depth=depth, wind=(0.0, 270.0), grid=spectral, settings=settings, dtype=dtype
    )
    return found.quadruplets, found.quadruplet_diagonal


def test_each_quadruplet_conserves_action_energy_and_momentum():
    """Before spreading: waves of frequencies 1, 1, 1 + a, 1 - a at the angles of resonance."""
    for shape in (0.1, 0.25, 0.3):
        plus, minus = reference.angles(shape)
        sigma = np.array([1.0, 1.0, 1 + shape, 1 - shape])
        angle = np.array([0.0, 0.0, plus, -minus])
        energy = np.array([-1.0, -1.0, 1 + shape, 1 - shape])  # of action -1, -1, 1, 1
        action = energy / sigma
        momentum = action * sigma**2  # wavenumber sigma^2 / g
        assert abs(action.sum()) < 1e-15
        assert abs(energy.sum()) < 1e-15
        assert abs((momentum * np.cos(angle)).sum()) < 1e-15
        assert abs((momentum * np.sin(angle)).sum()) < 1e-15


def test_what_remains_after_spreading():
    """On the grid energy closes to 1e-4 of what moves, action to 4e-6, momentum to 1 %."""
    wide = SpectralGrid(first_frequency=0.02, frequencies=50)
    source, _ = transfer(spectra.jonswap_directional(wide), wide)
    weight = wide.band_width[:, None] * np.ones(wide.directions)
    sigma = wide.sigma[:, None]
    for moment, most in ((source, 2e-4), (source / sigma, 2e-5)):
        assert abs((moment * weight).sum()) < most * np.abs(moment * weight).sum()
    eastward = source * sigma * np.cos(wide.direction)
    assert abs((eastward * weight).sum()) < 0.015 * np.abs(eastward * weight).sum()
    northward = source * sigma * np.sin(wide.direction)
    assert abs((northward * weight).sum()) < 1e-6 * np.abs(northward * weight).sum()


def test_three_lobes():
    source, _ = transfer(spectra.jonswap_directional(grid))
    row = source.sum(axis=1)
    signs = np.sign(row[np.abs(row) > 0.03 * np.abs(row).max()])
    lobes = signs[np.flatnonzero(np.diff(signs, prepend=0))]
    assert lobes.tolist() == [1, -1, 1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("spectral", "shape"),
    [
        (grid, 0.25),
        (SpectralGrid(frequencies=12, directions=5, factor=1.2), 0.25),
        (SpectralGrid(frequencies=3, directions=4), 0.25),
        (SpectralGrid(frequencies=15, directions=36, factor=1.07), 0.1),
        (SpectralGrid(frequencies=15, directions=17, factor=1.15), 0.35),
    ],
)
def test_kernel_agrees_with_the_plain_reference(spectral, shape, dtype):
    density = np.random.default_rng(1).lognormal(sigma=1.0, size=spectral.shape)
    density *= spectra.jonswap(spectral.frequency, peak_frequency=0.08)[:, None]
    source, diagonal = transfer(
        density, spectral, depth=5000.0, dtype=dtype, options=Quadruplets(shape=shape)
    )
    wanted, wanted_diagonal = reference.quadruplets(spectral, density, 1e7, shape)
    tolerance = 1e-12 if dtype is np.float64 else 2e-5
    assert np.abs(source - wanted).max() < tolerance * np.abs(wanted).max()
    assert np.abs(diagonal - wanted_diagonal).max() < tolerance * np.abs(wanted_diagonal).max()


def test_diagonal_is_the_derivative_without_neighbouring_corners():
    """Away from shared corners the diagonal is the derivative of the source by the bin itself."""
    density = np.zeros(grid.shape)
    density[12, 5] = 1.0
    source, diagonal = transfer(density)
    assert source[12, 5] <= 0
    assert diagonal[12, 5] <= 0


def test_depth_factor():
    density = spectra.jonswap_directional(grid)
    deep, _ = transfer(density)
    shallow, _ = transfer(density, depth=15.0)
    energy = density.sum(axis=1) * grid.direction_width
    k = linear_dispersion([15.0], grid.frequency)[0][:, 0]
    band = energy * grid.output_band_width
    tail = energy[-1] / (2 * math.pi)
    m0 = band.sum() + 0.25 * grid.sigma[-1] * tail
    mean = (m0 / ((band / np.sqrt(k)).sum() + 0.2 * math.sqrt(9.806) * tail)) ** 2
    factor = reference.depth_factor(mean * 15.0)
    np.testing.assert_allclose(shallow, factor * deep, rtol=1e-10, atol=1e-30)
    assert abs(factor - 2.0196) < 0.002  # WAVEWATCH III for this spectrum


def test_turning_the_spectrum_turns_the_transfer():
    density = spectra.jonswap_directional(grid)
    source, diagonal = transfer(density)
    turned, turned_diagonal = transfer(np.roll(density, 5, axis=1))
    np.testing.assert_allclose(np.roll(source, 5, axis=1), turned, rtol=1e-12, atol=1e-22)
    np.testing.assert_allclose(
        np.roll(diagonal, 5, axis=1), turned_diagonal, rtol=1e-12, atol=1e-22
    )
