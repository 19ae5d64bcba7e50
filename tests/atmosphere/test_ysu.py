"""The boundary layer: a plain column in NumPy, growth of dry convection, nights. Ranks: 1."""

from dataclasses import asdict

import numpy as np
import pytest

from atmosphere.boundary_layer_columns import mixed_column
from atmosphere.column import run_columns
from halocline.atmosphere.boundary_layer.ysu_options import YsuOptions

usual = asdict(YsuOptions())
capacity, gravity, karman = 1004.5, 9.81, 0.4


def plain(c, critical=0.25, entrainment=0.15, free_length=30.0, background=0.01):
    """One column: HND's equations as scalars; mixing, nonlocal fluxes and depth."""
    z, u, v, (q, *others) = c["height"], c["u"], c["v"], c["water"]
    cloud = sum(others) > 1e-5
    theta = c["dry_theta"] + 300.0
    heavy = theta * (1 + 0.608 * q)
    faces = np.concatenate([[0.0], np.cumsum(c["layer_depth"])])
    levels, density = len(z), c["air_density"][0]
    heat = c["heat_flux"] / (density * capacity * c["exner"][0])
    vapor = c["vapor_flux"] / density
    lift = heat * (1 + 0.608 * q[0]) + 0.608 * theta[0] * vapor
    friction = c["friction_velocity"]
    inverse = -karman * gravity * lift / (heavy[0] * friction**3)

    def depth(excess):
        number = gravity * (heavy - heavy[0] - excess) * z / heavy[0] / np.maximum(u**2 + v**2, 1)
        limit = 0.0 if lift > 0 else critical
        above = np.flatnonzero(number > limit)
        if not len(above):
            return max(z[-1], faces[1])
        k = above[0]
        low, height = (number[k - 1], z[k - 1]) if k else (0.0, 0.0)
        return max(height + (limit - low) / (number[k] - low) * (z[k] - height), faces[1])

    def scale(h, height):
        if lift <= 0:
            return friction / (1 + 5 * height * max(inverse, 0))
        cube = gravity / heavy[0] * lift * h
        return np.cbrt(friction**3 + 8 * karman * cube * height / h)

    def excess(h, flux):
        return min(max(6.8 * flux / scale(h, h / 2), 0), 3.0) if lift > 0 else 0.0

    h = depth(0.0)
    h = depth(excess(h, lift))
    cube = max(gravity / heavy[0] * lift * h, 0)
    wm3 = cube + 5 * friction**3
    top = np.searchsorted(z, h)
    jump = dict.fromkeys(("theta", "q", "heavy", "u", "v"), 0.0)
    gap = 1.0
    if 0 < top < levels:
        found = {"theta": theta, "q": q, "heavy": heavy, "u": u, "v": v}
        jump = {name: f[top] - f[top - 1] for name, f in found.items()}
        gap = z[top] - z[top - 1]
    inversion = max(jump["heavy"], 0.01)
    speed = entrainment * heavy[0] / gravity * wm3 / h / inversion if lift > 0 else 0
    speed = min(speed, np.cbrt(wm3))
    spread = 0.02 * h + 0.05 * heavy[0] / gravity * wm3 ** (2 / 3) / inversion
    out = {name: np.zeros(levels + 1) for name in ("viscosity", "diffusivity", "t", "q", "u", "v")}
    drag = c["momentum_exchange"] / density
    for k in range(1, levels):
        s, dz = faces[k] / h, z[k] - z[k - 1]
        shear = np.sqrt(((u[k] - u[k - 1]) / dz) ** 2 + ((v[k] - v[k - 1]) / dz) ** 2 + 1e-9)
        ri = gravity * 2 / (heavy[k] + heavy[k - 1]) * (heavy[k] - heavy[k - 1]) / dz / shear**2
        if cloud[k] and cloud[k - 1]:
            wet = 0.5 * (q[k] + q[k - 1])
            warm = 0.5 * (theta[k] * c["exner"][k] + theta[k - 1] * c["exner"][k - 1])
            a, b = 2.5e6 * wet / (287 * warm), 2.5e6**2 * wet / (capacity * 461.6 * warm**2)
            ri = (1 + a) * (ri - gravity**2 / (capacity * warm * shear**2) * (b - a) / (1 + b))
        length = 1 / (1 / (karman * faces[k]) + 1 / free_length)
        base = length**2 * shear
        if ri > 0:
            kh = base / (1 + 5 * ri) ** 2
            km = kh * (1 + 2.1 * ri)
        else:
            root = np.sqrt(min(-ri, 100))
            km = base * (1 + 8 * root**2 / (1 + 1.746 * root))
            kh = base * (1 + 8 * root**2 / (1 + 1.286 * root))
        if s < 1:
            km = karman * scale(h, faces[k]) * faces[k] * (1 - s) ** 2
            low = (1 - 1.6 * h * min(inverse, 0)) ** -0.25 + 6.8 * 0.1 * karman
            prandtl = 1 + (low - 1) * np.exp(-3 * (s - 0.1) ** 2) if lift > 0 else 1.0
            kh = km / prandtl
        elif lift > 0 and ((faces[k] - h) / spread) ** 2 < 4.6:
            zone = speed * gap * np.exp(-(((faces[k] - h) / spread) ** 2))
            km, kh = np.sqrt(zone * km), np.sqrt(zone * kh)
        km, kh = (np.clip(x, background, 1000) for x in (km, kh))
        out["viscosity"][k], out["diffusivity"][k] = km, kh
        if s < 1 and lift > 0:
            out["t"][k] = kh * excess(h, heat) / h - s**3 * speed * max(jump["theta"], 0)
            out["q"][k] = -(s**3) * speed * min(jump["q"], 0)
            carried = km * 15.9 * cube / (scale(h, h / 2) ** 4 * h)
            for wind, stress in (("u", "stress_x"), ("v", "stress_y")):
                down = drag * c[wind][0] + c[stress] / density
                out[wind][k] = -carried * down - s**3 * speed * jump[wind]
    return out, h


