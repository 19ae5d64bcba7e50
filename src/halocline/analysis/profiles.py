"""Fields of narrow grids: lines along a channel, or series in time at a single point."""

from __future__ import annotations

from typing import Literal

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from halocline.analysis import looks, reading
from halocline.analysis.map_grid import MapGrid, Numbers, grid_of, values_on
from halocline.analysis.maps import degrees_east, degrees_north
from halocline.analysis.series import plain_axes
from halocline.analysis.titles import headline, panel_title

Indices = NDArray[np.intp]
Shape = Literal["map", "channel", "point"]
NARROW = 3
MOST_LINES = 7


def shape_of(data: xr.DataArray) -> Shape:
    """Whether the sea of a field is an area, a channel at most 3 cells wide, or a point."""
    grid = grid_of(data)
    if not grid.regular:
        return "map"
    rows, columns = sea_cells(grid, reading.record(data, -1))
    wide = sum(len(cells) > NARROW for cells in (rows, columns))
    if wide == 2 or not (len(rows) and len(columns)):
        return "map"
    return "channel" if wide == 1 else "point"


def sea_cells(grid: MapGrid, record: xr.DataArray) -> tuple[Indices, Indices]:
    """Rows and columns of a grid that have any value."""
    known = np.isfinite(values_on(grid, record))
    return np.flatnonzero(known.any(axis=1)), np.flatnonzero(known.any(axis=0))


def at_point(data: xr.DataArray, surface: xr.DataArray | None = None) -> xr.DataArray:
    """The field at the middle of its few sea points, or of those of its `surface`."""
    plane = data if surface is None else surface
    grid = grid_of(plane)
    rows, columns = sea_cells(grid, reading.record(plane, -1))
    latitude, longitude = reading.horizontal(data)
    j = int(np.argsort(latitude.values, kind="stable")[rows[len(rows) // 2]])
    i = int(np.argsort(longitude.values, kind="stable")[columns[len(columns) // 2]])
    return data.isel({grid.dimensions[0]: j, grid.dimensions[1]: i})


def profile(
    grid: MapGrid, record: xr.DataArray, sea: tuple[Indices, Indices]
) -> tuple[Numbers, Numbers, bool]:
    """Places along the channel, values in its middle, and whether it runs east.

    `sea` holds the rows and columns of the channel: a calm record may have no values at all.
    """
    rows, columns = sea
    values = values_on(grid, record)
    if len(columns) >= len(rows):
        return grid.longitude, values[rows[len(rows) // 2]], True
    return grid.latitude, values[:, columns[len(columns) // 2]], False


def channel_sheet(variables: list[xr.DataArray], index: int, title: str = "") -> Figure:
    """One panel per variable: the profile at record `index` in front of earlier ones."""
    grid = grid_of(variables[0])
    sea = sea_cells(grid, reading.record(variables[0], -1))
    height = 0.95 + 2.0 * len(variables)
    figure = Figure(figsize=(9.6, height))
    panels = figure.subplots(len(variables), 1, sharex=True, squeeze=False)[:, 0]
    figure.subplots_adjust(
        left=0.085, right=0.86, bottom=0.52 / height, top=1.0 - 0.68 / height, hspace=0.3
    )
    records = np.unique(np.linspace(0, index, MOST_LINES).round().astype(int))
    shades = looks.palette("dense")(np.linspace(0.15, 0.85, len(records)))
    for axes, variable in zip(panels, variables, strict=True):
        dots = looks.look_of(variable).scale == "direction"
        for number, shade in zip(records, shades, strict=True):
            record = reading.record(variable, int(number))
            place, values, _ = profile(grid, record, sea)
            last = number == records[-1]
            when = reading.valid_time(record).removesuffix(" UTC")
            axes.plot(
                place, values, "." if dots else "-", color=shade, markersize=3.0,
                linewidth=2.0 if last else 1.1, label=when,
            )  # fmt: skip
        units = looks.units_of(variable)
        name = looks.title_of(variable)
        panel_title(axes, f"{name} [{units}]" if units else name)
        plain_axes(axes)
        axes.margins(x=0.0)
    eastward = profile(grid, reading.record(variables[0], index), sea)[2]
    label_place(panels[-1], grid, eastward)
    panels[0].legend(
        title="UTC",
        title_fontsize=7.5,
        alignment="left",
        loc="upper left",
        bbox_to_anchor=(1.005, 1.03),
        fontsize=7.0,
        handlelength=1.0,
    )
    headline(figure, title, 0.085, 1.0 - 0.22 / height, 0.86)
    return figure


def label_place(axes: Axes, grid: MapGrid, eastward: bool) -> None:
    """Say what runs along the axis of places of a channel."""
    if not grid.geographic:
        axes.set_xlabel("x [km]" if eastward else "y [km]")
        return
    words = degrees_east if eastward else degrees_north
    axes.xaxis.set_major_formatter(lambda value, _: words(float(value)))
