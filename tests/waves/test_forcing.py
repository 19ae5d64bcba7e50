"""Forcing from files as they come: good ones in any convention, bad ones with a clear message."""

import numpy as np
import pytest
import xarray

from halocline.core.clock import date, in_calendar
from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.waves.forcing import (
    AirSeaForcing,
    AirSeaOptions,
    IceForcing,
    IceOptions,
    WindForcing,
    WindOptions,
)

start, end = date("2011-01-15"), date("2011-01-16")


def grid(x=None, y=None, land=()):
    x = np.arange(0.0, 360.0, 10.0) if x is None else np.asarray(x, float)
    y = np.arange(-70.0, 71.0, 10.0) if y is None else np.asarray(y, float)
    mask = np.ones((y.size, x.size), bool)
    for j, i in land:
        mask[j, i] = False
    depth = np.where(mask, 1000.0, 0.0)
    return Grid(x=x, y=y, depth=depth, mask=mask, periodic_x=x.size == 36)


def field(longitude, latitude, hours):
    """A smooth field on the sphere, linear in time; shape (time, latitude, longitude)."""
    lam, phi = np.meshgrid(np.deg2rad(longitude), np.deg2rad(latitude))
    return np.stack([10 * np.sin(lam) * np.cos(phi) + 2 * np.sin(phi) + h / 6 for h in hours])


def dataset(longitude=None, latitude=None, hours=(0, 6, 12, 18, 24), names=("u10", "v10")):
    longitude = np.arange(0.0, 360.0, 5.0) if longitude is None else np.asarray(longitude, float)
    latitude = np.arange(-90.0, 91.0, 5.0) if latitude is None else np.asarray(latitude, float)
    values = field(longitude, latitude, hours)
    dims = ("time", "lat", "lon")
    return xarray.Dataset(
        {names[0]: (dims, values), names[1]: (dims, -values)},
        {
            "time": ("time", np.array(hours), {"units": "hours since 2011-01-15"}),
            "lat": ("lat", latitude, {"units": "degrees_north"}),
            "lon": ("lon", longitude, {"units": "degrees_east"}),
        },
    )


def wind(tmp_path, data, model=None, first=start, last=end, name="wind.nc", **options):
    if isinstance(data, xarray.Dataset):
        name = f"wind{len(list(tmp_path.iterdir()))}.nc"
        data.to_netcdf(tmp_path / name)
    options = WindOptions(file=name, **options)
    return WindForcing(options, model or grid(), first, last, tmp_path)


def expected(model, hours):
    (values,) = field(model.x, model.y, [hours])
    return values[model.mask]


def assert_right(forcing, model=None, hours=9.0):
    model = model or grid()
    brackets = forcing.brackets(date("2011-01-15") + (end - start) * (hours / 24))
    u, v = brackets.now()
    assert np.abs(u - expected(model, hours)).max() < 1e-5
    assert np.array_equal(u, -v)


def test_the_wind_is_found_and_interpolated(tmp_path):
    forcing = wind(tmp_path, dataset())
    assert_right(forcing)
    assert forcing.brackets(date("2011-01-15 09")).weight == 0.5
    assert_right(forcing, hours=24.0)
    assert forcing.brackets(end).weight == 0.0
    assert forcing.brackets(start).weight == 0.0


@pytest.mark.parametrize(
    "longitude",
    [
        np.arange(-180.0, 180.0, 5.0),
        np.arange(-180.0, 181.0, 5.0),
        np.roll(np.arange(0.0, 360.0, 5.0), 31),
        np.arange(355.0, -5.0, -5.0),
        np.arange(0.0, 360.0, 5.0).astype(np.float32),
    ],
)
def test_any_convention_of_longitudes(tmp_path, longitude):
    assert_right(wind(tmp_path, dataset(longitude=longitude)))


def test_latitudes_from_north_to_south(tmp_path):
    assert_right(wind(tmp_path, dataset(latitude=np.arange(90.0, -91.0, -5.0))))


