"""Model grids from files: coordinates, depth, sea mask and obstructions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.core.options import Options, option
from halocline.grids.files.axes import FileAxis
from halocline.grids.files.cartesian_files import CartesianFile
from halocline.grids.files.gridded_files import GriddedFiles, expand
from halocline.grids.horizontal.grid import Grid

Array = NDArray[np.float64]
_upward = ("height_above_geoid", "height_above_mean_sea_level", "surface_altitude")


@dataclass(frozen=True, kw_only=True)
class BathymetryOptions(Options):
    """A file with the depth of the sea on the grid of the model."""

    kind: str = option(
        "spherical",
        "",
        "coordinates: longitude and latitude, or x and y in metres (in a file, in any length that"
        " their units name)",
        choices=("spherical", "cartesian"),
    )
    file: str = option(meaning="netCDF file or Zarr folder with coordinates and depth")
    depth_variable: str = option(
        "",
        "",
        "variable of the depth; found by name where empty, in curvilinear files kmt (numbers of"
        " levels) before others",
    )
    mask: str = option(
        "", "", "variable that is 1 at sea; where empty: 'mask', else where the depth is positive"
    )
    obstructions: bool = option(
        True, "", "use obstruction_x and obstruction_y of the file, where it has them"
    )
    minimum_depth: float = option(2.5, "m", "depth of shallower sea points", at_least=0.01)


def read_bathymetry(options: BathymetryOptions, base: Path = Path()) -> Grid:
    """Read a grid; paths are relative to `base`. Elevations (positive up) become depths."""
    kind = CartesianFile if options.kind == "cartesian" else GriddedFiles
    files = kind(expand(options.file, base)[:1])
    try:
        return _read(files, options)
    finally:
        files.close()


def downward(values: Array, attributes: Mapping[str, Any]) -> Array:
    """Depths, positive down, of what a variable with these attributes holds."""
    up = attributes.get("positive") == "up" or attributes.get("standard_name") in _upward
    return -values if up else values


def _read(files: GriddedFiles, options: BathymetryOptions) -> Grid:
    x, columns = _grid_axis(files, "longitude", files.longitude)
    y, rows = _grid_axis(files, "latitude", files.latitude)
    cartesian = options.kind == "cartesian"

    def plane(variable: str, short_name: str) -> Array:
        """A map in the order of the model grid."""
        return files.read(variable, short_name)[rows][:, columns]

    name = files.find("depth", options.depth_variable)
    depth = plane(name, "depth")
    depth = downward(depth, files.first[name].attrs)
    mask = _read_mask(files, options, depth, plane)
    missing = mask & ~np.isfinite(depth)
    if missing.any():
        j, i = np.argwhere(missing)[0]
        raise UserError(
            f"The depth in {files.name} is missing at {int(missing.sum())} sea points, first at"
            f" {files.place(x[i], y[j])}. Fill the depth or set the mask to 0 there."
        )
    depth = np.where(mask, np.maximum(depth, options.minimum_depth), 0.0)

    def closed(short_name: str) -> Array | None:
        """Share of a cell closed by islands, where the file has it."""
        if not options.obstructions or not files.has(short_name):
            return None
        share = np.nan_to_num(plane(files.find(short_name), short_name))
        return np.where(mask, np.clip(share, 0.0, 1.0), 0.0)

    return Grid(
        x=x,
        y=y,
        depth=depth,
        mask=mask,
        spherical=not cartesian,
        periodic_x=bool(files.longitude.period),
        title=str(files.first.attrs.get("title", "")),
        obstruction_x=closed("obstruction_x"),
        obstruction_y=closed("obstruction_y"),
    )


def _read_mask(
    files: GriddedFiles,
    options: BathymetryOptions,
    depth: Array,
    plane: Callable[[str, str], Array],
) -> NDArray[np.bool_]:
    if options.mask or files.has("mask"):
        name = files.find("mask", options.mask)
        values = np.nan_to_num(plane(name, "mask"))
        land = files.first[name].attrs.get("standard_name") == "land_binary_mask"
        mask = values < 0.5 if land or name == "lsm" else values >= 0.5
        source = f"The mask '{name}'"
    else:
        mask, source = np.nan_to_num(depth) > 0.0, "The depth"
    if not mask.any():
        raise UserError(
            f"{source} of {files.name} has no sea point: all {mask.size} cells are land. The mask"
            " is 1 at sea and 0 on land; the depth is positive downwards."
        )
    return mask


def _grid_axis(files: GriddedFiles, which: str, axis: FileAxis) -> tuple[Array, NDArray[np.int64]]:
    """Coordinates of the model grid: those of the file where they ascend, else turned to do so.

    With them the places in the maps that `GriddedFiles.read` returns.
    """
    given = files.first[files.coordinate(which)].read()
    if isinstance(files, CartesianFile):
        return axis.values, np.arange(axis.values.size)
    if given.size == axis.values.size and np.all(np.diff(given) > 0.0):
        return given, np.argsort(axis.order)
    return axis.values, np.arange(axis.values.size)
