"""The whole globe: jets that stay and that break, a climate by simple returns. Ranks: 1."""

import numpy as np
import pytest

from atmosphere.dynamics_cases import begun, ended, shipped, values
from atmosphere.test_polar_filter import coarse
from halocline.atmosphere.start_globe import GlobalJet
from halocline.atmosphere.start_jet import JetOptions
from halocline.core.constants import earth_rotation
from halocline.core.errors import UserError

radius = 6.371229e6
jet = GlobalJet(JetOptions(kind="globe", speed=35.0), radius)
still = coarse | {"atmosphere.start.jet.gust": 0.0}


def test_the_jets_are_those_of_the_paper():
    """35 m/s at 45 degrees and 0.252 of the pressure, none at equator and poles."""
    assert jet.wind(0.0, np.array([45.0, -45.0]), np.array(0.252)).tolist() == [35.0, 35.0]
    assert np.abs(jet.wind(0.0, np.array([0.0, 90.0]), np.array(0.5))).max() < 1e-12
    height = jet.ground(np.linspace(-90.0, 90.0, 1801))
    weight = np.cos(np.radians(np.linspace(-90.0, 90.0, 1801)))
    assert abs((height * weight).sum() / weight.sum()) < 0.01 * np.ptp(height)


def test_the_jets_are_in_balance():
    """u (f + u tan / a) = -d phi / a d latitude, its derivative by ln p: the thermal wind."""
    latitude, eta, step = np.linspace(-80.0, 80.0, 33), np.linspace(0.05, 0.98, 20)[:, None], 1e-4

    def turning(level: np.ndarray) -> np.ndarray:
        u = jet.wind(0.0, latitude, level)
        f = 2.0 * earth_rotation * np.sin(np.radians(latitude))
        return np.asarray(u * (f + u * np.tan(np.radians(latitude)) / radius))

    up, down = turning(eta * np.exp(step)), turning(eta * np.exp(-step))
    north, south = (jet.temperature(latitude + sign * step, eta) for sign in (1.0, -1.0))
    expected = 287.0 * (north - south) / (radius * np.radians(2.0 * step))
    assert np.abs(expected).max() > 1e-3
    np.testing.assert_allclose((up - down) / (2.0 * step), expected, atol=1e-7)


def test_the_jets_stay(monkeypatch):
    """For two days; wind along meridians is that of the adjustment of coarse cells.

    Over flat ground, which is not in balance with them, they do not stay.
    """
    case = shipped("baroclinic-globe", **still, **{"time.length": "2d"})
    component = begun(case)
    before = values(component, "u")
    assert before.max() == pytest.approx(33.64, abs=0.01)  # in the middle of layers
    ended(case, component)
    u, v = values(component, "u"), values(component, "v")
    area = component.plane.area
    error = np.sqrt(((u - before) ** 2 * area).sum() / (area.sum() * u.shape[0]))
    assert error < 0.3
    assert np.abs(u - before).max() < 2.0
    assert np.abs(u - u.mean(axis=2, keepdims=True)).max() < 1e-9
    assert np.abs(v).max() < 1.5
    monkeypatch.setattr(GlobalJet, "ground", lambda self, y: np.zeros(y.shape))
    moved = ended(case)
    assert np.abs(values(moved, "u") - before).max() > 3.0


def test_a_wave_grows_on_the_northern_jet_only():
    case = shipped("baroclinic-globe", **coarse, **{"time.length": "4d"})
    component = ended(case)
    v = values(component, "v")[:, 1:-1]
    north, south = v[:, 8:], v[:, :7]
    uneven = [np.abs(part - part.mean(axis=2, keepdims=True)).max() for part in (north, south)]
    assert uneven[0] > 10.0 * uneven[1]
    assert 0.1 < uneven[0] < 5.0


@pytest.mark.slow
def test_lows_of_jablonowski_and_williamson():
    """Lowest pressures of days 7 to 9 in cells of 2 degrees, where the paper (2006, Q. J. R.
    Meteorol. Soc. 132, 2943) shows maps: by a spectral hydrostatic model (Dinosaur 1.2.1, T42, 26
    layers) 986.0, 969.5 and 945.4 hPa, the last at 63 N 214 E, and 1019.3 at most."""
    case = shipped("baroclinic-globe")
    component, clock, seen = begun(case), case.time.clock(), []
    day = round(86400.0 / clock.step.total_seconds())
    for step in range(1, 9 * day + 1):
        component.step(clock.time)
        clock.advance()
        if step % day == 0 and step >= 7 * day:
            seen.append(component.diagnose(["surface_pressure"], clock.time))
            seen[-1] = seen[-1]["surface_pressure"].gather().squeeze() / 100.0
    lows = [found.min() for found in seen]
    np.testing.assert_allclose(lows, [986.0, 969.5, 945.4], atol=3.0)
    j, i = np.unravel_index(seen[-1].argmin(), seen[-1].shape)
    assert abs(component.plane.y[j] - 63.0) <= 4.0 and abs(component.plane.x[i] - 214.0) <= 8.0
    assert seen[-1].max() == pytest.approx(1019.3, abs=1.0)
    assert np.abs(seen[-1][:40] - 1000.0).max() < 0.5  # the other hemisphere


