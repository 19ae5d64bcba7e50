"""The energy of eddies: kernels against plain formulas, a decay and a balance in closed form, what
the wind loses, and a mixed layer that grows as it should."""

import numpy as np
import pytest

from atmosphere.dynamics_cases import begun, ended, small, values
from atmosphere.test_air_mixing import computed, rough
from references.air_mixing import Motion

kind = {"atmosphere.mixing.kind": "turbulent-energy"}


def eddies(f, energy, stability):
    """Width of cells, length of eddies [m]."""
    depth = np.diff(f["geopotential"] + f["base_geopotential"], axis=0) / 9.81
    width = np.cbrt(f["dx"] * f["dy"] * depth)
    with np.errstate(invalid="ignore", divide="ignore"):
        reach = 0.76 * np.sqrt(energy / stability)
    short = np.maximum(np.minimum(width, reach), 1e-3 * width)
    return width, np.where(stability > 0.0, short, width)


def air():
    """Random air with eddies, stable and not."""
    f, random = rough(), np.random.default_rng(8)
    shape = f["theta"].shape
    f["energy"] = random.uniform(0.01, 2.0, shape)
    f["stability"] = random.uniform(-1e-4, 1e-3, shape)
    f["strain"] = random.uniform(0.0, 1e-3, shape)
    f["diffusivity"] = random.uniform(0.0, 60.0, shape)
    return f


def test_mixing_is_what_it_says():
    f = air()
    width, length = eddies(f, f["energy"], f["stability"])
    assert (length < width).any() and (length == width).any()
    expected = 0.15 * length * np.sqrt(f["energy"])
    names = {"viscosity": None, "diffusivity": None}
    found = computed("energy_mixing", "viscosity", f | names, coefficient=0.15)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    found = computed("energy_mixing", "diffusivity", f | names, coefficient=0.15)
    np.testing.assert_allclose(found, expected * (1.0 + 2.0 * length / width), rtol=1e-12)
    like_heat = Motion(f | {"theta": f["energy"]}).heat_forcing(2.0, 0.0)
    found = computed("mix_energy", "energy_forcing", f, sloping=1)
    np.testing.assert_allclose(found, like_heat, atol=1e-12 * np.abs(like_heat).max())


def test_sources_are_what_they_say():
    f = air()
    width, length = eddies(f, f["energy"], f["stability"])
    buoyant = -f["diffusivity"] * f["stability"]
    buoyant[[0, -1]] *= 0.5
    buoyant[0] += 0.5 * 9.81 * 0.1 / (f["theta"][0] + 300.0)
    made = f["viscosity"] * f["strain"] + np.maximum(buoyant, 0.0)
    lost = np.maximum(-buoyant, 0.0) / f["energy"]
    lost += (0.19 + 0.74 * length / width) * np.sqrt(f["energy"]) / length
    expected = (f["energy"] + 2.0 * made) / (1.0 + 2.0 * lost)
    found = computed("energy_sources", "energy", f, coefficient=0.1, given=0.1, least=1e-6, dt=2.0)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_what_the_wind_carries():
    """As potential temperature, but that one energy everywhere stays whatever the wind does."""
    f, random = air(), np.random.default_rng(9)
    shape = f["theta"].shape
    f |= {name: random.uniform(-1e9, 1e9, shape) for name in ("x_flux", "y_flux")}
    f["rise"] = random.uniform(-1e3, 1e3, (shape[0] + 1, *shape[1:]))
    f["rise"][[0, -1]] = 0.0
    f["stage_energy"] = f["energy"]
    f["old_energy"], f["energy_forcing"] = f["energy"] + 10.0, random.uniform(-1.0, 1.0, shape)
    ways = {"order": 5, "vertical_order": 3}
    as_heat = f | {"theta": f["energy"], "theta_forcing": f["energy_forcing"]}
    carried = computed("theta_tendency", "theta_rate", as_heat, weno=0, **ways)
    out = np.roll(f["x_flux"], -1, 2) - f["x_flux"] + np.roll(f["y_flux"], -1, 1) - f["y_flux"]
    out = out / f["area"] + np.diff(f["rise"], axis=0) / f["thickness"][:, None, None]
    expected = f["old_energy"] + 1e-2 * (carried + f["energy"] * out) / Motion(f).mass()
    assert expected.min() > 0.0
    found = computed("energy_transport", "next_energy", f, dt=1e-2, **ways)
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    even = np.full(shape, 0.7)
    f |= {"stage_energy": even, "old_energy": even, "energy_forcing": 0.0 * even}
    found = computed("energy_transport", "next_energy", f, dt=1e-2, **ways)
    np.testing.assert_allclose(found, 0.7, rtol=1e-12)
    f["old_energy"] = -1e6 * even
    assert computed("energy_transport", "next_energy", f, dt=1e-2, **ways).max() == 0.0


