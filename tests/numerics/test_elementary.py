"""Elementary functions: accuracy against NumPy, special values, the same bits for every width."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from halocline.numerics import _native

reference = {
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "cube_root": np.cbrt,
    "square_root": np.sqrt,
}
largest_angle = {np.float32: 8192.0, np.float64: 1e6}
allowed = {  # units in the last place, float32 and float64
    "exp": (1.0, 1.0),
    "log": (1.0, 1.0),
    "sin": (1.0, 1.0),
    "cos": (1.0, 1.0),
    "tan": (3.0, 3.0),
    "sinh": (4.0, 4.0),
    "cosh": (4.0, 4.0),
    "tanh": (3.0, 3.0),
    "cube_root": (1.5, 1.5),
    "square_root": (0.5, 0.5),
}


def evaluate(name, x, y=None, width=16):
    result = np.empty_like(x)
    _native.elementary_function(name, width, x, x if y is None else y, result)
    return result


def error_in_last_places(value, exact, kind, floor=0.0):
    """Distance from a more exact result in units of the last place of `kind`, not below `floor`."""
    with np.errstate(over="ignore"):
        rounded = np.maximum(np.abs(exact.astype(kind)), kind(floor))
    spacing = np.spacing(np.minimum(rounded, np.finfo(kind).max)).astype(exact.dtype)
    return np.abs(value.astype(exact.dtype) - exact) / spacing


def arguments(name, kind, rng):
    """Every kind of number: float32 sweeps all bit patterns, float64 is random."""
    if kind is np.float32:
        x = np.arange(0, 2**32, 2039, dtype=np.uint64).astype(np.uint32).view(np.float32)
    else:
        x = rng.integers(0, 2**64, 300_000, dtype=np.uint64).view(np.float64)
        x = np.concatenate([x, rng.uniform(-800, 800, 300_000), rng.uniform(-2, 2, 300_000)])
    x = x[np.isfinite(x)]
    if name in ("log", "square_root"):
        x = np.abs(x)
    if name in ("sin", "cos", "tan"):
        x = x[np.abs(x) <= largest_angle[kind]]
    return np.ascontiguousarray(x)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("name", list(reference))
def test_accuracy(name, kind):
    x = arguments(name, kind, np.random.default_rng(1))
    wide = np.float64 if kind is np.float32 else np.longdouble
    with np.errstate(all="ignore"):
        exact = reference[name](x.astype(wide))
        overflows = np.abs(exact) > np.finfo(kind).max
        value = evaluate(name, x)
    finite = np.isfinite(exact) & ~overflows
    edge = np.isinf(value) & (np.abs(exact) > 0.999999 * np.finfo(kind).max)
    tested = finite & ~edge
    assert np.isfinite(value[tested]).all()
    floor = 1e-4 if name in ("sin", "cos", "tan") else 0.0  # near zeros far from the origin
    worst = error_in_last_places(value[tested], exact[tested], kind, floor).max()
    assert worst <= allowed[name][0 if kind is np.float32 else 1]
    assert tested.sum() > 0.3 * len(x)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_angle_of_a_vector(kind):
    rng = np.random.default_rng(2)
    x = (rng.normal(size=200_000) * 10.0 ** rng.uniform(-8, 8, 200_000)).astype(kind)
    y = (rng.normal(size=200_000) * 10.0 ** rng.uniform(-8, 8, 200_000)).astype(kind)
    wide = np.float64 if kind is np.float32 else np.longdouble
    exact = np.arctan2(y.astype(wide), x.astype(wide))
    assert error_in_last_places(evaluate("atan2", y, x), exact, kind).max() <= 2.5
    axes = np.array([0.0, 1.0, -1.0, 0.0, 0.0, -0.0], kind)
    rights = np.array([1.0, 0.0, 0.0, -1.0, 0.0, 0.0], kind)
    np.testing.assert_array_equal(evaluate("atan2", axes, rights), np.arctan2(axes, rights))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_power(kind):
    rng = np.random.default_rng(3)
    x = rng.uniform(1e-3, 1e3, 100_000).astype(kind)
    y = rng.uniform(-5, 5, 100_000).astype(kind)
    wide = np.float64 if kind is np.float32 else np.longdouble
    exact = x.astype(wide) ** y.astype(wide)
    error = error_in_last_places(evaluate("pow", x, y), exact, kind)
    assert (error <= 2.0 + 2.5 * np.abs(y * np.log(x))).all()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_special_values(kind):
    special = np.array([0.0, np.inf, -np.inf, np.nan, -1.0, 1.0], kind)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(evaluate("log", special), np.log(special))
        np.testing.assert_array_equal(evaluate("exp", special)[:4], np.exp(special)[:4])
        for name in ("sin", "cos", "tan"):
            beyond = np.array([1.01 * largest_angle[kind], np.inf, np.nan], kind)
            assert np.isnan(evaluate(name, beyond)).all()
        np.testing.assert_array_equal(evaluate("tanh", special)[:3], np.array([0, 1, -1], kind))
        assert np.isnan(evaluate("tanh", special)[3])
        np.testing.assert_array_equal(evaluate("cube_root", special)[[0, 5]], special[[0, 5]])


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("name", [*reference, "atan2", "pow"])
def test_same_bits_for_every_width(name, kind):
    rng = np.random.default_rng(4)
    x = (rng.normal(size=10_007) * 10.0 ** rng.uniform(-40, 4, 10_007)).astype(kind)
    y = rng.uniform(-3, 3, 10_007).astype(kind)
    scalar = evaluate(name, x, y, width=1)
    word = np.uint32 if kind is np.float32 else np.uint64
    for width in (4, 8, 16):
        packed = evaluate(name, x, y, width=width)
        number = ~np.isnan(scalar)
        np.testing.assert_array_equal(np.isnan(packed), ~number)
        np.testing.assert_array_equal(packed[number].view(word), scalar[number].view(word))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_moderate_exponential_has_the_bits_of_the_general_one(kind):
    x = np.random.default_rng(3).uniform(-87, 87, 1_000_000).astype(kind)
    assert np.array_equal(evaluate("exp_moderate", x), evaluate("exp", x))


def rounded_once(exact, kind):
    """The number of `kind` nearest to a fraction, of two equally near ones the even one."""
    near = kind(float(exact))
    candidates = [np.nextafter(near, kind(-np.inf)), near, np.nextafter(near, kind(np.inf))]
    word = np.uint32 if kind is np.float32 else np.uint64
    return min(candidates, key=lambda c: (abs(Fraction(float(c)) - exact), int(c.view(word)) & 1))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_multiply_add_rounds_once(kind):
    rng = np.random.default_rng(5)
    x, y, z = (rng.normal(size=3072) * 10.0 ** rng.uniform(-3, 3, (3, 3072))).astype(kind)
    z[1024:] = -x[1024:] * y[1024:]  # what the rounding of the product loses
    z[2048:] += np.spacing(z[2048:]) * rng.integers(-3, 4, 1024).astype(kind)
    exact = [
        Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
        for a, b, c in zip(x, y, z, strict=True)
    ]
    expected = np.array([rounded_once(value, kind) for value in exact])
    assert (expected != x * y + z).mean() > 0.3
    for width in (1, 4, 8, 16):
        result = np.full_like(x, np.nan)
        _native.multiply_add(width, x, y, z, result)
        np.testing.assert_array_equal(result, expected)
