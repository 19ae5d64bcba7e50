"""Sweeps along one direction: order of convergence, monotonicity, exact transport of a constant."""

import math

import numpy as np
import pytest

from halocline.numerics import _native

GHOST = 2


def advect_round(cells, courant, limited, axis, speed=1):
    """Carry a smooth wave once around a periodic line along `axis`; mean error [1]."""
    x = (np.arange(cells) + 0.5) / cells
    wave = np.sinc(1 / cells) * np.sin(2 * math.pi * x) + 0.5  # means over cells
    shape = {"x": (1, 1, 1, cells), "y": (1, 1, cells, 1)}[axis]
    pad = {"x": ((0, 0), (2, 2)), "y": ((2, 2), (0, 0))}[axis]
    value = wave.reshape(shape)
    steps = round(cells / courant)

    def padded(array):
        return np.pad(array, ((0, 0),) * (array.ndim - 2) + pad, mode="wrap")

    plane = padded(np.ones(shape[2:]))
    volume = plane[None].copy()
    flux = np.full_like(volume, speed * courant)
    nj, ni = shape[2:]
    j0, i0 = (0, GHOST) if axis == "x" else (GHOST, 0)
    swept, swept_volume = np.zeros_like(padded(value)), np.zeros_like(volume)
    sweep = getattr(_native, f"sweep_{axis}")
    for _ in range(steps):
        sweep(
            box=(j0, j0 + nj, i0, i0 + ni, 0),
            tracer=padded(value),
            volume=volume,
            **{f"{axis}_volume_flux": flux, f"{axis}_conductance": 0 * plane},
            thickness=np.ones(1),
            swept_tracer=swept,
            swept_volume=swept_volume,
            dt=1.0,
            limited=limited,
        )
        value = swept[..., j0 : j0 + nj, i0 : i0 + ni].copy()
    return np.abs(value.ravel() - wave).mean(), value


@pytest.mark.parametrize("axis", ["x", "y"])
@pytest.mark.parametrize("speed", [1, -1])
def test_third_order_without_limiter(axis, speed):
    errors = [advect_round(n, 0.4, False, axis, speed)[0] for n in (40, 80, 160)]
    orders = [math.log2(a / b) for a, b in zip(errors, errors[1:], strict=False)]
    assert all(2.9 < order < 3.1 for order in orders), (errors, orders)


def test_limiter_costs_extremes_only():
    """Second order in the mean: peaks are cut, and nothing is made."""
    errors = [advect_round(n, 0.4, True, "x") for n in (40, 80, 160)]
    orders = [math.log2(a / b) for (a, _), (b, _) in zip(errors, errors[1:], strict=False)]
    assert all(order > 1.8 for order in orders), orders
    for _, value in errors:
        assert value.min() >= -0.5 and value.max() <= 1.5


def test_unit_courant_number_moves_by_one_cell():
    error, _ = advect_round(16, 1.0, True, "x")
    assert error < 1e-14


def vertical(tracer, flux, volume=None, *, limited=True):
    """Sweep columns given as (k,) along z."""
    column = np.asarray(tracer, float)
    volume = np.ones(column.size) if volume is None else volume
    shape = (column.size, 1, 1)
    out, out_volume = np.zeros((1, *shape)), np.zeros(shape)
    _native.sweep_z(
        box=(0, 1, 0, 1, 0),
        tracer=column.reshape(1, *shape),
        volume=np.asarray(volume, float).reshape(shape),
        z_volume_flux=np.asarray(flux, float).reshape(shape),
        swept_tracer=out,
        swept_volume=out_volume,
        dt=1.0,
        limited=limited,
    )
    return out.ravel(), out_volume.ravel()


def test_vertical_sweep_by_hand():
    """Upwind where the next cell upstream is outside: half of cell 0 moves into cell 1."""
    out, volume = vertical([4.0, 2.0, 0.0], [9.0, 0.5, 0.0])  # the floor is closed
    np.testing.assert_allclose(volume, [0.5, 1.5, 1.0])
    np.testing.assert_allclose(out, [4.0, (2.0 + 0.5 * 4.0) / 1.5, 0.0])
    out, volume = vertical([0.0, 2.0, 4.0], [0.0, 0.0, -0.5])
    np.testing.assert_allclose(out, [0.0, (2.0 + 0.5 * 4.0) / 1.5, 4.0])
