"""Input and dissipation of Tolman and Chalikov: the reference, WAVEWATCH III, growth in time."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from halocline.waves import inspection, spectra
from halocline.waves.dispersion import linear_dispersion
from halocline.waves.source_integration import SourceIntegration, SourceSettings
from halocline.waves.spectrum import SpectralGrid
from references import tolman_chalikov as reference

grid = SpectralGrid()
width = grid.direction_width
table = np.loadtxt(Path(__file__).parent / "data" / "st2_deep.txt")
"""Made by WAVEWATCH III 7.14 from the spectrum below, under 15 m/s from 240 degrees."""
column = {name: at for at, name in enumerate(("f", "energy", "input", "quadruplets", "loss"))}


def waves():
    return spectra.jonswap_directional(grid)


def rows(density):
    return density.sum(axis=1) * width


def terms(dtype=np.float64, **change):
    return inspection.sources(
        waves(), depth=2500.0, wind=(15.0, 240.0), grid=grid, dtype=dtype, **change
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_source_terms_agree_with_wavewatch(dtype):
    found = terms(dtype)
    assert abs(found.friction_velocity / 0.61697 - 1) < 1e-3
    energy = rows(waves())
    np.testing.assert_allclose(energy, table[:, column["energy"]], rtol=2e-3)
    np.testing.assert_allclose(rows(found.input), table[:, column["input"]], rtol=0.012)
    np.testing.assert_allclose(rows(found.dissipation), table[:, column["loss"]], rtol=0.005)
    transfer = table[:, column["quadruplets"]]
    most = np.abs(transfer).max()
    assert np.abs(rows(found.quadruplets) - transfer).max() < 0.005 * most
    main = table[:, 7]
    assert np.abs(found.quadruplets[:, 0] - main).max() < 0.005 * np.abs(main).max()
    assert (found.friction == 0).all()


def test_totals_and_their_directions_agree_with_wavewatch():
    found = terms()
    east, north = np.cos(grid.direction), np.sin(grid.direction)
    published = {
        "input": (1.90026e-5, 2.3303e-5, 2.005e-5),
        "dissipation": (-3.78616e-5, -2.3638e-5, 0.0),
        "quadruplets": (-5.42592e-7, -4.522e-6, 0.0),
    }
    for name, values in published.items():
        by_direction = (getattr(found, name) * grid.band_width[:, None]).sum(axis=0) * width
        got = by_direction.sum(), (by_direction * east).sum(), (by_direction * north).sum()
        scale = np.abs(getattr(found, name) * grid.band_width[:, None]).sum() * width
        for value, wanted in zip(got, values, strict=True):
            assert abs(value - wanted) < 0.005 * scale, name


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("speed", "depth"), [(3.0, 2500.0), (12.0, 30.0), (30.0, 2500.0)])
def test_kernel_agrees_with_the_plain_reference(speed, depth, dtype):
    small = SpectralGrid(frequencies=30, directions=12, offset=0.3)
    density = spectra.jonswap_directional(small, peak_frequency=0.12, direction=250.0)
    k, cg = (array[:, 0] for array in linear_dispersion([depth], small.frequency))
    wind = inspection.wind_components((speed, 300.0))
    rate, loss, friction_velocity, _ = reference.sources(
        small, density, depth, wind, k, cg, rounds=40
    )
    found = inspection.sources(
        density, depth=depth, wind=(speed, 300.0), grid=small, dtype=dtype, rounds=40
    )
    tolerance = 2e-3 if dtype is np.float32 else 1e-5
    assert abs(found.friction_velocity / friction_velocity - 1) < tolerance
    for got, wanted in (
        (found.input, rate * density),
        (found.dissipation, loss[:, None] * density),
    ):
        most = np.abs(wanted).max(axis=1, keepdims=True)
        assert (np.abs(got - wanted) < tolerance * most + 1e-30).all()


def test_growth_parameter_is_continuous():
    drags = np.linspace(2e-4, 8e-3, 40)
    for drag in drags:
        limits = -1.0, (1.075 + 75 * drag) / 2, 1.075 + 75 * drag, 1.2 + 300 * drag
        for limit in limits:
            below = reference.exact_growth_rate(limit - 1e-9, drag)
            above = reference.exact_growth_rate(limit + 1e-9, drag)
            assert abs(above - below) < 1e-11


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_duration_limited_growth_agrees_with_wavewatch(dtype):
    """Case C1: one deep point from calm, 10 m/s for two days; height, mean periods, stress."""
    fine = SpectralGrid(first_frequency=0.0485, frequencies=36)
    integration = SourceIntegration(minimum_step=15.0, parametric_change=0.075)
    box = inspection.BoxModel(
        fine,
        wind=(10.0, 270.0),
        settings=SourceSettings(fine, integration=integration),
        dtype=dtype,
    )
    published = {  # hour: height, T02, T0m1, spread, friction velocity
        1: (0.2454, 1.3079, 1.4889, 28.5111, 0.4169),
        2: (0.4492, 1.8911, 2.1692, 29.8841, 0.4006),
        3: (0.5876, 2.2487, 2.5809, 29.9767, 0.3937),
        6: (0.9043, 2.9483, 3.3819, 29.6995, 0.3837),
        9: (1.1504, 3.4253, 3.9304, 29.4744, 0.3788),
        12: (1.3496, 3.7593, 4.3353, 29.7765, 0.3763),
        18: (1.6058, 4.1938, 4.8862, 30.7797, 0.3744),
        24: (1.7369, 4.4349, 5.2131, 31.2047, 0.3742),
        36: (1.8886, 4.6753, 5.5839, 31.8479, 0.3749),
        48: (1.9928, 4.8113, 5.8218, 32.5067, 0.3757),
    }
    for hour in range(1, 49):
        for _ in range(4):
            box.advance(900.0)
        if hour in published:
            np.testing.assert_allclose(integrals(fine, box), published[hour], rtol=5e-3)


def integrals(spectral, box):
    f, row = spectral.frequency, box.spectrum.sum(axis=1) * spectral.direction_width
    band, last = row * spectral.output_band_width, row[-1]
    m0 = band.sum() + last * f[-1] / 4
    m2 = (band * f**2).sum() + last * f[-1] ** 3 / 2
    period = (band / f).sum() + last / 5
    east = (box.spectrum * np.cos(spectral.direction)).sum(axis=1) * spectral.direction_width
    north = (box.spectrum * np.sin(spectral.direction)).sum(axis=1) * spectral.direction_width
    mean = [(v * spectral.output_band_width).sum() + v[-1] * f[-1] / 4 for v in (east, north)]
    spread = math.degrees(math.sqrt(2 * (1 - math.hypot(*mean) / m0)))
    return 4 * math.sqrt(m0), math.sqrt(m0 / m2), period / m0, spread, box.friction_velocity


def test_swell_is_damped_less_with_a_smaller_factor():
    from halocline.waves.tolman_chalikov import TolmanChalikov

    mild = terms(options=TolmanChalikov(swell_factor=0.05))
    usual = terms()
    low = grid.frequency < 0.07
    ratio = rows(mild.input)[low] / rows(usual.input)[low]
    np.testing.assert_allclose(ratio, 0.5, rtol=0.02)
