"""Vertical sections of fields with depth, along a parallel or a meridian."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure

from halocline.analysis import looks, reading
from halocline.analysis.map_grid import MapGrid, Numbers, extent_of, grid_of, nearest_cells
from halocline.analysis.maps import add_colour_bar, degree_step, degrees_east, degrees_north
from halocline.analysis.titles import headline, panel_title
from halocline.core.errors import UserError

DEPTH_MARKS = (0, 50, 200, 500, 1000, 1500, 2000, 3000, 4000, 5000, 6000)


def _root(depth: Numbers) -> Numbers:
    """Depths drawn by their root, which gives the upper ocean its room."""
    return np.sqrt(np.maximum(depth, 0.0))


def parse_section(text: str) -> tuple[str, float]:
    """Read "latitude=30" or "longitude=-25", shortened as one likes, or "x=100", "y=100" [km].

    >>> parse_section("lon=-25")
    ('longitude', -25.0)
    """
    name, _, number = text.partition("=")
    known = ("latitude", "longitude", "x", "y")
    kinds = [kind for kind in known if name and kind.startswith(name.strip())]
    try:
        return kinds[0], float(number)
    except (IndexError, ValueError):
        raise UserError(
            f"'{text}' is not a section. Write latitude=NUMBER or longitude=NUMBER, in degrees,"
            " or x=NUMBER or y=NUMBER, in km, of a Cartesian grid."
        ) from None


def section_points(grid: MapGrid, along: str, at: float) -> tuple[Numbers, Numbers]:
    """Longitudes and latitudes of the points of a section, about one per cell."""
    if not grid.geographic:
        raise UserError("A section is along a latitude or a longitude; this grid is Cartesian.")
    west, east, south, north = extent_of(None, grid)
    dx, dy = (max(step, 0.02) for step in grid.spacing)
    if along == "latitude":
        if not south <= at <= north:
            raise UserError(f"Latitude {at:g} lies outside the file: {south:g} to {north:g}.")
        x = np.arange(west + dx / 2, east, dx)
        return x, np.full_like(x, at)
    y = np.arange(south + dy / 2, north, dy)
    return np.full_like(y, at), y


def depth_axis(axes: Axes, deepest: float) -> None:
    """Depth [m] downward, by its root in the deep sea."""
    if deepest > 500.0:
        axes.set_yscale("function", functions=(_root, np.square))
        axes.set_yticks([depth for depth in DEPTH_MARKS if depth <= deepest])
    axes.set_ylim(deepest, 0.0)


def degree_marks(places: Numbers, *, eastward: bool) -> tuple[Numbers, list[str]]:
    """Marks along longitudes or latitudes [degree], and their words."""
    step = degree_step(float(places[-1] - places[0]), 9)
    marks = np.arange(np.ceil(places[0] / step), np.floor(places[-1] / step) + 0.5) * step
    words = degrees_east if eastward else degrees_north
    return marks, [words(float(mark)) for mark in marks]


def section_figure(
    data: xr.DataArray, along: str, at: float, title: str = ""
) -> tuple[Figure, QuadMesh]:
    """Draw one record of a field with depth along a latitude or longitude [degree]."""
    depth = reading.coordinate(data, "depth")
    if depth is None or depth.ndim != 1:
        raise UserError(f"Cannot cut '{data.name}': it has no axis of depths.")
    grid = grid_of(data)
    x, y = section_points(grid, along, at)
    cells, distance = nearest_cells(grid, x, y)
    values = data.transpose(str(depth.dims[0]), *grid.dimensions).values.astype(np.float64)
    values = in_grid_order(data, grid, values).reshape(len(values), -1)[:, cells]
    values[:, distance > 1.5 * max(grid.spacing)] = np.nan
    look = looks.look_of(data).fitted(values)
    low, high, marks = looks.limits(values, look.scale)
    figure = Figure(figsize=(10.8, 4.9))
    axes = figure.add_axes((0.075, 0.1, 0.84, 0.74))
    place = x if along == "latitude" else y
    levels = np.abs(depth.values.astype(np.float64))
    mesh = axes.pcolormesh(place, levels, values, cmap=look.colours, vmin=low, vmax=high)
    axes.set_facecolor("#8f8a80")
    depth_axis(axes, float(levels.max()))
    axes.set_xticks(*degree_marks(place, eastward=along == "latitude"))
    axes.set_ylabel(f"depth [{depth.attrs.get('units', 'm')}]")
    where = degrees_north(at) if along == "latitude" else degrees_east(at)
    panel_title(axes, f"{looks.name_with_units(data)} along {where}")
    add_colour_bar(figure, axes, mesh, marks)
    headline(figure, title, 0.075, 0.95, 0.915, reading.valid_time(data))
    return figure, mesh


def in_grid_order(data: xr.DataArray, grid: MapGrid, values: Numbers) -> Numbers:
    """Values (., j, i) of a variable with its rows and columns in the order of its grid."""
    if not grid.regular:
        return values
    latitude, longitude = reading.horizontal(data)
    rows = np.argsort(latitude.values, kind="stable")
    x = longitude.values.astype(np.float64)
    columns = np.argsort(np.unwrap(x, period=360.0) if grid.geographic else x, kind="stable")
    return values[:, rows][:, :, columns]
