"""Integration in time: a step by hand, the same bits wherever a point lies, friction, breaking."""

from __future__ import annotations

import os

import numpy as np
import pytest

from halocline.waves import inspection, spectra
from halocline.waves.bottom_friction import BottomFriction
from halocline.waves.depth_breaking import DepthBreaking
from halocline.waves.dispersion import linear_dispersion
from halocline.waves.source_integration import (
    COUNTERS,
    PHASES,
    SourceIntegration,
    SourceSettings,
)
from halocline.waves.spectrum import SpectralGrid
from references import source_integration as reference

grid = SpectralGrid(frequencies=15, directions=12)


def advance(arrays, points, duration=3600.0, settings=None, physics="ST2"):
    package = inspection.package_of(physics)
    copies = {name: array.copy() for name, array in arrays.items()}
    more = {
        "source_steps": np.zeros(arrays["depth"].shape, arrays["depth"].dtype),
        "wave_stress": np.zeros((4, 0), arrays["depth"].dtype),
        "counters": np.zeros(len(COUNTERS), np.int64),
        "phase_times": np.zeros(len(PHASES), np.int64),
    }
    package.integrate(
        (0, 0, 0, 0, points),
        **copies,
        **more,
        options=(settings or inspection.default_settings(physics, grid)).native(),
        package=package.native_options,
        duration=duration,
        timed=True,
    )
    return copies | more


