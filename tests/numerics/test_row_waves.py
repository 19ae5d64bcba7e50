"""Waves along closed rows: against Fourier transforms. Ranks: 1."""

import numpy as np
import pytest

from halocline.numerics import _native


def plain(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """x(i) + sum over m of w(m) (x(i + m) + x(i - m) - 2 x(i)), in NumPy."""
    found = values.copy()
    for m in range(1, weights.shape[1] + 1):
        both = np.roll(values, m, -1) + np.roll(values, -m, -1) - 2.0 * values
        found += weights[:, m - 1, np.newaxis] * both
    return found


@pytest.mark.parametrize("columns", [2, 6, 37, 64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_are_as_in_numpy(columns, dtype):
    random = np.random.default_rng(columns)
    values = (300.0 + random.random((3, 4, columns + 5))).astype(dtype)
    weights = random.random((4, columns // 2)).astype(dtype) / columns
    weights[2] = 0.0
    expected = plain(values[..., 2 : 2 + columns].astype(np.float64), weights.astype(np.float64))
    before = values.copy()
    _native.lessen_row_waves(values[..., 2 : 2 + columns], weights)
    found = values[..., 2 : 2 + columns]
    np.testing.assert_allclose(found, expected, rtol=8 * np.finfo(dtype).eps)
    assert np.array_equal(values[..., :2], before[..., :2])
    assert np.array_equal(values[..., 2 + columns :], before[..., 2 + columns :])
    assert np.array_equal(found[:, 2], before[:, 2, 2 : 2 + columns])
    assert not np.array_equal(found[:, 1], before[:, 1, 2 : 2 + columns])


def test_the_mean_stays_whatever_the_weights():
    """To the rounding of values, not of weights: a row of one value keeps its bits."""
    random = np.random.default_rng(1)
    weights = random.random((1, 32)).astype(np.float32)
    even = np.full((1, 1, 64), 1234.567, np.float32)
    _native.lessen_row_waves(even, weights)
    assert (even == np.float32(1234.567)).all()
    row = 1e5 + random.random((1, 1, 64))
    mean = row.mean()
    _native.lessen_row_waves(row, 1e-2 * weights.astype(np.float64))
    assert row.mean() == pytest.approx(mean, rel=1e-14)
