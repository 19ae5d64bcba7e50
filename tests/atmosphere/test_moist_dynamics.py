"""Air with water in it: what must not move, what stays, and what is as in dry air."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from atmosphere.dynamics_cases import begun, ended, small, values
from halocline.atmosphere.component import AtmosphereComponent
from halocline.core.errors import UserError

moist = {
    "atmosphere.microphysics.scheme": "kessler", "atmosphere.base.kind": "standard",
    "atmosphere.start.sounding.kind": "weisman-klemp",
}  # fmt: skip


def stepped(component: AtmosphereComponent, steps: int, dt: float = 2.0) -> AtmosphereComponent:
    """After so many steps of the dynamics, without clouds."""
    component.air.follow()
    for _ in range(steps):
        component.dynamics.step(dt)
    return component


@pytest.mark.parametrize("kind", ["weisman-klemp", "saturated-neutral"])
def test_moist_air_at_rest_stays_at_rest(kind):
    """Its discrete balance bears the weight of its water."""
    settings = moist | {"atmosphere.start.sounding.kind": kind}
    component = stepped(begun(small(**settings)), 30)
    assert values(component, "water").sum(axis=0).max() > 0.01
    for name in ("u", "w"):
        assert np.abs(values(component, name)).max() < 1e-9


def test_air_with_as_much_vapour_everywhere_moves_like_heavier_dry_air():
    """Divided by all mass, 1 + q of dry mass, it is dry air of theta_m / (1 + q).

    In a coordinate whose layers share in the column alike, over a mountain, but for what acoustic
    steps neglect: that they lift is weighed with dry mass there (0.002 m/s; without the weight of
    the water the wind differs by meters per second).
    """
    both: dict[str, Any] = {
        "atmosphere.layers.level_above": -1.0, "atmosphere.air.kind": "stable",
        "atmosphere.mountain.kind": "bell", "atmosphere.mountain.height": 1000.0,
        "atmosphere.mountain.width": 2000.0, "atmosphere.start.wind_u": 10.0,
        "atmosphere.start.bubble.amplitude": 3.0,
    }  # fmt: skip
    dry = begun(small(**both))
    damp = begun(small(**both, **{"atmosphere.microphysics.scheme": "kessler"}))
    q = 0.03
    s = damp.state
    base = values(damp, "base_mass")
    s.mass.set_global((base + values(damp, "mass")) / (1.0 + q) - base)
    s.theta.set_global((values(damp, "theta") + 300.0) * (1.0 + q) - 300.0)
    s.water.set_global(np.stack([np.full(s.theta.shape, share * q) for share in (0.7, 0.2, 0.1)]))
    for component in (dry, damp):
        stepped(component, 40)
    assert np.abs(values(dry, "w")).max() > 1.0
    for name in ("u", "w"):
        np.testing.assert_allclose(values(damp, name), values(dry, name), atol=0.01, err_msg=name)


def test_as_much_of_a_species_everywhere_stays_so_and_water_stays():
    """Under a wind that a bubble makes, by the dry mass that acoustic steps move."""
    bubble = {"atmosphere.start.bubble.amplitude": 5.0}
    component = begun(small(**moist, **bubble))
    water = values(component, "water")
    random = np.random.default_rng(1)
    water[1], water[2] = 1e-3 * (random.random(water[1].shape) > 0.7), 4.56e-3
    component.state.water.set_global(water)
    before = component.watch.water_and_fallen()[0]
    stepped(component, 60)
    assert np.abs(values(component, "w")).max() > 3.0
    found = values(component, "water")
    np.testing.assert_allclose(found[2], 4.56e-3, rtol=1e-13)
    assert found[1].min() > -1e-18 and np.abs(found[1] - water[1]).max() > 1e-4
    assert component.watch.water_and_fallen()[0] == pytest.approx(before, rel=1e-13)


def test_a_shower_closes_its_water_and_says_so():
    """Vapour condenses, falls and is gone; what is left and what has fallen is what there was."""
    shower = moist | {
        "atmosphere.start.bubble.amplitude": 5.0, "atmosphere.start.bubble.z": 1500.0,
        "atmosphere.start.bubble.radius_z": 1500.0, "time.step": "4s", "time.length": "28min",
        "atmosphere.layers.top": 15e3,
    }  # fmt: skip
    case = small(**shower)
    component = begun(case)
    inside = component.watch.water_begun
    ended(case, component)
    left, fallen = component.watch.water_and_fallen()
    assert fallen > 1e-3 * inside
    assert left + fallen == pytest.approx(inside, rel=1e-12)
    assert "kg fallen" in component.summary()
    assert values(component, "water").min() > -1e-9


def test_heat_of_what_condenses_comes_back_to_the_air():
    """Vapour over saturation becomes cloud; what physics reads afterwards is what clouds left."""
    component = begun(small(**moist))
    air, water = component.air, values(component, "water")
    water[0] += 3e-3
    component.state.water.set_global(water)
    component.air.follow()
    air.update_layers()
    before = air.dry_theta.gather()
    assert component.clouds is not None
    component.clouds.step(2.0)
    left = air.dry_theta.gather()
    cloud = values(component, "water")[1]
    heated = cloud > 1e-4
    assert heated.any()
    warming = 2.5e6 / (1004.5 * air.exner.gather()) * cloud
    np.testing.assert_allclose((left - before)[heated], warming[heated], rtol=1e-3)
    air.give_back()
    air.update_layers()
    np.testing.assert_allclose(air.dry_theta.gather(), left, atol=1e-9)


def test_moist_air_without_clouds_is_refused():
    with pytest.raises(UserError, match="Choose 'kessler'"):
        begun(small(**{"atmosphere.start.sounding.kind": "weisman-klemp"}))
