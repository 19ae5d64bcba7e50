"""Values along lines against time, and what an ocean carries northward."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from halocline.analysis import looks
from halocline.analysis.hovmoeller import hovmoeller_figure, line_in_time
from halocline.analysis.northward import northward_figure, northward_of
from halocline.analysis.plot import plot
from halocline.core.errors import UserError

days = np.datetime64("2000-01-01", "ns") + np.arange(6) * np.timedelta64(1, "D")


def series_file() -> xr.Dataset:
    """Overturning of 20 Sv at 1000 m, heat of 1 PW at 20 N, two sections."""
    parallel, depth = np.arange(-80.0, 81.0, 4.0), np.array([5000.0, 1000.0, 100.0, 0.0])
    shape = 20e6 * np.cos(np.deg2rad(parallel)) * np.array([0.0, 1.0, 0.2, 0.0])[:, None]
    heat = 1e15 * np.exp(-(((parallel - 20.0) / 30.0) ** 2))
    growing = np.arange(1.0, 7.0)[:, None] / 6.0
    return xr.Dataset(
        {
            "volume": ("time", 1.3e18 + 1e9 * np.arange(6.0), {"units": "m3"}),
            "overturning": (
                ("time", "depth_interface", "parallel"), growing[..., None] * shape,
                {"units": "m3 s-1"},
            ),
            "northward_heat_transport": (("time", "parallel"), growing * heat, {"units": "W"}),
            "section_transport": (
                ("time", "section"), 1e6 * growing * [150.0, 1.0], {"units": "m3 s-1"},
            ),
        },
        {
            "time": days,
            "parallel": ("parallel", parallel, {"units": "degrees_north"}),
            "depth_interface": ("depth_interface", depth, {"units": "m"}),
            "section_name": ("section", np.array([b"drake", b"bering"])),
        },
    )  # fmt: skip


def test_a_line_in_time_is_that_of_the_nearest_cells(global_waves: xr.Dataset) -> None:
    height = global_waves.significant_height
    x, values = line_in_time(height, "latitude", 12.0)
    there = height.sel(latitude=10.0).values
    assert values.shape == there.shape == (5, 72)
    beside = [np.remainder(side(x / 5.0).astype(int), 72) for side in (np.floor, np.ceil)]
    away = np.abs(values - [there[:, columns] for columns in beside]).min(axis=0)
    assert away.max() < 1e-9 and np.ptp(there) > 1.0
    y, values = line_in_time(height, "longitude", 40.0)
    assert np.isnan(values[:, y > 61.0]).all() and np.isfinite(values[:, y < 59.0]).all()
    assert values[3, 0] - values[1, 0] == pytest.approx(2.0)
    with pytest.raises(UserError, match="no two records"):
        line_in_time(height.isel(time=[0]), "latitude", 0.0)


@pytest.mark.parametrize(("along", "upward"), [("latitude", "time"), ("longitude", "place")])
def test_time_goes_up_beside_longitudes_and_right_beside_latitudes(
    global_waves: xr.Dataset, along: str, upward: str
) -> None:
    with looks.style():
        figure = hovmoeller_figure(global_waves.significant_height, along, 10.0, "a title")
    axes = figure.axes[0]
    values = np.ma.asarray(axes.collections[0].get_array())
    record, place = (0, 1) if upward == "time" else (1, 0)
    assert values.shape[record] == 5
    rises = np.diff(values, axis=record)
    assert np.allclose(rises.compressed(), 1.0) and values.shape[place] > 20
    degrees = axes.get_xticklabels() if upward == "time" else axes.get_yticklabels()
    assert all("°" in label.get_text() for label in degrees)


def test_series_of_an_ocean_are_lines_overturning_and_diagrams(tmp_path: Path) -> None:
    series_file().assign(layers=("depth_interface", np.ones(4))).to_netcdf(tmp_path / "numbers.nc")
    assert [path.name for path in plot(tmp_path / "numbers.nc")] == [
        "numbers-series.png", "numbers-overturning.png", "numbers-northward_heat_transport.png",
    ]  # fmt: skip
    with pytest.raises(UserError, match="Series are: volume, section_transport, overturning"):
        plot(tmp_path / "numbers.nc", "layers")


def test_overturning_lies_over_its_depths_in_sverdrups() -> None:
    data = looks.readable(series_file().overturning)
    with looks.style():
        figure = northward_figure(data, 5)
    axes = figure.axes[0]
    assert axes.get_ylim() == (5000.0, 0.0)
    assert axes.get_title(loc="left").endswith("[Sv]")
    low, high = axes.collections[0].get_clim()
    assert low == -high and 20.0 <= high <= 25.0


def test_heat_is_a_diagram_of_many_records_and_lines_of_few() -> None:
    heat = looks.readable(series_file().northward_heat_transport)
    assert northward_of(series_file()) == ["overturning", "northward_heat_transport"]
    figure = northward_figure(heat, 5)
    most = np.ma.asarray(figure.axes[0].collections[0].get_array())
    assert most.shape == (41, 6) and most.max() == pytest.approx(1.0)
    lines = northward_figure(heat.isel(time=slice(2)), 1).axes[0].lines
    assert [line.get_ydata().max() for line in lines] == pytest.approx([1 / 6, 2 / 6])
