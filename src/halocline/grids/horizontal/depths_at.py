"""Depths from a file at the cells of another grid."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halocline.grids.files.axes import bilinear, latitude_axis, longitude_axis
from halocline.grids.files.curvilinear_maps import cells_around
from halocline.grids.horizontal.bathymetry import BathymetryOptions, read_bathymetry
from halocline.grids.horizontal.curvilinear_files import is_curvilinear, read_displaced_pole
from halocline.grids.horizontal.grid import Grid
from halocline.grids.sphere import vectors

Array = NDArray[np.float64]


def depths_at(options: BathymetryOptions, path: Path, x: Array, y: Array) -> Array:
    """Depths [m] of the file at points [degree], 0 on land and where the file has no cells.

    Bilinear in the file's grid, regular or curvilinear: sea is where more than half of what a
    point is interpolated from is sea, and its depth is the mean of that part.
    """
    curvilinear = is_curvilinear(path)
    theirs = read_displaced_pole(path, options) if curvilinear else read_bathymetry(options)
    at_points = _interpolation(theirs, (x.ravel(), y.ravel()), f"The depth in {path}")
    sea, depth = at_points(theirs.mask.astype(np.float64)), at_points(theirs.depth * theirs.mask)
    wet = sea > 0.5
    found = np.maximum(depth / np.where(wet, sea, 1.0), options.minimum_depth)
    return np.where(wet, found, 0.0).reshape(x.shape)


def _interpolation(grid: Grid, points: tuple[Array, Array], where: str) -> Callable[[Array], Array]:
    """What brings planes of a file's grid to points; 0 beyond its cells."""
    if grid.longitude is not None and grid.latitude is not None:
        places = vectors(grid.longitude, grid.latitude)
        weights, outside = cells_around(places, grid.topology.goes_round, points)
        return lambda plane: np.where(outside, 0.0, weights(plane))
    columns, rows = longitude_axis(grid.x), latitude_axis(grid.y)
    half_x, half_y = 0.5 * grid.step_x, 0.5 * grid.step_y
    outside = (points[1] < rows.values[0] - half_y) | (points[1] > rows.values[-1] + half_y)
    if not columns.period:
        east = (points[0] - columns.values[0] + half_x) % 360.0
        outside |= east > grid.x.size * grid.step_x
    inside = [
        np.where(outside, axis.values[0], some)
        for axis, some in zip((columns, rows), points, strict=True)
    ]
    around = bilinear(columns, rows, (inside[0], inside[1]), where, "the grid")
    return lambda plane: np.where(outside, 0.0, around(plane[rows.order][:, columns.order]))
