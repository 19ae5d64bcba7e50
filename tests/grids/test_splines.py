"""Splines on the grid of a file, beside SciPy's, at ends, and where nothing may overshoot."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.interpolate import CubicSpline

from halocline.grids.files.axes import bilinear, latitude_axis, longitude_axis
from halocline.grids.files.splines import Bicubic, curvature

globe = longitude_axis(np.arange(0.0, 360.0, 7.5))
uneven = latitude_axis(np.cumsum(np.random.default_rng(3).uniform(1.0, 4.0, 61)) - 80.0)
random = np.random.default_rng(5)


def test_curvature_round_the_globe():
    values = random.normal(size=(2, 48))
    closed = np.concatenate([values, values[:, :1]], axis=1)
    theirs = CubicSpline(np.arange(0.0, 360.1, 7.5), closed, axis=1, bc_type="periodic")
    assert_allclose(curvature(values, globe), theirs(globe.values, 2), rtol=1e-10, atol=1e-12)


def test_curvature_between_ends():
    """Far from the ends that of any spline; at the ends parabolas are met."""
    x = uneven.values
    values = random.normal(size=(3, x.size))
    theirs = CubicSpline(x, values, axis=1)
    found = curvature(values, uneven)
    assert_allclose(found[:, 25:36], theirs(x, 2)[:, 25:36], rtol=1e-10, atol=1e-10)
    assert_allclose(curvature(3.0 * x**2 - x, uneven), 6.0, rtol=1e-9)
    assert_array_equal(found[:, :-1][:, [0, -1]], found[:, 1:][:, [0, -1]])
    assert not curvature(np.array([1.0, 3.0]), latitude_axis(np.array([0.0, 1.0]))).any()


def made(x: np.ndarray, y: np.ndarray) -> Bicubic:
    return Bicubic(bilinear(globe, uneven, (x, y), "the file", "the grid"), globe, uneven)


def test_values_between_are_those_of_a_spline_along_both_axes():
    values = random.normal(size=(61, 48))
    x, y = np.meshgrid(np.linspace(-20.0, 380.0, 37), uneven.values[30] + np.linspace(-9, 9, 19))
    closed = np.concatenate([values, values[:, :1]], axis=1)
    rows = CubicSpline(np.arange(0.0, 360.1, 7.5), closed, axis=1, bc_type="periodic")(x[0] % 360)
    theirs = CubicSpline(uneven.values, rows, axis=0)(y[:, 0])
    assert_allclose(made(x, y)(values), theirs, rtol=1e-8, atol=1e-8)
    assert_allclose(made(globe.values[None, :3], uneven.values[7:8, None] + 0 * x[:1, :3])(values),
                    values[7:8, :3], rtol=1e-13)  # fmt: skip


@pytest.mark.parametrize("order", [4])
def test_order(order):
    """The error of a smooth field falls with the fourth power of the distance of its columns."""
    x, y = random.uniform(0.0, 360.0, 400), random.uniform(-30.0, 30.0, 400)

    def field(x, y):
        return np.sin(np.deg2rad(3.0 * x)) * np.cos(np.deg2rad(5.0 * y))

    errors = []
    for count in (36, 72):
        along = longitude_axis(np.arange(count) * 360.0 / count)
        across = latitude_axis(np.linspace(-90.0, 90.0, count // 2 + 1))
        way = Bicubic(bilinear(along, across, (x, y), "file", "grid"), along, across)
        found = way(field(along.values[None], across.values[:, None]))
        errors.append(np.abs(found - field(x, y)).max())
    assert np.log2(errors[0] / errors[1]) > order - 0.2


def test_within_the_values_around():
    """A spline over a step goes beyond it, but not where it may not."""
    values = np.where(globe.values > 180.0, 1.0, 0.0) * np.ones((61, 1))
    x = np.linspace(0.0, 359.0, 500)
    way = made(x, np.zeros(500))
    assert way(values).min() < -0.05 and way(values).max() > 1.05
    bounded = way.within(values)
    assert bounded.min() == 0.0 and bounded.max() == 1.0
    smooth = np.sin(np.deg2rad(globe.values)) * np.ones((61, 1))
    far = np.abs(np.cos(np.deg2rad(x))) > 0.3  # no crest between
    assert_array_equal(way.within(smooth)[far], way(smooth)[far])
