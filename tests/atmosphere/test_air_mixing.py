"""Turbulent mixing, the filter and the return to the start, against plain references, exact answers
and what must stay."""

import numpy as np
import pytest

from atmosphere.dynamics_cases import begun, ended, small, values
from halocline.atmosphere import _native
from halocline.core.errors import BrokenState, UserError
from halocline.runtime.fields.kernel import kernels_of
from references.air_mixing import Motion, filtered, mean_behind

kernels = kernels_of(_native)
halo, levels, rows, columns = 4, 6, 7, 9
hill = {
    "atmosphere.mountain.kind": "bell", "atmosphere.mountain.height": 800.0,
    "atmosphere.mountain.width": 2000.0,
}  # fmt: skip
stirred = {"atmosphere.start.bubble.amplitude": -15.0, "time.length": "60s", "grid.ny": 3}


def rough(seed=3):
    """Random air over rough ground on a periodic plane, without halos, by arguments of kernels."""
    random = np.random.default_rng(seed)
    plane = (rows, columns)
    found = {name: random.uniform(-10.0, 10.0, (levels, *plane)) for name in ("u", "v", "theta")}
    found["base_theta"] = random.uniform(-20.0, 20.0, (levels, *plane))
    found["w"] = random.uniform(-2.0, 2.0, (levels + 1, *plane))
    steps = 4e3 * np.arange(levels + 1)[:, None, None]
    found["base_geopotential"] = steps + random.uniform(0.0, 1500.0, (levels + 1, *plane))
    found["geopotential"] = random.uniform(-50.0, 50.0, (levels + 1, *plane))
    found["viscosity"] = random.uniform(1.0, 90.0, (levels, *plane))
    found["full_volume"] = random.uniform(0.8, 1.5, (levels, *plane))
    found["mass"] = random.uniform(-1e3, 1e3, plane)
    found["base_mass"] = random.uniform(7e4, 9e4, plane)
    lengths = ("dx", "dy", "x_distance", "y_distance", "x_length", "y_length")
    found |= {name: random.uniform(400.0, 600.0, plane) for name in lengths}
    found |= {name: random.uniform(2e5, 3e5, plane) for name in ("area", "x_area", "y_area")}
    for more, count in (("", levels), ("_face", levels + 1)):
        found["c1" + more] = random.uniform(0.1, 1.0, count)
        found["c2" + more] = random.uniform(0.0, 1e4, count)
    found["thickness"] = random.uniform(0.1, 0.2, levels)
    found["spacing"] = random.uniform(0.1, 0.2, levels + 1)
    return found


def computed(kernel, result, f, **scalars):
    """What a kernel makes of periodic fields."""
    arrays = {}
    for argument in kernels[f"atmosphere_{kernel}"].arguments:
        field = f.get(argument.name)
        if field is None:
            field = np.full((levels + (argument.name[0] == "w"), rows, columns), np.nan)
            if argument.access == "update":
                field[...] = 1.0
        wide = ((0, 0),) * (field.ndim - 2) + ((halo, halo),) * 2
        arrays[argument.name] = np.pad(field, wide, "wrap") if field.ndim > 1 else field.copy()
    box = (halo, halo + rows, halo, halo + columns, 0)
    kernels[f"atmosphere_{kernel}"].function(box=box, **arrays, **scalars)
    return arrays[result][:, halo:-halo, halo:-halo]


@pytest.mark.parametrize("sloping", [0, 1])
@pytest.mark.parametrize("upward", [0, 1])
def test_kernels_are_the_plain_reference(upward, sloping):
    f = rough()
    plain = Motion(f, upward, bool(sloping))
    ways = {"upward": upward, "sloping": sloping}
    pairs = {
        "u": (computed("mix_u", "u_forcing", f, **ways), plain.wind_forcing(True)),
        "v": (computed("mix_v", "v_forcing", f, **ways), plain.wind_forcing(False)),
        "w": (computed("mix_w", "w_forcing", f, **ways), plain.rise_forcing()),
        "theta": (
            computed("mix_theta", "theta_forcing", f, factor=3.0, given=0.2, **ways),
            plain.heat_forcing(3.0, 0.2),
        ),
        "strain": (computed("strain", "strain", f, **ways), plain.strain()),
    }
    for name, (found, expected) in pairs.items():
        assert np.abs(expected).max() > 0.0
        scale = np.abs(expected).max()
        np.testing.assert_allclose(found, expected, atol=1e-12 * scale, err_msg=name)


