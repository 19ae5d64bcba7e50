"""Momentum that passes between air, waves and ocean."""

import numpy as np
import pytest

from halocline.core.clock import duration
from halocline.core.constants import air_density, gravity, water_density
from halocline.core.errors import UserError
from halocline.experiment.run import run
from halocline.waves import spectra
from halocline.waves.inspection import sources
from halocline.waves.momentum import momentum_weights
from halocline.waves.spectrum import SpectralGrid

spectrum = {"first_frequency": 0.06, "frequencies": 16, "directions": 12}
grid = SpectralGrid(**spectrum)
stresses = [f"stress_{way}_waves_{axis}" for way in ("into", "from") for axis in ("east", "north")]


def case(**more):
    plain = {
        "component": "waves",
        "precision": "float64",
        "grid": {
            "kind": "cartesian", "nx": 6, "ny": 5, "dx": 20e3, "dy": 20e3, "depth": 4000.0,
            "closed_edges": False, "periodic_x": True, "periodic_y": True,
        },
        "spectrum": spectrum,
        "time": {"start": "2000-01-01", "length": "1h", "step": "10min"},
        "start": {"kind": "jonswap", "jonswap": {"fetch": 1e5}},
        "forcing": {"wind": {"speed": 14.0, "direction": 240.0}},
        "waves": {"momentum_fluxes": True},
    }  # fmt: skip
    return plain | more


def momentum(density, depth_wavenumber=None):
    """Of spectra (component, ...), over the density of water, by NumPy [m2 s-1]."""
    k = grid.sigma**2 / gravity if depth_wavenumber is None else depth_wavenumber
    weights = gravity * k / grid.sigma * grid.output_band_width * grid.direction_width
    parts = density.reshape(grid.frequencies, grid.directions, -1)
    along = np.array([np.cos(grid.direction), np.sin(grid.direction)])
    return np.einsum("f,fdp,ad->ap", weights, parts, along)


def shown(component, *names):
    found = component.diagnose(names, None)
    return np.stack([found[name].gather() for name in names])


