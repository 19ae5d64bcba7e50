"""Equations of state against published values and the TEOS-10 toolbox; what kernels ask of them."""

from __future__ import annotations

import gsw
import numpy as np
import pytest

from halocline.ocean import _native
from halocline.ocean.equation_of_state import DensityOptions, equations

gravity = 9.806
curved = [name for name in equations if name != "linear"]


def of(kernel, tracer, depth, *outputs, dtype=np.float64, **scalars):
    """What a kernel writes, from tracers of shape (2, k, i) or (2, k) and depths of levels."""
    tracer = np.asarray(tracer, dtype)
    wide = np.ascontiguousarray(tracer.reshape(2, len(depth), 1, -1))
    written = {name: np.full(wide.shape[1:], np.nan, dtype) for name in outputs}
    box = (0, 1, 0, wide.shape[-1], 0)
    columns = wide.shape[2:]
    whole = {
        "floor_level": np.zeros(columns, dtype),
        "bottom_share": np.ones(columns, dtype),
        "thickness": np.ones(len(depth), dtype),
    }
    getattr(_native, f"ocean_{kernel}")(
        box=box,
        tracer=wide,
        depth=np.asarray(depth, dtype),
        **(whole if kernel in ("density", "stability") else {}),
        **written,
        **scalars,
    )
    return [array.reshape(tracer.shape[1:]) for array in written.values()]


def numbers(equation, reference=1026.0):
    return DensityOptions(equation=equation, reference=reference).numbers


def density(equation, temperature, salinity, depth, dtype=np.float64):
    """Density [kg m-3] of waters, each at a depth of its own."""
    tracer = np.broadcast_arrays(temperature, salinity, np.asarray(depth, float))
    given = numbers(equation)
    [less] = of("density", tracer[:2], tracer[2], "density", dtype=dtype, numbers=given)
    return less.astype(float) + 1026.0


def slopes(equation, temperature, salinity, depth):
    """Thermal expansion [kg m-3 K-1] and haline contraction [kg m-3] of waters at their depths."""
    names = "thermal_expansion", "haline_contraction"
    tracer = np.stack(np.broadcast_arrays(temperature, salinity))
    return of("expansion", tracer, depth, *names, numbers=numbers(equation))


def depth_of(pressure):
    """The depth [m] whose pressure [dbar] is given."""
    depth = np.asarray(pressure, float)
    for _ in range(30):
        at = np.array([_native.pressure_at(one) for one in depth])
        depth = depth - (at - pressure) / 1.01
    return depth


def waters(count, deepest=5000.0):
    """Temperature, salinity and depth of waters as the ocean has them: cold ones far down."""
    random = np.random.default_rng(3)
    depth = random.uniform(0.0, deepest, count)
    temperature = -1.5 + random.random(count) * (2.0 + 28.0 * np.exp(-depth / 700.0))
    return temperature, random.uniform(33.0, 37.0, count), depth


# Salinity, potential temperature, pressure, density
published = {
    # McDougall et al. 2003, appendix A
    "mcdougall-2003": [
        (35.0, 25.0, 2000.0, 1031.654229),
        (20.0, 20.0, 1000.0, 1017.726743),
        (40.0, 12.0, 8000.0, 1062.928258),
    ],
    # Jackett and McDougall 1995, appendix, page 388
    "jackett-1995": [(35.5, 3.0, 3000.0, 1041.83267)],
}


@pytest.mark.parametrize("equation", published)
def test_published_densities_of_potential_temperature(equation):
    salinity, temperature, pressure, wanted = np.array(published[equation]).T
    got = density(equation, temperature, salinity, depth_of(pressure))
    digits = 6 if equation == "mcdougall-2003" else 5
    np.testing.assert_allclose(got, wanted, rtol=0, atol=0.6 * 10.0**-digits)


