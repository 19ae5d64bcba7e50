"""Pictures of a single column through time, from files with land around it."""

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from halocline.analysis.columns_in_time import columns, columns_in_time
from halocline.analysis.plot import plot


def column(records: int = 4) -> xr.Dataset:
    """Three levels, counted upward, of 3 x 3 cells of which the middle one is wet."""
    values = np.full((records, 3, 3, 3), np.nan)
    values[:, :, 1, 1] = np.arange(records)[:, None] + 10.0 * np.arange(3)
    coordinates = {
        "time": np.datetime64("2001-01-01", "ns") + np.arange(records) * np.timedelta64(1, "D"),
        "depth": ("depth", [35.0, 15.0, 5.0], {"units": "m", "positive": "down"}),
        "y": ("y", [0.0, 1e4, 2e4], {"units": "m", "standard_name": "projection_y_coordinate"}),
        "x": ("x", [0.0, 1e4, 2e4], {"units": "m", "standard_name": "projection_x_coordinate"}),
    }
    dims = ("time", "depth", "y", "x")
    return xr.Dataset({"N1p": (dims, values, {"units": "mmol m-3"})}, coordinates)


def test_values_lie_by_depth_and_time() -> None:
    figure = columns_in_time([column().N1p], "A column")
    panel = figure.axes[0]
    mesh = panel.collections[0]
    drawn = np.asarray(mesh.get_array()).reshape(3, 4)
    assert drawn == pytest.approx(10.0 * np.array([[2.0], [1.0], [0.0]]) + np.arange(4))
    corners = np.asarray(mesh.get_coordinates())
    assert corners[:, 0, 1] == pytest.approx([0.0, 10.0, 25.0, 45.0])
    assert np.diff(corners[0, :, 0]) == pytest.approx(1.0)
    assert panel.get_ylim() == (45.0, 0.0)


def test_only_columns_with_some_records() -> None:
    data = column()
    assert len(columns([data.N1p])) == 1
    assert columns([data.N1p.isel(time=[0])]) == []
    assert columns([data.N1p.isel(depth=0, drop=True)]) == []
    assert columns([data.N1p.fillna(0.0).pad(x=2, y=2, mode="edge")]) == []


def test_a_file_is_drawn_as_a_column(tmp_path: Path) -> None:
    column().to_netcdf(tmp_path / "one.nc")
    (picture,) = plot(tmp_path / "one.nc")
    assert picture.name == "one-column.png"
    (line,) = plot(tmp_path / "one.nc", "N1p", level=5.0)
    assert line.name == "one-lines.png"
