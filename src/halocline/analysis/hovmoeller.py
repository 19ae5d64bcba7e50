"""Diagrams of Hovmoeller: values along a line of places against time."""

from __future__ import annotations

from typing import Any

import matplotlib.dates
import matplotlib.ticker
import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from numpy.typing import NDArray

from halocline.analysis import looks, reading
from halocline.analysis.channel_sections import edges_of
from halocline.analysis.map_grid import Numbers, grid_of, nearest_cells
from halocline.analysis.maps import add_colour_bar, degrees_east, degrees_north
from halocline.analysis.sections import degree_marks, in_grid_order, section_points
from halocline.analysis.series import dates_on, plain_times
from halocline.analysis.titles import headline, panel_title
from halocline.core.errors import UserError


def hovmoeller_figure(data: xr.DataArray, along: str, at: float, title: str = "") -> Figure:
    """One level of a field along a latitude or a longitude [degree], against time."""
    places, values = line_in_time(data, along, at)
    where = degrees_north(at) if along == "latitude" else degrees_east(at)
    name = f"{looks.name_with_units(data)} along {where}"
    return against_time(data, places, values, name, title, eastward=along == "latitude")


def line_in_time(data: xr.DataArray, along: str, at: float) -> tuple[Numbers, Numbers]:
    """Places along a latitude or longitude [degree], about one per cell, and values there.

    Values of shape (time, place) are those of the nearest cells, NaN where there is none.
    """
    time = reading.coordinate(data, "time")
    if time is None or time.ndim != 1 or time.size < 2:
        raise UserError(f"'{data.name}' has no two records: there is nothing to be drawn in time.")
    grid = grid_of(data)
    x, y = section_points(grid, along, at)
    cells, distance = nearest_cells(grid, x, y)
    values = data.transpose(str(time.dims[0]), *grid.dimensions).values.astype(np.float64)
    values = in_grid_order(data, grid, values).reshape(time.size, -1)[:, cells]
    values[:, distance > 1.5 * max(grid.spacing)] = np.nan
    return (x if along == "latitude" else y), values


def against_time(
    data: xr.DataArray, places: Numbers, values: Numbers, name: str, title: str, *, eastward: bool
) -> Figure:
    """Values (time, place): eastward places along x and time upward, others upward over time."""
    times = times_as_numbers(plain_times(data.to_dataset(name="field")))
    figure = Figure(figsize=(9.6, 6.4 if eastward else 4.6))
    axes = figure.add_axes((0.085, 0.085, 0.82, 0.795 if eastward else 0.76))
    look = looks.look_of(data).fitted(values)
    low, high, marks = looks.limits(values, look.scale)
    lines = edges_of(places), edges_of(times)
    mesh = axes.pcolormesh(
        *(lines if eastward else lines[::-1]), values if eastward else values.T,
        cmap=look.colours, vmin=low, vmax=high,
    )  # fmt: skip
    place_axis, time_axis = (axes.xaxis, axes.yaxis) if eastward else (axes.yaxis, axes.xaxis)
    place_axis.set_ticks(*degree_marks(places, eastward=eastward))
    dates_on(time_axis)
    if eastward:
        time_axis.set_major_formatter(_dates_beside())
    panel_title(axes, name)
    add_colour_bar(figure, axes, mesh, marks)
    headline(figure, title, 0.085, 0.955, 0.905)
    return figure


def _dates_beside() -> matplotlib.ticker.Formatter:
    """Dates beside an axis, where there is no room for a year at its end."""
    dates: Any = matplotlib.dates
    formats = ["%Y", "%Y", "%b %Y", "%d %b", "%H:%M", "%H:%M"]
    formatter: matplotlib.ticker.Formatter = dates.ConciseDateFormatter(
        dates.AutoDateLocator(minticks=4, maxticks=9), zero_formats=formats, show_offset=False
    )
    return formatter


def times_as_numbers(times: NDArray[Any]) -> Numbers:
    """Times as the axes of pictures count them [day]."""
    dates: Any = matplotlib.dates
    return np.asarray(dates.date2num(times) if times.dtype.kind == "M" else times, np.float64)