def lapse_rate(s, t, p):
    """Adiabatic lapse rate [K dbar-1] (Bryden 1973), power by power."""
    return (
        (3.5803e-5 + 8.5258e-6 * t - 6.836e-8 * t**2 + 6.6228e-10 * t**3)
        + (1.8932e-6 - 4.2393e-8 * t) * (s - 35)
        + (1.8741e-8 - 6.7795e-10 * t + 8.733e-12 * t**2 - 5.4481e-14 * t**3) * p
        + (-1.1351e-10 + 2.7759e-12 * t) * (s - 35) * p
        + (-4.6206e-13 + 1.8676e-14 * t - 2.1687e-16 * t**2) * p**2
    )


def potential_temperature(s, t, p, steps=500):
    """Brought to the surface in small steps, each by the rate at its middle."""
    step = p / steps
    for number in range(steps):
        at = p - number * step
        middle = t - 0.5 * step * lapse_rate(s, t, at)
        t = t - step * lapse_rate(s, middle, at - 0.5 * step)
    return t


def test_published_densities_of_unesco():
    """Fofonoff and Millard 1983, pages 19, 38 and 44; the equation takes potential temperature."""
    assert lapse_rate(40.0, 40.0, 10000.0) == pytest.approx(3.255976e-4, abs=5e-11)
    assert potential_temperature(40.0, 40.0, 10000.0) == pytest.approx(36.89073, abs=1e-4)
    salinity, temperature, pressure, wanted = np.array([
        (0.0, 5.0, 0.0, 999.96675), (0.0, 5.0, 10000.0, 1044.12802),
        (0.0, 25.0, 0.0, 997.04796), (0.0, 25.0, 10000.0, 1037.90204),
        (35.0, 5.0, 0.0, 1027.67547), (35.0, 5.0, 10000.0, 1069.48914),
        (35.0, 25.0, 0.0, 1023.34306), (35.0, 25.0, 10000.0, 1062.53817),
    ]).T  # fmt: skip
    at_surface = potential_temperature(salinity, temperature, pressure)
    got = density("unesco", at_surface, salinity, depth_of(pressure))
    exact = pressure == 0.0
    np.testing.assert_allclose(got[exact], wanted[exact], rtol=0, atol=6e-6)
    np.testing.assert_allclose(got[~exact], wanted[~exact], rtol=0, atol=3e-5)


def test_published_densities_of_teos_10():
    """Roquet's own check value, with derivatives; that of NEMO's `eosbn2` lacks the profile."""
    depth = np.array([1000.0, 3000.0])
    got = density("teos-10", [10.0, 3.0], [30.0, 35.5], depth)
    z = 0.3
    profile = 46.494977072 * z - 5.2099962525 * z**2 + 0.22601900708 * z**3
    profile += 0.064326772569 * z**4 + 0.015616995503 * z**5 - 0.0017243708991 * z**6
    assert got[0] == pytest.approx(1027.45140, abs=6e-6)
    assert got[1] - profile == pytest.approx(1028.21993233072, abs=1e-9)
    [expansion], [contraction] = slopes("teos-10", [10.0], [30.0], depth[:1])
    assert expansion == pytest.approx(0.179646281, abs=6e-10)
    assert contraction == pytest.approx(0.765555368, abs=3e-9)


def test_linear_density_is_the_plain_expression():
    temperature, salinity, depth = waters(100)
    tracer = np.stack([temperature, salinity])
    [less] = of("density", tracer, depth, "density", numbers=numbers("linear", 1000.0))
    wanted = (1026.0 - 1000.0) - 0.2 * (temperature - 10.0) + 0.77 * (salinity - 35.0)
    np.testing.assert_array_equal(less, wanted)


def test_teos_10_is_that_of_the_toolbox():
    """Where waters of the ocean are, with the depth for the pressure, as Boussinesq models do."""
    temperature, salinity, depth = waters(5000)
    got = density("teos-10", temperature, salinity, depth)
    wanted = gsw.rho(salinity, temperature, depth)
    assert np.sqrt(np.mean((got - wanted) ** 2)) < 3e-4
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-3)
    expansion, contraction = slopes("teos-10", temperature, salinity, depth)
    toolbox = gsw.rho_first_derivatives(salinity, temperature, depth)
    np.testing.assert_allclose(-expansion, toolbox[1], rtol=0, atol=2e-3)
    np.testing.assert_allclose(contraction, toolbox[0], rtol=0, atol=1e-3)


