"""Sinking: closed content over a closed floor, the right speed, never negative."""

import numpy as np

from halocline.numerics import _native
from numerics.tracer_states import random_sea
from references.tracer_transport import sink


def test_plain_reference_and_closed_content():
    a, _ = random_sea(np.random.default_rng(3), tracers=4, levels=6)
    box = (0, a["area"].shape[0], 0, a["area"].shape[1], 0)
    for dt in (0.1, 1.0, 1e6):
        tracer = a["tracer"].copy()
        _native.sinking(
            box=box,
            tracer=tracer,
            volume=a["volume"],
            area=a["area"],
            sinking_speed=a["sinking_speed"],
            dt=dt,
        )
        expected = sink(a["tracer"], a["volume"], a["area"], a["sinking_speed"], dt)
        np.testing.assert_allclose(tracer, expected, rtol=1e-13)
        assert tracer.min() >= 0
        np.testing.assert_array_equal(tracer[0], a["tracer"][0])  # speed 0
        content = (tracer * a["volume"]).sum(axis=1)
        np.testing.assert_allclose(content, (a["tracer"] * a["volume"]).sum(axis=1), rtol=1e-13)


def test_everything_collects_in_the_lowest_cell_at_last():
    volume = np.array([0.0, 2.0, 1.0, 1.0]).reshape(4, 1, 1)
    tracer = np.array([0.0, 1.0, 2.0, 3.0]).reshape(1, 4, 1, 1)
    _native.sinking((0, 1, 0, 1, 0), tracer, volume, np.ones((1, 1)), np.ones(1), 1e12)
    np.testing.assert_allclose(tracer.ravel(), [0, 3.5, 0, 0], atol=1e-10)


def test_centre_of_mass_sinks_with_the_speed():
    levels, thickness, speed, dt = 200, 5.0, 2.0, 1.0
    depth = (np.arange(levels)[::-1] + 0.5) * thickness
    tracer = np.exp(-(((depth - 200) / 40) ** 2)).reshape(1, levels, 1, 1)
    start = (depth * tracer.ravel()).sum() / tracer.sum()
    for _ in range(100):
        _native.sinking(
            (0, 1, 0, 1, 0),
            tracer,
            np.full((levels, 1, 1), thickness),
            np.ones((1, 1)),
            np.array([speed]),
            dt,
        )
    assert abs((depth * tracer.ravel()).sum() / tracer.sum() - start - 100 * dt * speed) < 1e-6


def test_land_lets_nothing_through():
    """Ice shelves and ledges: what stands for land above a cell does not come down."""
    volume = np.array([2.0, 0.0, 1.0, 0.0, 1.0, 1.0]).reshape(6, 1, 1)
    tracer = np.array([1.0, 7.0, 2.0, 7.0, 3.0, 4.0]).reshape(1, 6, 1, 1)
    _native.sinking((0, 1, 0, 1, 0), tracer, volume, np.ones((1, 1)), np.ones(1), 1e12)
    np.testing.assert_allclose(tracer.ravel()[[0, 2, 4, 5]], [1, 2, 7, 0], atol=1e-10)
