"""A day of turbulence, soil and radiation on the fields of a run: energy closes. Ranks: 1."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from atmosphere.radiation_columns import column, grey
from halocline.atmosphere.column_physics import ColumnPhysics, ColumnPhysicsOptions
from halocline.atmosphere.land.slab_options import soil_depth
from halocline.atmosphere.radiation.radiation_options import RadiationOptions
from halocline.atmosphere.radiation.tables import RadiationTables
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.space import Space
from halocline.runtime.fields.topology import Topology
from halocline.runtime.running.runner import Runner

levels, nj, ni, dt = 24, 3, 5, 450.0
sigma, capacity, latent = 5.670374e-8, 1004.5, 2.5e6
units = {
    "air_pressure": "Pa", "air_density": "kg m-3", "layer_depth": "m", "dry_theta": "K",
    "height": "m", "u": "m s-1", "v": "m s-1", "surface_pressure": "Pa",
}  # fmt: skip


def grey_tables():
    """Air that is half opaque to long wave and takes a tenth of the sun's light."""
    long = grey(8e-5) | {
        "planck_share": np.ones((2, 3, 2, 1)),
        "planck": (sigma * (160.0 + np.arange(240)) ** 4 / np.pi)[None],
        "liquid": np.zeros(1),
        "ice": np.zeros(1),
    }
    short = grey(1e-5) | {
        "lower_scattering": np.zeros((2, 2, 1)),
        "upper_scattering": np.zeros((2, 2, 1)),
        "sunlight": np.ones(1),
    }
    for kind in ("liquid", "ice"):
        for name in ("extinction", "albedo", "asymmetry"):
            short[f"{kind}_{name}"] = np.zeros(1)
    return RadiationTables(long, 1e4), RadiationTables(short, 1e4)


def made_air():
    """Fields of a calm June day over land and sea, in float64."""
    faces = 1e5 - np.concatenate([[0, 400, 1000], np.linspace(2000, 60000, levels - 2)])
    temperature = 288.0 * (0.5 * (faces[1:] + faces[:-1]) / 1e5) ** 0.17
    water = np.zeros((3, levels))
    water[0] = 0.006 * (0.5 * (faces[1:] + faces[:-1]) / 1e5) ** 3
    air = column(faces, temperature, water)
    air |= {"height": np.cumsum(air["layer_depth"]) - 0.5 * air["layer_depth"]}
    air |= {"u": np.full(levels, 4.0), "v": np.full(levels, -1.0)}
    decomposition = Decomposition(
        np.ones((nj, ni), bool), Topology(nj, ni, periodic_i=True, periodic_j=True), halo=1
    )
    layers = Axis("height", coordinates=tuple(air["height"]), units="m")
    space = Space(decomposition, levels=layers)
    places = {"u": Place.x_face, "v": Place.y_face}
    state = SimpleNamespace()
    for name, values in (air | {"surface_pressure": np.array(1e5)}).items():
        axes = () if name == "surface_pressure" else (layers,)
        if name == "water":
            axes = (Axis("species", entries=("vapor", "cloud", "rain")), layers)
        field = Field(name, units.get(name, "1"), space, axes=axes, dtype=np.float64,
                      place=places.get(name, Place.center))  # fmt: skip
        field.set_global(np.broadcast_to(values[..., None, None], field.shape).copy())
        setattr(state, name, field)
    return Runner(decomposition), state, space


def change(field, row):
    """Set a field to the values of a row everywhere."""
    field.set_global(np.broadcast_to(row[:, None], field.shape).copy())


