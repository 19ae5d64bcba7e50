"""Waves that rotation makes, against their theory: speed, shape, growth. Ranks: 1."""

import numpy as np
import pytest

from halocline.core.constants import gravity
from halocline.numerics.solver_options import SolverOptions
from halocline.ocean.equation_of_state import DensityOptions
from halocline.ocean.rotation import CoriolisOptions
from halocline.runtime.fields.place import Place
from ocean import oceans

quick = SolverOptions(tolerance=1e-6)
f = 1e-4
water = DensityOptions()
buoyancy = gravity * water.expansion / water.reference
"""Of a degree [m s-2]."""


def channel(nx, ny, dx, dy, thickness, **more):
    """Walls in the south and north; the distance of the outermost centres from the first one.

    Velocity cells on walls stand still: no transport through faces leaves the outermost centres.
    """
    levels = oceans.plane(nx, ny, dx, thickness, dy=dy, y0=0.0, periodic_x=True, **more)
    return levels, np.arange(ny)[:, None] * dy, (ny - 1) * dy


def around(levels, psi):
    """Velocity at corners around a stream function at centres: nowhere does water converge."""
    grid, topology = levels.horizontal, levels.topology
    wide = topology.widened(psi, (1, 1, 1, 1))
    x, y = np.diff(wide, axis=-1) / grid.step_x, np.diff(wide, axis=-2) / grid.step_y
    rows, columns = topology.shape(Place.corner)
    u, v = -0.5 * (y[..., 1:] + y[..., :-1]), 0.5 * (x[..., 1:, :] + x[..., :-1, :])
    return u[..., :rows, :columns], v[..., :rows, :columns]


def balanced(levels, dt, beta, psi, temperature=None):
    """A model with the flow around psi (k, j, i) and the surface that it leans on."""
    middle = 0.5 * (levels.horizontal.y[0] + levels.horizontal.y[-1])
    turning = CoriolisOptions(parameter=f - beta * middle, gradient=beta)
    model = oceans.build(levels, dt, rotation=turning, solver=quick)
    oceans.put_velocity(model, *around(levels, psi))
    if temperature is not None:
        salinity = np.full(levels.shape, 35.0)
        oceans.put_tracers(model, np.stack([temperature, salinity]))
    return model


def slowness(dt):
    """How much more relative vorticity weighs than it should: the Coriolis force of a step does not
    know the new surface, see test_geostrophic_adjustment."""
    return 1.0 + (f * 2.0 / 3.0 * dt) ** 2


def slope(times, values):
    """Of a straight line through values."""
    return np.polyfit(times, values, 1)[0]


def westward(model, steps, amplitude):
    """Radians per second by which a wave goes westward, and how much is left of it."""
    found = np.array([amplitude(state) for state in oceans.go(model, steps)])
    times = model.dt * np.arange(1, steps + 1)
    return slope(times, np.unwrap(np.angle(found))), abs(found[-1]) / abs(found[0])


def test_rossby_waves_of_the_whole_column():
    """omega = -beta k / (k^2 + n^2 + f^2 / (g H)) within 1 %, but for what splitting adds."""
    beta, depth, nx, dx, dt = 2e-11, 500.0, 32, 62.5e3, 2400.0
    levels, y, width = channel(nx, 24, dx, 50e3, [depth])
    k, n = 2.0 * np.pi / (nx * dx), np.pi / width
    across, x = np.sin(n * y), dx * np.arange(nx)
    psi = 10.0 * across * np.cos(k * x)
    model = balanced(levels, dt, beta, psi)
    oceans.put_surface(model, f / gravity * psi)
    speed, left = westward(
        model, 120, lambda s: (s.surface.gather() * across * np.exp(-1j * k * x)).sum()
    )
    inertia = slowness(dt) * (k**2 + n**2) + f**2 / (gravity * depth)
    assert speed == pytest.approx(beta * k / inertia, rel=0.01)
    assert left == pytest.approx(1.0, abs=0.02)


def test_rossby_waves_of_stratified_water():
    """The first mode under a lid, whose radius is N H / (pi f), within 1 %."""
    beta, depth, frequency, nx, dx = 5e-10, 800.0, 3e-3, 24, 2.5e3
    levels, y, width = channel(nx, 18, dx, 2.5e3, [depth / 10] * 10)
    k, n, m = 2.0 * np.pi / (nx * dx), np.pi / width, np.pi / depth
    across, x, down = np.sin(n * y), dx * np.arange(nx), levels.depth[:, None, None]
    wave = 1e-2 * across * np.cos(k * x)
    resting = 20.0 - frequency**2 / buoyancy * down
    warmer = f * m / buoyancy * np.sin(m * down) * wave
    model = balanced(levels, 2400.0, beta, np.cos(m * down) * wave, resting + warmer)
    oceans.put_surface(model, f / gravity * wave)
    shape = np.sin(m * down) * across * np.exp(-1j * k * x)
    speed, left = westward(model, 60, lambda s: ((s.tracer.gather()[0] - resting) * shape).sum())
    radius = frequency / (m * f)
    assert speed == pytest.approx(beta * k / (k**2 + n**2 + radius**-2), rel=0.01)
    assert left == pytest.approx(1.0, abs=0.02)