def test_a_regional_grid_across_greenwich(tmp_path):
    model = grid(x=np.arange(-20.0, 21.0, 10.0), y=[40.0, 50.0])
    for longitude in (np.arange(-30.0, 31.0, 5.0), np.arange(-30.0, 31.0, 5.0) % 360.0):
        forcing = wind(tmp_path, dataset(longitude, [35.0, 40.0, 45.0, 50.0, 55.0]), model)
        assert_right(forcing, model)


def test_unsorted_times_are_sorted(tmp_path):
    assert_right(wind(tmp_path, dataset(hours=(12, 0, 24, 6, 18))))


def test_several_files_follow_each_other(tmp_path):
    dataset(hours=(12, 18, 24)).to_netcdf(tmp_path / "wind_b.nc")
    dataset(hours=(0, 6)).to_netcdf(tmp_path / "wind_a.nc")
    options = WindOptions(file="wind_*.nc")
    assert_right(WindForcing(options, grid(), start, end, tmp_path))
    options = WindOptions(file=["wind_b.nc", "wind_a.nc"])
    assert_right(WindForcing(options, grid(), start, end, tmp_path))


def test_a_time_that_stands_twice_is_refused(tmp_path):
    with pytest.raises(UserError, match="time 2011-01-15 06:00 stands twice"):
        wind(tmp_path, dataset(hours=(0, 6, 6, 24)))


@pytest.mark.parametrize("names", [("U10M", "V10M"), ("uwnd", "vwnd"), ("10u", "10v"), ("a", "b")])
def test_usual_names_and_standard_names(tmp_path, names):
    data = dataset(names=names)
    data[names[0]].attrs["standard_name"] = "eastward_wind"
    data[names[1]].attrs["standard_name"] = "northward_wind"
    assert_right(wind(tmp_path, data))


def test_era5_as_it_comes(tmp_path):
    data = dataset(latitude=np.arange(90.0, -91.0, -5.0))
    data = data.rename(time="valid_time", lat="latitude", lon="longitude")
    data = data.expand_dims(number=[0]).assign_coords(expver=("valid_time", ["0001"] * 5))
    data["u100"] = 3 * data["u10"]
    for name in data.data_vars:
        data[name].attrs = {"standard_name": "unknown", "units": "m s**-1"}
    packing = {"dtype": "i2", "scale_factor": 1e-3, "add_offset": 0.5, "_FillValue": -32767}
    data.to_netcdf(tmp_path / "era5.nc", encoding={"u10": packing, "v10": packing})
    options = WindOptions(file="era5.nc")
    forcing = WindForcing(options, grid(), start, end, tmp_path)
    u, _ = forcing.brackets(date("2011-01-15 09")).now()
    assert np.abs(u - expected(grid(), 9.0)).max() < 1e-3


def test_zarr(tmp_path):
    dataset().to_zarr(tmp_path / "wind.zarr", zarr_format=2)
    assert_right(WindForcing(WindOptions(file="wind.zarr"), grid(), start, end, tmp_path))


def test_units_are_converted(tmp_path):
    data = dataset() * 3.6
    for name in data.data_vars:
        data[name].attrs["units"] = "km/h"
    assert_right(wind(tmp_path, data))
    data["u10"].attrs["units"] = "furlong/week"
    with pytest.raises(UserError, match="units 'furlong/week', which cannot be brought to 'm s-1'"):
        wind(tmp_path, data).brackets(start)


def test_other_calendars(tmp_path):
    data = dataset()
    data["time"].attrs["calendar"] = "noleap"
    assert_right(wind(tmp_path, data))
    noleap = [in_calendar(t, "noleap") for t in (start, end)]
    forcing = wind(tmp_path, dataset(), None, *noleap)
    u, _ = forcing.brackets(noleap[1]).now()
    assert np.abs(u - expected(grid(), 24.0)).max() < 1e-5


def test_a_file_that_is_too_short(tmp_path):
    message = (
        "covers 2011-01-15 00:00 to 2011-01-16 00:00, but the run needs 2011-01-15 00:00 to"
        " 2011-01-17 12:00"
    )
    with pytest.raises(UserError, match=message):
        wind(tmp_path, dataset(), last=date("2011-01-17 12"))
    with pytest.raises(UserError, match="but the run needs 2011-01-14 18:00"):
        wind(tmp_path, dataset(), first=date("2011-01-14 18"))


