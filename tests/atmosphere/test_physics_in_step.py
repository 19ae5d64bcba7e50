"""Turbulence, soil and radiation in the step: the air gains what they give; same bits. Ranks: 1."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from atmosphere.dynamics_cases import begun, ended, small, values
from halocline.atmosphere.component import AtmosphereComponent
from halocline.atmosphere.constants import gravity, heat_capacity
from halocline.core.errors import UserError
from halocline.experiment.run import run

physics = {
    "atmosphere.physics.turbulence": "ysu",
    "atmosphere.physics.sunlight": "rrtmgp",
    "atmosphere.ground.kind": "strip",
    "atmosphere.ground.west": -5e3,
    "atmosphere.ground.east": 5e3,
    "atmosphere.ground.land_temperature": 303.0,
    "atmosphere.ground.latitude": 50.0,
    "atmosphere.start.wind_u": 6.0,
    "atmosphere.start.wind_v": 2.0,
    "atmosphere.air.kind": "stable",
    "atmosphere.air.theta": 290.0,
    "time.start": "2000-06-21T11:00",
}


def weights(component: AtmosphereComponent, face: str = "") -> np.ndarray:
    """Dry mass of layers [kg m-2] at centres, or at faces as its mean."""
    s, c = component.state, component.coordinate
    column = values(component, "mass") + values(component, "base_mass")
    if face == "x":
        column = 0.5 * (column + np.roll(column, 1, axis=1))
    thick = np.asarray(c.thickness)[:, None, None]
    assert s.layers.size == thick.size
    return (c.c1[:, None, None] * column + c.c2[:, None, None]) * thick / gravity


@pytest.mark.parametrize("kind", ["land", "strip"])
def test_what_physics_gives_the_air_gains(kind):
    """Heat of the ground's flux and of radiation; momentum of the ground's stress where all columns
    are alike, as pressure along layers that slope is no flux of momentum."""
    component = begun(small(**physics | {"atmosphere.ground.kind": kind}))
    alike = kind == "land"
    theta, wind = ("theta", ""), ("u", "x")
    totals = {name: (weights(component, face) * values(component, name)).sum()
              for name, face in (theta, wind)}  # fmt: skip
    time, dt = component.begins, component.step_length.total_seconds()
    for number in range(3):
        mass = weights(component)
        component.step(time + number * component.step_length)
        found = component.dynamics.physics
        assert found is not None
        air, columns = found.air, found.columns
        np.testing.assert_allclose(
            air.air_density.gather() * air.layer_depth.gather(), mass, rtol=1e-11
        )
        turbulence, radiation = columns.turbulence, columns.radiation
        assert turbulence is not None
        assert radiation is not None
        mixing = turbulence.tendencies["theta_tendency"].gather()
        exner = air.exner.gather()
        from_ground = heat_capacity * (mass * mixing).sum(axis=0) * exner[0]
        flux = columns.ground.heat_flux.gather()
        np.testing.assert_allclose(from_ground, flux, rtol=1e-9, atol=1e-9)
        shining = sum(part["theta_tendency"].gather() for part in (radiation.long, radiation.short))
        drag = turbulence.tendencies["u_tendency"].gather()
        for (name, face), gain in ((theta, mixing + shining), (wind, drag))[: 1 + alike]:
            total = (weights(component, face) * values(component, name)).sum()
            given = dt * (mass * gain).sum()
            rounding = 1e-13 * (weights(component) * (300.0 if name == "theta" else 6.0)).sum()
            assert total - totals[name] == pytest.approx(given, abs=rounding)
            assert abs(given) > 1e4 * rounding
            totals[name] = total
    land = columns.ground.land.gather()[0] > 0.5
    assert alike or (flux[0][land] > 20 + flux[0][~land].max()).all()
    assert not columns.ground.vapor_flux.gather()[0][land].any(), "dry air, dry ground"
    assert (columns.ground.short_wave_down.gather() > 600).all()


moist = {
    "atmosphere.microphysics.scheme": "kessler", "atmosphere.base.kind": "standard",
    "atmosphere.start.sounding.kind": "weisman-klemp", "atmosphere.ground.sea_temperature": 305.0,
}  # fmt: skip


def with_clouds(component: AtmosphereComponent) -> AtmosphereComponent:
    """Some cloud and rain between 2 and 4 km."""
    water = values(component, "water")
    water[1, 4:8], water[2, 3:6] = 5e-4, 1e-3
    component.state.water.set_global(water.astype(component.state.dtype))
    component.air.follow()
    component.watch.begin()
    return component


def test_heat_and_water_of_moist_air_are_those_that_physics_gives():
    """Of each kind of water and the moist potential temperature, without clouds' own changes."""
    component = with_clouds(begun(small(**physics | moist)))
    dynamics, dt = component.dynamics, 2.0
    found = dynamics.physics
    assert found is not None
    turbulence = found.columns.turbulence
    radiation = found.columns.radiation
    assert turbulence is not None
    assert radiation is not None
    for number in range(3):
        mass, water, theta = (
            weights(component), values(component, "water"), values(component, "theta")
        )  # fmt: skip
        found.step(dt, number * dt, 171.5)
        dry = found.air.dry_theta.gather() + 300.0
        dynamics.step(dt)
        rates = turbulence.tendencies["water_tendency"].gather()
        flux = found.columns.ground.vapor_flux.gather()
        np.testing.assert_allclose((mass * rates[0]).sum(axis=0), flux, rtol=1e-10, atol=1e-16)
        assert (flux > 1e-5).all() and not rates[2].any(), "rain is not mixed"
        new = weights(component)
        for kind, rate in enumerate(rates):
            gained = (new * values(component, "water")[kind]).sum() - (mass * water[kind]).sum()
            rounding = 1e-15 * mass.size * (mass * water[kind]).max()
            assert gained == pytest.approx(dt * (mass * rate).sum(), abs=rounding)
            assert kind != 0 or abs(gained) > 1e4 * rounding
        heating = turbulence.tendencies["theta_tendency"].gather()
        heating += radiation.long["theta_tendency"].gather()
        heating += radiation.short["theta_tendency"].gather()
        moist_heating = (1.0 + water[0] * 461.6 / 287.0) * heating + 461.6 / 287.0 * dry * rates[0]
        gained = (new * values(component, "theta")).sum() - (mass * theta).sum()
        given = dt * (mass * moist_heating).sum()
        assert gained == pytest.approx(given, abs=1e-13 * 300.0 * mass.sum())
        assert abs(given) > 1e-9 * 300.0 * mass.sum()
    cloudy = radiation.short["downward_flux"].gather()
    assert cloudy[0].max() < 0.9 * cloudy[-1].min(), "clouds shade the ground"