def with_energy(case, energy, wind=0.0):
    """The atmosphere of a case with an energy everywhere and a wind along x, by layers."""
    component = begun(case)
    s = component.state
    s.energy.set_global(np.full(s.energy.shape, energy))
    s.u.set_global(np.broadcast_to(np.reshape(wind, (-1, 1, 1)), s.u.shape).copy())
    component.start(case.time.clock().time, restarted=True)
    return component


def test_eddies_without_wind_decay_as_the_square_of_time():
    """de/dt = -0.93 e^(3/2) / width: sqrt(e) = sqrt(e0) / (1 + 0.93 sqrt(e0) t / (2 width))."""
    case = small(**kind, **{"time.length": "400s"})
    found = values(ended(case, with_energy(case, 4.0)), "energy")[5:15]
    expected = 4.0 / (1.0 + 0.93 * 2.0 * 400.0 / (2.0 * 500.0)) ** 2
    np.testing.assert_allclose(found, expected, rtol=0.01)


def test_shear_and_loss_balance():
    """K S^2 = 0.93 e^(3/2) / width in isentropic air: e = 0.15 / 0.93 (width S)^2."""
    wind = 5e-3 * np.arange(250.0, 1e4, 500.0)
    case = small(**kind, **{"time.length": "3000s", "time.step": "5s"})
    component = ended(case, with_energy(case, 0.5, wind))
    depth = np.diff(values(component, "geopotential") + values(component, "base_geopotential"),
                    axis=0) / 9.81  # fmt: skip
    width = np.cbrt(500.0 * 500.0 * depth)
    expected = 0.15 / 0.93 * (width * 5e-3) ** 2
    np.testing.assert_allclose(values(component, "energy")[8:12], expected[8:12], rtol=0.02)
    assert "energy" in {field.name for field in component.restart_fields()}


@pytest.mark.slow
def test_a_mixed_layer_grows_as_it_should():
    """Heat that enters stable air at the ground: the layer is at least as deep as without
    entrainment, sqrt(2 F t / gamma), and a fifth deeper at most (Tennekes 1973, J. Atmos. Sci. 30,
    558); within it the flux falls linearly with height."""
    flux, frequency, seconds, cells = 0.2, 0.01, 2400.0, 24
    case = small(**kind, **{
        "grid.nx": cells, "grid.ny": cells, "grid.dx": 100.0, "grid.dy": 100.0,
        "atmosphere.layers.count": cells, "atmosphere.layers.top": 1500.0,
        "atmosphere.air.kind": "stable", "atmosphere.air.frequency": frequency,
        "atmosphere.mixing.ground_heat_flux": flux, "time.length": "40min", "time.step": "1.25s",
        "atmosphere.acoustic.steps": 8, "precision": "float32",
    })  # fmt: skip
    component = begun(case)
    random, s = np.random.default_rng(1), component.state
    noisy = values(component, "theta")
    noisy[:3] += random.uniform(-0.1, 0.1, noisy[:3].shape)
    s.theta.set_global(noisy.astype(np.float32))
    component.start(case.time.clock().time, restarted=True)
    before = values(component, "theta").mean((1, 2))
    ended(case, component)
    warmer = values(component, "theta").mean((1, 2)) - before
    step = 1500.0 / cells
    upper = step * np.arange(1, cells + 1)
    rising = flux - np.cumsum(warmer) * step / seconds  # through the upper faces of layers
    assert rising[-1] == pytest.approx(0.0, abs=0.1 * flux)
    least = np.sqrt(2.0 * flux * seconds / (frequency**2 / 9.81 * 300.0))
    depth = upper[np.argmin(rising)]
    assert least - step < depth < 1.2 * least + step
    inside = upper < 0.7 * depth
    line = np.polynomial.Polynomial.fit(upper[inside], rising[inside], 1)
    assert np.abs(line(upper[inside]) - rising[inside]).max() < 0.05 * flux
    assert -0.35 * flux < rising.min() < 0.0
    assert values(component, "w").std() > 0.3
