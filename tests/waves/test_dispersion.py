"""Linear theory against bisection and its limits. One rank."""

import numpy as np
import pytest

from halocline.core.constants import gravity
from halocline.waves import _native
from halocline.waves.dispersion import linear_dispersion

depth = np.geomspace(0.05, 8000.0, 60)
frequency = 0.0418 * 1.1 ** np.arange(0, 36, 5)


def bisected(sigma, depths):
    low, high = np.full(depths.shape, 1e-8), np.full(depths.shape, 1e4)
    for _ in range(200):
        middle = 0.5 * (low + high)
        short = gravity * middle * np.tanh(middle * depths) < sigma**2
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return 0.5 * (low + high)


def test_wavenumber_and_group_speed():
    wavenumber, group_speed = linear_dispersion(depth, frequency)
    for row, f in enumerate(frequency):
        sigma = 2 * np.pi * f
        exact = bisected(sigma, depth)
        np.testing.assert_allclose(wavenumber[row], exact, rtol=1e-12)
        change = 1e-4 * sigma
        slope = (bisected(sigma + change, depth) - bisected(sigma - change, depth)) / (2 * change)
        np.testing.assert_allclose(group_speed[row], 1.0 / slope, rtol=1e-6)


def test_limits_of_deep_and_shallow_water():
    _, deep = linear_dispersion([8000.0], [0.1])
    _, shallow = linear_dispersion([0.1], [0.01])
    assert deep[0, 0] == pytest.approx(gravity / (4 * np.pi * 0.1), rel=1e-14)
    assert shallow[0, 0] == pytest.approx(np.sqrt(gravity * 0.1), rel=1e-4)


def test_single_precision_fields():
    arrays = [np.empty((1, depth.size), np.float32) for _ in range(2)]
    box = (0, 0, 0, 0, depth.size)
    single = depth.astype(np.float32)
    sigma = np.array([2 * np.pi * 0.1])
    _native.linear_dispersion(box, single, sigma, *arrays, gravity)
    expected = linear_dispersion(single, 0.1)
    for got, exact in zip(arrays, expected, strict=True):
        np.testing.assert_allclose(got, exact, rtol=1.2e-7)
