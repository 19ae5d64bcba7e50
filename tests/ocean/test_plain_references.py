"""Kernels of the ocean's core beside plain NumPy, on seas whose sides are joined in all ways.

Ranks: 1.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from halocline.runtime.fields.place import Place
from ocean import oceans, rough_seas
from ocean.rough_seas import drag, drag_speed, random_ocean, tau, wide_planes
from references import ocean_barotropic, ocean_momentum, ocean_tracers

alpha, gamma = 0.3, 0.45
"""Weights of levels; no two of them are the same."""


@pytest.fixture(scope="module", params=rough_seas.kinds)
def made(request):
    """A model with a random state, and its wide planes."""
    model = random_ocean(request.param)
    return model, wide_planes(model)


@pytest.fixture
def sea(made):
    """The same, whatever tests have made of the state before."""
    model, a = made
    for name, field in rough_seas.random_fields(model).items():
        field.set_global(a.planes.own(getattr(a, name), field.place))
    return model, a


def compare(found, wanted, wet, tolerance=1e-13):
    """Same values where it is wet, but for round-off of the greatest."""
    wet = np.broadcast_to(wet, wanted.shape)
    assert wet.any()
    size = np.abs(wanted[wet]).max()
    assert_allclose(found[wet], wanted[wet], rtol=0.0, atol=tolerance * size)


def velocities(state, u, v):
    return getattr(state, u).gather() + 1j * getattr(state, v).gather()


def check_tracers(model, a, tolerance=1e-13):
    model.tracers(tau=tau, width=8)
    values, layer = ocean_tracers.step(a, tau)
    own, state, levels = a.planes.own, model.state, model.levels
    for found, wanted in zip(state.new_tracer.gather(), own(values, Place.center), strict=True):
        compare(found, wanted, levels.wet, tolerance)
    compare(state.new_layer.gather(), own(layer, Place.center), levels.mask, tolerance)


def check_momentum(model, a, tolerance=1e-13):
    numbers = {"alpha": alpha, "gamma": gamma, "drag": drag, "drag_speed": drag_speed}
    model.momentum(tau=tau, **numbers, width=8)
    values, force = (
        a.planes.own(wide, Place.corner) for wide in ocean_momentum.step(a, tau, **numbers)
    )
    wet = oceans.wet_corners(model.levels)
    found = velocities(model.state, "new_u", "new_v")
    compare(found, values, wet, tolerance)
    assert not found[~wet].any()
    compare(velocities(model.state, "force_x", "force_y"), force, wet[-1], tolerance)


def test_tracers(sea):
    """Carried, diffused along levels and down the column, with what the surface gives."""
    check_tracers(*sea)


def test_momentum(sea):
    check_momentum(*sea)


@pytest.mark.parametrize("check", [check_tracers, check_momentum])
def test_single_precision(check):
    model = random_ocean("faces", dtype=np.float32)
    check(model, wide_planes(model), tolerance=3e-5)


def test_pressure(sea):
    model, a = sea
    weight, outer = 0.01, 0.2
    densities = [getattr(a, f"{prefix}density") for prefix in ("old_", "", "new_")]
    model.pressure(weight=weight, outer=outer)
    wanted = ocean_momentum.hydrostatic_pressure(densities, weight, outer, a.depth)
    for field, values in zip(
        (model.state.pressure, model.state.pressure_slope), wanted, strict=True
    ):
        if field is not None:
            compare(field.gather(), a.planes.own(values, Place.center), model.levels.wet)


def test_mean_velocity_without_the_surface(sea):
    model, a = sea
    model.auxiliary(tau=tau, alpha=alpha, gamma=gamma)
    found = velocities(model.state, "auxiliary_u", "auxiliary_v")
    wanted = a.planes.own(ocean_barotropic.auxiliary(a, tau, alpha, gamma), Place.corner)
    wet = oceans.wet_corners(model.levels)[-1]
    compare(found, wanted, wet)
    assert not found[~wet].any()


def test_right_side(sea):
    model, a = sea
    shift = 1e-4
    model.right_side(tau=tau, alpha=alpha, shift=shift)
    wanted = ocean_barotropic.right_side(a, tau, alpha, shift)
    compare(model.state.right_side.gather(), a.planes.own(wanted, Place.center), model.levels.mask)


def test_mean_velocity(sea):
    """The new one, and the whole velocity, of which it is the mean."""
    model, a = sea
    shears = [getattr(model.state, f"old_{name}").gather() for name in "uv"]
    for name, values in zip("uv", shears, strict=True):
        getattr(model.state, f"new_{name}").set_global(values)
    model.mean_velocity(tau=tau, alpha=alpha)
    model.velocity()
    wanted = a.planes.own(ocean_barotropic.mean_velocity(a, tau, alpha), Place.corner)
    wet = oceans.wet_corners(model.levels)
    compare(velocities(model.state, "new_mean_u", "new_mean_v"), wanted, wet[-1])
    whole = (shears[0] + 1j * shears[1] + wanted) * wet
    found = velocities(model.state, "new_u", "new_v")
    compare(found, whole, wet)
    assert not found[~wet].any()


def test_flow_and_surface_exchange_energy(sea):
    """Work of the surface's slope on a flow is what the flow's convergence lifts: to round-off."""
    model, _ = sea
    state, topology = model.state, model.levels.topology
    for name in ("force_x", "force_y", "old_mean_u", "old_mean_v", "old_surface", "water_flux"):
        getattr(state, name).fill(0.0)
    flow = velocities(state, "auxiliary_u", "auxiliary_v")
    model.right_side(tau=1.0, alpha=1.0, shift=0.0)
    lifted = state.surface.gather() * state.right_side.gather() * topology.once(Place.center)
    model.auxiliary(tau=1.0, alpha=0.0, gamma=1.0)
    pushed = velocities(state, "auxiliary_u", "auxiliary_v")
    volume = state.corner_dx.gather() * state.corner_dy.gather() * state.corner_depth.gather()
    work = (flow.conj() * pushed).real * volume * topology.once(Place.corner)
    assert abs(work.sum()) > 1e-4 * np.abs(work).sum()
    assert abs(work.sum() + lifted.sum()) < 1e-12 * np.abs(work).sum()
