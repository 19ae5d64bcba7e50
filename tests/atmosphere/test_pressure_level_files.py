"""Analyses as they come: names, units, orders; and what is wrong with them."""

from datetime import timedelta

import netCDF4
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from atmosphere.analysis_files import column_values, layers, write_analysis
from halocline.atmosphere.start.analysed_state import AnalysedState, analysed_state
from halocline.atmosphere.start.options import AnalysisOptions
from halocline.atmosphere.start.pressure_level_files import PressureLevelFiles
from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid

x, y = np.arange(-20.0, 21.0, 2.5), np.arange(40.0, 61.0, 2.5)
levels = np.array([1000, 925, 850, 700, 500, 400, 300, 200, 100, 50.0]) * 100
shape = (y.size, x.size)


def plane(slope: float = 0.0) -> np.ndarray:
    """Something that varies over the maps, between -1 and 1 times a number."""
    return slope * np.sin(np.deg2rad(9 * x))[None, :] * np.cos(np.deg2rad(7 * y))[:, None]


def values() -> dict[str, np.ndarray]:
    """An analysis with fronts."""
    found = column_values(levels, shape)
    found["t"] += plane(3.0)
    found["gh"] += plane(80.0) + 287 / 9.80665 * plane(3.0) * np.log(1e5 / levels)[:, None, None]
    found["r"] *= 1.0 + plane(0.5)
    found["orog"] = 500.0 + plane(400.0)
    scale = 287 / 9.80665 * found["t"][0]
    found["sp"] = 1000.0 * np.exp((plane(80.0) - found["orog"]) / scale)
    found["skt"] = 10.0 + plane(5.0)
    found["lsm"] = (plane(1.0) > 0.0).astype(float)
    return found


def state(files: PressureLevelFiles, east: float = 12.0) -> AnalysedState:
    gx, gy = np.linspace(-12.0, east, 9), np.linspace(45.0, 56.0, 7)
    grid = Grid(x=gx, y=gy, depth=np.ones((7, 9)), mask=np.ones((7, 9), bool))
    terrain = np.linspace(0.0, 1500.0, 63).reshape(7, 9)
    record = files.record(files.files.times[0])
    return analysed_state(files, record, grid, terrain, layers(12), AnalysisOptions())


def test_any_names_units_and_orders_are_the_same_analysis(tmp_path):
    """As GFS and as ERA5 has it: levels upward in hPa, rows from the north, from 0 to 360 east."""
    gfs = values()
    write_analysis(tmp_path / "gfs.nc", x, y, levels, gfs)
    from halocline.core import moist_air

    saturation = moist_air.saturation_pressure_of_clouds(gfs["t"])
    vapor = moist_air.mixing_ratio(gfs["r"] / 100 * saturation, levels[:, None, None])
    era = {
        "ta": gfs["t"], "eastward": gfs["u"], "northward": gfs["v"],
        "z": 9.80665 * gfs["gh"],
        "zsfc": 9.80665 * gfs["orog"], **{name: gfs[name] for name in ("sp", "skt", "lsm")},
    }  # fmt: skip
    for name, humidity, units in (
        ("q", vapor / (1 + vapor), {}),
        ("w", 1e3 * vapor, {}),
    ):
        era_here = {**era, name: humidity}
        turned = {
            key: np.roll(field[..., ::-1, :], 8, axis=-1)[:: -1 if field.ndim == 3 else 1]
            for key, field in era_here.items()
        }
        path = tmp_path / f"era_{name}.nc"
        east = np.roll(x % 360.0, 8)
        write_analysis(path, east, y[::-1], levels[::-1] / 100, turned, "millibars", units=units)
        one = state(PressureLevelFiles([tmp_path / "gfs.nc"]))
        other = state(PressureLevelFiles([path]))
        for field in ("mass", "u", "v", "theta", "vapor", "geopotential", "pressure"):
            assert_allclose(getattr(other, field), getattr(one, field), rtol=1e-9, atol=1e-9)
        for name in ("skin_temperature", "ground_height"):
            assert_allclose(one.surface[name], other.surface[name])
    assert 278.0 < one.surface["skin_temperature"].min() < 289.0


