"""Vertical sections along rows and columns of Cartesian grids, and along channels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from halocline.analysis.channel_sections import Line, line_at, middle_of, section_along
from halocline.analysis.plot import plot
from halocline.core.errors import UserError


def deep(height: xr.DataArray, levels: int = 3) -> xr.DataArray:
    """A field whose levels, counted upward, are 1000 times their number warmer."""
    depth = xr.DataArray(10.0 * np.arange(levels)[::-1] + 5.0, dims="depth", attrs={"units": "m"})
    number = xr.DataArray(np.arange(levels), dims="depth")
    made = (height + 1000.0 * number).assign_coords(depth=depth)
    made.name, made.attrs = "temperature", {"units": "degree_C"}
    return made.transpose("time", "depth", "y", "x")


def test_section_along_the_middle_row(channel: xr.Dataset) -> None:
    field = deep(channel.significant_height)
    assert middle_of(field) == Line(True, 1)
    place, depth, values = section_along(field, 2, Line(True, 1))
    assert place[[0, -1]] == pytest.approx([-5.0, 195.0])
    assert depth == pytest.approx([0.0, 10.0, 20.0, 30.0])
    wanted = 2.0 + 0.1 * np.arange(1, 19) + np.array([[2000.0], [1000.0], [0.0]])
    assert values[:, 1:-1] == pytest.approx(wanted)


def test_lines_at_places(channel: xr.Dataset) -> None:
    field = deep(channel.significant_height)
    assert line_at(field, "x", 41.0) == Line(False, 4)
    assert line_at(field, "y", 19.0) == Line(True, 2)
    with pytest.raises(UserError, match="no section at x = 4 km: a Cartesian grid and depths"):
        line_at(channel.significant_height, "x", 4.0)


def test_files_of_channels_with_depths(channel: xr.Dataset, tmp_path: Path) -> None:
    deep(channel.significant_height).to_netcdf(tmp_path / "deep.nc")
    (whole,) = plot(tmp_path / "deep.nc")
    (cut,) = plot(tmp_path / "deep.nc", section="x=50")
    assert (whole.name, cut.name) == ("deep-section.png", "deep-temperature-x50.png")