@pytest.mark.parametrize("equation", curved)
def test_equations_agree_with_each_other(equation):
    """With TEOS-10 of the same water, from practical salinity and potential temperature."""
    temperature, salinity, depth = waters(2000)
    absolute = salinity * 35.16504 / 35.0
    conservative = gsw.CT_from_pt(absolute, temperature)
    pressure = np.array([_native.pressure_at(one) for one in depth])
    wanted = gsw.rho(absolute, conservative, pressure)
    if equation == "teos-10":
        temperature, salinity, depth = conservative, absolute, pressure
    got = density(equation, temperature, salinity, depth)
    np.testing.assert_allclose(got, wanted, rtol=0, atol=0.02)


def test_pressure_is_that_of_the_world_ocean():
    """Dukowicz 2001, in bar as printed there; hydrostatic pressure of the toolbox at 35 degrees."""
    depth = np.linspace(0.0, 6000.0, 61)
    got = np.array([_native.pressure_at(one) for one in depth])
    bar = 0.059808 * (np.exp(-0.025 * depth) - 1.0) + 0.100766 * depth + 2.28405e-7 * depth**2
    np.testing.assert_allclose(got, 10.0 * bar, rtol=1e-13)
    np.testing.assert_allclose(got, gsw.p_from_z(-depth, 35.0), rtol=0, atol=2.0)


@pytest.mark.parametrize("equation", equations)
def test_slopes_are_finite_differences(equation):
    temperature, salinity, depth = waters(300)
    expansion, contraction = slopes(equation, temperature, salinity, depth)
    step = 1e-3
    warmer, colder = (
        density(equation, temperature + sign * step, salinity, depth) for sign in (1, -1)
    )
    saltier, fresher = (
        density(equation, temperature, salinity + sign * step, depth) for sign in (1, -1)
    )
    np.testing.assert_allclose(expansion, (colder - warmer) / (2 * step), rtol=0, atol=1e-8)
    np.testing.assert_allclose(contraction, (saltier - fresher) / (2 * step), rtol=0, atol=1e-8)


@pytest.mark.parametrize("equation", equations)
def test_fresh_water_has_density_and_slopes(equation):
    at = [4.0, 4.0], [0.0, -1e-3], [10.0, 4000.0]
    assert np.isfinite(density(equation, *at)).all()
    expansion, contraction = slopes(equation, *at)
    assert np.isfinite(expansion).all()
    assert ((contraction > 0.7) & (contraction < 0.9)).all()


@pytest.mark.parametrize("equation", equations)
def test_float32_keeps_density(equation):
    temperature, salinity, depth = (x.astype(np.float32) for x in waters(3000))
    short = density(equation, temperature, salinity, depth, dtype=np.float32)
    exact = density(equation, temperature, salinity, depth)
    np.testing.assert_allclose(short, exact, rtol=0, atol=1.5e-5)