def test_wrong_jets_are_refused():
    for wrong, words in (
        ({"atmosphere.mountain.kind": "bell"}, "over a ground of its own"),
        ({"grid.kind": "cartesian", "grid.sides.south": "mirror", "grid.sides.north": "mirror",
          "grid.periodic_x": True, "grid.dx": 1e5, "grid.dy": 1e5, "grid.radius": None},
         "a grid of longitude and latitude"),
    ):  # fmt: skip
        with pytest.raises(UserError, match=words):
            begun(shipped("baroclinic-globe", **(coarse | wrong)))


def test_what_a_globe_cannot_have_is_refused():
    for name, wrong, words in (
        (
            "baroclinic-globe",
            {
                "atmosphere.microphysics.scheme": "kessler",
                "atmosphere.advection.limiter": "monotone",
            },
            "'monotone' on a grid with poles.*Choose 'positive'",
        ),
        ("bubble", {"atmosphere.held_suarez.acts": True}, "needs latitudes"),
    ):
        with pytest.raises(UserError, match=words):
            begun(shipped(name, **wrong))


climate = coarse | {"atmosphere.layers.count": 10, "precision": "float64"}


def paper(
    pressure: np.ndarray, surface: np.ndarray, latitude: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Equilibrium temperature [K], rates of return and of friction [s-1] (Held and Suarez 1994)."""
    phi, day = np.radians(latitude), 86400.0
    over = np.maximum(0.0, (pressure / surface - 0.7) / 0.3)
    scaled = pressure / 1e5
    warm = 315.0 - 60.0 * np.sin(phi) ** 2 - 10.0 * np.log(scaled) * np.cos(phi) ** 2
    wanted = np.maximum(200.0, warm * scaled ** (2.0 / 7.0))
    rate = 1.0 / (40.0 * day) + (1.0 / (4.0 * day) - 1.0 / (40.0 * day)) * over * np.cos(phi) ** 4
    return wanted, rate, over / day


def test_the_forcing_is_that_of_the_paper():
    """Of random air, by its temperature: what dynamics take it from is potential temperature."""
    component = begun(shipped("held-suarez", **climate))
    c, forcing = component.coordinate, component.dynamics.forcing
    random = np.random.default_rng(5)
    for name, least, most in (("theta", -60.0, 80.0), ("u", -30.0, 30.0), ("v", -30.0, 30.0)):
        field = getattr(component.state, f"old_{name}")
        field.set_global(random.uniform(least, most, field.shape))
    component.state.old_mass.set_global(random.uniform(-3e3, 3e3, component.plane.shape))
    forcing(1800.0)
    old = {name: values(component, f"old_{name}") for name in ("theta", "u", "v", "mass")}
    mass = old["mass"] + values(component, "base_mass")
    faces = c.pressure(mass)
    pressure, surface = 0.5 * (faces[1:] + faces[:-1]), faces[0]
    latitude = component.plane.y[:, None]
    wanted, rate, _ = paper(pressure, surface, latitude)
    exner = (pressure / 1e5) ** (2.0 / 7.0)
    heating = rate * (wanted - (old["theta"] + 300.0) * exner)
    expected = c.layer_mass(mass) * heating / exner
    scale = np.abs(expected).max()
    np.testing.assert_allclose(values(component, "theta_forcing"), expected, atol=1e-12 * scale)
    west = 0.5 * (mass + np.roll(mass, 1, axis=1))
    faces = c.pressure(west)
    *_, slows = paper(0.5 * (faces[1:] + faces[:-1]), faces[0], latitude)
    expected = -slows * c.layer_mass(west) * old["u"]
    assert (expected[-1] == 0.0).all()
    assert np.abs(expected[0]).min() > 0.0
    scale = np.abs(expected).max()
    np.testing.assert_allclose(values(component, "u_forcing"), expected, atol=1e-12 * scale)
    south = 0.5 * (mass[1:] + mass[:-1])
    faces = c.pressure(south)
    *_, slows = paper(0.5 * (faces[1:] + faces[:-1]), faces[0], latitude[1:])
    expected = -slows * c.layer_mass(south) * old["v"][:, 1:-1]
    found = values(component, "v_forcing")[:, 1:-1]
    np.testing.assert_allclose(found, expected, atol=1e-12 * scale)


def test_the_climate_warms_the_equator_and_cools_the_poles():
    """Air at rest, for two days: in the lowest layer by the fast rate."""
    case = shipped("held-suarez", **climate, **{"time.length": "2d"})
    component = begun(case)
    before = values(component, "theta")
    ended(case, component)
    change = (values(component, "theta") - before)[0].mean(axis=1)
    assert change[7:9].min() > 0.5
    assert change[[0, -1]].max() < -0.5
    assert np.abs(values(component, "u")).max() > 0.5