def test_a_day_over_land_and_sea():
    """Heat of air, soil and vapour changes by radiation at the top and what the substrate takes.

    But for the emission of the ground, which radiation takes from a table by 1 K.
    """
    run, state, space = made_air()
    options = ColumnPhysicsOptions(
        turbulence="ysu",
        sunlight="rrtmgp",
        radiation=RadiationOptions(extra_layers=0, interval=0.0),
    )
    place = np.zeros((nj, ni)), np.full((nj, ni), 50.0)
    physics = ColumnPhysics(options, run, state, space, np.float64, *place, tables=grey_tables())
    ground, turbulence, radiation = physics.ground, physics.turbulence, physics.radiation
    land = np.ones((nj, ni))
    land[:, 0] = 0.0
    ground.cover(land, np.full((nj, ni), 288.0), np.full((nj, ni), 287.0))

    def of(field):
        return field.gather()[..., 1, :]

    mass = of(state.air_density) * of(state.layer_depth)
    thick, heat = np.array(soil_depth)[:, None], ground.options.heat_capacity
    lost, seen, skins, depths = np.zeros(ni), [], [], []
    for step in range(int(86400 / dt)):
        before = of(ground.soil_temperature)
        skin = of(ground.skin_temperature)
        physics.step(dt, step * dt, 171.0 + step * dt / 86400)
        after = of(ground.soil_temperature)
        deep = heat * 5e-7 * (after[-1] - 287.0) / (1.5 * soil_depth[-1])
        stored = heat * (thick * (after - before)).sum(axis=0) / dt + deep
        warming = sum(of(field) for field in physics.tendencies["theta_tendency"])
        vapor = of(turbulence.tendencies["water_tendency"])[0]
        exner = of(state.exner)
        lowest = of(turbulence.tendencies["theta_tendency"])
        moved = capacity * (mass * lowest).sum(axis=0) * exner[0]
        np.testing.assert_allclose(moved, of(ground.heat_flux), rtol=1e-9, atol=1e-9)
        air = capacity * (mass * exner * (warming - lowest)).sum(axis=0) + moved
        wet = latent * (mass * vapor).sum(axis=0)
        outside = sum(
            of(found["downward_flux"])[-1] - of(found["flux_out"])
            for found in (radiation.long, radiation.short)
        )
        by_1_kelvin = 0.01 if step else 1e-8
        np.testing.assert_allclose((stored + air + wet)[1:], outside[1:], atol=by_1_kelvin)
        lost += outside
        change(state.dry_theta, of(state.dry_theta) + dt * warming)
        for name, far in (("u", 4.0), ("v", -1.0)):
            wind = getattr(state, name)
            rate = of(turbulence.tendencies[f"{name}_tendency"]) + (far - of(wind)) / 3e4
            change(wind, (of(wind) + dt * rate)[:, 2:3])
        skins.append(skin)
        depths.append(of(turbulence.boundary_layer_depth))
        seen.append(of(turbulence.planes["low_temperature"]))
    skins, depths, seen = np.array(skins), np.array(depths), np.array(seen)
    assert (skins[:, 0] == 288.0).all(), "the sea stays"
    over_land = skins[:, 1:]
    assert (np.ptp(over_land, axis=0) > 8).all()
    noon, night = int(13 * 3600 / dt), int(4 * 3600 / dt)
    assert (over_land[noon] > over_land[night] + 8).all()
    assert (depths[noon, 1:] > 3 * depths[night, 1:]).all()
    assert np.ptp(over_land) > np.ptp(seen[:, 1:]) > 2, "air swings less than the ground"
    assert lost[1:] == pytest.approx(lost[1])


def test_radiation_from_time_to_time():
    """Between its calls heating stays, and a restart holds it; without schemes nothing is done."""
    run, state, space = made_air()
    options = ColumnPhysicsOptions(
        sunlight="rrtmgp", radiation=RadiationOptions(extra_layers=0, interval=3 * dt)
    )
    place = np.zeros((nj, ni)), np.full((nj, ni), 50.0)
    physics = ColumnPhysics(options, run, state, space, np.float64, *place, tables=grey_tables())
    ones = np.ones((nj, ni))
    physics.ground.cover(ones, 288.0 * ones, 287.0 * ones)
    light = []
    for step in range(7):
        physics.step(dt, step * dt, 171.3 + step * dt / 86400)
        light.append(physics.ground.short_wave_down.gather()[0, 0])
    assert light[0] == light[1] == light[2] < light[3] == light[5] < light[6]
    names = {field.name for field in physics.restart_fields}
    assert {"long_wave_theta_tendency", "short_wave_theta_tendency", "short_wave_down"} <= names
    assert "roughness" in names and "soil_temperature" in names
    assert list(physics.tendencies) == ["theta_tendency"]
    still = ColumnPhysics(ColumnPhysicsOptions(), run, state, space, np.float64, *place)
    still.step(dt, 0.0, 171.0)
    assert not still.tendencies
    windy = ColumnPhysics(
        ColumnPhysicsOptions(turbulence="ysu"), run, state, space, np.float64, *place
    )
    windy.ground.cover(ones, 280.0 * ones, 287.0 * ones)
    windy.step(dt, 0.0, 171.0)
    assert (windy.ground.heat_flux.gather() < 0).all()
    assert (windy.ground.skin_temperature.gather() == 280.0).all(), "no light, no balance"
