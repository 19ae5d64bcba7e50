"""Narrow grids are drawn as lines, single points as series."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from halocline.analysis.map_grid import grid_of
from halocline.analysis.plot import plot
from halocline.analysis.profiles import at_point, channel_sheet, profile, sea_cells, shape_of


def test_shapes(channel: xr.Dataset, global_waves: xr.Dataset, curvilinear: xr.DataArray) -> None:
    height = channel.significant_height
    assert shape_of(height) == "channel"
    assert shape_of(height.transpose("time", "x", "y")) == "channel"
    assert shape_of(height.isel(x=slice(0, 3))) == "point"
    assert shape_of(global_waves.significant_height) == "map"
    assert shape_of(global_waves.significant_height.isel(latitude=slice(10, 13))) == "channel"
    assert shape_of(curvilinear.isel(depth=0)) == "map"


def test_profile_is_the_middle_row(channel: xr.Dataset) -> None:
    record = channel.significant_height.isel(time=2)
    grid = grid_of(record)
    place, values, eastward = profile(grid, record, sea_cells(grid, record))
    assert eastward
    assert place == pytest.approx(10.0 * np.arange(20))
    assert values[1:-1] == pytest.approx(2.0 + 0.1 * np.arange(1, 19))
    assert np.isnan(values[[0, -1]]).all()


def test_sheet_draws_earlier_profiles_behind_the_last(channel: xr.Dataset) -> None:
    figure = channel_sheet([channel.significant_height], 2)
    axes = figure.axes[0]
    lines = axes.get_lines()
    assert [np.nanmin(np.asarray(line.get_ydata())) for line in lines] == pytest.approx(
        [0.1, 1.1, 2.1]
    )
    assert lines[-1].get_linewidth() > lines[0].get_linewidth()
    assert axes.get_xlabel() == "x [km]"
    assert axes.get_title() == "Significant wave height [m]"


def test_calm_start_draws_an_empty_line(channel: xr.Dataset) -> None:
    calm = channel.significant_height.where(channel.time > channel.time[0])
    first = channel_sheet([calm], 3).axes[0].get_lines()[0]
    assert np.isnan(np.asarray(first.get_ydata())).all()


def test_point_is_the_only_sea_point(channel: xr.Dataset) -> None:
    point = at_point(channel.significant_height.isel(x=slice(0, 2)))
    assert point.values == pytest.approx([0.1, 1.1, 2.1, 3.1])


def test_files_of_narrow_grids(channel: xr.Dataset, tmp_path: Path) -> None:
    channel.to_netcdf(tmp_path / "channel.nc")
    assert plot(tmp_path / "channel.nc") == [tmp_path / "channel-lines.png"]
    channel.isel(x=slice(0, 2)).to_netcdf(tmp_path / "box.nc")
    assert plot(tmp_path / "box.nc") == [tmp_path / "box-lines.png"]
