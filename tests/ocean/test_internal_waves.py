"""The shortest internal waves: growth as the model has it, and what is told of it. Ranks: 1."""

import re
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from halocline.core.constants import gravity
from halocline.ocean.internal_waves import cycle_growth, waves_that_grow
from halocline.ocean.options import OceanOptions
from halocline.ocean.time_filter import TimeFilterOptions
from ocean import oceans

cells, dx, deep, gradient = 8, 1e4, 1000.0, 0.01
robert = TimeFilterOptions(scheme="robert", strength=0.1)
matsuno = TimeFilterOptions(scheme="matsuno")


def test_without_a_filter_growth_is_that_of_the_polynomial():
    """With d alone waves grow where W^2 > 2 - 2 d, with v alone where W^2 > 3 - 2 v."""
    random = np.random.default_rng(5)
    w, d, v = random.uniform(0.1, 2.2, 60), random.uniform(0, 0.4, 60), random.uniform(0, 0.4, 60)
    d[:40] *= np.arange(40) % 2
    v[:40] *= np.arange(40) % 2 == 0
    found = cycle_growth(w, d, v, OceanOptions(averaging=0))
    density = np.stack([np.ones(60), np.zeros(60), 2.0 * d - 1.0], axis=1)
    velocity = np.stack([np.ones(60), 2.0 * v / 3.0, 4.0 * v / 3.0 - 1.0], axis=1)
    rows = [np.polymul(*pair) for pair in zip(density, velocity, strict=True)]
    rows += np.outer(w**2, [0.0, 1.0, 2.0, 1.0, 0.0])
    assert_allclose(found, [np.abs(np.roots(row)).max() for row in rows], rtol=1e-7)
    beyond = w**2 - np.where(v > 0.0, 3.0 - 2.0 * v, 2.0 - 2.0 * d)
    clear = (np.abs(beyond) > 0.01)[:40]
    assert ((found > 1.0 + 1e-6) == (beyond > 0.0))[:40][clear].all()


def sea(dt, viscosity=0.0, **more):
    """Evenly stratified water on a plane."""
    levels = oceans.plane(
        cells, 4, dx, [deep / 40] * 40, dy=3.0 * dx, periodic_x=True, periodic_y=True
    )
    model = oceans.build(levels, dt, mixing=replace(oceans.still, viscosity=viscosity), **more)
    warm = resting(levels) * np.ones(levels.shape)
    oceans.put_tracers(model, np.stack([warm, np.full(levels.shape, 35.0)]))
    return model


def resting(levels):
    return 20.0 - gradient * levels.depth[:, None, None]


def growth(model, steps):
    """Of a wave of two cells in the first mode: the greatest of the last third over the first's.

    It ends where the wave is a hundred times as high as at the start.
    """
    levels, sign = model.levels, (-1.0) ** np.arange(cells)
    shape = np.sin(np.pi * levels.depth / deep)[:, None, None] * sign
    warm = resting(levels) + 1e-5 * shape * np.ones(levels.shape)
    oceans.put_tracers(model, np.stack([warm, np.full(levels.shape, 35.0)]))
    found = [1e-5 * cells * 4 * 20.0]
    for state in oceans.go(model, steps):
        found.append(abs(((state.tracer.gather()[0] - resting(levels)) * shape).sum()))
        if found[-1] > 100.0 * found[0]:
            break
    third = len(found) // 3
    return max(found[-third:]) / max(found[:third])


@pytest.mark.parametrize("time_filter", [TimeFilterOptions(), robert, matsuno])
@pytest.mark.parametrize("viscosity", [0.0, 2000.0])
def test_steps_that_are_told_let_no_wave_grow_and_longer_ones_do(time_filter, viscosity):
    """c = N H / pi; the integral over 40 levels has 39. A tenth is held in reserve."""
    more = {"viscosity": viscosity, "time_filter": time_filter, "averaging": 10}
    density = OceanOptions().density
    speed = np.sqrt(gravity / density.reference * density.expansion * gradient) * deep / np.pi
    dt = float(round(2.5 * dx / (2.0 * speed)))
    (words,) = waves_that_grow(sea(dt, **more))
    assert f"internal waves of {0.975 * speed:.2g} m/s can grow in steps of {dt:g} s" in words
    assert "where cells are 10 km wide" in words
    told = float(re.search(r"time.step = (\d+) s or less", words)[1])
    assert not waves_that_grow(sea(told - 1.0, **more))
    assert growth(sea(told, **more), 240) < 1.1
    assert growth(sea(1.35 * told, **more), 480) > 2.0
