"""Ground and land of the model's own grid from files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.grids.files.sources import FileVariables, open_source
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.place import Place

Array = NDArray[np.float64]

farthest = 0.05
"""How far places of a file may lie off centres of cells [cells]."""


def ground_on_grid(path: Path, grid: Grid) -> dict[str, Array]:
    """Planes of a file on the grid itself: `ground` [m], and `land` [1] where it has one.

    The variable is that with standard_name surface_altitude that has as many rows and columns as
    the grid; longitudes and latitudes beside it must be those of the centres.
    """
    source = open_source(path)
    try:
        name = _of_shape(source, "surface_altitude", grid)
        if not name:
            raise UserError(
                f"{path} has no ground of {grid.shape[0]} x {grid.shape[1]} cells (CF standard_name"
                f" 'surface_altitude'): {source.listing()}. Use a file on the grid of the case."
            )
        _check_places(source, name, grid, path)
        found = {"ground": source[name].read()}
        if not np.isfinite(found["ground"]).all():
            raise UserError(f"'{name}' of {path} is missing somewhere. Fill it.")
        for other, variable in source.variables.items():
            same = variable.dims == source[name].dims
            if same and variable.attrs.get("standard_name") == "land_binary_mask":
                found["land"] = np.clip(np.nan_to_num(source[other].read()), 0.0, 1.0)
        return found
    finally:
        source.close()


def _of_shape(source: FileVariables, standard_name: str, grid: Grid) -> str:
    """The variable of a standard name that has the shape of the grid, or ''."""
    for name, variable in source.variables.items():
        if variable.attrs.get("standard_name") == standard_name and variable.shape == grid.shape:
            return name
    return ""


def _check_places(source: FileVariables, name: str, grid: Grid, path: Path) -> None:
    """Refuse a ground whose longitudes and latitudes are not those of the grid."""
    centers = grid.at(Place.center)
    wanted = {"longitude": centers.x, "latitude": centers.y}
    for which, values in wanted.items():
        for variable in source.variables.values():
            if variable.attrs.get("standard_name") != which:
                continue
            if not set(variable.dims) <= set(source[name].dims) or variable.ndim == 0:
                continue
            theirs = variable.read()
            if variable.ndim == 1 and variable.dims[0] == source[name].dims[0]:
                theirs = theirs[:, None]
            off = (theirs - values + 180.0) % 360.0 - 180.0
            scale = np.cos(np.deg2rad(centers.y)) if which == "longitude" else 1.0
            length = np.minimum(centers.dx, centers.dy) / 111e3
            worst = float(np.abs(off * scale / length).max())
            if worst > farthest:
                raise UserError(
                    f"'{name}' of {path} lies up to {worst:.2g} cells off the centres of the grid"
                    f" along {which}. Use a file on the grid of the case."
                )
