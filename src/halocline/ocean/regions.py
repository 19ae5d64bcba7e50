"""Parts of the sea by boxes and maps of numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.grids.files.sources import open_source
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.regular import in_boxes
from halocline.ocean.region_options import RegionOptions
from halocline.ocean.rotation import is_cartesian
from halocline.runtime.fields.place import Place

Mask = NDArray[np.bool_]


def region_cells(given: RegionOptions, grid: Grid, named: str) -> Mask:
    """Sea cells of a region, shape (nj, ni); one without any is refused by its name."""
    center = grid.at(Place.center)
    x, y = np.broadcast_arrays(center.x, center.y)
    boxes = [list(box) for box in given.boxes]
    around = not is_cartesian(grid)
    inside = in_boxes(boxes, x, y, around=around, named=f"{named}.boxes")
    if given.file:
        inside = inside | np.isin(_map(given, grid, named), given.values)
    inside = inside & grid.mask
    if not inside.any():
        raise UserError(f"{named} has no sea cell. Name other boxes or values.")
    return inside


def _map(given: RegionOptions, grid: Grid, named: str) -> NDArray[np.int64]:
    data = open_source(Path(given.file))
    try:
        if given.variable not in data.variables:
            raise UserError(
                f"'{given.file}' ({named}.file) has no variable '{given.variable}'. It has:"
                f" {data.listing()}."
            )
        found = np.nan_to_num(data[given.variable].read())
    finally:
        data.close()
    if found.shape != grid.shape:
        raise UserError(
            f"'{given.variable}' of '{given.file}' ({named}.file) has the shape {found.shape}, and"
            f" the grid {grid.shape}. Give a map on the model's grid."
        )
    return found.astype(np.int64)