def columns(random, count, levels):
    """Mixed layers under inversions, calm and windy, with fluxes of either sign."""
    layer = random.uniform(40, 160, (levels, count))
    height = np.cumsum(layer, axis=0) - 0.5 * layer
    inversion = random.uniform(100, 1200, count)
    theta = np.where(height < inversion, 0.0, 0.006 * (height - inversion) + 1.0)
    center = (levels, count)
    return {
        "u": random.uniform(-9, 9, center), "v": random.uniform(-9, 9, center),
        "dry_theta": theta + random.uniform(-0.3, 0.3, center),
        "water": np.stack([random.uniform(0.002, 0.01, center),
                           *(random.uniform(-2e-5, 4e-5, (2, *center)).clip(0))]),
        "air_density": random.uniform(1.0, 1.2, center), "exner": random.uniform(0.8, 1, center),
        "height": height, "layer_depth": layer,
        "friction_velocity": random.uniform(0.05, 0.8, count),
        "heat_flux": random.uniform(-80, 400, count), "vapor_flux": random.uniform(0, 1e-4, count),
        "momentum_exchange": random.uniform(1e-3, 0.1, count),
        "stress_x": random.uniform(-1, 1, count), "stress_y": random.uniform(-1, 1, count),
    }  # fmt: skip


names = {
    "t": "theta_nonlocal", "q": "vapor_nonlocal", "u": "u_nonlocal", "v": "v_nonlocal",
    "viscosity": "viscosity", "diffusivity": "diffusivity",
}  # fmt: skip


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-9), (np.float32, 2e-3)])
def test_columns_are_those_of_a_plain_program(dtype, tolerance):
    count, levels = 40, 16
    given = columns(np.random.default_rng(5), count, levels)
    if dtype is np.float32:
        given = {name: values.astype(np.float32) for name, values in given.items()}
    got = run_columns(
        "atmosphere_ysu", count, given, usual | {"cloud": 2, "ice_entry": 1},
        {"depth": levels, "depth+1": levels + 1, "species": 3}, dtype,
    )  # fmt: skip
    tops = set()
    for c in range(count):
        expected, h = plain({name: f[..., c].astype(float) for name, f in given.items()})
        assert got["boundary_layer_depth"][c] == pytest.approx(h, rel=tolerance)
        near = np.abs(np.cumsum(given["layer_depth"][:, c]) / h - 1).min() < 1e-5
        if dtype is np.float32 and near:
            continue
        for name, values in expected.items():
            scale = np.abs(values).max() + 1e-12
            np.testing.assert_allclose(got[names[name]][:, c], values, atol=tolerance * scale)
        tops.add((given["heat_flux"][c] > 0, round(h / 400)))
    assert len(tops) > 4


def test_a_dry_mixed_layer_grows_as_it_must():
    """h^2 = 2 (1 + 2 A) Q t / gamma (Carson 1973), A the flux at the top over that below."""
    flux, gamma, hours, dt = 0.2, 0.005, 6.0, 200.0
    high = np.linspace(0, 3000.0, 61)
    column = mixed_column(high, gamma)
    depths = []
    for step in range(int(hours * 3600 / dt)):
        column.step(dt, heat=flux)
        if step * dt >= 2 * 3600:
            depths.append((step * dt + dt, column.depth, column.top()))
    time, depth, steepest = np.array(depths).T
    slope = np.polyfit(time, steepest**2, 1)[0]
    entrained = 0.5 * (slope * gamma / (2 * flux) - 1)
    assert entrained == pytest.approx(0.15, abs=0.03)
    assert (np.abs(depth - steepest) < 0.12 * steepest).all()
    gained = (column.theta - gamma * column.height) @ column.layer
    assert gained == pytest.approx(flux * hours * 3600, rel=1e-9)
    inside = column.height < 0.7 * depth[-1]
    assert np.ptp(column.theta[inside][2:]) < 0.3, "the layer is well mixed"


def test_wind_and_night():
    """In stable air the depth is where Ri is critical; mixing ends there but for local shear."""
    levels = 30
    column = mixed_column(np.linspace(0, 1500.0, levels + 1), 0.01)
    column.u[:] = np.minimum(0.02 * column.height, 6.0)
    got = column.mixing(heat=-0.02, friction=0.2)
    rich = gravity * 0.01 * (column.height - column.height[0]) * column.height
    rich /= (300.0 + column.theta[0]) * np.maximum(column.u**2, 1.0)
    expected = np.interp(0.25, rich, column.height)
    assert got["boundary_layer_depth"][0] == pytest.approx(max(expected, 50.0), rel=1e-6)
    assert np.array_equal(got["theta_nonlocal"], 0 * got["theta_nonlocal"])
