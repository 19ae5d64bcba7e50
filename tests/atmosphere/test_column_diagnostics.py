"""Sea-level pressure, vapour, levels of pressure, turning winds: closed forms, MetPy, the GFS."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from atmosphere.analysis_files import layers
from halocline.atmosphere.diagnostics.columns import (
    on_pressure_levels,
    precipitable_water,
    relative_humidity,
    sea_level_pressure,
)
from halocline.atmosphere.diagnostics.helicity import (
    mean_wind,
    right_moving_storm,
    storm_relative_helicity,
)
from halocline.atmosphere.start.analysed_state import analysed_state, surface_at
from halocline.atmosphere.start.options import AnalysisOptions
from halocline.atmosphere.start.pressure_level_files import PressureLevelFiles
from halocline.core import moist_air
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.place import Place

sample = Path(__file__).parents[2] / "cases" / "data" / "gfs_sample.nc"


def standard_air(height):
    """Pressure of dry air with 6.5 K/km over 288.15 K and 1013.25 hPa, by 9.81 m s-2."""
    return 101325.0 * (1 - 0.0065 * height / 288.15) ** (9.81 / (287.0 * 0.0065))


def test_sea_level_pressure_of_standard_air():
    ground = np.array([0.0, 500.0, 2500.0, -200.0])
    height = ground + np.linspace(20.0, 8000.0, 200)[:, None]
    t = 288.15 - 0.0065 * height
    found = sea_level_pressure(
        standard_air(ground), ground, standard_air(height), t, np.zeros_like(t)
    )
    assert_allclose(found, 101325.0, rtol=1e-6)


def test_gfs_state_has_the_gfs_sea_level_pressure():
    """Bias and rms against `prmsl` over Europe and the North Atlantic [Pa]: -10 and 52."""
    files = PressureLevelFiles([sample])
    grid = Grid(
        x=np.arange(-30.0, 31.0, 2.5),
        y=np.arange(30.0, 66.0, 2.5),
        depth=np.ones((15, 25)),
        mask=np.ones((15, 25), bool),
    )
    record, column = files.files.records[0], layers(35)
    surface = surface_at(files, record, grid.at(Place.center))
    ground = surface["ground_height"]
    state = analysed_state(files, record, grid, ground, column, AnalysisOptions())
    found = sea_level_pressure(
        state.surface_pressure, ground, state.pressure, state.temperature, state.vapor
    )
    error = found - surface["sea_level_pressure"]
    assert abs(error.mean()) < 30.0 and np.sqrt((error**2).mean()) < 80.0
    # Vapour of columns: the same from layers and from the columns of the analysis (linear).
    water = precipitable_water(column.weight(state.mass, np.ones_like(state.vapor)), state.vapor)
    assert 10.0 < water.mean() < 14.0
    files.close()


def test_values_on_levels_of_pressure():
    p = np.array([1e5, 8e4, 5e4])[:, None] * np.array([1.0, 0.9])
    values = np.log(p)
    found = on_pressure_levels(values, p, np.array([95e3, 7e4, 4e4]))
    assert_allclose(found[1], np.log(7e4))
    assert found[0, 0] == pytest.approx(np.log(95e3)) and np.isnan(found[0, 1])
    assert np.isnan(found[2]).all()


def test_precipitable_water_as_metpy_has_it():
    """metpy.calc.precipitable_water of the example's sounding: 44.20983 mm (kg m-2)."""
    from core.test_parcels import pressure, temperature, vapour

    fine = np.linspace(pressure[0], pressure[-1], 4001)
    q = np.interp(-fine, -pressure, vapour())
    middle = 0.5 * (q[1:] + q[:-1])
    weight = -np.diff(fine)  # MetPy takes the weight of all air for that of dry air
    found = precipitable_water(weight[:, None], middle[:, None])[0] * 9.81 / 9.80665
    assert found == pytest.approx(44.21, rel=5e-3)
    assert relative_humidity(pressure, temperature, vapour())[3] == pytest.approx(0.39)


height = np.array([0, 250, 500, 750, 1000, 1500, 2000, 3000, 4000, 5000, 6000, 8000.0])[:, None]
u = np.array([2.0, 4, 7, 9, 11, 13, 15, 18, 21, 24, 27, 32])[:, None]
v = np.array([6.0, 9, 11, 12, 12.5, 12, 11, 10, 9.5, 9, 9, 9])[:, None]


def test_helicity_is_metpys():
    """metpy.calc.storm_relative_helicity of this hodograph (MetPy 1.7.1): 91 and 59.5 m2 s-2."""
    seven, nothing = np.array([7.0]), np.zeros(1)
    assert storm_relative_helicity(height, u, v, 3000.0, seven, seven)[0] == pytest.approx(91.0)
    found = storm_relative_helicity(height, u, v, 1000.0, nothing, nothing)
    assert found[0] == pytest.approx(59.5)
    # A wind that turns evenly on a circle about the storm: twice the area of its sector.
    angle = np.linspace(np.pi, 0.0, 400)[:, None]
    half = storm_relative_helicity(
        3000 * (1 - angle / np.pi), 10 * np.cos(angle), 10 * np.sin(angle), 3000.0, nothing, nothing
    )
    assert half[0] == pytest.approx(np.pi * 100.0, rel=1e-4)
    # Half-way between levels half of the area between them.
    below, part = (
        storm_relative_helicity(height, u, v, depth, nothing, nothing)[0]
        for depth in (750.0, 875.0)
    )
    assert part == pytest.approx(0.5 * (below + 59.5))


def test_storm_motion_is_near_metpys():
    """metpy.calc.bunkers_storm_motion weights by pressure: 16.27, 2.72 m/s."""
    found = right_moving_storm(height, u, v)
    assert found[0][0] == pytest.approx(16.27, abs=1.2)
    assert found[1][0] == pytest.approx(2.72, abs=0.5)
    # A straight shear: 7.5 m/s to the right of the mean.
    straight = right_moving_storm(height, height / 1000, np.zeros_like(height))
    assert_allclose(straight, [[3.0], [-7.5]], atol=1e-9)
    # Winds between the lowest and the highest 500 m are no part of the shear.
    z = np.arange(0.0, 8001.0, 100.0)[:, None]
    east, north = 10.0 * (z >= 5500.0), 20.0 * ((z > 700.0) & (z < 5300.0))
    storm = right_moving_storm(z, east, north)
    assert storm[0][0] == pytest.approx(mean_wind(z, east, 0.0, 6000.0)[0])
    assert storm[1][0] == pytest.approx(mean_wind(z, north, 0.0, 6000.0)[0] - 7.5)


def test_humidity_on_the_way_back():
    t, p = np.array([280.0]), np.array([9e4])
    q = moist_air.mixing_ratio(0.7 * moist_air.saturation_pressure(t), p)
    assert relative_humidity(p, t, q)[0] == pytest.approx(0.7)
