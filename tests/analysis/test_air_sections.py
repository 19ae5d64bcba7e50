"""Vertical sections of the air along lines, over heights or pressure, and columns at stations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from numpy.testing import assert_allclose

from halocline.analysis.air_sections import air_section
from halocline.analysis.map_grid import grid_of
from halocline.analysis.plot import plot
from halocline.analysis.section_lines import indices, line_of
from halocline.core.errors import UserError

up = {"standard_name": "height", "positive": "up", "units": "m"}
pressures = {"standard_name": "air_pressure", "units": "Pa"}


def flat() -> xr.Dataset:
    """Air over a slope along x on a flat grid, its temperature linear in x, y and level."""
    x, y = 1e3 * np.arange(-6.0, 7.0, 2.0), 1e3 * np.arange(0.0, 9.0, 2.0)
    level, faces = np.array([500.0, 1500.0, 2500.0]), np.array([0.0, 1e3, 2e3, 3e3])
    ground = 100.0 + 0.01 * (x + 6e3)
    t = 300.0 - 2e-3 * level[:, None, None] + 1e-4 * y[:, None] + 2e-4 * x
    z = ground + (1.0 - ground / 3e3) * faces[:, None, None] + 0.0 * y[:, None]
    return xr.Dataset(
        {
            "t": (("height", "y", "x"), t, {"standard_name": "air_temperature", "units": "K"}),
            "w": (("face", "y", "x"), 1e-3 * z, {"units": "m s-1"}),
            "z": (("face", "y", "x"), z, {"standard_name": "geopotential_height", "units": "m"}),
        },
        {
            "x": ("x", x, {"standard_name": "projection_x_coordinate", "units": "m"}),
            "y": ("y", y, {"standard_name": "projection_y_coordinate", "units": "m"}),
            "height": ("height", level, up), "face": ("face", faces, up),
        },
    )  # fmt: skip


def turned(angle: float = 0.5) -> xr.Dataset:
    """Air on a curvilinear grid over the pole, its temperature the third unit vector's part."""
    a, b = np.meshgrid(np.linspace(-0.2, 0.2, 41), np.linspace(-0.2, 0.2, 41))
    x, y = np.cos(angle) * a - np.sin(angle) * b, np.sin(angle) * a + np.cos(angle) * b
    z = np.sqrt(1.0 - x**2 - y**2)
    longitude, latitude = np.rad2deg(np.arctan2(y, x)), np.rad2deg(np.arcsin(z))
    t = np.stack([x, y, z])
    return xr.Dataset(
        {"t": (("plev", "y", "x"), t, {"standard_name": "air_temperature", "units": "K"})},
        {
            "plev": ("plev", [1e5, 8.5e4, 5e4], pressures),
            "latitude": (("y", "x"), latitude, {"units": "degrees_north"}),
            "longitude": (("y", "x"), longitude, {"units": "degrees_east"}),
        },
    )


def test_values_and_heights_along_a_line_that_is_oblique():
    data = flat()
    line = line_of(grid_of(data.t), "-5,1,5,7", steps=6)
    x, y = 1e3 * np.linspace(-5.0, 5.0, 6), 1e3 * np.linspace(1.0, 7.0, 6)
    found = air_section(data, data.t, 0, line)
    level = data.height.values[:, None]
    assert_allclose(found.values, 300.0 - 2e-3 * level + 1e-4 * y + 2e-4 * x)
    ground = 100.0 + 0.01 * (x + 6e3)
    assert_allclose(found.edges[0], 1e-3 * ground)
    assert_allclose(found.edges[-1], 3.0)
    assert_allclose(line.way[-1], np.hypot(10.0, 6.0))
    upright = air_section(data, data.w, 0, line)
    assert_allclose(upright.edges[[0, -1]], found.edges[[0, -1]])
    assert_allclose(upright.edges[1], 0.5 * (found.edges[0] + found.edges[1]))
    assert upright.vertical == "height"
    without = air_section(data.drop_vars("z"), data.t, 0, line)
    assert_allclose(without.edges[:, 0], [0.0, 1.0, 2.0, 3.0])


