"""Interpolation of the wind in time against plain NumPy, in calms, and in pieces."""

import numpy as np
import pytest

from halocline.waves._native import interpolate_wind
from references.wind_interpolation import interpolate_wind as reference


def compute(before, after, weight, along_arc):
    now = np.empty_like(before)
    interpolate_wind(
        box=(0, 0, 0, 0, before.shape[1]),
        wind_u_before=before[0],
        wind_v_before=before[1],
        wind_u_after=after[0],
        wind_v_after=after[1],
        wind_u=now[0],
        wind_v=now[1],
        weight=weight,
        along_arc=along_arc,
    )
    return now


def winds(dtype, points=157, seed=0):
    random = np.random.default_rng(seed)
    return [random.normal(0, 12, (2, points)).astype(dtype) for _ in range(2)]


@pytest.mark.parametrize(("dtype", "error"), [(np.float32, 2e-5), (np.float64, 2e-14)])
@pytest.mark.parametrize("along_arc", [True, False])
@pytest.mark.parametrize("weight", [0.0, 0.3, 0.5, 1.0])
def test_agrees_with_numpy(dtype, error, along_arc, weight):
    before, after = winds(dtype)
    before[:, 3] = 0
    after[:, 4] = 0
    before[:, 5] = after[:, 5] = 0
    now = compute(before, after, weight, along_arc)
    exact = [wind.astype(np.longdouble) for wind in (before, after)]
    expected = reference(*exact, weight, along_arc)
    assert np.abs(now - expected).max() < error


def test_speed_and_direction_go_along_the_shorter_arc():
    before, after = np.array([[-1.0], [10.0]]), np.array([[-1.0], [-10.0]])
    u, v = compute(before, after, 0.5, True)[:, 0]
    assert u == pytest.approx(-np.sqrt(101.0))
    assert v == pytest.approx(0.0, abs=1e-12)


def test_a_calm_has_the_direction_of_the_other_time():
    calm, wind = np.zeros((2, 1)), np.array([[3.0], [4.0]])
    assert compute(calm, wind, 0.25, True)[:, 0] == pytest.approx([0.75, 1.0])
    assert compute(wind, calm, 0.25, True)[:, 0] == pytest.approx([2.25, 3.0])
    assert np.array_equal(compute(calm, calm, 0.25, True), calm)


def test_opposite_winds_turn_anticlockwise_whatever_the_sign_of_zero():
    east, west = np.array([[5.0, 5.0], [0.0, -0.0]]), np.array([[-5.0, -5.0], [0.0, -0.0]])
    now = compute(east, west, 0.5, True)
    assert now[1] == pytest.approx([5.0, 5.0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_piece_has_the_same_bits(dtype):
    before, after = winds(dtype)
    whole = compute(before, after, 0.37, True)
    for start, end in [(0, 1), (1, 30), (30, 157), (5, 21)]:
        part = [np.ascontiguousarray(w[:, start:end]) for w in (before, after)]
        assert np.array_equal(compute(*part, 0.37, True), whole[:, start:end])
