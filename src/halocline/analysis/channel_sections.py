"""Vertical sections along rows or columns: depth, or height, over the distance.

One panel for each field.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from halocline.analysis import looks, reading
from halocline.analysis.map_grid import Numbers, grid_of, values_on
from halocline.analysis.maps import add_colour_bar
from halocline.analysis.profiles import label_place, sea_cells, shape_of
from halocline.analysis.titles import headline, panel_title
from halocline.core.errors import UserError


@dataclass(frozen=True)
class Line:
    """A row of cells of a regular grid, or a column."""

    eastward: bool
    number: int


def deep_channels(fields: list[xr.DataArray]) -> list[xr.DataArray]:
    """Those of the fields that have depths, in a channel at most 3 cells wide."""
    return [field for field in fields if levels_of(field) is not None and _is_channel(field)]


def levels_of(field: xr.DataArray) -> xr.DataArray | None:
    """The depths of a field that has several."""
    depth = reading.coordinate(field, "depth")
    known = depth is not None and depth.ndim == 1 and depth.dims[0] in field.dims
    return depth if known and depth is not None and depth.size > 1 else None


def is_upward(field: xr.DataArray) -> bool:
    """Whether its levels are heights."""
    levels = levels_of(field)
    return levels is not None and levels.attrs.get("positive") == "up"


def _is_channel(field: xr.DataArray) -> bool:
    return shape_of(surface_of(field)) == "channel"


def surface_of(field: xr.DataArray) -> xr.DataArray:
    """The level nearest to the surface."""
    depth = levels_of(field)
    assert depth is not None
    return field.isel({str(depth.dims[0]): int(np.abs(depth.values).argmin())})


def middle_of(field: xr.DataArray) -> Line:
    """The line in the middle of a channel."""
    rows, columns = sea_cells(grid_of(field), reading.record(surface_of(field), -1))
    if len(columns) >= len(rows):
        return Line(True, int(rows[len(rows) // 2]))
    return Line(False, int(columns[len(columns) // 2]))


def line_at(field: xr.DataArray, along: str, at: float) -> Line:
    """The row nearest to y = `at` [km], or the column nearest to x."""
    grid = grid_of(field)
    if grid.geographic or levels_of(field) is None:
        raise UserError(
            f"'{field.name}' has no section at {along} = {at:g} km: a Cartesian grid and depths are"
            " needed. On others write latitude=NUMBER or longitude=NUMBER."
        )
    centres = grid.latitude if along == "y" else grid.longitude
    return Line(along == "y", int(np.abs(centres - at).argmin()))


def channel_sections(
    fields: list[xr.DataArray], index: int, title: str = "", line: Line | None = None
) -> Figure:
    """One panel for each field: its record `index` along a line, or in the middle of a channel."""
    height = 0.95 + 2.5 * len(fields)
    figure = Figure(figsize=(9.6, height))
    panels = figure.subplots(len(fields), 1, sharex=True, squeeze=False)[:, 0]
    figure.subplots_adjust(
        left=0.085, right=0.9, bottom=0.52 / height, top=1.0 - 0.72 / height, hspace=0.25
    )
    for axes, field in zip(panels, fields, strict=True):
        place, depth, values = section_along(field, index, line or middle_of(field))
        look = looks.look_of(field).fitted(values)
        low, high, marks = looks.limits(values, look.scale)
        mesh = axes.pcolormesh(place, depth, values, cmap=look.colours, vmin=low, vmax=high)
        axes.set_facecolor("#8f8a80")
        if is_upward(field):
            axes.set_ylim(0.0, max(depth))
            axes.set_ylabel("height [m]")
        else:
            axes.set_ylim(max(depth), 0.0)
            axes.set_ylabel("depth [m]")
        units = looks.units_of(field)
        panel_title(axes, looks.title_of(field) + (f" [{units}]" if units else ""))
        add_colour_bar(figure, axes, mesh, marks)
    label_place(panels[-1], grid_of(fields[0]), (line or middle_of(fields[0])).eastward)
    time = reading.valid_time(reading.record(fields[0], index))
    headline(figure, title, 0.085, 1.0 - 0.22 / height, 0.9, time)
    return figure


def section_along(field: xr.DataArray, index: int, line: Line) -> tuple[Numbers, Numbers, Numbers]:
    """Edges of the cells along a line and of the levels, downward; values (level, place)."""
    grid, depth = grid_of(field), levels_of(field)
    assert depth is not None
    levels = np.abs(depth.values.astype(np.float64))
    record = reading.record(field, index)
    planes = [
        values_on(grid, record.isel({str(depth.dims[0]): int(k)}))
        for k in np.argsort(levels, kind="stable")
    ]
    values = np.stack(planes)
    cut = values[:, line.number] if line.eastward else values[..., line.number]
    place = grid.longitude if line.eastward else grid.latitude
    return edges_of(place), np.maximum(edges_of(np.sort(levels)), 0.0), cut


def edges_of(centres: Numbers) -> Numbers:
    """Edges halfway between centres, and as far beyond the first and the last.

    >>> edges_of(np.array([1.0, 2.0, 4.0])).tolist()
    [0.5, 1.5, 3.0, 5.0]
    """
    middle = 0.5 * (centres[1:] + centres[:-1])
    ends = 2.0 * centres[0] - middle[0], 2.0 * centres[-1] - middle[-1]
    return np.concatenate([[ends[0]], middle, [ends[1]]])
