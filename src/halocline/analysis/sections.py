"""Vertical sections of fields with depth, along a parallel or a meridian."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure

from halocline.analysis import looks, reading
from halocline.analysis.map_grid import MapGrid, Numbers, extent_of, grid_of
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


def nearest_cells(grid: MapGrid, x: Numbers, y: Numbers) -> tuple[Numbers, Numbers]:
    """Flat index of the cell nearest to each point, and its distance [degree of arc]."""
    longitude, latitude = grid.longitude, grid.latitude
    if grid.regular:
        longitude, latitude = np.meshgrid(longitude, latitude)
    cells = _unit_vectors(longitude.ravel(), latitude.ravel())
    points = _unit_vectors(x, y)
    products = [points[start : start + 64] @ cells.T for start in range(0, len(points), 64)]
    index = np.concatenate([product.argmax(axis=1) for product in products])
    cosine = np.concatenate([product.max(axis=1) for product in products])
    return index, np.rad2deg(np.arccos(np.clip(cosine, -1.0, 1.0)))


def _unit_vectors(longitude: Numbers, latitude: Numbers) -> Numbers:
    a, b = np.deg2rad(longitude), np.deg2rad(latitude)
    return np.stack([np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b)], axis=1)


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
    values = _sorted(data, grid, values).reshape(len(values), -1)[:, cells]
    values[:, distance > 1.5 * max(grid.spacing)] = np.nan
    look = looks.look_of(data)
    low, high, marks = looks.limits(values, look.scale)
    figure = Figure(figsize=(10.8, 4.9))
    axes = figure.add_axes((0.075, 0.1, 0.84, 0.74))
    place = x if along == "latitude" else y
    levels = np.abs(depth.values.astype(np.float64))
    mesh = axes.pcolormesh(place, levels, values, cmap=look.colours, vmin=low, vmax=high)
    axes.set_facecolor("#8f8a80")
    if levels.max() > 500.0:
        axes.set_yscale("function", functions=(_root, np.square))
        axes.set_yticks([d for d in DEPTH_MARKS if d <= levels.max()])
    axes.set_ylim(levels.max(), 0.0)
    step = degree_step(float(place[-1] - place[0]), 9)
    ticks = np.arange(np.ceil(place[0] / step), np.floor(place[-1] / step) + 0.5) * step
    label = degrees_east if along == "latitude" else degrees_north
    axes.set_xticks(ticks, [label(float(value)) for value in ticks])
    axes.set_ylabel(f"depth [{depth.attrs.get('units', 'm')}]")
    units, where = (
        looks.units_of(data),
        (degrees_north(at) if along == "latitude" else degrees_east(at)),
    )
    name = looks.title_of(data) + (f" [{units}]" if units else "")
    panel_title(axes, f"{name} along {where}")
    add_colour_bar(figure, axes, mesh, marks)
    headline(figure, title, 0.075, 0.95, 0.915, reading.valid_time(data))
    return figure, mesh


def _sorted(data: xr.DataArray, grid: MapGrid, values: Numbers) -> Numbers:
    if not grid.regular:
        return values
    latitude, longitude = reading.horizontal(data)
    rows = np.argsort(latitude.values, kind="stable")
    columns = np.argsort(
        np.unwrap(longitude.values.astype(np.float64), period=360.0), kind="stable"
    )
    return values[:, rows][:, :, columns]
