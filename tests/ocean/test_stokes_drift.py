"""Stokes drift in the ocean against exact solutions; what it carries is kept."""

from dataclasses import replace

import numpy as np
import pytest

from halocline.ocean.options import OceanTracerOptions, TimeFilterOptions
from halocline.ocean.rotation import CoriolisOptions
from halocline.ocean.stokes_drift import drift_names
from halocline.runtime.fields.place import Place
from ocean import oceans
from ocean.test_core import stormy

gravity = 9.806


def give(model, u, v, transport_u, transport_v):
    """Drift at the surface [m s-1] and its transport [m2 s-1] at corners, along x and y."""
    shape = model.state.drift_u.shape
    planes = [np.broadcast_to(np.asarray(some, float), shape) for some in (u, v, transport_u,
              transport_v)]  # fmt: skip

    def blocks(plane):
        field = model.state.drift_u
        found = []
        for block in field.layout.blocks:
            j0, j1, i0, i1 = block.world.owned(block.rectangle, Place.corner)
            found.append(plane[j0:j1, i0:i1])
        return found

    one, other = planes[:2], planes[2:]
    model.stokes.give([blocks(some) for some in one], [blocks(some) for some in other])


def settle(model):
    """The drift that is given has been so before."""
    for name in drift_names:
        for prefix in ("old_", ""):
            getattr(model.state, prefix + name).copy(getattr(model.state, f"given_{name}"))


def phillips(k, z):
    """The profile as a share of the surface drift, z upward (Breivik et al. 2016, eq. 16)."""
    from math import erfc

    s = -2.0 * k * np.asarray(z)
    return np.exp(-s) - np.sqrt(np.pi * s) * np.vectorize(erfc)(np.sqrt(s))


def test_layers_have_means_of_the_profile():
    """Of fine quadrature; all layers together carry the transport that was given."""
    thickness = [2.0, 3.0, 5.0, 10.0, 30.0, 150.0, 800.0]
    model = oceans.build(oceans.plane(4, 4, 1e4, thickness, periodic_x=True, periodic_y=True), 60.0)
    model.take_drift()
    k = 0.06
    give(model, 0.3, -0.1, 0.3 / 6.0 / k, -0.1 / 6.0 / k)
    s = model.state
    edges = -np.cumsum([0.0, *thickness])
    found = s.given_stokes_u.gather()[::-1, 1, 2]
    for number, (top, below) in enumerate(zip(edges[:-1], edges[1:], strict=True)):
        fine = np.linspace(0.0, 1.0, 20001)[1:] - 0.5 / 20000
        depth = top + (below - top) * fine**2  # more of it where the profile bends
        mean = (phillips(k, depth) * 2.0 * fine).mean()
        np.testing.assert_allclose(found[number], 0.3 * mean, rtol=2e-6, atol=1e-9)
    carried = (found * thickness).sum()
    np.testing.assert_allclose(carried, 0.3 / 6.0 / k, rtol=1e-4)
    np.testing.assert_allclose(
        s.given_mean_stokes_v.gather()[2, 2] * sum(thickness), -0.1 / 6.0 / k, rtol=1e-4
    )
    assert not s.given_stokes_u.gather()[:, ~s.space.wet(Place.corner).any(axis=0)].any()


def test_no_waves_have_no_drift():
    model = oceans.build(oceans.plane(4, 4, 1e4, [10.0], periodic_x=True, periodic_y=True), 60.0)
    model.take_drift()
    give(model, [[0.0, 0.2, np.nan, 0.0]] * 4, 0.0, [[0.0, 0.0, 1.0, 1.0]] * 4, 0.0)
    assert not model.state.given_stokes_u.gather().any()


def test_waves_that_begin_leave_an_inertial_oscillation():
    """Under a drift U that begins: u + U turns with f (Ursell 1950, Proc. R. Soc. A 203, 282).

    The error goes with the square of the step.
    """
    f, u, v = 1e-4, 0.1, 0.04
    errors = []
    for dt in (1800.0, 900.0):
        levels = oceans.plane(4, 4, 1e4, [10.0, 20.0], periodic_x=True, periodic_y=True)
        model = oceans.build(levels, dt, rotation=CoriolisOptions(parameter=f))
        model.take_drift()
        give(model, u, v, u * 1e9, v * 1e9)  # the same at all depths
        settle(model)
        uniform = model.state.given_stokes_u.gather()[:, 1, 1]
        np.testing.assert_allclose(uniform, u, rtol=1e-3)
        steps = round(43200.0 / dt)
        state = list(oceans.go(model, steps))[-1]
        found = state.u.gather()[0, 1, 1] + 1j * state.v.gather()[0, 1, 1]
        drift = uniform[0] + 1j * model.state.given_stokes_v.gather()[0, 1, 1]
        errors.append(abs(found - drift * (np.exp(-1j * f * steps * dt) - 1.0)))
    assert errors[0] < 0.02 and 3.3 < errors[0] / errors[1] < 4.7, errors