@pytest.mark.parametrize("physics", ["ST2", "ST4"])
def test_momentum_closes_over_a_sea_without_sides(physics):
    """What waves have gained in an hour of unlike winds is what came less what went."""

    def storm(seconds, x, y):
        return 16.0 * np.cos(x / 3e4 + seconds / 2e3), 9.0 * np.sin(y / 3e4)

    sea = case(
        forcing={"wind": {"interpolation": "arc"}},
        waves={"momentum_fluxes": True, "physics": physics},
        time={"start": "2000-01-01", "length": "10min", "step": "10min"},
    )
    component = run(sea, wind_function=storm).component
    model, time = component.model, component.wind.start
    before = momentum(model.spectrum.gather()).sum(axis=1)
    came = np.zeros(2)
    for _ in range(3):
        time += duration("10min")
        component.step(time)
        passed = shown(component, *stresses)
        came += (passed[:2] - passed[2:]).sum(axis=1) * 600.0 / water_density
    gained = momentum(model.spectrum.gather()).sum(axis=1) - before
    assert np.abs(gained).max() > 1e-2
    np.testing.assert_allclose(came, gained, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("physics", ["ST2", "ST4"])
def test_short_steps_pass_on_what_the_source_terms_say(physics):
    """Each term by itself, in water so shallow that the bottom takes its share."""
    depth, minute = 12.0, {"start": "2000-01-01", "length": "1s", "step": "1s"}
    flat = case()["grid"] | {"depth": depth}
    waves = {"momentum_fluxes": True, "physics": physics, "integration": {"minimum_step": 0.5}}
    component = run(case(time=minute, grid=flat, waves=waves)).component
    density = spectra.jonswap_directional(grid, peak_frequency=0.12, direction=250.0)
    component.model.set_spectra(lambda some: np.repeat(density.reshape(-1, 1), some.size, axis=1))
    for _ in range(2):  # friction velocity and spectrum come to terms
        component.step(component.wind.start)
    now = component.model.spectrum.gather()[:, 0].reshape(grid.shape)
    component.step(component.wind.start)
    passed = shown(component, *stresses)[:, 0]
    terms = sources(now, depth=depth, wind=(14.0, 240.0), physics=physics, grid=grid)
    k = component.model.wavenumber.gather()[:, 0]

    def stress(term):
        return water_density * momentum(term.reshape(-1, 1), k)[:, 0]

    into = stress(terms.input)
    assert np.abs(stress(terms.friction)).max() > 0.02 * np.abs(into).max()
    np.testing.assert_allclose(passed[:2], into, rtol=0.03)
    lost = -stress(terms.dissipation + terms.quadruplets + terms.breaking)
    np.testing.assert_allclose(passed[2:], lost, rtol=0.1)


def test_the_air_feels_what_the_waves_say():
    component = run(case()).component
    star, east, north = shown(
        component, "friction_velocity", "wind_stress_east", "wind_stress_north"
    )
    pull = air_density * star**2
    np.testing.assert_allclose(east, pull * np.sin(np.radians(60.0)), rtol=1e-12)
    np.testing.assert_allclose(north, pull * np.cos(np.radians(60.0)), rtol=1e-12)
    into = shown(component, *stresses)[:2]
    assert (0.0 < into[0]).all() and (into[0] < 1.5 * east).all()


def test_stokes_transport_of_one_wave():
    """a^2 sigma / 2 coth(k d) of waves of amplitude a, along their direction."""
    narrow = {"kind": "gaussian", "gaussian": {
        "height": 2.0, "peak_frequency": 0.06 * 1.1**4, "frequency_width": 1e-9,
        "direction": 240.0, "cosine_power": 4e4, "radius_x": 1e9, "radius_y": 1e9,
    }}  # fmt: skip
    flat = case()["grid"] | {"depth": 15.0}
    still = {"start": "2000-01-01", "length": "1s", "step": "1s"}
    turned = spectrum | {"directions": 12, "offset": 0.0}
    component = run(
        case(grid=flat, start=narrow, waves={"physics": "none"}, time=still, spectrum=turned)
    ).component
    east, north = shown(component, "stokes_transport_u", "stokes_transport_v")[:, 0]
    sigma, k = grid.sigma[4], component.model.wavenumber.gather()[4, 0]
    variance = 2.0**2 / 16.0
    assert k * 15.0 < 1.2
    expected = variance * sigma / np.tanh(k * 15.0)
    np.testing.assert_allclose(east, expected * np.cos(np.radians(30.0)), rtol=1e-6)
    np.testing.assert_allclose(north, expected * np.sin(np.radians(30.0)), rtol=1e-6)


def test_the_tail_carries_a_third_of_its_first_value():
    """sigma F with F ~ f^-5 beyond the last frequency of a fine spectrum, by quadrature."""
    fine = SpectralGrid(first_frequency=0.1, factor=1.01, frequencies=150, directions=4)
    f = fine.frequency
    with_tail = momentum_weights(fine, tail=True) * fine.sigma / fine.direction_width
    whole = (with_tail / 2.0 / np.pi * f**-5 * 2.0 * np.pi / gravity * fine.sigma).sum()
    exact = 2.0 * np.pi * (f[0] ** -3) / 3.0
    np.testing.assert_allclose(whole, exact, rtol=1e-3)


def test_fluxes_that_are_not_computed_are_refused():
    with pytest.raises(UserError, match="stress_into_waves_east.*momentum_fluxes = true only"):
        component = run(case(waves={})).component
        component.diagnose(["stress_into_waves_east"], None)
    with pytest.raises(UserError, match="waves.physics = 'none'. Choose"):
        run(case(waves={"physics": "none", "momentum_fluxes": True}))


def test_the_integration_is_not_changed_by_looking():
    """Bits of spectra with and without fluxes are the same."""
    found = [run(case(waves={"momentum_fluxes": on})).component for on in (False, True)]
    one, other = (some.model.spectrum.gather() for some in found)
    assert np.array_equal(one, other)
