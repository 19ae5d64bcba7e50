"""Schemes that move the ocean's tracers: order, exact cases, bounds, what is kept. Ranks: 1."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from halocline.ocean.tracer_options import OceanTracerOptions
from ocean import oceans


def moving(levels, scheme, dt, u, v=0.0):
    """A model whose velocity is given at all times [m s-1], at corners."""
    model = oceans.build(levels, dt, tracers=OceanTracerOptions(advection=scheme))
    for name, values in (("u", u), ("v", v)):
        for prefix in ("old_", "", "new_"):
            field = getattr(model.state, prefix + name)
            field.set_global(np.broadcast_to(values, field.shape))
    return model


def carry(model, steps, first=0):
    """Move tracers only, by leapfrog after a first step forward."""
    for number in range(first, first + steps):
        model.tracers(tau=model.dt * (2.0 if number else 1.0), width=13, number=number)
        model.rotate()
    return model.state.tracer.gather()


def rate(model):
    """Change of tracers in a step from equal levels [s-1 times units]."""
    old = model.state.old_tracer.gather()
    model.tracers(tau=model.dt, width=160)
    return (model.state.new_tracer.gather() - old) / model.dt


def sine(cells, axis):
    """A periodic row of cells, 1 km in all; its means over cells, and slope of its fluxes."""
    across = 4
    nx, ny = (cells, across) if axis == "x" else (across, cells)
    levels = oceans.plane(nx, ny, 1e3 / cells, [1.0], periodic_x=True, periodic_y=True)
    faces = np.arange(cells + 1) / cells
    means = np.diff(-np.cos(2 * np.pi * faces)) / (2 * np.pi) * cells
    slope = np.diff(np.sin(2 * np.pi * faces)) * cells
    shape = (1, cells) if axis == "x" else (cells, 1)
    whole = np.ones((ny, nx))
    return levels, means.reshape(shape) * whole, slope.reshape(shape) * whole


@pytest.mark.parametrize("axis", ["x", "y"])
@pytest.mark.parametrize("speed", [1.0, -1.0])
@pytest.mark.parametrize(("scheme", "order"), [("centred", 2), ("upwind3", 3)])
def test_order_of_face_values(scheme, order, axis, speed):
    errors = []
    for cells in (16, 32, 64):
        levels, means, slope = sine(cells, axis)
        model = moving(levels, scheme, 1.0, **{"u": 0.0, ("u" if axis == "x" else "v"): speed})
        oceans.put_tracers(model, np.broadcast_to(means, (2, 1, *means.shape)))
        errors.append(np.abs(rate(model)[1, 0] + 1e-3 * speed * slope).max())
    orders = [math.log2(a / b) for a, b in zip(errors, errors[1:], strict=False)]
    assert_allclose(orders, order, atol=0.1)


@pytest.mark.parametrize("axis", ["x", "y"])
def test_limited_scheme_loses_at_extremes_only(axis):
    """Once around, with steps in proportion to the cells: second order in the mean."""
    errors = []
    for cells in (20, 40):
        levels, means, _ = sine(cells, axis)
        model = moving(
            levels, "limited3", 200.0 / cells, **{"u": 0.0} | {"uv"["xy".index(axis)]: 1.0}
        )
        oceans.put_tracers(model, np.broadcast_to(means, (2, 1, *means.shape)))
        errors.append(np.abs(carry(model, 5 * cells)[0, 0] - means).mean())
    assert math.log2(errors[0] / errors[1]) > 1.8, errors
    assert errors[1] < 0.02


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_parabolas_are_exact_on_uneven_levels(sign):
    """Water converges along x and rises, or sinks: contents change by values at interfaces."""
    thickness = [10.0, 12.0, 17.0, 25.0, 22.0, 40.0]
    levels = oceans.plane(8, 4, 10.0, thickness, periodic_x=True, periodic_y=True)
    x = np.arange(8) * 2.0 * np.pi / 8.0
    strength = np.array([1.0, -2.0, 0.5, 1.0, 2.0, -1.0])[:, None, None]
    model = moving(levels, "upwind3", 1.0, sign * strength * np.sin(x))
    z = -levels.interfaces
    dz = levels.thickness
    means = np.diff(z**3 / 3.0 - 20.0 * z**2) / dz
    oceans.put_tracers(model, np.broadcast_to(means[:, None, None], (2, *levels.shape)))
    found = rate(model)[0]
    u = model.state.u.gather()
    converging = dz[:, None, None] * (u - np.roll(u, -1, axis=-1)) / 10.0
    rising = np.concatenate([0 * converging[:1], np.cumsum(converging, axis=0)])
    # a parabola where there is a level beyond the one upstream, elsewhere the mean of both
    exact, count = (z**2 - 40.0 * z)[1:-1, None, None], len(thickness)
    mean = 0.5 * (means[:-1] + means[1:])[:, None, None]
    between = np.arange(1, count)[:, None, None]
    from_below = rising[1:-1] > 0.0
    at_interface = np.where(np.where(from_below, between > 1, between < count - 1), exact, mean)
    carried = rising[:-1] * np.concatenate([0 * at_interface[:1], at_interface])
    wanted = converging[:-1] * means[:-1, None, None] - np.diff(carried, axis=0)
    wanted /= dz[:-1, None, None]  # the uppermost level is as thick as its water makes it
    assert_allclose(found[:-1], wanted, atol=1e-12 * np.abs(means).max())


def whirl(cells, dx, turn):
    """Velocity at corners that turns by `turn` [s-1], less near the walls; without divergence."""
    middle = 0.5 * cells * dx
    wide = (np.arange(-1, cells + 1) + 0.5) * dx - middle
    s = (wide[None, :] ** 2 + wide[:, None] ** 2) / (0.46 * cells * dx) ** 2
    beyond = np.clip(s - 0.7, 0.0, 0.3)
    stream = 0.5 * turn * (0.46 * cells * dx) ** 2 * (np.minimum(s, 0.7) + beyond - beyond**2 / 0.6)
    along_y, along_x = np.diff(stream, axis=0) / dx, np.diff(stream, axis=1) / dx
    u = -0.5 * (along_y[:, :-1] + along_y[:, 1:])
    return u, 0.5 * (along_x[:-1] + along_x[1:])


def cone(scheme):
    """A cone turned about the middle of a basin once; start, and end on two levels."""
    cells, dx, turn = 30, 1e4, 0.03
    levels = oceans.plane(cells, cells, dx, [100.0, 50.0], periodic_x=False, periodic_y=False)
    model = moving(levels, scheme, 1.0, *whirl(cells, dx, turn))
    centre = (np.arange(cells) + 0.5) * dx - 0.5 * cells * dx
    away = np.hypot(centre[None, :] - 0.2 * cells * dx, centre[:, None])
    start = np.maximum(1.0 - away / (0.15 * cells * dx), 0.0)
    oceans.put_tracers(model, np.broadcast_to(start, (2, *levels.shape)))
    return start, carry(model, round(2.0 * np.pi / turn))[0]


def left(start, end):
    """Error of both levels against the start [1], which kept its content."""
    assert_allclose(end.sum(axis=(1, 2)), start.sum(), rtol=1e-13)
    return np.linalg.norm(end - start) / np.linalg.norm(np.stack([start, start]))


def test_a_cone_goes_round():
    """Waves of the centred scheme stay behind; a damping part lets few of them remain."""
    (start, centred), (_, upwind) = cone("centred"), cone("upwind3")
    assert centred.min() < -0.15
    assert -0.04 < upwind.min() < -0.01
    assert left(start, upwind) < 0.25 < 0.5 < left(start, centred)


def test_a_limited_cone_stays_within_bounds():
    """Not by a bit above or below."""
    start, end = cone("limited3")
    assert left(start, end) < 0.25
    assert end.min() >= 0.0
    assert 0.6 < end.max() <= 1.0