def test_a_missing_variable(tmp_path):
    with pytest.raises(UserError, match=r"no variable for northward wind.*It has: u10\(time, lat"):
        wind(tmp_path, dataset().drop_vars("v10"))
    with pytest.raises(UserError, match="no variable 'U10'. Did you mean 'u10'"):
        wind(tmp_path, dataset(), u="U10", v="v10")


def test_several_possible_variables(tmp_path):
    data = dataset(names=("east", "north"))
    data["north"].attrs["standard_name"] = "northward_wind"
    data["east"].attrs["standard_name"] = "eastward_wind"
    data["east_too"] = data["east"]
    with pytest.raises(UserError, match="several variables .*: east, east_too. Name one"):
        wind(tmp_path, data)
    assert_right(wind(tmp_path, data, u="east"))


def test_missing_files_and_strange_files(tmp_path):
    with pytest.raises(UserError, match="There is no file"):
        wind(tmp_path, None)
    with pytest.raises(UserError, match="There is no file"):
        WindForcing(WindOptions(file="w*.nc"), grid(), start, end, tmp_path)
    (tmp_path / "wind.nc").write_text("u,v\n1,2\n")
    with pytest.raises(UserError, match="Cannot read"):
        wind(tmp_path, None)


def test_a_file_without_coordinates_or_times(tmp_path):
    data = dataset()
    with pytest.raises(UserError, match="no latitude that can be recognised"):
        wind(tmp_path, data.drop_vars("lat"))
    del data["time"].attrs["units"]
    with pytest.raises(UserError, match="have no units such as 'hours since"):
        wind(tmp_path, data)


def test_a_grid_that_does_not_cover_the_model(tmp_path):
    data = dataset(longitude=np.arange(0.0, 100.0, 5.0))
    with pytest.raises(UserError, match="covers the longitudes 0 to 95, but .* the first at 100"):
        wind(tmp_path, data)
    data = dataset(latitude=np.arange(-60.0, 61.0, 5.0))
    with pytest.raises(UserError, match="covers the latitudes -60 to 60, but .* the first at -70"):
        wind(tmp_path, data)


def test_half_a_cell_beyond_the_edge_is_allowed(tmp_path):
    data = dataset(latitude=np.arange(-68.0, 69.0, 4.0))
    u, _ = wind(tmp_path, data).brackets(start).now()
    assert np.isfinite(u).all()


def test_nan_over_sea_is_refused_with_place_and_time(tmp_path):
    data = dataset()
    data["v10"][1, 20, 20] = np.nan
    forcing = wind(tmp_path, data)
    forcing.series.files.read("u10", "wind_u", forcing.series.files.records[0])
    message = "missing .NaN. over sea at 2011-01-15 06:00: 1 place, first at 100 E, 10 N"
    with pytest.raises(UserError, match=message):
        forcing.brackets(start)


def test_nan_over_land_is_filled_from_the_nearest_sea(tmp_path):
    model = grid(land=[(8, 10)])
    data = dataset()
    data["u10"][:, 20, 20] = np.nan
    data["u10"][:, 20, 19] = np.nan
    data["v10"][:, 20, 20] = np.nan
    u, _ = wind(tmp_path, data, model).brackets(start).now()
    assert np.abs(u - expected(model, 0.0)).max() < 1e-5
    everywhere = dataset() * np.nan
    with pytest.raises(UserError, match="NaN"):
        wind(tmp_path, everywhere, model).brackets(start)


def test_points_may_be_computed_in_any_pieces(tmp_path):
    whole = wind(tmp_path, dataset()).brackets(date("2011-01-15 05")).now()[0]
    part = grid(land=[(j, i) for j in range(15) for i in range(36) if (3 * j + i) % 5])
    piece = wind(tmp_path, dataset(), part).brackets(date("2011-01-15 05")).now()[0]
    assert np.array_equal(piece, whole[part.mask.ravel()])


