"""The ocean's core: what is kept, what rests, what balances. Ranks: 1."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biogeochemistry.folded_ocean import folded_ocean
from halocline.core.constants import gravity
from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.metrics import Curvilinear
from halocline.ocean.eddy_options import EddyOptions
from halocline.ocean.equation_of_state import DensityOptions
from halocline.ocean.metrics import CornerMetrics
from halocline.ocean.model import Weights
from halocline.ocean.options import OceanWindOptions
from halocline.ocean.rotation import CoriolisOptions
from halocline.ocean.tracer_options import OceanTracerOptions
from halocline.runtime.fields.place import Place
from ocean import oceans

stormy = {
    "mixing": oceans.with_numbers(
        viscosity=2e5,
        diffusivity=1e3,
        vertical_viscosity=1e-2,
        vertical_diffusivity=1e-4,
        convective_diffusivity=0.1,
        drag=1e-3,
        eddies=EddyOptions(along=500.0, flattening=800.0),
    ),
    "wind": OceanWindOptions(amplitude=0.2),
    "rotation": CoriolisOptions(),
}


def sea(kind):
    if kind.startswith("thin "):
        return oceans.thinned(sea(kind.removeprefix("thin ")))
    return oceans.rough_sphere() if kind == "sphere" else folded_ocean(kind)


@pytest.mark.parametrize(
    ("kind", "advection", "steps"),
    [
        ("sphere", "centred", 300),
        ("faces", "centred", 100),
        ("centres", "centred", 100),
        ("sphere", "upwind3", 100),
        ("sphere", "limited3", 100),
        ("centres", "limited3", 100),
        ("thin sphere", "centred", 100),
        ("thin centres", "upwind3", 50),
        ("thin sphere", "limited3", 50),
    ],
)
def test_volume_heat_salt_and_a_constant_are_kept(kind, advection, steps):
    """Many steps with averages of levels; the surface moves, temperature is noise."""
    levels = sea(kind)
    dt = 3600.0 if kind.endswith("sphere") else 600.0
    tracers, mixing = OceanTracerOptions(advection=advection), stormy["mixing"]
    if kind.startswith("thin "):
        swept = {"diffusivity": 0.0} if advection == "limited3" else {}
        mixing = replace(mixing, eddies=EddyOptions(), **swept)
    model = oceans.build(levels, dt, averaging=7, tracers=tracers, **{**stormy, "mixing": mixing})
    random = np.random.default_rng(2)
    layers = levels.depth[:, None, None] / -200.0
    warm = 15.0 + layers + random.uniform(-0.5, 0.5, levels.horizontal.shape)
    oceans.put_tracers(model, np.stack([warm, np.full(levels.shape, 35.0)]))
    before = oceans.contents(model)
    highest = 0.0
    for state in oceans.go(model, steps):
        highest = max(highest, np.abs(state.surface.gather()[levels.mask]).max() / gravity)
    assert highest > 0.01
    for prefix in ("", "old_"):
        assert_allclose(oceans.contents(model, prefix), before, rtol=1e-13)
    temperature, salinity = model.state.tracer.gather()
    assert np.ptp(temperature[levels.wet]) > 1.0
    assert_allclose(salinity[levels.wet], 35.0, rtol=1e-13)
    assert np.abs(model.state.u.gather()).max() > 0.01
    assert not model.state.u.gather()[~oceans.wet_corners(levels)].any()


def test_the_layer_is_where_the_surface_was_half_a_step_before():
    """layer(n + 1) + layer(n) moves by twice the height of the surface; so it does not run away."""
    levels = oceans.rough_sphere()
    model = oceans.build(levels, 3600.0, averaging=5, **stormy)
    *_, state = oceans.go(model, 60)
    half = 0.5 * (state.layer.gather() + state.old_layer.gather()) - levels.thickness[-1]
    height = state.old_surface.gather() / gravity
    assert np.abs(height[levels.mask]).max() > 0.01
    assert_allclose(half[levels.mask], height[levels.mask], atol=1e-9)


def test_stratified_water_rests_over_a_mountain():
    """Flat levels: no slope of pressure, not even in the last bit."""
    depth = np.full((9, 12), 1000.0)
    depth[3:6, 4:8], depth[4, 5:7] = 500.0, 60.0
    levels = oceans.plane(12, 9, 2e4, [50.0] * 20, depth=depth.tolist(), periodic_x=True)
    assert set(levels.wet_levels.ravel()) == {2, 10, 20}
    mixing = oceans.with_numbers(viscosity=1e3, diffusivity=1e3, vertical_viscosity=1e-3)
    turning = CoriolisOptions(parameter=1e-4)
    model = oceans.build(levels, 1800.0, averaging=10, mixing=mixing, rotation=turning)
    warm = 2.0 + 18.0 * np.exp(-levels.depth / 300.0)
    start = np.stack([warm, 35.0 - levels.depth / 5000.0])[:, :, None, None]
    oceans.put_tracers(model, np.broadcast_to(start, (2, *levels.shape)))
    *_, state = oceans.go(model, 100)
    for name in ("u", "v", "surface"):
        assert not getattr(state, name).gather().any(), name
    for values, wanted in zip(state.tracer.gather(), start, strict=True):
        assert_allclose(values[levels.wet], (wanted * levels.wet)[levels.wet], rtol=1e-13)


def rough_states(kind="sphere", seed=3, **options):
    """A rough sea, a random velocity of present and past, and random tracers."""
    levels = sea(kind)
    random = np.random.default_rng(seed)
    model = oceans.build(levels, 1e5, **options)
    wet = oceans.wet_corners(levels)
    u, v = (0.1 * random.standard_normal(wet.shape) for _ in range(2))
    oceans.put_velocity(model, u, v)
    oceans.put_tracers(model, random.uniform(1.0, 2.0, (2, *levels.shape)))
    return model


def transported(model):
    """Rates of contents [m3 s-1 times units] (tracer, k, j, i) and of the surface [m3 s-1]."""
    model.tracers(tau=model.dt, width=160)
    area = model.levels.horizontal.area
    before = oceans.cell_thickness(model, "old_") * model.state.old_tracer.gather()
    thick = oceans.cell_thickness(model, "new_")
    after = thick * model.state.new_tracer.gather()
    rising = (thick[-1] - model.levels.cell_thickness[-1]) / model.dt * area
    return (after - before) / model.dt * area, rising


def accelerated(model):
    """Accelerations by the kernel of momentum [m s-2], of u and v, means over columns included."""
    model.momentum(tau=model.dt, alpha=0.0, gamma=1.0, drag=0.0, drag_speed=0.0, width=160)
    state, wet = model.state, oceans.wet_corners(model.levels)
    share = oceans.thickness_weights(model.levels)
    for name, force in (("u", state.force_x), ("v", state.force_y)):
        old = getattr(state, f"old_{name}").gather()
        shear = (old - (share * old).sum(axis=0)) * wet
        yield (getattr(state, f"new_{name}").gather() - shear) / model.dt + force.gather() * wet


def corner_volumes(model):
    metrics = CornerMetrics.of(model.levels.horizontal)
    wet = oceans.wet_corners(model.levels)
    return oceans.corner_thickness(model.levels) * metrics.dx * metrics.dy * wet


@pytest.mark.parametrize("kind", ["sphere", "thin sphere"])
def test_centred_advection_keeps_variance(kind):
    """But for what passes the surface: sum T d(hT)/dt = sum T^2 dh/dt / 2, h the layer."""
    model = rough_states(kind)
    tracers = model.state.tracer.gather()
    rates, rising = transported(model)
    for values, rate in zip(tracers, rates, strict=True):
        gained = (values * rate).sum()
        through_surface = 0.5 * (values[-1] ** 2 * rising).sum()
        assert abs(through_surface) > 1e-6 * np.abs(values * rate).sum()
        assert abs(gained - through_surface) < 1e-11 * np.abs(values * rate).sum()


@pytest.mark.parametrize("kind", ["sphere", "thin sphere"])
def test_centred_advection_keeps_kinetic_energy(kind):
    """Likewise: what is lost leaves through the surface, whose volume is that of four cells."""
    model = rough_states(kind)
    model.state.pressure.fill(0.0)
    flatten(model)
    _, rising = transported(model)
    wide = model.levels.topology.widened(rising, (1, 1, 1, 1))
    around = 0.25 * (wide[:-1, :-1] + wide[:-1, 1:] + wide[1:, :-1] + wide[1:, 1:])
    around = around[:, : rising.shape[1]]  # periodic
    volume = corner_volumes(model)
    for name, acceleration in zip("uv", accelerated(model), strict=True):
        values = getattr(model.state, name).gather()
        work = values * acceleration * volume
        lost = 0.5 * (values[-1] ** 2 * around).sum()
        assert abs(lost) > 1e-6 * np.abs(work).sum()
        assert abs(work.sum() + lost) < 1e-11 * np.abs(work).sum()


def flatten(model):
    """Let the lines of the grid be straight."""
    for name in ("curvature_x", "curvature_y"):
        field = getattr(model.state, name)
        field.set_global(np.zeros(field.shape))


def test_curvature_does_no_work():
    """(M v) u - (M u) v = 0, point by point."""
    found = []
    for curved in (True, False):
        model = rough_states()
        model.state.pressure.fill(0.0)
        if not curved:
            flatten(model)
        x, y = accelerated(model)
        found.append((x, x * model.state.u.gather() + y * model.state.v.gather()))
    (x, with_it), (plain, without) = found
    assert np.abs(x - plain).max() > 1e-3 * np.abs(x).max()
    assert_allclose(with_it, without, atol=1e-12 * np.abs(with_it).max())


@pytest.mark.parametrize("kind", ["sphere", "thin sphere"])
def test_work_of_pressure_is_that_of_weight(kind):
    """The gradient is the negative adjoint of the divergence, and what rises is lifted.

    Work of the hydrostatic pressure on the flow = -d/dt of potential energy as tracers are moved,
    less what passes the surface [m5 s-3]: kernels of their own.
    """
    water = DensityOptions(contraction=0.0)
    model = rough_states(kind, density=water)
    state, levels = model.state, model.levels
    state.new_density.copy(state.density)
    weight = gravity / water.reference
    model.pressure(weight=weight, outer=0.25)
    flow = [getattr(state, name).gather() for name in "uv"]
    (heat, _), rising = transported(model)
    at_zero = water.at - water.reference + water.expansion * water.temperature
    mass = -water.expansion * heat
    mass[-1] += at_zero * rising
    lifted = -weight * (mass * oceans.cell_depth(levels)).sum()
    heavy = weight * 0.5 * levels.thickness[-1] * state.density.gather()[-1]
    for name in ("u", "v", "old_u", "old_v"):
        getattr(state, name).fill(0.0)
    pushed = list(accelerated(model))
    work = sum(a * b for a, b in zip(flow, pushed, strict=True)) * corner_volumes(model)
    assert abs(work.sum()) > 1e-4 * np.abs(work).sum()
    assert abs(work.sum() + lifted + (rising * heavy).sum()) < 1e-11 * np.abs(work).sum()


def test_coriolis_does_no_work():
    """Velocity weighted as the term is, 1/3 each, stands upright on what the term changes."""
    levels = oceans.rough_sphere()
    random = np.random.default_rng(5)
    model = oceans.build(levels, 7200.0, rotation=CoriolisOptions())
    state, w = model.state, Weights.leapfrog(7200.0)
    share, wet = oceans.thickness_weights(levels), oceans.wet_corners(levels)
    shear = {c: [] for c in "uv"}
    mean = {c: [] for c in "uv"}
    for prefix in ("old_", ""):  # so slow that advection is beyond the last bit
        flow = [1e-18 * (oceans.shears(levels, random) + 0.3) for _ in range(2)]
        oceans.put_velocity(model, *flow, [prefix])
        for c, values in zip("uv", flow, strict=True):
            mean[c].append((share * values).sum(axis=0))
            shear[c].append((values - mean[c][-1]) * wet)
    state.pressure.fill(0.0)
    model.momentum(tau=w.tau, alpha=w.alpha, gamma=w.gamma, drag=0.0, drag_speed=0.0, width=160)
    model.auxiliary(tau=w.tau, alpha=w.alpha, gamma=w.gamma)
    for c in "uv":
        shear[c].append(getattr(state, f"new_{c}").gather())
        mean[c].append(getattr(state, f"auxiliary_{c}").gather())
    for part in (shear, mean):
        weighted = {c: sum(part[c]) / 3.0 for c in "uv"}
        changes = {c: part[c][2] - part[c][0] for c in "uv"}
        work = changes["u"] * weighted["u"] + changes["v"] * weighted["v"]
        assert np.abs(changes["u"]).max() > 0.3 * np.abs(part["u"][0]).max()
        size = max(np.abs(changes[c]).max() * np.abs(weighted[c]).max() for c in "uv")
        assert np.abs(work).max() < 1e-13 * size


def turning_like_a_solid(cells, speed=10.0):
    """What accelerates water that turns with the sphere, only faster, away from the walls [m s-2].

    Once for pressure, Coriolis and curvature, once for viscosity alone; and single terms.
    """
    levels = oceans.belt(cells)
    model = oceans.build(levels, 1.0, rotation=CoriolisOptions())
    state = model.state
    latitude = np.radians(CornerMetrics.of(levels.horizontal).latitude)
    u = speed * np.cos(latitude)
    oceans.put_velocity(model, u, 0.0 * u)
    y = np.radians(levels.horizontal.y)[:, None]
    radius = levels.horizontal.dy[0] / np.radians(levels.horizontal.step_y)
    turning = state.coriolis.gather()[0, 0] / np.sin(latitude[0, 0])
    half = 0.5 * speed * (speed + radius * turning) * np.cos(y) ** 2
    state.pressure.set_global(np.broadcast_to(half, levels.shape))
    x, y = (values[0] for values in accelerated(model))
    inner = slice(cells // 6, -cells // 6)
    return np.abs(x[inner]).max(), np.abs(y[inner]).max(), u


def test_solid_body_rotation_balances():
    """Pressure carries Coriolis and curvature: what is left falls with the square of the step."""
    (x, coarse, u), (x2, fine, _) = (turning_like_a_solid(cells) for cells in (24, 48))
    assert x == x2 == 0.0
    assert coarse / fine == pytest.approx(4.0, rel=0.1)
    curvature = (u**2).max() / 6.37e6
    assert fine < 0.1 * curvature


def viscous(cells, u_of, v_of):
    """Viscosity of a flow on the belt, of u and v [m s-2 for 1 m2 s-1], and the inner rows."""
    levels = oceans.belt(cells)
    mixing = oceans.with_numbers(viscosity=1e10)
    model = oceans.build(levels, 1.0, mixing=mixing)
    corner = levels.horizontal.at(Place.corner)
    latitude, longitude = np.radians(corner.y), np.radians(corner.x)
    u, v = 1e-20 * u_of(latitude, longitude), 1e-20 * v_of(latitude, longitude)
    oceans.put_velocity(model, u, v)
    model.state.pressure.fill(0.0)
    inner = slice(cells // 6, -cells // 6)
    return [values[0][inner] * 1e10 for values in accelerated(model)], latitude[inner]


@pytest.mark.parametrize("pole", ["north", "equator"])
def test_solid_body_rotation_feels_no_viscosity(pole):
    """About the axis, and about one through the equator, where u and v mix."""

    def u_of(latitude, longitude):
        turned = -np.sin(latitude) * np.cos(longitude)
        return np.cos(latitude) if pole == "north" else turned

    def v_of(latitude, longitude):
        return 0.0 * latitude if pole == "north" else np.sin(longitude)

    errors = []
    for cells in (24, 48):
        found, _ = viscous(cells, u_of, v_of)
        errors.append(max(np.abs(values).max() for values in found))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.15)
    plain, _ = viscous(48, lambda y, x: np.cos(y) ** 3, lambda y, x: 0.0 * y)
    assert errors[1] < 0.02 * np.abs(plain[0]).max()


def test_f_of_a_plane():
    levels = oceans.plane(5, 4, 1e5, [100.0], y0=5e4)
    model = oceans.build(levels, 10.0, rotation=CoriolisOptions(parameter=1e-4, gradient=2e-11))
    wanted = 1e-4 + 2e-11 * 1e5 * np.arange(5.0)[:, None] * np.ones(6)
    assert_allclose(model.state.coriolis.gather(), wanted, rtol=1e-14)
    resting = oceans.build(levels, 10.0, rotation=CoriolisOptions())
    assert not resting.state.coriolis.gather().any()
    with pytest.raises(UserError, match="rotation.gradient = 2e-11: .* Cartesian grids only"):
        oceans.build(oceans.rough_sphere(), 10.0, rotation=CoriolisOptions(gradient=2e-11))


def test_metrics_know_no_seam():
    """Of a curvilinear grid, periodic in x, begun at another column: the same, moved along."""

    found = []
    for first in (0, 5):
        i = (np.arange(25.0) + first)[None, :] * np.ones((9, 1))
        x = 15.0 * i + 4.0 * np.sin(np.radians(15.0 * i)) * np.arange(9.0)[:, None] / 8.0
        y = np.linspace(-60.0, 60.0, 9)[:, None] + 3.0 * np.cos(np.radians(15.0 * i))
        lines = Curvilinear(corner_x=x, corner_y=y, periodic_x=True)
        found.append(CornerMetrics.of(Grid.of(lines, np.full((8, 24), 100.0))))
    for name in ("dx", "dy", "curvature_x", "curvature_y", "curvature_change"):
        one, other = (getattr(metrics, name) for metrics in found)
        size = np.abs(one[1:-1]).max()
        assert_allclose(np.roll(one, -5, axis=1)[1:-1], other[1:-1], atol=1e-9 * size, err_msg=name)
    assert np.ptp(found[0].curvature_change[4]) > 0.0
