"""Hydrostatic air: balance of its state, rest, mass; its waves are in test_linear_waves."""

import numpy as np
import pytest

from atmosphere.calling import call
from atmosphere.dynamics_cases import begun, ended, small, values
from halocline.core.errors import UserError
from kernels.all_samples import samples

hydrostatic = {"atmosphere.hydrostatic": True}
ridge = {
    "atmosphere.mountain.kind": "bell", "atmosphere.mountain.height": 1500.0,
    "atmosphere.mountain.width": 1500.0,
}  # fmt: skip


@pytest.mark.parametrize(("dtype", "few"), [(np.float64, 1e-12), (np.float32, 2e-6)])
@pytest.mark.parametrize("moist", [False, True])
def test_the_state_is_in_balance(dtype, few, moist):
    """No upward force is left, the law of gases holds, more mass presses by its weight."""
    sample = samples["atmosphere_hydrostatic_state"](np.random.default_rng(3), dtype)
    a = {name: array.copy() for name, array in sample.arrays.items()}
    if not moist:
        a["dilution"] = None
    call("atmosphere_hydrostatic_state", sample.box, a)
    south, north, west, east, _ = sample.box
    inside = np.s_[..., south:north, west:east]
    g = {name: None if f is None else f.astype(np.float64) for name, f in a.items()}
    g = {name: f[inside] if f is not None and f.ndim > 1 else f for name, f in g.items()}

    def up(table):
        return table[:, None, None]

    share = np.ones_like(g["geopotential"][1:])
    if moist:
        above = up(g["upper_share"])[1:-1]
        share[:-1] = above * g["dilution"][1:] + (1.0 - above) * g["dilution"][:-1]
        share[-1] = g["dilution"][-1]
    base = up(g["c1_face"])[1:] * g["base_mass"] + up(g["c2_face"])[1:]
    nothing = np.zeros_like(g["mass"])[None]

    def lighter(pressure):
        both = np.concatenate([pressure, nothing])
        return (both[:-1] - both[1:]) / up(g["spacing"])[1:]

    weight = up(g["c1_face"])[1:] * g["mass"]
    force = share * lighter(g["pressure"]) + (share - 1.0) * base - weight
    assert np.abs(force).max() < few * np.abs(base).max()
    more = share * lighter(g["pressure_change"]) - up(g["c1_face"])[1:] * g["mass_change"]
    assert np.abs(more).max() < 10.0 * few * np.abs(g["mass_change"]).max()
    layer = up(g["c1"]) * (g["base_mass"] + g["mass"]) + up(g["c2"])
    deeper = np.diff(g["geopotential"], axis=0) / up(g["thickness"])
    volume = g["base_volume"] + (deeper - g["base_volume"] * up(g["c1"]) * g["mass"]) / layer
    warmer = (g["theta"] + 300.0) / (g["base_theta"] + 300.0)
    found = g["base_pressure"] * (warmer * g["base_volume"] / volume) ** 1.4
    np.testing.assert_allclose(found, g["base_pressure"] + g["pressure"], rtol=10.0 * few)
    np.testing.assert_allclose(g["full_volume"], volume, rtol=few)
    np.testing.assert_allclose(g["stiffness"], 1.4 * (g["base_pressure"] + g["pressure"]), rtol=few)


@pytest.mark.parametrize(("precision", "most"), [("float64", 1e-10), ("float32", 1e-5)])
def test_air_at_rest_over_a_steep_mountain_stays_at_rest(precision, most):
    air = {"atmosphere.air.kind": "stable", "precision": precision, "time.length": "200s"}
    component = ended(small(**ridge, **air, **hydrostatic))
    assert np.diff(values(component, "ground")).max() > 300.0
    assert np.abs(values(component, "u")).max() < most
    assert np.abs(values(component, "w")).max() < 10.0 * most  # last digits of heights in a step


def test_mass_stays_and_air_rises_over_a_ridge_as_it_does_with_upward_acceleration():
    """A ridge of 20 km is wide to air that goes 20 m/s (N a / U = 20); at the ground along its
    slope."""
    wind = {
        "atmosphere.air.kind": "isothermal", "atmosphere.air.temperature": 250.0,
        "atmosphere.start.wind_u": 20.0, "atmosphere.mountain.kind": "bell",
        "atmosphere.mountain.height": 100.0, "atmosphere.mountain.width": 20e3, "grid.dx": 5e3,
        "grid.x0": -97.5e3, "time.step": "10s", "time.length": "30min",
    }  # fmt: skip
    component = begun(small(**wind, **hydrostatic))
    before = values(component, "mass").sum()
    ended(small(**wind, **hydrostatic), component)
    full = values(component, "base_mass").sum()
    assert abs(values(component, "mass").sum() - before) < 1e-13 * full
    w, ground = values(component, "w")[:, 0], values(component, "ground")[0]
    u = values(component, "u")[:3, 0]
    slope = (ground - np.roll(ground, 1)) / 5e3
    along = np.tensordot(component.coordinate.to_ground, u, 1)[: slope.size] * slope
    expected = 0.5 * (along + np.roll(along, -1))
    assert np.abs(w[0] - expected).max() < 1e-3 * np.abs(expected).max()
    # the sound that a sudden start makes is another one, most of all aloft
    other = ended(small(**wind))
    more, full = (values(one, "u") - 20.0 for one in (component, other))
    assert np.linalg.norm(more - full) < 0.08 * np.linalg.norm(full)
    assert np.linalg.norm(w[1] - values(other, "w")[1, 0]) < 0.08 * np.linalg.norm(w[1])


def test_what_hydrostatic_air_refuses():
    with pytest.raises(UserError, match=r"damping.rate = 0.2 s-1 damps upward wind.*rate = 0 and"):
        small(**hydrostatic, **{"atmosphere.damping.depth": 3e3})
    small(**hydrostatic, **{
        "atmosphere.damping.depth": 3e3, "atmosphere.damping.rate": 0.0,
        "atmosphere.damping.return_rate": 0.003,
    })  # fmt: skip