def test_evaporation_is_in_the_account_of_water():
    """What is in the air and has fallen is what there was and has risen from the ground."""
    case = small(**physics | moist | {"time.length": "4min", "time.step": "4s"})
    component = with_clouds(begun(case))
    before = component.watch.water_begun
    ended(case, component)
    inside, fallen = component.watch.water_and_fallen()
    risen = component.watch.evaporated()
    assert min(fallen, risen) > 1e-5 * before
    assert inside + fallen - risen == pytest.approx(before, rel=1e-12)
    assert "kg evaporated" in component.summary()


convective = moist | {
    "atmosphere.physics.convection": "kain-fritsch", "atmosphere.physics.turbulence": "none",
    "atmosphere.physics.sunlight": "none", "atmosphere.physics.kain_fritsch.interval": 6.0,
    "atmosphere.start.bubble.amplitude": 3.0, "atmosphere.start.bubble.x": 0.0,
    "atmosphere.start.bubble.z": 1500.0, "atmosphere.start.bubble.radius_x": 8e3,
    "atmosphere.start.bubble.radius_z": 1500.0, "atmosphere.physics.kain_fritsch.memory": 20.0,
}  # fmt: skip
convective |= {"grid.dx": 4e3, "grid.dy": 4e3, "grid.x0": -78e3, "time.length": "4min",
               "time.step": "4s"}  # fmt: skip