def kelvin(cells):
    """Speed and decay of a wave along a southern wall over their theory, the radius in `cells`."""
    depth, nx = 400.0, 32
    celerity = np.sqrt(gravity * depth)
    radius = celerity / f
    dx, dy, k = 2.0 * np.pi * radius / nx, radius / cells, 1.0 / radius
    levels, y, _ = channel(nx, 4 * cells, dx, dy, [depth])
    model = oceans.build(levels, 1000.0, rotation=CoriolisOptions(parameter=f), solver=quick)
    corner = levels.horizontal.at(Place.corner)
    x = dx * np.arange(nx)
    oceans.put_surface(model, 1e-3 * np.exp(-y / radius) * np.cos(k * x))
    along = gravity / celerity * 1e-3 * np.exp(-corner.y / radius) * np.cos(k * corner.x)
    oceans.put_velocity(model, along, 0.0 * along)
    found = []
    for state in oceans.go(model, 60):
        found.append((state.surface.gather() * np.exp(-1j * k * x)).sum(axis=1))
    near = np.array(found)[:, : 2 * cells]
    phase = np.unwrap(np.angle(near.sum(axis=1)))
    speed = -slope(1000.0 * np.arange(1, 61), phase) / k
    fall = -slope(y[: 2 * cells, 0], np.log(np.abs(near)).mean(axis=0))
    return speed / celerity, fall * radius


def test_kelvin_waves():
    """sqrt(g H) along the wall, which stands on the right, with a decay over sqrt(g H) / f.

    Corners on the wall stand still, which slows the wave by half a cell over the radius: what two
    grids let expect of ever smaller cells is within 1 % of theory.
    """
    found = {cells: np.array(kelvin(cells)) for cells in (8, 16)}
    assert 2.0 * found[16] - found[8] == pytest.approx(1.0, abs=0.01)
    for cells, (speed, fall) in found.items():
        assert speed == pytest.approx(1.0 - 0.5 / cells, abs=0.01)
        assert fall == pytest.approx(1.0 + 0.5 / cells, abs=0.01)


def test_a_mode_of_a_basin():
    """sin sin cos(beta x / (2 omega) + omega t), omega = beta L / (2 sqrt(2) pi) (Pedlosky 1987).

    Under a surface as stiff as a lid; splitting makes beta less, as it makes vorticity weigh more.
    """
    cells, dx, dt, steps = 24, 80e3, 3600.0, 100
    levels = oceans.plane(cells, cells, dx, [2e4], x0=0.0, y0=0.0)
    beta, length = 2e-11, (cells - 1) * dx
    felt = beta / slowness(dt)
    omega = felt * length / (2.0 * np.sqrt(2.0) * np.pi)
    x, y = dx * np.arange(cells), dx * np.arange(cells)[:, None]
    walls = 100.0 * np.sin(np.pi * x / length) * np.sin(np.pi * y / length)
    angle = 0.5 * felt / omega * x
    parts = [np.stack(around(levels, walls * part)) for part in (np.cos(angle), -np.sin(angle))]
    model = balanced(levels, dt, beta, walls * np.cos(angle))
    oceans.put_surface(model, f / gravity * walls * np.cos(angle))
    columns = np.stack([part.ravel() for part in parts], axis=1)
    shares = np.linalg.pinv(columns)
    phases = []
    for state in oceans.go(model, steps):
        flow = np.stack([state.u.gather()[0], state.v.gather()[0]]).ravel()
        cosine, sine = shares @ flow
        phases.append(np.arctan2(sine, cosine))
    speed = slope(dt * np.arange(1, steps + 1), np.unwrap(phases))
    assert speed == pytest.approx(omega, rel=0.02)
    wanted = columns @ np.array([np.cos(phases[-1]), np.sin(phases[-1])])
    assert np.linalg.norm(flow - wanted) < 0.06 * np.linalg.norm(wanted)
    assert phases[-1] > 1.0


def test_eadys_most_unstable_wave_grows_at_its_rate():
    """k shear H / mu ((coth(mu/2) - mu/2) (mu/2 - tanh(mu/2)))^(1/2) (Eady 1949), within 3 %."""
    depth, shear, frequency, nx, ny, dt = 1000.0, 2e-4, 2e-3, 24, 16, 1800.0
    radius = frequency * depth / f
    k = 1.6 / radius
    dx = 2.0 * np.pi / (nx * k)
    levels, y, width = channel(nx, ny, dx, 12e3, [depth / 8] * 8)
    n = np.pi / width
    mu = radius * np.hypot(k, n)
    half = 0.5 * mu
    share = np.sqrt((1.0 / np.tanh(half) - half) * (half - np.tanh(half)))
    rate = k * shear * depth / mu * share
    height = depth - levels.depth[:, None, None]
    speed = 0.5 * shear * depth + 1j * rate / k
    x, scaled = dx * np.arange(nx), mu * height / depth
    part = shear * depth / (mu * speed)
    wave = 0.1 * np.sin(n * y) * np.exp(1j * k * x)
    psi = ((np.cosh(scaled) - part * np.sinh(scaled)) * wave).real
    rising = mu / depth * ((np.sinh(scaled) - part * np.cosh(scaled)) * wave).real
    at_surface = ((np.cosh(mu) - part * np.sinh(mu)) * wave).real
    front = -f * shear / buoyancy * y
    resting = frequency**2 / buoyancy * height + front
    model = oceans.build(levels, dt, rotation=CoriolisOptions(parameter=f), solver=quick)
    oceans.put_tracers(
        model, np.stack([resting + f / buoyancy * rising, np.full(levels.shape, 35.0)])
    )
    u, v = around(levels, psi)
    oceans.put_velocity(model, u + shear * (height - 0.5 * depth), v)
    oceans.put_surface(model, f / gravity * (at_surface - 0.5 * shear * depth * (y - 0.5 * width)))
    sizes = []
    for state in oceans.go(model, 144):
        part = (state.tracer.gather()[0] * np.exp(-1j * k * x)).mean(axis=-1)
        sizes.append(np.log(np.linalg.norm(part)))
    times = dt * np.arange(1, 145)
    assert slope(times[48:], np.array(sizes[48:])) == pytest.approx(rate, rel=0.03)
    assert np.abs(state.v.gather()).max() < 0.01 * shear * depth
