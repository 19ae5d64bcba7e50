"""Columns of air from files, and the Skew-T diagrams of them."""

from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from numpy.testing import assert_allclose

from halocline.analysis.plot import plot
from halocline.analysis.skew_t import along, skew_t_figure
from halocline.analysis.soundings import Sounding, sounding_at
from halocline.core import moist_air, parcels
from halocline.core.errors import UserError

sample = Path(__file__).parents[2] / "cases" / "data" / "gfs_sample.nc"


def on_a_turned_grid(angle: float) -> xr.Dataset:
    """A column everywhere on a grid turned by an angle [rad], with winds along its axes."""
    a, b = np.meshgrid(np.linspace(-2.0, 2.0, 9), np.linspace(-1.0, 1.0, 5))
    x, y = np.cos(angle) * a - np.sin(angle) * b, np.sin(angle) * a + np.cos(angle) * b
    pressure = np.array([9e4, 7e4, 5e4, 2e4])[:, None, None] + 10.0 * a
    shape = pressure.shape
    fields = {
        "p": (pressure, "air_pressure", "Pa"),
        "t": (np.broadcast_to(np.array([285.0, 272.0, 255.0, 220.0])[:, None, None], shape),
              "air_temperature", "K"),
        "q": (np.full(shape, 2e-3), "humidity_mixing_ratio", "1"),
        "u": (np.full(shape, 20.0 * np.cos(angle)), "x_wind", "m s-1"),
        "v": (np.full(shape, -20.0 * np.sin(angle)), "y_wind", "m s-1"),
    }  # fmt: skip
    data = xr.Dataset(
        {
            name: (("level", "y", "x"), values, {"standard_name": standard, "units": units})
            for name, (values, standard, units) in fields.items()
        }
    )
    return data.assign_coords(
        latitude=(("y", "x"), y, {"standard_name": "latitude", "units": "degrees_north"}),
        longitude=(("y", "x"), x, {"standard_name": "longitude", "units": "degrees_east"}),
    )


def test_column_of_the_gfs_is_that_of_the_file():
    with xr.open_dataset(sample) as data:
        found = sounding_at(data, (-92.0, 41.0), 0, sample)
        there = data.isel(time=0).sel(lat=40.0, lon=267.5)
        kept = there.plev.values <= float(there.ps)
        order = np.argsort(-there.plev.values[kept])
        assert 5 < kept.sum() < 14  # 1000 hPa lies below the ground
        assert_allclose(found.pressure, there.plev.values[kept][order])
        assert_allclose(found.temperature, there.t.values[kept][order])
        assert_allclose(found.wind[0], there.u.values[kept][order])
        share = there.r.values[kept][order] / 100
    saturation = moist_air.saturation_pressure(found.temperature)
    vapor = moist_air.vapor_pressure(found.mixing_ratio, found.pressure)
    warm = found.pressure > 3e4
    assert_allclose((vapor / saturation)[warm], share[warm], rtol=1e-6)
    assert (found.longitude, found.latitude, found.time) == (267.5, 40.0, "2011-01-15 12:00 UTC")


def test_winds_along_a_turned_grid_become_eastward():
    data = on_a_turned_grid(0.6)
    found = sounding_at(data, (0.1, 0.1), 0, "turned")
    assert_allclose(found.wind[0], 20.0, rtol=1e-4)
    assert_allclose(found.wind[1], 0.0, atol=0.01)
    # The pressure is that of the column: 10 Pa per degree along the rows.
    assert_allclose(found.pressure, np.array([9e4, 7e4, 5e4, 2e4]), atol=10.0)
    assert_allclose(found.dewpoint, moist_air.dewpoint(
        moist_air.vapor_pressure(np.full(4, 2e-3), found.pressure)))  # fmt: skip


def test_a_place_on_a_flat_grid_is_in_km():
    data = on_a_turned_grid(0.0).drop_vars(["latitude", "longitude"])
    metres = {"units": "m", "standard_name": "projection_x_coordinate"}
    data = data.assign_coords(
        x=("x", 1e3 * np.arange(-4.0, 5.0), metres),
        y=("y", 1e3 * np.arange(5.0), {**metres, "standard_name": "projection_y_coordinate"}),
    )
    found = sounding_at(data, (3.2, 1.0), 0, "flat")
    assert (found.longitude, found.latitude, found.flat) == (3e3, 1e3, True)
    assert_allclose(found.pressure[0], 9e4 + 15.0)
    assert any("x 3 km, y 1 km" in text.get_text() for text in skew_t_figure(found).texts)


def test_what_is_missing_is_said():
    data = on_a_turned_grid(0.0)
    for name, words in (
        ("t", "no air_temperature on levels"),
        ("q", "no humidity on levels"),
        ("p", "no pressure of the levels 'level'"),
    ):
        with pytest.raises(UserError, match=words):
            sounding_at(data.drop_vars(name), (0.0, 0.0), 0, "file")
    data["t"] = data["t"].where(data["p"] < 3e4)
    with pytest.raises(UserError, match="has 1 levels with values"):
        sounding_at(data, (0.0, 0.0), 0, "file")


def test_lines_of_the_diagram():
    pressure = np.geomspace(1e5, 1.5e4, 40)
    temperature = 300.0 * (pressure / 1e5) ** 0.24
    q = 0.6 * moist_air.mixing_ratio(moist_air.saturation_pressure(temperature), pressure)
    column = Sounding(
        pressure, temperature, q, (0 * q + 5.0, 0 * q), 10.0, 50.0, "2011-01-15 12:00 UTC"
    )
    figure = skew_t_figure(column, "Test")
    (axes,) = figure.axes
    lines = {line.get_label(): line for line in axes.get_lines()}
    x, y = lines["temperature"].get_data()
    assert_allclose(y, pressure / 100)
    assert_allclose(x - 37.0 * np.log(1050.0 / y), temperature - 273.15)
    # A factor e of pressure is 37 K to the right.
    assert along(np.array(0.0), np.array(1050.0 / np.e)) == pytest.approx(37.0)
    x, y = lines["rising from the ground"].get_data()
    rising = x - 37.0 * np.log(1050.0 / y) + 273.15
    found = parcels.surface_parcel(pressure[:, None], temperature[:, None], q[:, None])
    below = y * 100 >= found.condensation_level[0]
    assert_allclose(rising[below], 300.0 * (y[below] / 1000) ** (2 / 7), rtol=1e-6)
    assert any(f"CAPE {found.cape[0]:.0f} J/kg" in text.get_text() for text in figure.texts)
    assert found.cape[0] > 100.0


def test_plot_draws_a_sounding(tmp_path):
    (path,) = plot(sample, time=1, sounding=(-95.0, 22.5), output=tmp_path)
    assert path.name == "gfs_sample-sounding.png" and path.stat().st_size > 30_000
