"""Fluxes of the surface layer: exact logarithms, profiles by quadrature, limits. Ranks: 1."""

from math import log

import numpy as np
import pytest
from scipy.integrate import quad

from atmosphere.column import run_columns
from halocline.atmosphere.boundary_layer.surface_layer_options import SurfaceLayerOptions

usual = SurfaceLayerOptions().numbers
capacity, gravity, karman, pressure = 1004.5, 9.81, 0.4, 1.0e5


def saturated(temperature, share=1.0):
    vapor = share * 611.2 * np.exp(17.67 * (temperature - 273.15) / (temperature - 29.65))
    return 287.0 / 461.6 * vapor / (pressure - vapor)


def surface(count=1, dtype=np.float64, numbers=None, **given):
    """Fluxes over columns of one layer; air and ground dry, 300 K and 30 m high but for `given`."""
    arrays = {
        "u": 5.0, "v": 0.0, "dry_theta": 0.0, "water": 0.0, "air_density": 1.2, "exner": 1.0,
        "height": 30.0, "surface_pressure": pressure, "skin_temperature": 300.0, "land": 1.0,
        "moisture_availability": 0.0, "boundary_layer_depth": 1000.0, "roughness": 0.1,
        "charnock": SurfaceLayerOptions().charnock,
    } | given  # fmt: skip
    deep = ("u", "v", "dry_theta", "air_density", "exner", "height")
    arrays |= {name: np.atleast_2d(arrays[name]) for name in deep}
    arrays["water"] = np.reshape(arrays["water"], (1, 1, -1))
    return run_columns(
        "atmosphere_surface_layer", count, arrays, usual | (numbers or {}),
        {"depth": 1, "species": 1}, dtype,
    )  # fmt: skip


def heat_roughness(roughness, friction):
    """Of land."""
    return roughness * np.exp(-karman * 0.1 * np.sqrt(friction * roughness / 1.5e-5))


def phi_stable(zeta, a, b):
    """Cheng and Brutsaert 2005, equations 22 and 24."""
    power = zeta**b
    return 1 + a * (zeta + power * (1 + power) ** ((1 - b) / b)) / (zeta + (1 + power) ** (1 / b))


def psi(zeta, heat):
    """By quadrature of the functions of gradients; that of unstable air blended as published."""

    def integral(phi):
        return quad(lambda x: (1 - phi(x)) / x, 0, zeta, epsabs=1e-12, limit=200)[0]

    if zeta > 0:
        a, b = (5.3, 1.1) if heat else (6.1, 2.5)
        return integral(lambda x: phi_stable(x, a, b))
    weak = integral(lambda x: (1 - 16 * x) ** (-0.5 if heat else -0.25))
    strong = integral(lambda x: (1 - (34 if heat else 10) * x) ** (-1 / 3))
    return (weak + zeta**2 * strong) / (1 + zeta**2)


def rise(length, low, high, heat):
    return log(high / low) - psi(high / length, heat) + psi(low / length, heat)


def test_neutral_air_is_a_logarithm():
    """Skin as warm as the air, dry: the law of the wall, exactly."""
    got = surface()
    friction = karman * 5 / log(30.1 / 0.1)
    np.testing.assert_allclose(got["friction_velocity"], friction, rtol=1e-12)
    np.testing.assert_allclose(got["low_u"], friction / karman * log(10.1 / 0.1), rtol=1e-12)
    np.testing.assert_allclose(got["momentum_exchange"], 1.2 * friction**2 / 5, rtol=1e-12)
    heat = log((30 + heat_roughness(0.1, friction)) / heat_roughness(0.1, friction))
    np.testing.assert_allclose(got["heat_exchange"], 1.2 * friction * karman / heat, rtol=1e-12)
    np.testing.assert_allclose(got["heat_flux"], 0.0, atol=1e-12)
    np.testing.assert_allclose(got["low_temperature"], 300.0, rtol=1e-14)


@pytest.mark.parametrize(
    ("difference", "wind"),
    [(-8.0, 2.0), (-3.0, 6.0), (-0.2, 12.0), (0.2, 8.0), (2.0, 4.0), (5.0, 2.0), (10.0, 0.7)],
)
def test_profiles_are_those_of_published_gradients(difference, wind):
    """With the length that the fluxes have, the profiles between ground and air integrate to them.

    `difference` is air less ground [K]: from free convection (z / L = -11) to z / L above 100.
    """
    got = surface(u=wind, skin_temperature=300.0 - difference)
    friction, flux = (float(got[name][0]) for name in ("friction_velocity", "heat_flux"))
    scale = -flux / (1.2 * capacity * friction)
    length = friction**2 * 300.0 / (karman * gravity * scale)
    convective = np.cbrt(max(gravity / 300.0 * 1000.0 * flux / (1.2 * capacity), 0.0))
    blowing = np.hypot(wind, convective)
    smooth = heat_roughness(0.1, friction)
    assert karman * blowing / friction == pytest.approx(rise(length, 0.1, 30.1, False), rel=1e-8)
    heat = rise(length, smooth, 30 + smooth, True)
    assert karman * difference / scale == pytest.approx(heat, rel=1e-8)
    blown = rise(length, 0.1, 10.1, False) * friction / karman * wind / blowing
    np.testing.assert_allclose(got["low_u"], blown, rtol=1e-8)
    low = 300.0 - difference + scale / karman * rise(length, smooth, 2 + smooth, True)
    np.testing.assert_allclose(got["low_temperature"], low, rtol=1e-10)


