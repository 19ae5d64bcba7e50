"""A grid whose cells lie around the points of files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.grids.files.curvilinear_maps import open_maps
from halocline.grids.files.gridded_files import GriddedFiles, expand
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.metrics import Curvilinear

Array = NDArray[np.float64]


def files_grid(files: list[str], calendar: str, fields: list[str], variables: list[str]) -> Grid:
    """The cells of files with longitudes and latitudes; sea is where all fields have values at
    the first record."""
    maps = open_maps(expand(files, Path()), calendar)
    try:
        if type(maps) is not GriddedFiles:
            raise UserError(
                f"The maps of {maps.name} lie on a curvilinear grid, of which they give no corners."
                " Choose data.grid = 'case', and name a file with corners (grid.file)."
            )
        sea = np.ones(maps.shape, bool)
        for number, name in enumerate(fields):
            variable = maps.find(name, variables[number] if variables else "")
            sea &= np.isfinite(maps.read(variable, name, maps.records[0]))
        return _around(maps.longitude.values, maps.latitude.values, sea)
    finally:
        maps.close()


def _around(longitude: Array, latitude: Array, sea: NDArray[np.bool_]) -> Grid:
    """Cells around points: of a regular grid, or between middles where lines are not even."""
    depth = sea.astype(np.float64)
    x_faces, y_faces = _faces(longitude), np.clip(_faces(latitude), -90.0, 90.0)
    joined = bool(abs(x_faces[-1] - x_faces[0] - 360.0) < 1e-3 * (x_faces[1] - x_faces[0]))
    even = all(
        np.allclose(np.diff(some), some[1] - some[0], rtol=1e-3) for some in (longitude, latitude)
    )
    if even:
        return Grid(
            x=longitude, y=latitude, depth=depth, mask=sea, periodic_x=joined,
            single_x=float(x_faces[1] - x_faces[0]), single_y=float(y_faces[1] - y_faces[0]),
        )  # fmt: skip
    corner_x, corner_y = np.meshgrid(x_faces, y_faces)
    center_x, center_y = np.meshgrid(longitude, latitude)
    cells = Curvilinear(
        corner_x=corner_x,
        corner_y=corner_y,
        periodic_x=joined,
        center_x=center_x,
        center_y=center_y,
    )
    return Grid.of(cells, depth)


def _faces(line: Array) -> Array:
    """Places in the middle between points, and as far beyond the outermost.

    >>> _faces(np.array([0.0, 1.0, 3.0])).tolist()
    [-0.5, 0.5, 2.0, 4.0]
    """
    if line.size < 2:
        raise UserError("A grid of files needs two longitudes and two latitudes at least.")
    middles = 0.5 * (line[1:] + line[:-1])
    return np.concatenate([[2 * line[0] - middles[0]], middles, [2 * line[-1] - middles[-1]]])