def test_a_row_has_its_values_from_west_to_east():
    data = flat()
    line = line_of(grid_of(data.t), "y=4")
    found = air_section(data, data.t, 0, line)
    assert_allclose(line.axis, 1e-3 * data.x.values)
    assert_allclose(found.values, data.t.sel(y=4e3).values)


@pytest.mark.parametrize("rows", [1, 3])
def test_a_channel_of_air_is_cut_along_its_middle(tmp_path: Path, rows: int):
    data = flat().isel(y=slice(rows)).expand_dims(time=[0.0])
    data["time"].attrs = {"standard_name": "time"}
    data.to_netcdf(tmp_path / "air.nc")
    (path,) = plot(tmp_path / "air.nc")
    assert path.name == "air-section.png" and path.stat().st_size > 20_000
    line = line_of(grid_of(data.t), f"y={1e-3 * float(data.y[rows // 2]):g}")
    assert_allclose(air_section(data, data.t, 0, line).values, data.t[0, :, rows // 2])


def test_a_great_circle_over_the_pole_of_a_curvilinear_grid():
    data = turned()
    line = line_of(grid_of(data.t), "-30,82,140,83", steps=25)
    found = air_section(data, data.t, 0, line)
    unit = np.cos(np.deg2rad(line.y)) * np.exp(1j * np.deg2rad(line.x))
    assert_allclose(found.values[0], unit.real, atol=2e-5)
    assert_allclose(found.values[1], unit.imag, atol=2e-5)
    assert_allclose(np.diff(line.way), line.way[-1] / 24, rtol=1e-9)
    assert_allclose(found.edges[1:3, 0], np.sqrt([1000.0 * 850.0, 850.0 * 500.0]))
    assert found.vertical == "pressure"


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ("-5,1,50,7", "leaves the grid of the file at"),
        ("1,2,3", "is not a section"),
        ("latitude=3", "no line latitude=3 on this grid"),
    ],
)
def test_lines_that_are_not_there_are_refused(section: str, words: str):
    grid = grid_of(flat().t)
    with pytest.raises(UserError, match=words):
        indices(grid, line_of(grid, section))


def test_pictures_of_sections_and_of_columns_at_stations(tmp_path: Path):
    data = flat()
    data.to_netcdf(tmp_path / "air.nc")
    (path,) = plot(tmp_path / "air.nc", ["t", "w"], section="-5,1,5,7")
    assert path.name == "air-t--5_1_5_7.png" and path.stat().st_size > 20_000
    times = np.datetime64("2000-01-01", "ns") + np.arange(3) * np.timedelta64(1, "h")
    level = {"height": ("height", data.height.values, up), "time": times}
    pressure = np.broadcast_to(np.array([9e4, 7e4, 5e4]), (3, 2, 3))
    axes = ("time", "station", "height")
    fields = {
        "air_temperature": (290.0 - 40.0 * np.log(9e4 / pressure), "K"),
        "air_pressure": (pressure, "Pa"),
        "humidity_mixing_ratio": (np.full((3, 2, 3), 1e-3), "1"),
    }
    columns = xr.Dataset(
        {
            name: (axes, values, {"standard_name": name, "units": units})
            for name, (values, units) in fields.items()
        },
        level,
    ).assign_coords(
        x=("station", [0.0, 2e3], data.x.attrs), y=("station", [0.0, 4e3], data.y.attrs),
        station_name=("station", np.array([b"here", b"there"])),
    )  # fmt: skip
    columns.to_netcdf(tmp_path / "columns.nc")
    found = plot(tmp_path / "columns.nc")
    assert [path.name for path in found] == ["columns-here.png", "columns-there.png"]
    (alone,) = plot(
        tmp_path / "columns.nc", "air_temperature", station="there", output=tmp_path / "t.png"
    )
    assert alone.stat().st_size > 10_000
    with pytest.raises(UserError, match="no station 'nowhere'"):
        plot(tmp_path / "columns.nc", station="nowhere")