def test_published_values_of_the_gradients():
    """Cheng and Brutsaert's functions end at 7.1 and 6.3, and so the drag at great z / L."""
    assert phi_stable(1e9, 6.1, 2.5) == pytest.approx(7.1)
    assert phi_stable(1e9, 5.3, 1.1) == pytest.approx(6.3, rel=1e-3)
    got = surface(u=0.15, skin_temperature=270.0)
    limit = karman * 0.15 / (7.1 * log(30.1 / 0.1))
    assert limit < float(got["friction_velocity"][0]) < 2 * limit


def test_the_sea_is_as_rough_as_published():
    """Charnock's 0.0185 is Wu's: a drag of (0.8 + 0.065 U) / 1000 at 10 m (Wu 1980)."""
    winds = np.array([7.0, 10.0, 15.0, 20.0])
    got = surface(4, land=0.0, u=winds[None], height=10.0, water=saturated(300.0, 0.98))
    drag = (got["friction_velocity"] / winds) ** 2
    np.testing.assert_allclose(drag, 1e-3 * (0.8 + 0.065 * winds), rtol=0.05)
    friction = got["friction_velocity"]
    wavy = 0.0185 * friction**2 / gravity + 0.11 * 1.5e-5 / friction
    np.testing.assert_allclose(got["roughness"], wavy, rtol=1e-5)
    np.testing.assert_allclose(surface()["roughness"], 0.1)
    reynolds = friction * wavy / 1.5e-5
    smooth = np.minimum(1.1e-4, 5.5e-5 * reynolds**-0.6)
    heat = np.log((10 + smooth) / smooth)
    np.testing.assert_allclose(got["heat_exchange"], 1.2 * friction * karman / heat, rtol=1e-5)


def test_fluxes_of_vapor():
    """The sea evaporates whatever `moisture_availability` says, land as it says; dew falls too."""
    got = surface(
        4, land=[0.0, 1.0, 1.0, 1.0], moisture_availability=[0.0, 0.3, 0.3, 0.0],
        water=[0.010, 0.010, 0.030, 0.010], height=30.0,
    )  # fmt: skip
    deficit = np.array([saturated(300.0, 0.98), *[saturated(300.0)] * 3]) - [0.01, 0.01, 0.03, 0.01]
    expected = got["heat_exchange"] * [1.0, 0.3, 0.3, 0.0] * deficit
    np.testing.assert_allclose(got["vapor_flux"], expected, rtol=1e-10, atol=1e-18)
    assert got["vapor_flux"][2] < 0 < got["vapor_flux"][1]
    assert 0.010 < got["low_vapor"][1] < saturated(300.0)
    assert got["friction_velocity"][1] > got["friction_velocity"][3], "vapour is light"


def test_calm_and_extreme_air_has_an_answer():
    """No limit on z / L: fluxes fall or grow with the difference, in both precisions."""
    differences = np.concatenate([-np.geomspace(40, 0.01, 20), [0.0], np.geomspace(0.01, 40, 20)])
    for wind in (0.0, 0.3, 3.0, 30.0):
        results = [
            surface(41, dtype, u=wind, skin_temperature=300.0 - differences)
            for dtype in (np.float64, np.float32)
        ]
        for got in results:
            assert all(np.isfinite(values).all() for values in got.values())
            assert (got["heat_flux"] * differences <= 0).all()
            assert (np.diff(got["friction_velocity"]) <= 1e-6).all()
        for name in ("friction_velocity", "heat_flux"):
            exact, single = results[0][name], results[1][name]
            np.testing.assert_allclose(single, exact, rtol=2e-3, atol=1e-3)


def test_iterations_have_converged():
    """Over the sea, where roughness, gusts and z / L are found together."""
    random = np.random.default_rng(3)
    count = 200
    skin, wind = random.uniform(285, 310, count), random.uniform(0.1, 25, count)
    got = surface(count, land=0.0, u=wind[None], skin_temperature=skin, water=0.01)
    friction, vapor = got["friction_velocity"], got["vapor_flux"]
    heat = got["heat_flux"] / (1.2 * capacity)
    ground = saturated(skin, 0.98)
    virtual = 300 * (1 + 0.608 * 0.01) - skin * (1 + 0.608 * ground)
    buoyancy = -got["heat_exchange"] / 1.2 * virtual
    convective = np.cbrt(np.maximum(gravity / 300 * 1000 * buoyancy, 0))
    blowing = np.maximum(np.hypot(wind, convective), 0.1)
    np.testing.assert_allclose(got["momentum_exchange"], 1.2 * friction**2 / blowing, rtol=1e-6)
    wavy = 0.0185 * friction**2 / gravity + 0.11 * 1.5e-5 / friction
    np.testing.assert_allclose(got["roughness"], wavy, rtol=5e-5)
    assert np.isfinite(heat).all() and np.isfinite(vapor).all()