def test_deformation_of_linear_flow_is_exact_over_any_ground():
    """u, v and w are linear in x, y and z; layers follow rough ground."""
    f, random = rough(), np.random.default_rng(5)
    f |= dict.fromkeys(("dx", "dy", "x_distance", "y_distance"), np.full((rows, columns), 500.0))
    ground = random.uniform(0.0, 300.0, (rows, columns))
    above = 400.0 * np.arange(levels + 1)[:, None, None] ** 1.1
    height = above + ground
    f["geopotential"], f["base_geopotential"] = np.zeros_like(height), 9.81 * height
    middle = 0.5 * (height[1:] + height[:-1])
    y, x = 500.0 * np.indices((rows, columns))
    slopes = random.uniform(-1e-2, 1e-2, (3, 3))
    places = {
        "u": (x - 250.0, y, mean_behind(middle, True)),
        "v": (x, y - 250.0, mean_behind(middle, False)),
        "w": (x, y, height),
    }
    for rates, (name, (px, py, pz)) in zip(slopes, places.items(), strict=True):
        f[name] = rates[0] * px + rates[1] * py + rates[2] * pz
    inner = np.s_[1:-1, 2:-2, 2:-2]
    d = slopes + slopes.T
    expected = 0.5 * (d**2).sum()
    found = computed("strain", "strain", f, upward=1, sloping=1)[inner]
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    along = 0.25 * (d[0, 0] - d[1, 1]) ** 2 + d[0, 1] ** 2
    found = computed("strain", "strain", f, upward=0, sloping=1)[inner]
    np.testing.assert_allclose(found, along, rtol=1e-10)


def test_smagorinsky_is_what_it_says():
    f = rough() | {"strain": np.full((levels, rows, columns), 4e-4)}
    f["stability"] = np.linspace(-1e-4, 2e-4, levels)[:, None, None] + 0.0 * f["strain"]
    found = computed("smagorinsky", "viscosity", f | {"viscosity": None}, coefficient=0.2,
                     prandtl=0.5, upward=1)  # fmt: skip
    depth = np.diff(f["geopotential"] + f["base_geopotential"], axis=0) / 9.81
    width = np.cbrt(f["dx"] * f["dy"] * depth)
    rate = np.sqrt(np.maximum(f["strain"] - f["stability"] / 0.5, 0.0))
    assert (rate == 0.0).any() and (rate > 0.0).any()
    np.testing.assert_allclose(found, (0.2 * width) ** 2 * rate, rtol=1e-12)
    flat = computed("smagorinsky", "viscosity", f | {"viscosity": None}, coefficient=0.2,
                    prandtl=0.5, upward=0)  # fmt: skip
    np.testing.assert_allclose(flat, 0.04 * f["dx"] * f["dy"] * 0.02 + 0.0 * flat, rtol=1e-12)


@pytest.mark.parametrize(("name", "area"), [("u", "x_area"), ("v", "y_area"), ("w", "area"),
                                            ("theta", "area")])  # fmt: skip
def test_the_filter_is_the_plain_reference_and_only_moves(name, area):
    """Momentum and heat stay; what was there is added to."""
    f = rough()
    mass = Motion(f).mass(name == "w")
    if name in "uv":
        mass = mean_behind(mass, name == "u")
    q = f[name] - (f["base_theta"] if name == "theta" else 0.0)
    expected = filtered(q, mass * f[area], 0.3 / (128.0 * 5.0)) / f[area]
    if name == "w":
        expected[0] = 0.0
    assert (expected != 0.0).any()
    numbers = {"strength": 0.3, "dt": 5.0}
    found = computed(f"filter_{name}", f"{name}_forcing", f, fresh=1, **numbers)
    np.testing.assert_allclose(found, expected, atol=1e-12 * np.abs(expected).max())
    more = computed(f"filter_{name}", f"{name}_forcing", f, fresh=0, **numbers)
    np.testing.assert_allclose(more, expected + 1.0, atol=1e-12)
    gained = found * f[area]
    assert abs(gained.sum()) < 1e-13 * np.abs(gained).sum()


def waves(name, case, shape, amplitude=1e-3):
    """The amplitude left of a cosine in a field after a run, over that at its start."""
    component = begun(case)
    field = getattr(component.state, name)
    start = np.broadcast_to(amplitude * shape, field.shape)
    field.set_global(start.astype(component.state.dtype))
    component.start(case.time.clock().time, restarted=True)
    ended(case, component)
    found = values(component, name)
    return (found * shape).sum() / (start * shape).sum()


@pytest.mark.parametrize("cells", [4, 10])
def test_a_cosine_of_wind_across_itself_decays_as_it_should(cells):
    """v of x, that nothing pushes: by K and the wavenumber squared, by sin^6 of the filter."""
    run = {"time.length": "200s", "grid.ny": 4}
    shape = np.cos(2.0 * np.pi * np.arange(40) / cells)
    wave = (2.0 * np.sin(np.pi / cells)) ** 2
    viscous = small(**run, **{"atmosphere.mixing.viscosity": 200.0})
    expected = np.exp(-200.0 * wave / 500.0**2 * 200.0)
    assert waves("v", viscous, shape) == pytest.approx(expected, rel=2e-3)
    smooth = small(**run, **{"atmosphere.mixing.filter": 0.12})
    part = 1.0 - 0.06 * np.sin(np.pi / cells) ** 6
    assert waves("v", smooth, shape) == pytest.approx(part**100, rel=1e-3)