def test_saturation_over_water_gives_more_vapour_where_it_is_cold(tmp_path):
    path = write_analysis(tmp_path / "gfs.nc", x, y, levels, values())
    files = PressureLevelFiles([path])
    grid = Grid(x=x[4:13], y=y[3:6], depth=np.ones((3, 9)), mask=np.ones((3, 9), bool))
    record = files.record(files.files.times[0])
    both = [
        analysed_state(
            files, record, grid, np.zeros((3, 9)), layers(12), AnalysisOptions(saturation=over)
        )
        for over in ("water", "clouds")
    ]
    warm = both[0].temperature > 273.7
    assert warm.any() and (~warm).any()
    assert_array_equal(both[0].vapor[warm], both[1].vapor[warm])
    cold = both[0].temperature < 273.0
    # At 270 K a fifth of it is over ice, which has 1.03 times less.
    ratio = both[0].vapor[cold] / both[1].vapor[cold]
    assert (ratio >= 1.0).all() and 1.003 < ratio.max() < 1.01


def refused(tmp_path, match: str, changed: dict, **more):
    path = tmp_path / f"wrong{len(list(tmp_path.iterdir()))}.nc"
    write_analysis(path, x, y, levels, {**values(), **changed}, **more)
    with pytest.raises(UserError, match=match):
        state(PressureLevelFiles([path]))


def test_what_is_wrong_is_said(tmp_path):
    given = values()
    humid, hot = given["r"].copy(), given["t"].copy()
    humid[3, 4, 5] = 230.0
    refused(
        tmp_path, r"'r' of .* is 2.3 at 700 hPa, 2020-01-01.*between -0.05 and 1.6", {"r": humid}
    )
    hot[2, 4, 5] = 1e20
    refused(tmp_path, "'t' of .* is 1e.20 at 352.5 E, 50 N, 2020", {"t": hot})
    refused(tmp_path, "'t' .* has the units 'm', which cannot", {}, units={"t": "m"})
    refused(tmp_path, "levels 'plev' .* have the units 'm', which are no", {}, level_units="m")
    refused(tmp_path, "levels 'plev' .* reach from 500000 to 1e.07 Pa", {}, level_units="hPa")
    top = given["t"].copy()
    top[-1, 4, 8] = np.nan
    refused(
        tmp_path, r"'t' of .* is missing at 50 hPa, .* E, 50 N, .* \(1 such columns\)", {"t": top}
    )
    gap = given["t"].copy()
    gap[3, 4, 5] = np.nan
    refused(tmp_path, "'t' of .* is missing at 700 hPa, 352.5 E, 50 N.*but not below", {"t": gap})
    dry = {"r": 0.01 * given["r"]}
    refused(
        tmp_path, "'r' of .* is at most 0.0.* so dry everywhere is none. Are its units '%'", dry
    )
    refused(
        tmp_path, "ground is too high .* layer 3 would have no mass", {"sp": 0 * given["sp"] + 300}
    )
    del given["r"]
    write_analysis(tmp_path / "dry.nc", x, y, levels, given)
    with pytest.raises(UserError, match="no humidity on pressure levels .*'specific_humidity'"):
        PressureLevelFiles([tmp_path / "dry.nc"])


def test_levels_that_one_variable_lacks_are_said(tmp_path):
    path = write_analysis(tmp_path / "less.nc", x, y, levels, values())
    with netCDF4.Dataset(path, "a") as file:
        file.renameVariable("r", "old")
        file["old"].standard_name = "none"
        file.createDimension("lev", 9)
        axis = file.createVariable("lev", "f8", ("lev",))
        axis.units, axis.standard_name = "Pa", "air_pressure"
        axis[:] = levels[:9]
        new = file.createVariable("r", "f8", ("time", "lev", "latitude", "longitude"))
        new.standard_name, new.units = "relative_humidity", "%"
        new[:] = file["old"][:, :9]
    with pytest.raises(
        UserError, match="humidity .'r'. has 9 levels and temperature .'t'. 10; .* 50 hPa"
    ):
        PressureLevelFiles([path])


def test_times_and_grids_that_are_not_covered_are_said(tmp_path):
    path = write_analysis(tmp_path / "two.nc", x, y, levels, values(), hours=(0.0, 6.0, 12.0))
    files = PressureLevelFiles([path])
    begin = files.files.times[0]
    hour = timedelta(hours=1)
    period = files.within((begin + 7 * hour, begin + 8 * hour))
    assert [record.position for record in period] == [1, 2]
    period = files.within((begin + 6 * hour, begin + 12 * hour))
    assert [record.position for record in period] == [1, 2]
    with pytest.raises(UserError, match="no analysis of 2020-01-01 03.* It has 3, from 2020"):
        files.record(begin + 3 * hour)
    with pytest.raises(UserError, match="needs sides from 2020-01-01 06.* to 2020-01-01 13"):
        files.within((begin + 6 * hour, begin + 13 * hour))
    with pytest.raises(
        UserError, match="covers the longitudes .* points of the model grid lie out"
    ):
        state(files, east=30.0)