def test_convection_in_the_step():
    """Some columns convect; heat and water are those of its rates, its rain is accounted for."""
    case = small(**physics | convective)
    component = begun(case)
    before = component.watch.water_begun
    ended(case, component)
    found = component.dynamics.physics
    assert found is not None
    assert found.convection is not None
    times = found.convection.fields["convective_time"].gather()
    assert 0 < (times > 0).sum() < times.size
    inside, fallen = component.watch.water_and_fallen()
    rain = found.convection.totals["convective_rain_total"].gather().sum() * 16e6
    assert fallen == pytest.approx(rain, rel=0.5)
    assert fallen > 1e-5 * before
    assert inside + fallen == pytest.approx(before, rel=1e-12)
    mass, water, theta = (
        weights(component), values(component, "water"), values(component, "theta")
    )  # fmt: skip
    found.step(4.0, 240.0, 171.5)
    dry = found.air.dry_theta.gather() + 300.0
    component.dynamics.step(4.0)
    heating, wetting = (
        found.convection.fields[f"convective_{name}"].gather() for name in ("heating", "wetting")
    )
    new = weights(component)
    wetting = wetting / mass
    for kind, rate in enumerate(wetting):
        gained = (new * values(component, "water")[kind]).sum() - (mass * water[kind]).sum()
        rounding = 1e-15 * mass.size * (mass * water[kind]).max()
        assert gained == pytest.approx(4.0 * (mass * rate).sum(), abs=rounding)
    moist_heating = (1.0 + water[0] * 461.6 / 287.0) * heating + 461.6 / 287.0 * dry * wetting[0]
    gained = (new * values(component, "theta")).sum() - (mass * theta).sum()
    given = 4.0 * (mass * moist_heating).sum()
    assert gained == pytest.approx(given, abs=1e-13 * 300.0 * mass.sum())
    assert abs(given) > 1e-9 * 300.0 * mass.sum()


def test_convection_of_dry_air_is_refused():
    with pytest.raises(UserError, match="convection = 'kain-fritsch' needs air with water"):
        begun(small(**physics | {"atmosphere.physics.convection": "kain-fritsch"}))


@pytest.mark.parametrize("water", [{}, moist, convective], ids=["dry", "moist", "convective"])
def test_restarts_and_cuts(tmp_path: Path, water: dict[str, Any]):
    """Restarts between calls of radiation, other blocks: the same bits."""
    settings = physics | water
    settings |= {"atmosphere.physics.radiation.interval": 6.0, "time.length": "20s"}
    case = small(**settings).with_settings({"grid.ny": 3, "precision": "float32"})

    def state(case: Any, **more: Any) -> dict[str, np.ndarray]:
        fields = run(case, **more).component.restart_fields()
        return {field.name: field.gather() for field in fields}

    whole = state(case)
    assert all(np.isfinite(found).all() for found in whole.values())
    first = {"time.length": "8s", "restart.interval": "8s", "restart.at_end": False}
    run(case.with_settings(first), output=tmp_path, check_halos=True)
    cut = {"decomposition.kind": "curve", "decomposition.blocks_per_rank": 3}
    again = state(case.with_settings({"restart.source": str(tmp_path)} | cut))
    assert again.keys() == whole.keys()
    assert {"skin_temperature", "soil_temperature"} <= whole.keys()
    assert ("evaporation_total" in whole) == (water is moist)
    assert ("convective_time" in whole) == (water is convective)
    for name in whole:
        np.testing.assert_array_equal(again[name], whole[name], err_msg=name)


def test_a_strip_without_width_is_refused():
    with pytest.raises(UserError, match=r"atmosphere\.ground is empty"):
        small(**physics | {"atmosphere.ground.east": -6e3})
