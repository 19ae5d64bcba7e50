"""How fast the operators of a step approach the exact ones: with the square of the cells. Ranks: 1.

Tracers' advection stands in test_tracer_advection.py, viscosity in test_viscous.py and
test_core.py, the nine-point operator in numerics/test_elliptic.py.
"""

import numpy as np
import pytest

from halocline.core.constants import gravity
from halocline.ocean.rotation import CoriolisOptions
from halocline.runtime.fields.place import Place
from ocean import oceans
from ocean.test_core import accelerated
from ocean.test_tracer_advection import carry, moving, rate

width, depth = 1e5, 1000.0
k, m = 2.0 * np.pi / width, np.pi / depth


def box(cells, **options):
    """A periodic box of so many cells, half as many levels; its model, corners and heights."""
    count = cells // 2
    levels = oceans.plane(
        cells, cells, width / cells, [depth / count] * count, periodic_x=True, periodic_y=True
    )
    model = oceans.build(levels, 1.0, **options)
    return model, levels.horizontal.at(Place.corner), depth - levels.depth[:, None, None]


def falls_by_four(error):
    """The error of 12 cells over that of 24 is that of the second order."""
    coarse, fine = error(12), error(24)
    assert fine < 0.05
    assert coarse / fine == pytest.approx(4.0, rel=0.1)


def relative(found, exact):
    return np.abs(found - exact).max() / np.abs(exact).max()


@pytest.mark.parametrize("component", [0, 1])
def test_advection_of_momentum(component):
    """A flow that converges, rises and sinks: u grad u, v grad u, w du/dz, likewise of v."""

    def error(cells):
        model, corner, z = box(cells)
        x, y = k * corner.x + 0.3, k * corner.y + 0.8
        u, v = np.sin(x) * np.cos(y) * np.cos(m * z), np.cos(x) * np.sin(y) * np.cos(m * z)
        w = -2.0 * k / m * np.cos(x) * np.cos(y) * np.sin(m * z)
        oceans.put_velocity(model, 1e-3 * u, 1e-3 * v)
        model.state.pressure.fill(0.0)
        found = list(accelerated(model))[component]
        slopes = (
            (np.cos(x) * np.cos(y), -np.sin(x) * np.sin(y), np.sin(x) * np.cos(y)),
            (-np.sin(x) * np.sin(y), np.cos(x) * np.cos(y), np.cos(x) * np.sin(y)),
        )[component]
        exact = -k * (u * slopes[0] + v * slopes[1]) * np.cos(m * z)
        exact = exact + m * w * slopes[2] * np.sin(m * z)
        return relative(found, 1e-6 * exact)

    falls_by_four(error)


@pytest.mark.parametrize("component", [0, 1])
def test_pressure_gradient(component):
    """Of rho' = -e cos(kx) cos(az / H): of the integral over depth, and of the slope."""
    a = 1.3 / depth

    def error(cells):
        model, corner, z = box(cells)
        center = model.levels.horizontal.at(Place.center)
        along = (center.x, center.y)[component]
        down = depth - z
        warm = 10.0 + np.cos(k * along) * np.cos(a * down)
        oceans.put_tracers(model, np.stack([warm, np.full(warm.shape, 35.0)]))
        state, water = model.state, model.options.density
        state.new_density.copy(state.density)
        weight = gravity / water.reference
        model.pressure(weight=weight, outer=0.25)
        found = list(accelerated(model))
        assert np.abs(found[1 - component]).max() < 1e-12 * np.abs(found[component]).max()
        at = (corner.x, corner.y)[component]
        exact = -weight * water.expansion * k / a * np.sin(k * at) * np.sin(a * down)
        return relative(found[component], exact)

    falls_by_four(error)


def test_diffusion_along_levels():
    def error(cells):
        model, _, _ = box(cells, mixing=oceans.with_numbers(diffusivity=1e3))
        center = model.levels.horizontal.at(Place.center)
        shape = np.cos(k * center.x) * np.sin(k * center.y)
        oceans.put_tracers(model, np.broadcast_to(shape, (2, *model.levels.shape)))
        return relative(rate(model)[0], -2e3 * k**2 * shape)

    falls_by_four(error)


def test_diffusion_down_the_column():
    def error(cells):
        model, _, z = box(cells)
        shape = np.cos(m * z) * np.ones((cells, cells))
        oceans.put_tracers(model, np.stack([shape, shape]))
        model.state.vertical_diffusivity.fill(1e-3)
        return relative(rate(model)[0], -1e-3 * m**2 * shape)

    falls_by_four(error)


def test_viscosity_down_the_column():
    def error(cells):
        model, _, z = box(cells, mixing=oceans.with_numbers(vertical_viscosity=1e-3))
        shape = np.cos(m * z) * np.ones((cells, cells))
        oceans.put_velocity(model, shape, 0.5 * shape)
        model.state.pressure.fill(0.0)
        (x, y), exact = accelerated(model), -1e-3 * m**2 * shape
        assert relative(2.0 * y, x) < 1e-9
        return relative(x, exact)

    falls_by_four(error)


def test_time_of_coriolis():
    """After five hours of inertial oscillation."""
    f, hours = 1e-4, 5.0
    levels = oceans.plane(6, 5, 1e5, [100.0, 300.0], periodic_x=True, periodic_y=True)

    def error(steps):
        dt = 3600.0 * hours / steps
        model = oceans.build(levels, dt, rotation=CoriolisOptions(parameter=f))
        oceans.put_velocity(model, 0.1, 0.0)
        *_, state = oceans.go(model, steps)
        found = state.u.gather()[0, 2, 3] + 1j * state.v.gather()[0, 2, 3]
        return abs(found / 0.1 - np.exp(-1j * f * dt * steps))

    falls_by_four(error)


def test_time_of_advection():
    """Half a cell's wave in cells that see it exactly: what is left is of the steps."""
    levels = oceans.plane(16, 4, 1e3, [10.0], periodic_x=True, periodic_y=True)
    wave = 2.0 * np.pi / 16.0 * (np.arange(16) + 0.5)

    def error(steps):
        dt = 7200.0 / steps
        model = moving(levels, "centred", dt, 0.5)
        start = np.cos(wave) * np.ones((4, 1))
        oceans.put_tracers(model, np.broadcast_to(start, (2, 1, 4, 16)))
        passed = 0.5 * 7200.0 / 1e3 * np.sin(2.0 * np.pi / 16.0)
        return relative(carry(model, steps)[0, 0, 0], np.cos(wave - passed))

    falls_by_four(error)