outputs = {
    "density": ["density"],
    "expansion": ["thermal_expansion", "haline_contraction"],
    "stability": ["stability"],
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("equation", equations)
@pytest.mark.parametrize("kernel", outputs)
def test_lanes_have_the_bits_of_scalars(kernel, equation, dtype):
    temperature, salinity, _ = waters(4 * 37)
    tracer = np.stack([temperature, salinity]).reshape(2, 4, 37)
    depth = np.array([4000.0, 2000.0, 500.0, 5.0], dtype)
    given = {"numbers": numbers(equation)}
    if kernel == "stability":
        given |= {"gravity": gravity, "spacing": -np.diff(depth, prepend=depth[:1])}
    whole = of(kernel, tracer, depth, *outputs[kernel], dtype=dtype, **given)
    for column in range(37):
        alone = of(kernel, tracer[..., column], depth, *outputs[kernel], dtype=dtype, **given)
        for one, all_of_them in zip(alone, whole, strict=True):
            np.testing.assert_array_equal(one, all_of_them[:, column])


def stability(equation, temperature, salinity, depth, dtype=np.float64):
    """Square of the buoyancy frequency [s-2] of columns."""
    depth = np.asarray(depth, dtype)
    spacing = -np.diff(depth, prepend=depth[:1])
    tracer = np.broadcast_arrays(temperature, salinity)
    [found] = of("stability", tracer, depth, "stability", dtype=dtype, spacing=spacing,
                 gravity=gravity, numbers=numbers(equation))  # fmt: skip
    return found


@pytest.mark.parametrize("equation", equations)
def test_stability_is_at_the_pressure_of_the_lower_water(equation):
    """Mixed water is neutral to the bit, though denser below; the upper one sinks unmixed."""
    depth = np.array([4500.0, 3000.0, 1000.0, 200.0, 5.0])
    for dtype in (np.float32, np.float64):
        mixed = stability(equation, np.full(5, 3.0), np.full(5, 34.7), depth, dtype)
        np.testing.assert_array_equal(mixed, np.zeros(5))
    temperature = np.array([0.1, 1.0, 0.9, 12.0, 11.0])
    salinity = np.array([34.7, 34.7, 34.72, 35.0, 35.2])
    below = density(equation, temperature[:-1], salinity[:-1], depth[:-1])
    sunk = density(equation, temperature[1:], salinity[1:], depth[:-1])
    wanted = gravity / 1026.0 * (below - sunk) / (depth[:-1] - depth[1:])
    found = stability(equation, temperature, salinity, depth)
    assert found[0] == 0.0
    np.testing.assert_allclose(found[1:], wanted, rtol=1e-6, atol=1e-16)


def test_cold_water_gets_heavier_than_salty_water_as_it_sinks():
    """Thermobaricity: what floats at the surface overturns far down, but not in a linear ocean."""
    temperature, salinity = np.array([1.0, -1.0]), np.array([34.8, 34.6])
    shallow = {name: stability(name, temperature, salinity, [60.0, 10.0])[1] for name in equations}
    deep = {name: stability(name, temperature, salinity, [4060.0, 4010.0])[1] for name in equations}
    assert shallow["linear"] == deep["linear"]
    for name in curved:
        assert shallow[name] > 0 > deep[name], name


def test_convection_mixes_where_water_overturns():
    found = np.array([0.0, 1e-5, -1e-12, 0.0]).reshape(4, 1, 1)
    diffusivity = np.full_like(found, np.nan)
    _native.ocean_convection(
        box=(0, 1, 0, 1, 0), stability=found, vertical_diffusivity=diffusivity,
        background=1e-5, convective=0.1,
    )  # fmt: skip
    np.testing.assert_array_equal(diffusivity.ravel(), [1e-5, 1e-5, 0.1, 1e-5])


def test_freezing_temperature():
    """Fofonoff and Millard 1983, page 30; and the toolbox at the surface."""
    [deep] = depth_of(np.array([500.0]))
    [[found]] = of("freezing", [[[0.0]], [[40.0]]], [deep], "freezing_temperature")[0]
    assert found == pytest.approx(-2.588567, abs=6e-7)
    salinity = np.linspace(0.0, 40.0, 41)
    tracer = [[np.zeros(41)], [salinity]]
    [[found]] = of("freezing", tracer, [0.0], "freezing_temperature")
    toolbox = gsw.t_freezing(salinity * 35.16504 / 35.0, 0.0, 0.0)
    np.testing.assert_allclose(found, toolbox, rtol=0, atol=5e-3)


def test_the_options_name_what_the_kernels_compute():
    """The order of the names is that of C++: a water whose density all equations tell apart."""
    at = 20.0, 36.0, 3000.0
    got = [float(density(name, [at[0]], [at[1]], [at[2]])[0]) for name in equations]
    assert len({round(one, 5) for one in got}) == len(equations)
    assert got[0] == pytest.approx(1026.0 - 0.2 * 10.0 + 0.77)