def seas(points, dtype, seed=1):
    """Points that differ in everything."""
    random = np.random.default_rng(seed)
    state = inspection.PointState(
        grid, inspection.tolman_chalikov(), 10.0 ** random.uniform(0.7, 3.4, points), dtype
    )
    for at in range(points):
        state["spectrum"][:, at] = spectra.jonswap_directional(
            grid,
            alpha=random.uniform(0.0, 0.01),
            peak_frequency=random.uniform(0.06, 0.15),
            direction=random.uniform(0, 360),
        ).ravel()
    state["spectrum"][:, :: max(points // 5, 1)] = 0
    state["wind_u"][:] = random.normal(0, 10, points)
    state["wind_v"][:] = random.normal(0, 10, points)
    state["open_water"][:] = np.minimum(1, random.uniform(0.5, 2, points))
    state["wind_u"][0] = state["wind_v"][0] = 0
    return state.arrays


@pytest.mark.parametrize("physics", ["ST2", "ST4"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_same_bits_wherever_a_point_lies(dtype, physics):
    """Alone, in another order, with other partners, in a partial tile: the same bits."""
    arrays = seas(37, dtype)
    whole = advance(arrays, 37, physics=physics)
    assert np.isfinite(whole["spectrum"]).all()
    assert (whole["spectrum"] >= 0).all()
    assert len(set(whole["source_steps"])) > 2
    outputs = ("spectrum", "friction_velocity", "roughness", "source_memory", "source_steps")
    for order in (np.arange(37)[::-1], np.random.default_rng(2).permutation(37), [5], [36, 3, 0]):
        some = {name: np.ascontiguousarray(array[..., order]) for name, array in arrays.items()}
        part = advance(some, len(order), physics=physics)
        for name in outputs:
            np.testing.assert_array_equal(part[name], whole[name][..., order], err_msg=name)


def test_same_bits_for_any_number_of_threads():
    import subprocess
    import sys

    program = (
        "import sys; sys.path.insert(0, 'tests'); import hashlib\n"
        "from waves.test_source_integration import advance, seas\n"
        "import numpy as np\n"
        "result = advance(seas(150, np.float32), 150)\n"
        "print(hashlib.sha256(result['spectrum'].tobytes()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "OMP_NUM_THREADS": str(threads)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in (1, 2, 3)
    }
    assert len(digests) == 1


def test_points_beyond_the_box_are_left_alone():
    arrays = seas(20, np.float64)
    result = advance(arrays, 18)
    np.testing.assert_array_equal(result["spectrum"][:, 18:], arrays["spectrum"][:, 18:])
    assert (result["source_steps"][18:] == 0).all()


def test_counters_tell_steps_and_time():
    result = advance(seas(37, np.float32), 37)
    count = dict(zip(COUNTERS, result["counters"], strict=True))
    assert count["points"] == 37
    assert count["steps"] == result["source_steps"].sum()
    assert count["executed"] >= count["steps"]
    assert result["phase_times"][PHASES.index("quadruplets")] > 0


def test_one_step_by_hand():
    """The first step of a calm-free deep point: length, limiter, change of every component."""
    wind = (12.0, 270.0)
    density = spectra.jonswap_directional(grid, peak_frequency=0.12)
    k, cg = (array[:, 0] for array in linear_dispersion([2500.0], grid.frequency))
    least = 100.0
    settings = SourceSettings(grid, integration=SourceIntegration(minimum_step=least))
    box = inspection.BoxModel(grid, wind=wind, settings=settings)
    box.state["spectrum"][:, 0] = density.ravel()
    found = inspection.sources(density, depth=2500.0, wind=wind, grid=grid, rounds=12)
    # the box starts from the stress in balance, so that both see the same sources
    box.state["friction_velocity"][:] = found.friction_velocity
    separate = inspection.PointState(grid, box.package, 2500.0)
    separate["spectrum"][:, 0] = density.ravel()
    separate["wind_u"][:] = 12.0
    parts = {
        name: np.zeros((grid.components, 1))
        for name in (
            "input",
            "dissipation",
            "quadruplets",
            "quadruplet_diagonal",
            "friction",
            "breaking",
        )
    }
    box.package.separate(
        (0, 0, 0, 0, 1),
        **separate.arrays,
        **parts,
        options=settings.native(),
        package=box.package.native_options,
        rounds=30,
    )
    peak = separate["source_memory"][0, 0]
    box.state["source_memory"][:] = peak
    rate = np.divide(
        found.input + found.dissipation, density, out=np.zeros(grid.shape), where=density > 0
    )
    integrated = min(grid.frequencies, int(np.log(3 * peak / grid.sigma[0]) / np.log(1.1) + 1) + 1)
    source, diagonal = found.total.copy(), rate + found.quadruplet_diagonal
    source[integrated:] = 0
    most, parametric = reference.largest_change(density, density, k, cg, grid.sigma)
    step, limited = reference.choose_step(source, diagonal, most, 100.0, least)
    assert step == 100.0
    change = source * step / np.maximum(1, 1 - step * diagonal)
    if limited:
        change = np.clip(change, -parametric[:, None], parametric[:, None])
    wanted = np.maximum(density + change, 0)
    box.advance(100.0)
    prognostic = grid.sigma < 2.4 * peak
    got = box.spectrum[prognostic]
    np.testing.assert_allclose(got, wanted[prognostic], rtol=2e-4, atol=1e-6 * density.max())


def test_a_longer_minimum_makes_fewer_steps():
    arrays = seas(37, np.float64)
    few, many = (
        advance(
            arrays,
            37,
            settings=SourceSettings(grid, integration=SourceIntegration(minimum_step=least)),
        )["source_steps"]
        for least in (900.0, 30.0)
    )
    assert few.max() <= 4
    assert (many >= few).all()
    assert many.max() > few.max()


def test_bottom_friction_agrees_with_the_reference():
    depth = 12.0
    density = spectra.jonswap_directional(grid)
    k, cg = (array[:, 0] for array in linear_dispersion([depth], grid.frequency))
    found = inspection.sources(density, depth=depth, wind=(5.0, 270.0), grid=grid)
    rate = reference.friction_rate(grid.sigma, k, cg, depth)
    np.testing.assert_allclose(found.friction, rate[:, None] * density, rtol=1e-9, atol=1e-30)
    assert found.friction.min() < 0
    swell = SourceSettings(grid, friction=BottomFriction(coefficient=-0.038))
    less = inspection.sources(density, depth=depth, wind=(5.0, 270.0), grid=grid, settings=swell)
    np.testing.assert_allclose(less.friction, found.friction * (0.038 / 0.067), rtol=1e-9)


@pytest.mark.parametrize("height", [0.2, 1.0, 2.0, 2.14, 3.0, 5.0])
def test_breaking_agrees_with_the_reference(height):
    depth = 4.0
    density = spectra.jonswap_directional(grid)
    row = density.sum(axis=1) * grid.direction_width
    tail = row[-1] / (2 * np.pi)

    def moments(row):
        m0 = (row * grid.output_band_width).sum() + 0.25 * grid.sigma[-1] * tail
        inverse = (row * grid.output_band_width / grid.sigma).sum() + 0.2 * tail
        return m0, m0 / inverse / (2 * np.pi)

    m0, frequency = moments(row)
    scale = (height / 4) ** 2 / m0
    found = inspection.sources(scale * density, depth=depth, wind=(1.0, 270.0), grid=grid)
    rate = reference.breaking_rate(scale * m0, frequency, depth)
    np.testing.assert_allclose(found.breaking, rate * scale * density, rtol=1e-9, atol=1e-30)
    assert (found.breaking.min() < 0) == (height > 0.5)


def test_breaking_limits_the_height():
    depth = 3.0
    settings = SourceSettings(grid, integration=SourceIntegration(minimum_step=10.0))
    box = inspection.BoxModel(grid, depth=depth, wind=(0.0, 270.0), settings=settings)
    box.state["spectrum"][:, 0] = spectra.jonswap_directional(grid).ravel()
    box.advance(600.0)
    broken = box.significant_height
    free = inspection.BoxModel(
        grid,
        depth=depth,
        settings=SourceSettings(
            grid,
            integration=SourceIntegration(minimum_step=10.0),
            breaking=DepthBreaking(enabled=False),
        ),
    )
    free.state["spectrum"][:, 0] = spectra.jonswap_directional(grid).ravel()
    free.advance(600.0)
    assert broken < 0.73 * depth < free.significant_height


def test_calm_sea_without_wind_stays_calm():
    box = inspection.BoxModel(grid)
    box.advance(3600.0)
    assert (box.spectrum == 0).all()
