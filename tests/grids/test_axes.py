"""Axes of files in any order and convention, and weights along them, against NumPy."""

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.grids.files.axes import axis_weights, bilinear, latitude_axis, longitude_axis


@pytest.mark.parametrize(
    ("given", "values", "period"),
    [
        ([350.0, 0.0, 10.0], [350.0, 360.0, 370.0], 0.0),
        ([-10.0, 0.0, 10.0], [350.0, 360.0, 370.0], 0.0),
        ([20.0, 10.0, 30.0], [10.0, 20.0, 30.0], 0.0),
        ([0.0, 90.0, 180.0, 270.0, 360.0], [0.0, 90.0, 180.0, 270.0], 360.0),
        ([-180.0, -60.0, 60.0, 180.0], [60.0, 180.0, 300.0], 360.0),
        ([-90.0, 90.0], [90.0, 270.0], 360.0),
        ([359.0, 1.0], [359.0, 361.0], 0.0),
        ([5.0], [5.0], 0.0),
        ([1.0, 120.0, 240.0, 359.99999], [0.0, 1.0, 120.0, 240.0], 360.0),
        ([0.0, 110.0, 220.0], [0.0, 110.0, 220.0], 360.0),
        ([0.0, 80.0, 160.0], [0.0, 80.0, 160.0], 0.0),
    ],
)
def test_longitudes_are_cut_at_their_widest_gap(given, values, period):
    """A gap of up to 1.5 times the usual one is none."""
    axis = longitude_axis(np.array(given))
    np.testing.assert_allclose(axis.values, values, atol=2e-5)
    assert axis.period == period
    np.testing.assert_allclose((np.array(given)[axis.order] - axis.values) % 360.0, 0.0)


def test_latitudes_go_north():
    axis = latitude_axis(np.array([60.0, 20.0, -10.0]))
    assert axis.values.tolist() == [-10.0, 20.0, 60.0] and axis.order.tolist() == [2, 1, 0]
    assert axis.spacing == 40.0 and axis.period == 0.0
    with pytest.raises(UserError, match="stands twice in my file"):
        latitude_axis(np.array([1.0, 2.0, 1.0]), "my file")


@pytest.mark.parametrize("first", [0.0, -75.0])
def test_weights_along_a_circle_are_those_of_numpy(first):
    axis = longitude_axis(first + np.array([0.0, 50.0, 130.0, 200.0, 280.0]))
    assert axis.period
    points = np.random.default_rng(1).uniform(-400.0, 800.0, 200)
    weights = axis_weights(axis, points, "", "")
    values = np.random.default_rng(2).random(5)
    found = (1.0 - weights.weight) * values[weights.low] + weights.weight * values[weights.high]
    expected = np.interp(points, axis.values, values, period=360.0)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_weights_between_two_ends_and_half_a_cell_beyond():
    axis = latitude_axis(np.array([-10.0, 0.0, 20.0]))
    points = np.array([-19.9, -10.0, -2.5, 15.0, 20.0, 29.9])
    weights = axis_weights(axis, points, "", "")
    values = np.array([1.0, 2.0, 4.0])
    found = (1.0 - weights.weight) * values[weights.low] + weights.weight * values[weights.high]
    np.testing.assert_allclose(found, np.interp(points, axis.values, values), rtol=1e-12)
    for beyond in (-20.1, 30.1):
        with pytest.raises(UserError, match="covers the latitudes -10 to 20, but 1 of 2 points"):
            axis_weights(axis, np.array([0.0, beyond]), "The wind", "the grid")


def test_one_value_serves_all_that_it_covers():
    axis = longitude_axis(np.array([15.0]))
    weights = axis_weights(axis, np.array([15.0, 375.0]), "", "")
    assert not weights.low.any() and not weights.high.any() and not weights.weight.any()


def test_maps_are_interpolated_in_both_directions():
    x, y = longitude_axis(np.arange(0.0, 360.0, 30.0)), latitude_axis(np.arange(-80.0, 81.0, 20.0))
    random = np.random.default_rng(3)
    points = random.uniform(0.0, 330.0, 50), random.uniform(-80.0, 80.0, 50)
    weights = bilinear(x, y, points, "", "")
    plane = 2.0 + 0.1 * x.values + 0.3 * y.values[:, None] + 1e-3 * x.values * y.values[:, None]
    exact = 2.0 + 0.1 * points[0] + 0.3 * points[1] + 1e-3 * points[0] * points[1]
    np.testing.assert_allclose(weights(plane), exact, rtol=1e-12)
    used = weights.used(plane.shape)
    for j, i in np.argwhere(used)[:20]:
        changed = plane.copy()
        changed[j, i] = np.nan
        assert np.isnan(weights(changed)).any()
    assert np.isfinite(weights(np.where(used, plane, 1e30))).all() and not used.all()
    some = points[0] > 100.0
    np.testing.assert_array_equal(weights.part(some)(plane), weights(plane)[some])