def test_a_constant_wind_comes_from_its_direction():
    forcing = WindForcing(WindOptions(speed=10.0, direction=315.0), grid(), start, end)
    brackets = forcing.brackets(start)
    assert brackets.before[0] == pytest.approx(np.sqrt(50.0))
    assert brackets.before[1] == pytest.approx(-np.sqrt(50.0))


def test_a_users_function(tmp_path):
    (tmp_path / "storm.py").write_text("def storm(seconds, x, y):\n    return seconds + x, 2 * y\n")
    options = WindOptions(function="storm.py:storm")
    forcing = WindForcing(options, grid(), start, end, tmp_path)
    u, v = forcing.brackets(date("2011-01-15 01")).now()
    assert np.array_equal(u, 3600 + grid().point_x)
    assert np.array_equal(v, 2 * grid().point_y)
    with pytest.raises(UserError, match="no function 'cyclone'"):
        WindForcing(WindOptions(function="storm.py:cyclone"), grid(), start, end, tmp_path)
    for wrong, message in [(lambda t, x, y: x[:3], "two numbers"),
                           (lambda t, x, y: (np.nan, 1.0), "returns no number")]:  # fmt: skip
        with pytest.raises(UserError, match=message):
            WindForcing(WindOptions(), grid(), start, end, function=wrong).brackets(start)


def test_one_source_of_wind_exactly():
    with pytest.raises(UserError, match="0 of these are given"):
        WindForcing(WindOptions(), grid(), start, end)
    with pytest.raises(UserError, match="2 of these are given"):
        WindForcing(WindOptions(speed=3.0, file="wind.nc"), grid(), start, end)


def test_a_cartesian_grid_takes_no_file(tmp_path):
    model = Grid(
        x=np.arange(5.0), y=np.arange(4.0), depth=np.ones((4, 5)), mask=np.ones((4, 5), bool),
        spherical=False,
    )  # fmt: skip
    with pytest.raises(UserError, match="grid is Cartesian"):
        wind(tmp_path, dataset(), model)


def test_ice_at_a_date_and_in_time(tmp_path):
    data = dataset(hours=(0, 24))[["u10"]].rename(u10="siconc")
    data["siconc"].values[...] = np.array([20.0, 60.0])[:, None, None]
    data["siconc"].attrs["units"] = "%"
    data.to_netcdf(tmp_path / "ice.nc")
    ice = IceForcing(IceOptions(file="ice.nc"), grid(), start, end, tmp_path)
    assert ice.changes
    assert ice.now(date("2011-01-15 12")) == pytest.approx(0.4)
    held = IceOptions(file="ice.nc", at="2011-01-16")
    ice = IceForcing(held, grid(), start, date("2012-01-01"), tmp_path)
    assert not ice.changes
    assert ice.now(start) == pytest.approx(0.6)
    with pytest.raises(UserError, match="of 2011-01-17 00:00 is not in"):
        IceForcing(IceOptions(file="ice.nc", at="2011-01-17"), grid(), start, end, tmp_path)
    assert not IceForcing(IceOptions(), grid(), start, end).now(start).any()


def test_air_sea_temperature_difference(tmp_path):
    data = dataset(names=("t2m", "sst"))
    data["t2m"].attrs["units"], data["sst"].attrs["units"] = "K", "degC"
    data["t2m"].values[...], data["sst"].values[...] = 280.0, 10.0
    data.to_netcdf(tmp_path / "heat.nc")
    forcing = AirSeaForcing(AirSeaOptions(file="heat.nc"), grid(), start, end, tmp_path)
    assert forcing.now(start) == pytest.approx(-3.15)
    assert AirSeaForcing(AirSeaOptions(constant=2.0), grid(), start, end).now(start)[0] == 2.0


def test_grib_needs_eccodes(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "eccodes", None)
    (tmp_path / "gfs.grib2").write_bytes(b"GRIB")
    with pytest.raises(UserError, match="pip install eccodes"):
        wind(tmp_path, None, name="gfs.grib2")