@pytest.mark.parametrize("f", [1e-4, -1.2e-4])
def test_the_spiral_of_ekman_and_stokes_stays(f):
    """A u'' - i f u = i f U exp(2 k z), A u' = stress at the surface (Polton, Lewis and Belcher
    2005, J. Phys. Oceanogr. 35, 444, equations 9 to 11).

    Turning and viscosity are solved for one after the other, which leaves an error that goes with
    the step, without waves too; that of the transport goes with the square of the thickness.
    """
    viscosity, k, drift, stress = 0.02, 0.05, 0.08 - 0.03j, 1e-4 * (0.6 + 0.8j)
    errors = []
    for count in (48, 96):
        thickness = np.full(count, 192.0 / count)
        levels = oceans.plane(4, 4, 1e4, thickness, periodic_x=True, periodic_y=True)
        mixing = oceans.with_numbers(vertical_viscosity=viscosity)
        model = oceans.build(levels, 100.0, rotation=CoriolisOptions(parameter=f), mixing=mixing)
        model.take_drift()
        s = model.state
        z = -(np.arange(count) + 0.5)[::-1] * thickness
        at = z[:, None, None] * np.ones(s.u.shape)
        half = k * thickness[0]
        means = np.exp(2.0 * k * at) * np.sinh(half) / half
        means *= s.space.wet(Place.corner)
        weights = oceans.thickness_weights(levels)
        for name, part in (("u", drift.real), ("v", drift.imag)):
            getattr(s, f"given_stokes_{name}").set_global(part * means)
            getattr(s, f"given_mean_stokes_{name}").set_global(part * (means * weights).sum(axis=0))
        settle(model)
        decay = np.sqrt(1j * f / viscosity)
        forced = 1j * f * drift / (4.0 * k**2 * viscosity - 1j * f)
        free = (stress / viscosity - 2.0 * k * forced) / decay
        exact = free * np.exp(decay * at) + forced * np.exp(2.0 * k * at)
        oceans.put_velocity(model, exact.real, exact.imag)
        for name, part in (("x", stress.real), ("y", stress.imag)):
            with getattr(s, f"stress_{name}").change() as owned:
                for array in owned:
                    array[...] = part
        state = list(oceans.go(model, 60))[-1]
        found = (state.u.gather() + 1j * state.v.gather())[:, 1, 1]
        error = found - exact[:, 1, 1]
        assert np.abs(error).max() < 5e-4
        errors.append(abs(error.mean()))
        plain = stress / viscosity / decay
        assert abs(exact[-1, 1, 1] - plain * np.exp(decay * z[-1])) > 0.03  # waves matter
    assert 3.5 < errors[0] / errors[1] < 4.5, errors


schemes = {
    "centred": {},
    "upwind3": {"tracers": OceanTracerOptions(advection="upwind3")},
    "limited3": {"tracers": OceanTracerOptions(advection="limited3")},
    "averaging": {"averaging": 4},
    "robert": {"time_filter": TimeFilterOptions(scheme="robert", strength=0.2, share=0.53)},
    "matsuno": {"averaging": 4, "time_filter": TimeFilterOptions(scheme="matsuno")},
    "thin": {},
    "folded": {},
}


@pytest.mark.parametrize("name", list(schemes))
def test_what_the_drift_carries_is_kept(name):
    """Volume, heat and salt, and an even tracer, under drifts that change; the surface follows.

    The mean of two thicknesses in a row is the surface of the earlier one's time.
    """
    levels = oceans.displaced_pole() if name == "folded" else oceans.rough_sphere()
    levels = oceans.thinned(levels) if name == "thin" else levels
    options = {key: some for key, some in stormy.items() if key != "density"}
    options["wind"] = replace(stormy["wind"], amplitude=0.05)
    model = oceans.build(levels, 1800.0, **options | schemes[name])
    random = np.random.default_rng(3)
    temperature = 10.0 + np.zeros(levels.shape)
    salinity = 35.0 + random.uniform(-1e-3, 1e-3, levels.shape)
    oceans.put_tracers(model, np.stack([temperature, salinity]))
    model.take_drift()
    shape = model.state.drift_u.shape
    before, top = oceans.contents(model), levels.thickness[-1]
    wet = levels.wet
    moved = 0.0
    for number in range(9):
        u, v = 0.4 * random.standard_normal((2, *shape))
        give(model, u, v, 40.0 * u, 40.0 * v)
        if number == 0:
            model.first_step()
        else:
            model.step(number)
        s = model.state
        found = oceans.contents(model)
        np.testing.assert_allclose(found, before, rtol=3e-14)
        assert np.abs(s.tracer.gather()[0][wet] - 10.0).max() < 2e-12
        old, now = (getattr(s, f"{prefix}layer").gather() for prefix in ("old_", ""))
        height = s.old_surface.gather() / gravity
        mask = levels.mask
        moved = max(moved, np.abs(height[mask]).max())
        if name not in ("matsuno", "robert"):  # which change levels each by itself
            assert np.abs(0.5 * (old + now) - top - height)[mask].max() < 1e-10
    assert moved > 1e-3