@pytest.mark.parametrize("kind", ["constant", "smagorinsky", "smagorinsky-2d"])
def test_momentum_and_heat_stay_where_mixing_moves_them(kind):
    """Over a hill, in a periodic box: to round-off of the sum."""
    constant = {"atmosphere.mixing.viscosity": 75.0, "atmosphere.mixing.diffusivity": 75.0}
    settings = {"atmosphere.mixing.kind": kind, "atmosphere.mixing.filter": 0.12}
    if kind == "constant":
        settings |= constant
    case = small(**stirred, **hill, **settings)
    component = ended(case)
    component.dynamics.forcing(2.0)
    thickness = component.coordinate.thickness[:, None, None]
    for name, area in (("u", "x_area"), ("theta", "area")):
        gained = values(component, f"{name}_forcing") * thickness * values(component, area)
        assert np.abs(gained).max() > 0.0
        assert abs(gained.sum()) < 1e-12 * np.abs(gained).sum()


@pytest.mark.parametrize("kind", ["smagorinsky", "smagorinsky-2d"])
def test_smagorinsky_takes_energy_and_makes_no_new_extremes_of_heat(kind):
    free = ended(small(**stirred))
    mixed = ended(small(**stirred, **{"atmosphere.mixing.kind": kind}))
    assert values(mixed, "viscosity").max() > 1.0
    energies = [(values(some, "u") ** 2).sum() + (values(some, "w") ** 2).sum()
                for some in (free, mixed)]  # fmt: skip
    assert 0.5 * energies[0] < energies[1] < 0.999 * energies[0]


def test_heat_that_enters_at_the_ground_is_all_there():
    flux, seconds = 0.2, 60.0
    settings = {"atmosphere.mixing.kind": "smagorinsky",
                "atmosphere.mixing.ground_heat_flux": flux}  # fmt: skip
    case = small(**settings)
    component = begun(case)

    def heat():
        mass = values(component, "mass") + values(component, "base_mass")
        layer = component.coordinate.layer_mass(mass)
        layer = layer * component.coordinate.thickness[:, None, None]
        return float((layer * (values(component, "theta"))).sum()) / layer.shape[2]

    before, density = heat(), 1.0 / values(component, "full_volume")[0].mean()
    ended(case, component)
    assert heat() - before == pytest.approx(9.81 * density * flux * seconds, rel=2e-3)


def test_the_return_to_the_start_below_the_top():
    """Each layer at its own rate, by steps forward; nothing below the depth."""
    case = small(**{
        "time.length": "100s", "atmosphere.damping.depth": 5000.0, "grid.ny": 4,
        "atmosphere.damping.return_rate": 0.01, "atmosphere.damping.rate": 0.0,
        "atmosphere.start.wind_v": 4.0,
    })  # fmt: skip
    component = begun(case)
    component.state.v.set_global(np.full(component.state.v.shape, 6.0))
    component.start(case.time.clock().time, restarted=True)
    ended(case, component)
    middles = np.arange(250.0, 1e4, 500.0)
    share = np.clip(1.0 - (1e4 - middles) / 5000.0, 0.0, 1.0)
    rate = 0.01 * np.sin(0.5 * np.pi * share) ** 2
    left = values(component, "v")[:, 0, 0] - 4.0
    np.testing.assert_allclose(left, 2.0 * (1.0 - 2.0 * rate) ** 50, rtol=2e-3)
    assert {field.name for field in component.restart_fields()} >= {"start_u", "start_theta"}


def test_what_cannot_be_is_refused():
    with pytest.raises(UserError, match="passes the start in a step of 2 s. Use 0.5 s-1 or less"):
        begun(small(**{"atmosphere.damping.depth": 1e3, "atmosphere.damping.return_rate": 0.9}))
    with pytest.raises(UserError, match="but no air is damped"):
        begun(small(**{"atmosphere.damping.return_rate": 0.1}))
    with pytest.raises(UserError, match="nothing mixes heat"):
        begun(small(**{"atmosphere.mixing.ground_heat_flux": 0.1}))
    strong = small(**{"atmosphere.mixing.viscosity": 1e5, "time.length": "40s"})
    with pytest.raises(BrokenState, match="mixing spreads over .*Use time.step = 0.146 s or less"):
        ended(strong)
