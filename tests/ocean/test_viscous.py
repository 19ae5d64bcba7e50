"""Horizontal viscosity by stress: what it dissipates, what feels none, and its order. Ranks: 1."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biogeochemistry.folded_ocean import folded_ocean
from halocline.core.constants import earth_radius
from halocline.ocean.metrics import CornerMetrics
from halocline.ocean.viscous import squared_length
from halocline.ocean.viscous_options import ViscousOptions
from halocline.runtime.fields.place import Place
from ocean import oceans


def viscous_ocean(levels, *, viscosity=1e4, length=0.0, dt=1.0, cut=None, **numbers):
    """A model in which nothing but a scheme of viscosity acts."""
    options = ViscousOptions(**{"scheme": "stress"} | numbers)
    mixing = oceans.with_numbers(viscosity=viscosity, viscosity_length=length, viscous=options)
    return oceans.build(levels, dt, mixing=mixing, cut=cut)


def forces(model, u, v, tau=1.0, width=160):
    """What viscosity does to a velocity [m s-2], shape (k, j, i)."""
    oceans.put_velocity(model, u, v)
    model.viscous(tau, width)
    return model.state.friction_x.gather(), model.state.friction_y.gather()


def random_flow(levels, seed=1):
    random = np.random.default_rng(seed)
    wet = oceans.wet_corners(levels)
    return tuple(random.standard_normal(wet.shape) * wet for _ in range(2))


def corner_volumes(model):
    """Of each corner once [m3], shape (k, j, i)."""
    levels, metrics = model.levels, CornerMetrics.of(model.levels.horizontal)
    once = levels.topology.once(Place.corner)
    return oceans.corner_thickness(levels) * metrics.dx * metrics.dy * once


def strains(levels, metrics, u, v):
    """Tension and shear [s-1] of the quarters of all cells, shape (2, 2, k, j, i), in NumPy.

    Of the quarter at a corner: differences to its neighbours along both sides of the cell.
    """
    topology = levels.topology
    x_face, y_face = (levels.horizontal.on_both_sides(p) for p in (Place.x_face, Place.y_face))

    def whole(plane, direction=""):
        rows, columns = levels.horizontal.shape
        more = (0, columns + 1 - plane.shape[-1], 0, rows + 1 - plane.shape[-2])
        return topology.widened(
            plane, more, Place.corner, nearest=not direction, direction=direction
        )

    dx, dy, u, v = whole(metrics.dx), whole(metrics.dy), whole(u, "x"), whole(v, "y")
    mean_dy, mean_dx = 0.5 * (dy[:, 1:] + dy[:, :-1]), 0.5 * (dx[1:] + dx[:-1])
    along = [mean_dy / y_face.dx * np.diff(w / dy, axis=-1) for w in (u, v)]
    up = [mean_dx / x_face.dy * np.diff(w / dx, axis=-2) for w in (u, v)]
    tension, shear = np.zeros((2, 2, 2, *levels.shape))
    for j in (0, 1):
        for i in (0, 1):
            x = [w[:, j : j + levels.shape[1]] for w in along]
            y = [w[:, :, i : i + levels.shape[2]] for w in up]
            tension[j, i], shear[j, i] = x[0] - y[1], x[1] + y[0]
    return tension, shear


def quarter_volumes(levels):
    """Of the cells of the sea, each once, as high as the lowest of their wet corners [m3]."""
    once, whole = levels.topology.once(Place.center), levels.thickness[:, None, None]
    thick = np.where(oceans.wet_corners(levels), oceans.corner_thickness(levels), whole)
    rows, columns = levels.horizontal.shape
    more = (0, columns + 1 - thick.shape[-1], 0, rows + 1 - thick.shape[-2])
    thick = levels.topology.widened(thick, more, Place.corner, nearest=True)
    pairs = np.minimum(thick[:, 1:], thick[:, :-1])
    common = np.minimum(pairs[..., 1:], pairs[..., :-1])
    return 0.25 * common * levels.horizontal.area * once


seas = {
    "belt": oceans.rough_sphere(),
    "faces": folded_ocean("faces"),
    "centres": folded_ocean("centres"),
    "thin": oceans.thinned(oceans.rough_sphere()),
}


@pytest.mark.parametrize(
    ("sea", "axis"), [("belt", "grid"), ("faces", "east"), ("centres", "east"), ("thin", "east")]
)
def test_work_is_minus_the_dissipated_power(sea, axis):
    """sum u F = - sum (A D'^2 + B E'^2) over quarters, D' and E' in axes along and across."""
    levels = seas[sea]
    model = viscous_ocean(levels, viscosity=3e3, scheme="anisotropic", across=2e2, axis=axis)
    u, v = random_flow(levels)
    x, y = forces(model, u, v)
    u, v = (getattr(model.state, f"old_{c}").gather() for c in "uv")
    work = (u * x + v * y) * corner_volumes(model)
    tension, shear = strains(levels, CornerMetrics.of(levels.horizontal), u, v)
    angle = -levels.horizontal.at(Place.center).angle if axis == "east" else 0.0
    cosine, sine = np.cos(2.0 * angle), np.sin(2.0 * angle)
    power = 3e3 * (cosine * tension + sine * shear) ** 2
    power += 2e2 * (cosine * shear - sine * tension) ** 2
    lost = (power * quarter_volumes(levels)).sum()
    assert lost > 0.0
    assert work.sum() == pytest.approx(-lost, rel=1e-12)
    if axis == "east" and sea != "thin":
        assert np.ptp(cosine) > 0.5


@pytest.mark.parametrize("sea", ["belt", "centres", "thin"])
@pytest.mark.parametrize(
    "numbers",
    [
        {"scheme": "stress", "smagorinsky": 3.0},
        {"scheme": "anisotropic", "smagorinsky": 3.0, "smagorinsky_across": 0.1},
        {"scheme": "biharmonic", "biharmonic": 1e13},
        {"scheme": "biharmonic", "biharmonic": 0.0, "smagorinsky": 4.0},
    ],
)
def test_energy_never_grows_and_no_pattern_escapes(sea, numbers):
    levels = seas[sea]
    model = viscous_ocean(levels, viscosity=0.0, length=1e5, **numbers)
    pairs = [random_flow(levels)]
    nj, ni = pairs[0][0].shape[1:]
    pairs += [((-1.0) ** np.add.outer(np.arange(nj), np.arange(ni)), np.zeros((nj, ni)))]
    for u, v in pairs:
        x, y = forces(model, u, v)
        u, v = (getattr(model.state, f"old_{c}").gather() for c in "uv")
        volume = corner_volumes(model)
        work = ((u * x + v * y) * volume).sum()
        assert work < 0.0
        if numbers["scheme"] == "biharmonic":
            state = model.state
            square = state.viscous_force_x.gather() ** 2 + state.viscous_force_y.gather() ** 2
            assert work == pytest.approx(-(square * volume).sum(), rel=1e-12)


def test_one_viscosity_on_squares_is_the_laplacian():
    """Of five points, 0 on land: coasts and steps of the floor included."""
    random = np.random.default_rng(3)
    depth = random.choice([0.0, 100.0, 300.0, 300.0, 300.0], (9, 12))
    levels = oceans.plane(12, 9, 2e4, [100.0, 200.0], depth=depth.tolist(), periodic_x=True)
    model = viscous_ocean(levels, viscosity=5e3)
    flow = random_flow(levels)
    for found, values in zip(forces(model, *flow), flow, strict=True):
        sums = -4.0 * values + np.roll(values, 1, axis=2) + np.roll(values, -1, axis=2)
        sums[:, :-1] += values[:, 1:]
        sums[:, 1:] += values[:, :-1]
        wanted = 5e3 / 2e4**2 * sums * oceans.wet_corners(levels)
        assert_allclose(found, wanted, atol=1e-14 * np.abs(wanted).max())


@pytest.mark.parametrize("sea", ["belt", "thin"])
@pytest.mark.parametrize(
    "numbers",
    [{"scheme": "anisotropic", "across": 2e2}, {"scheme": "biharmonic", "biharmonic": 1e13}],
)
def test_forces_are_those_of_the_old_velocity_and_a_third_of_the_way_to_the_present(sea, numbers):
    levels = seas[sea]
    model = viscous_ocean(levels, **numbers)
    old, now = random_flow(levels, 1), random_flow(levels, 2)
    wanted = forces(model, *((2.0 * a + b) / 3.0 for a, b in zip(old, now, strict=True)))
    oceans.put_velocity(model, *old, levels_in_time=("old_",))
    oceans.put_velocity(model, *now, levels_in_time=("",))
    model.viscous(1.0, 160)
    for force, name in zip(wanted, ("friction_x", "friction_y"), strict=True):
        found = getattr(model.state, name).gather()
        assert_allclose(found, force, atol=1e-13 * np.abs(force).max())


def belt_forces(cells, u_of, v_of, **numbers):
    """On the belt from 60 south to 60 north: forces, latitudes, and strain viscosity, inside."""
    levels = oceans.belt(cells)
    model = viscous_ocean(levels, **numbers)
    corner = levels.horizontal.at(Place.corner)
    latitude, longitude = np.radians(corner.y), np.radians(corner.x)
    found = forces(model, u_of(latitude, longitude), v_of(latitude, longitude))
    inner = slice(cells // 6, -cells // 6)
    strain = model.state.strain_viscosity.gather()[0][inner] if model.viscous.strain else None
    return [values[0][inner] for values in found], latitude[inner], strain


every = [
    {"scheme": "stress"},
    {"scheme": "anisotropic", "across": 1e3},
    {"scheme": "biharmonic", "biharmonic": 1e14},
]


@pytest.mark.parametrize("numbers", every)
def test_no_rotation_of_a_solid_is_felt(numbers):
    """About the axis to round-off; about one through the equator by the square of the step."""
    plain, _, _ = belt_forces(24, lambda y, x: np.cos(y) ** 3, lambda y, x: 0.0 * y, **numbers)
    size = np.abs(plain[0]).max()
    found, _, strain = belt_forces(
        24, lambda y, x: np.cos(y), lambda y, x: 0.0 * y, smagorinsky=3.0, **numbers
    )
    assert max(np.abs(values).max() for values in found) < 1e-11 * size
    assert strain.max() < 1.0
    errors = []
    for cells in (24, 48):
        found, _, _ = belt_forces(
            cells, lambda y, x: -np.sin(y) * np.cos(x), lambda y, x: np.sin(x), **numbers
        )
        errors.append(max(np.abs(values).max() for values in found))
    assert errors[0] / errors[1] > 3.4
    assert errors[1] < 0.05 * size


def test_order_on_the_sphere():
    """u = cos^3: A d/dy (cos^3 d/dy (u / cos)) / cos^2 = A (8 cos sin^2 - 2 cos^3) / R^2."""
    errors = []
    for cells in (24, 48):
        (x, y), latitude, _ = belt_forces(
            cells, lambda y, x: np.cos(y) ** 3, lambda y, x: 0.0 * y, viscosity=1.0
        )
        c, s = np.cos(latitude), np.sin(latitude)
        exact = (8.0 * c * s**2 - 2.0 * c**3) / earth_radius**2
        errors.append(np.abs(x - exact).max() / np.abs(exact).max())
        assert np.abs(y).max() < 1e-12 * np.abs(x).max()
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
    assert errors[1] < 0.02


def test_smagorinskys_viscosity_is_the_published_one():
    """(C L / pi)^2 (D^2 + E^2)^(1/2) of a flow with D = 2a, E = b + c; then what steps bear."""
    levels = oceans.plane(8, 8, 1e4, [100.0], depth=100.0)
    model = viscous_ocean(levels, viscosity=0.0, smagorinsky=2.5)
    corner = levels.horizontal.at(Place.corner)
    a, b, c = 3e-6, 5e-6, -1e-6
    oceans.put_velocity(model, a * corner.x + b * corner.y, c * corner.x - a * corner.y)
    model.viscous(1.0, 160)
    found = model.state.strain_viscosity.gather()[0, 2:-2, 2:-2]
    rate = math.hypot(2.0 * a, b + c)
    assert_allclose(found, (2.5 * 1e4 / math.pi) ** 2 * rate, rtol=1e-12)
    model.viscous(1e9, 160)
    found = model.state.strain_viscosity.gather()[0, 2:-2, 2:-2]
    assert_allclose(found, 1e8 / 4e9, rtol=1e-12)


@pytest.mark.parametrize(
    ("numbers", "rate"),
    [
        ({"scheme": "stress"}, lambda k: 50.0 * k**2),
        (
            {"scheme": "anisotropic", "smagorinsky_across": 0.3, "across": 0.0},
            lambda k: 15.0 * k**2,
        ),
        ({"scheme": "biharmonic", "biharmonic": 0.0}, lambda k: 50.0 * 1e8 / 8.0 * k**4),
    ],
)
def test_smagorinskys_viscosity_takes_the_place_of_a_lesser_one(numbers, rate):
    """The shear u = sin(ky) where it is 50 m2/s; L^2 / 8 times that for the biharmonic force."""
    levels = oceans.plane(4, 12, 1e4, [100.0], periodic_x=True, periodic_y=True)
    model = viscous_ocean(levels, viscosity=0.0, smagorinsky=1.0, **numbers)
    model.viscous.strain = lambda **_: None
    model.state.strain_viscosity.fill(50.0)
    u = np.sin(2.0 * np.pi * np.arange(12) / 12)[:, None] * np.ones(4)
    seen = 2.0 * math.sin(np.pi / 12) / 1e4
    assert_allclose(forces(model, u, 0.0 * u)[0][0], -rate(seen) * u, atol=1e-12 * rate(seen))


def test_squared_length():
    levels = oceans.plane(4, 4, 3e4, [100.0], depth=100.0)
    assert_allclose(squared_length(levels), 9e8)


@pytest.mark.parametrize(
    ("numbers", "rate"),
    [
        ({"scheme": "stress"}, lambda k: 2e3 * k**2),
        ({"scheme": "anisotropic", "across": 5e2}, lambda k: 5e2 * k**2),
        ({"scheme": "biharmonic", "biharmonic": 4e10}, lambda k: 4e10 * k**4),
    ],
)
def test_a_sine_decays_at_its_rate(numbers, rate):
    """u = sin(ky), a whole model: its first step forward, and day by day as the exact one."""
    cells, dx, dt = 16, 1e4, 3600.0
    levels = oceans.plane(4, cells, dx, [50.0, 50.0], periodic_x=True, periodic_y=True)
    model = viscous_ocean(levels, viscosity=2e3, dt=dt, **numbers)
    k = 2.0 * np.pi / (cells * dx)
    shape = np.sin(k * dx * np.arange(cells))[:, None] * np.ones(4)
    oceans.put_velocity(model, 1e-3 * shape, 0.0 * shape)
    found = [1e-3]
    for state in oceans.go(model, 24):
        u = state.u.gather()
        found.append(2.0 * (u * shape).mean())
        assert_allclose(u, found[-1] * shape * np.ones((2, 1, 1)), atol=1e-12)
    seen = 2.0 * math.sin(0.5 * k * dx) / dx
    share = rate(seen) * dt
    assert found[1] / found[0] == pytest.approx(1.0 - share, rel=1e-10)
    for old, now, new in zip(found, found[1:], found[2:], strict=False):
        assert new == pytest.approx(old - 2.0 * share * (2.0 * old + now) / 3.0, rel=1e-12)
    exact = math.exp(-rate(k) * 24 * dt)
    assert exact < 0.995
    assert found[-1] / found[0] - 1.0 == pytest.approx(exact - 1.0, rel=0.03)


def test_munks_layer():
    """beta v = A v''' + c between walls: the western current's profile and width.

    The force of viscosity is that of the kernel, column by column of its matrix.
    """
    cells, dx, viscosity, beta = 120, 1e4, 2e4, 2e-11
    levels = oceans.plane(cells, 4, dx, [100.0], depth=100.0, periodic_y=True)
    model = viscous_ocean(levels, viscosity=viscosity)
    wet = np.arange(1, cells)
    matrix = np.zeros((cells + 1, wet.size))
    for column, i in enumerate(wet):
        v = np.zeros((4, cells + 1))
        v[:, i] = 1.0
        matrix[:, column] = forces(model, 0.0 * v, v)[1][0, 0]
    identity = np.eye(cells + 1)[:, wet]
    balance = 0.5 * beta * (identity[1:] + identity[:-1]) - np.diff(matrix, axis=0) / dx
    rows = np.vstack([balance[1:-1], np.ones(wet.size)])  # no transport through a whole section
    v = np.linalg.solve(rows, np.append(np.full(cells - 2, -1e-12), 0.0))
    assert_allclose(
        v, exact_munk(dx * wet, cells * dx, viscosity, beta, -1e-12), atol=0.01 * v.max()
    )
    delta = (viscosity / beta) ** (1.0 / 3.0)
    assert dx * wet[np.argmax(v)] == pytest.approx(
        2.0 * np.pi / np.sqrt(27.0) * delta, abs=1.5 * dx
    )


def exact_munk(x, width, viscosity, beta, curl):
    """v of beta v = A v''' + curl that is 0 at both walls and carries nothing in all."""
    delta = (viscosity / beta) ** (1.0 / 3.0)

    def parts(x):
        angle, fall = 0.5 * np.sqrt(3.0) * x / delta, np.exp(-0.5 * x / delta)
        return np.stack([fall * np.cos(angle), fall * np.sin(angle), np.exp((x - width) / delta)])

    fine = (np.arange(20000) + 0.5) / 20000 * width
    conditions = np.stack([*parts(np.array([0.0, width])).T, parts(fine).mean(axis=1)])
    factors = np.linalg.solve(conditions, np.full(3, -curl / beta))
    return curl / beta + factors @ parts(x)
