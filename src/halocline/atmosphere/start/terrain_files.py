"""Ground and land at the cells of a grid from files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.start.file_window import FileWindow
from halocline.core.errors import UserError
from halocline.grids.files.sources import FileVariables, open_source
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.place import Place

Array = NDArray[np.float64]

places_on_globe = "longitude", "latitude"
flat_places = "projection_x_coordinate", "projection_y_coordinate"
"""Standard names of coordinates along x and y, by the kind of grid."""

farthest = 0.05
"""How far places of a file may lie off centres of cells [cells]."""


def ground_on_grid(path: Path, grid: Grid, *, placed: bool = False) -> dict[str, Array]:
    """Planes of a file at the cells of the grid: `ground` [m], and `land` [1] where it has one.

    The variable is that with standard_name surface_altitude whose cells are those of the grid, or
    more around them. Of as many cells as the grid has it needs no places, unless it is to be
    `placed`.
    """
    source = open_source(path)
    try:
        name, window = _found(source, grid, path, placed)
        rows, columns = window.slices()
        part = dict(zip(source[name].dims, (rows, columns), strict=True))
        found = {"ground": source[name].read(**part)}
        if not np.isfinite(found["ground"]).all():
            raise UserError(f"'{name}' of {path} is missing somewhere. Fill it.")
        for other, variable in source.variables.items():
            same = variable.dims == source[name].dims
            if same and variable.attrs.get("standard_name") == "land_binary_mask":
                found["land"] = np.clip(np.nan_to_num(source[other].read(**part)), 0.0, 1.0)
        return found
    finally:
        source.close()


def _found(source: FileVariables, grid: Grid, path: Path, placed: bool) -> tuple[str, FileWindow]:
    """The variable with the ground, and where the grid lies in it.

    One of as many cells as the grid comes before greater ones.
    """
    known = [
        name
        for name, variable in source.variables.items()
        if variable.attrs.get("standard_name") == "surface_altitude"
        and variable.ndim == 2
        and all(some >= own for some, own in zip(variable.shape, grid.shape, strict=True))
    ]
    known.sort(key=lambda name: source[name].shape != grid.shape)
    mistakes = []
    for name in known:
        try:
            return name, _window(source, name, grid, path, placed)
        except UserError as error:
            mistakes.append(error)
    if mistakes:
        raise mistakes[0]
    raise UserError(
        f"{path} has no ground of {grid.shape[0]} x {grid.shape[1]} cells or more (CF standard_name"
        f" 'surface_altitude'): {source.listing()}. Use a file with the cells of the case."
    )


def _window(source: FileVariables, name: str, grid: Grid, path: Path, placed: bool) -> FileWindow:
    """Where the grid lies in a variable; refused where it has other places."""
    flat = not grid.spherical and grid.curvilinear is None
    wanted = flat_places if flat else places_on_globe
    shape, file = source[name].shape, f"'{name}' of {path}"
    planes = {
        which: np.broadcast_to(plane, shape)
        for which in wanted
        if (plane := _plane(source, name, which)) is not None
    }
    if len(planes) == len(wanted):
        window = FileWindow.find(grid, planes[wanted[0]], planes[wanted[1]], file)
    elif shape == grid.shape and not placed:
        window = FileWindow(0, 0, grid)
    else:
        lacking = ", ".join(which for which in wanted if which not in planes)
        raise UserError(
            f"{file} does not tell where its cells lie. Give it coordinates of the standard_name"
            f" {lacking}."
        )
    centers = grid.at(Place.center)
    for which, values, length in zip(
        wanted, (centers.x, centers.y), (centers.dx, centers.dy), strict=True
    ):
        if which not in planes:
            continue
        off = planes[which][window.slices()] - values
        if not flat:
            off = (off + 180.0) % 360.0 - 180.0
            scale = np.cos(np.deg2rad(centers.y)) if which == "longitude" else 1.0
            off, length = off * scale, np.minimum(centers.dx, centers.dy) / 111e3
        worst = float(np.abs(off / length).max())
        if worst > farthest:
            raise UserError(
                f"{file} lies up to {worst:.2g} cells off the centres of the grid"
                f" along {which}. Use a file with the cells of the case."
            )
    return window


def _plane(source: FileVariables, name: str, which: str) -> Array | None:
    """A coordinate of a variable by its standard name, as rows, columns or a plane."""
    dims = source[name].dims
    for variable in source.variables.values():
        beside = set(variable.dims) <= set(dims) and variable.ndim > 0
        if variable.attrs.get("standard_name") == which and beside:
            values = variable.read()
            return values[:, None] if variable.dims == dims[:1] else values
    return None
