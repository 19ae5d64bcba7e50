"""Sweeps along one direction: order of convergence, monotonicity, exact transport of a constant."""

import math

import numpy as np
import pytest

from halocline.numerics import _native

GHOST = 2


def carry(value, courant, steps, limited, axis, speed=1):
    """Move means over the cells of a periodic line along `axis`."""
    cells = value.size
    shape = {"x": (1, 1, 1, cells), "y": (1, 1, cells, 1)}[axis]
    pad = {"x": ((0, 0), (2, 2)), "y": ((2, 2), (0, 0))}[axis]
    value = value.reshape(shape)

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
    return value.ravel()


def advect_round(cells, courant, limited, axis, speed=1):
    """Carry a smooth wave once around a periodic line along `axis`; mean error [1]."""
    x = (np.arange(cells) + 0.5) / cells
    wave = np.sinc(1 / cells) * np.sin(2 * math.pi * x) + 0.5  # means over cells
    value = carry(wave, courant, round(cells / courant), limited, axis, speed)
    return np.abs(value - wave).mean(), value


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


@pytest.mark.parametrize("axis", ["x", "y"])
@pytest.mark.parametrize("speed", [1, -1])
@pytest.mark.parametrize("courant", [0.3, 0.7, 0.95])
def test_a_limited_block_stays_between_its_values_and_keeps_its_content(axis, speed, courant):
    block = np.where(np.arange(40) % 40 < 9, 1.0, 0.0)
    value = carry(block, courant, 60, True, axis, speed)
    assert value.min() > -1e-14 and value.max() < 1.0 + 1e-14
    assert value.sum() == pytest.approx(9.0, rel=1e-13)
    centre = np.angle((value * np.exp(2j * math.pi * np.arange(40) / 40)).sum()) / (2 * math.pi)
    moved = 4.0 / 40 + speed * courant * 60 / 40
    assert abs((centre - moved + 0.5) % 1.0 - 0.5) < 0.004


@pytest.mark.parametrize("axis", ["x", "y"])
def test_whatever_leaves_a_cell_nothing_becomes_negative(axis):
    """Nearly all of a cell leaves it through both faces, by flow and by diffusion."""
    random = np.random.default_rng(3)
    lines, cells = 200, 12
    tracer = random.random((lines, cells)) * (random.random((lines, cells)) < 0.5)
    volume = random.uniform(0.5, 2.0, (lines, cells))
    flux = random.standard_normal((lines, cells + 1))
    flux[:, [0, -1]] = 0.0
    exchange = random.random((lines, cells + 1)) * random.choice([0.0, 1.0], (lines, 1))
    exchange[:, [0, -1]] = 0.0
    out = np.maximum(flux[:, 1:], 0.0) - np.minimum(flux[:, :-1], 0.0)
    out += exchange[:, 1:] + exchange[:, :-1]
    scale = 0.99 * (volume / np.maximum(out, 1e-300)).min(axis=1)[:, None]
    flux, exchange = flux * scale, exchange * scale
    ghosts = ((0, 0), (GHOST, GHOST))
    tracer, volume = np.pad(tracer, ghosts), np.pad(volume, ghosts)
    flux, exchange = (np.pad(some, ((0, 0), (GHOST, GHOST - 1))) for some in (flux, exchange))
    swept, after = np.zeros_like(tracer), np.zeros_like(volume)
    box = (0, lines, GHOST, GHOST + cells, 0)
    if axis == "y":
        box = (*box[2:4], *box[:2], 0)
        tracer, volume, flux, exchange, swept, after = (
            np.ascontiguousarray(some.T) for some in (tracer, volume, flux, exchange, swept, after)
        )
    getattr(_native, f"sweep_{axis}")(
        box=box,
        tracer=tracer[None, None],
        volume=volume[None],
        **{f"{axis}_volume_flux": flux[None], f"{axis}_conductance": exchange},
        thickness=np.ones(1),
        swept_tracer=swept[None, None],
        swept_volume=after[None],
        dt=1.0,
        limited=True,
    )
    assert swept.min() >= 0.0
    along = 1 if axis == "x" else 0
    before = (tracer * volume).sum(axis=along)
    np.testing.assert_allclose((swept * after).sum(axis=along), before, rtol=1e-12)


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
