"""What oscillates in the ocean, against the characteristic polynomial of its steps. Ranks: 1."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from halocline.core.constants import gravity
from halocline.ocean.model import Weights
from halocline.ocean.rotation import CoriolisOptions
from ocean import oceans


def test_inertial_oscillation():
    """z = u + iv on an f-plane, of the mean and of a shear: no damping, the period of the scheme.

    z(n+1) - z(n-1) = -i m (z(n+1) + z(n) + z(n-1)) / 3 with m = 2 f dt.
    """
    f, dt = 1e-4, 5400.0
    levels = oceans.plane(6, 5, 1e5, [100.0, 300.0], periodic_x=True, periodic_y=True)
    model = oceans.build(levels, dt, rotation=CoriolisOptions(parameter=f))
    flow = np.array([-0.1, 0.5])[:, None, None]
    oceans.put_velocity(model, flow, 0.2 * flow + 0.1)
    found = [model.state.u.gather() + 1j * model.state.v.gather()]
    found += [s.u.gather() + 1j * s.v.gather() for s in oceans.go(model, 40)]
    found = np.array(found)
    assert_allclose(found, found[..., :1, :1] * np.ones((5, 6)), atol=1e-14)
    z = found[..., 0, 0]
    assert_allclose(z[1] * (1 + 2j / 3 * f * dt), z[0] * (1 - 1j / 3 * f * dt), rtol=1e-13)
    m = 2.0 * f * dt
    left = z[2:] * (1 + 1j * m / 3)
    right = z[:-2] * (1 - 1j * m / 3) - 1j * m / 3 * z[1:-1]
    assert_allclose(left, right, rtol=1e-12)
    roots = np.roots([1 + 1j * m / 3, 1j * m / 3, -(1 - 1j * m / 3)])
    assert_allclose(np.abs(roots), 1.0, rtol=1e-14)
    physical = roots[np.argmin(np.abs(roots - np.exp(-1j * f * dt)))]
    assert np.angle(physical) == pytest.approx(-f * dt, rel=0.1)
    assert_allclose(np.abs(z).max(axis=0), np.abs(z).min(axis=0), rtol=0.2)


def cosine(levels, waves=1):
    """cos(kx) on centres and sin(kx) on corners, k [m-1] as differences over a cell see it."""
    nj, ni = levels.horizontal.shape
    dx = levels.horizontal.step_x
    angle = 2.0 * np.pi * waves / ni
    centres = np.cos(angle * (np.arange(ni) + 0.5)) * np.ones((nj, 1))
    corners = np.sin(angle * np.arange(ni)) * np.ones((nj, 1))
    return centres, corners, 2.0 * np.sin(angle / 2.0) / dx


@pytest.mark.parametrize("courant", [0.3, 3.0])
def test_surface_wave_has_the_speed_and_damping_of_the_scheme(courant):
    """(x - 1)^2 (x + 1) + 2/3 m^2 x (x^2 + x + 1) = 0 with m = k c dt, from leapfrog of the mean
    with weights of thirds, and a surface that follows the new mean."""
    levels = oceans.plane(16, 4, 1e5, [1000.0, 3000.0], periodic_x=True, periodic_y=True)
    centres, corners, k = cosine(levels)
    speed = np.sqrt(gravity * 4000.0)
    dt = courant / (k * speed)
    model = oceans.build(levels, dt)
    oceans.put_surface(model, 1e-4 * centres)
    heights, currents = [1e-4], [0.0]
    for state in oceans.go(model, 40):
        surface, u = state.surface.gather() / gravity, state.u.gather()
        heights.append(2.0 * (surface * centres).mean())
        currents.append(2.0 * (u * corners).mean())
        assert_allclose(surface, heights[-1] * centres, atol=1e-9)
        assert_allclose(u, currents[-1] * corners * np.ones((2, 1, 1)), atol=1e-10)
    m = courant
    # the first step, by hand: u' = k g eta, eta' = -k H u
    one = (heights[0], Weights.forward(dt))
    u = k * gravity * one[0] * dt * (one[1].gamma + 1.0 - one[1].alpha - one[1].gamma)
    first = (heights[0] - dt * k * 4000.0 * u) / (1.0 + one[1].alpha * m**2)
    assert heights[1] == pytest.approx(first, rel=1e-6)
    a = np.array(heights)
    third = 2.0 / 3.0 * m**2
    left = (1.0 + third) * a[3:] + (third - 1.0) * (a[2:-1] + a[1:-2]) + a[:-3]
    assert np.abs(left).max() < 1e-6 * np.abs(a).max()
    roots = np.roots([1.0 + third, third - 1.0, third - 1.0, 1.0])
    assert np.abs(roots).max() < 1.0
    if m < 1.0:
        wave = roots[np.argmax(np.abs(np.angle(roots)) * (np.abs(np.angle(roots)) < 2.0))]
        assert np.abs(wave) == pytest.approx(1.0 - m**2 / 4.0, abs=0.1 * m**2)
        assert np.abs(np.angle(wave)) == pytest.approx(m, rel=0.1)
        fitted = np.abs(a[-12:]).max() / np.abs(a[:12]).max()
        assert fitted < 1.0


def test_geostrophic_adjustment():
    """A bump of the surface sheds waves until the flow is in balance and keeps its vorticity.

    Summed over all steps: v = v0 - f sum(u) dt - f (alpha tau)^2 d(p - p0)/dx, of which the last
    term, that of splitting, is exact too.
    """
    f, dt, dx, deep = 1e-4, 10800.0, 2e5, 1000.0
    levels = oceans.plane(40, 4, dx, [deep], periodic_x=True, periodic_y=True)
    model = oceans.build(levels, dt, rotation=CoriolisOptions(parameter=f))
    bump = 1e-6 * np.exp(-(((np.arange(40) - 20.3) / 4.0) ** 2))
    oceans.put_surface(model, bump * np.ones((4, 1)))
    *_, state = oceans.go(model, 1500)
    found = state.surface.gather()[0] / gravity
    ring = np.eye(40)
    second = (np.roll(ring, 1, axis=0) - 2.0 * ring + np.roll(ring, -1, axis=0)) / dx**2
    split = (f * 2.0 / 3.0 * dt) ** 2
    radius = gravity * deep / f**2
    matrix = ring - radius * (1.0 + split) * second
    wanted = np.linalg.solve(matrix, (ring - radius * split * second) @ bump)
    assert_allclose(found, wanted, atol=1e-5 * bump.max())
    assert np.abs(found - bump).max() > 0.2 * bump.max()
    u, v = state.u.gather()[0, 0], state.v.gather()[0, 0]
    slope = gravity * (found - np.roll(found, 1)) / dx
    assert_allclose(f * v, slope, atol=1e-5 * np.abs(slope).max())
    assert np.abs(u).max() < 1e-4 * np.abs(v).max()


def test_internal_seiche():
    """A tilt of evenly stratified water in a closed basin swings with c = N H / pi."""
    cells, dx, deep, dt = 24, 1e4, 1000.0, 3600.0
    levels = oceans.plane(cells, 4, dx, [deep / 20] * 20, periodic_x=False, periodic_y=True)
    model = oceans.build(levels, dt)
    density = model.options.density
    gradient = 0.01
    frequency = np.sqrt(gravity / density.reference * density.expansion * gradient)
    x = (np.arange(cells) + 0.5) / cells
    shape = np.sin(np.pi * levels.depth / deep)[:, None, None] * np.cos(np.pi * x)
    resting = 20.0 - gradient * levels.depth[:, None, None]
    warm = np.broadcast_to(resting + 1e-5 * shape, levels.shape)
    oceans.put_tracers(model, np.stack([warm, np.full(levels.shape, 35.0)]))
    swings = [1e-5]
    for state in oceans.go(model, 160):
        part = (state.tracer.gather()[0] - resting) * shape
        swings.append(part.sum() / (4 * (shape**2).sum()))
    a = np.array(swings)
    wave = 2.0 * np.sin(0.5 * np.pi / cells) / dx
    cosine = (a[1:-1] * (a[2:] + a[:-2])).sum() / (2.0 * (a[1:-1] ** 2).sum())
    period = 2.0 * np.pi * dt / np.arccos(cosine)
    assert period == pytest.approx(2.0 * np.pi / (wave * frequency * deep / np.pi), rel=0.01)
    assert np.abs(a[-80:]).max() == pytest.approx(np.abs(a[:80]).max(), rel=0.02)
