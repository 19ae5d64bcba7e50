"""Land, sea ice and the temperature of the skin from analyses. Ranks: 1."""

from __future__ import annotations

from pathlib import Path

import netCDF4
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from atmosphere.dynamics_cases import begun, ended, small, values
from atmosphere.test_given_sides import make_analysis, x, y
from halocline.atmosphere.case import AtmosphereCase
from halocline.atmosphere.land.land_use import covers
from halocline.core.errors import UserError

physics = {
    "atmosphere.microphysics.scheme": "wsm6", "atmosphere.physics.turbulence": "ysu",
    "atmosphere.physics.sunlight": "rrtmgp", "atmosphere.physics.soil.cover": "tundra",
    "atmosphere.ground.kind": "start",
    "time.length": "8min",
}  # fmt: skip


def coast(folder: Path) -> AtmosphereCase:
    """High, warm land in the west, ice in the north of the cold sea; skins in degrees C."""
    east, north = np.broadcast_arrays(x, y[:, None])
    land = (east < 3.0).astype(float)
    height = 600.0 * land
    frozen = (north > 54.0) * (1.0 - land)
    skin = np.where(land > 0.5, 22.0 - 6.5e-3 * height, np.where(frozen > 0.5, -12.0, 7.0))
    return make_analysis(folder, lsm=land, orog=height, skt=skin, ci=frozen).with_settings(physics)


def test_skins_of_land_and_sea_are_not_mixed(tmp_path: Path):
    """Land is 22 degrees C at sea level and colder with the ground's height; all but ice is 7."""
    coast(tmp_path)
    names = "land", "ground", "skin_temperature", "latitude"
    with netCDF4.Dataset(tmp_path / "start.nc") as file:
        land, ground, skin, latitude = (np.squeeze(file[name][:]) for name in names)
    on_land = land > 0.5
    assert 20 < on_land.sum() < on_land.size - 20 and np.ptp(ground[on_land]) > 200.0
    assert_allclose(skin[on_land], 295.15 - 6.5e-3 * ground[on_land], atol=2e-4)
    open_sea = ~on_land & (latitude < 49.9)
    assert ((land > 0.1) & open_sea).any() and ((land < 0.01) & open_sea).any()
    assert_allclose(skin[open_sea], 280.15, rtol=1e-6)


def test_a_run_has_the_ground_of_its_start(tmp_path: Path):
    case = coast(tmp_path)
    component = begun(case)
    assert component.dynamics.physics is not None
    ground = component.dynamics.physics.columns.ground
    with netCDF4.Dataset(tmp_path / "start.nc") as file:
        land, skin, ice = (
            np.asarray(file[name][0], float) for name in ("land", "skin_temperature", "ice")
        )
        low = np.asarray(file["temperature"][0, 0], float)
    frozen = (ice > 0.5) & (land <= 0.5)
    assert frozen.sum() > 3
    solid = (land > 0.5) | frozen
    assert_array_equal(ground.land.gather(), solid)
    assert_allclose(ground.skin_temperature.gather(), skin, rtol=1e-6)
    assert_allclose(ground.deep_temperature.gather(), np.where(frozen, 271.35, low), rtol=1e-6)
    soil = ground.soil_temperature.gather()
    assert_allclose(soil[0], skin, rtol=1e-6)
    part = (soil[2] - skin) / (ground.deep_temperature.gather() - skin)
    assert_allclose(part, 4.5 / 46.5, rtol=1e-3)
    summer, water, ice_cover = covers["tundra"][0], covers["water"][0], covers["ice"][1]
    for name in ("albedo", "roughness", "moisture_availability", "emissivity"):
        wanted = np.where(
            frozen,
            getattr(ice_cover, name),
            np.where(solid, getattr(summer, name), getattr(water, name)),
        )
        assert_allclose(getattr(ground, name).gather(), wanted, rtol=1e-6)
    inertia = ground.soil_heat_capacity.gather() * 5e-7**0.5
    assert_allclose(inertia[frozen], ice_cover.thermal_inertia, rtol=1e-6)
    assert_allclose(inertia[solid & ~frozen], summer.thermal_inertia, rtol=1e-6)
    ended(case, component)
    assert_array_equal(ground.skin_temperature.gather()[~solid], skin[~solid].astype(np.float32))
    changed = np.abs(ground.skin_temperature.gather() - skin)[solid]
    assert np.median(changed) > 0.01 and np.isfinite(values(component, "theta")).all()


def test_starts_that_tell_no_ground_are_refused(tmp_path: Path):
    bare = make_analysis(tmp_path).with_settings(physics)
    with pytest.raises(UserError, match="start.nc has no land, skin_temperature. Make it from"):
        begun(bare)
    with pytest.raises(UserError, match="'start', but atmosphere.start.file names no file"):
        small(**{"atmosphere.ground.kind": "start"})
