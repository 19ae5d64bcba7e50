"""The Coriolis parameter: of the sphere, or given on a plane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.core.constants import earth_rotation
from halocline.core.errors import UserError
from halocline.core.options import Options, option
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.place import Place

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class CoriolisOptions(Options):
    """The Coriolis parameter f."""

    parameter: float | None = option(
        None,
        "s-1",
        "f, on Cartesian grids where y is 0; if not given, that of the latitude, or 0 on Cartesian"
        " grids",
    )
    gradient: float = option(0.0, "m-1 s-1", "change of f along y of a Cartesian grid (beta)")


def corner_latitude(grid: Grid) -> Array:
    """Latitude of corners [degree]; 0 on Cartesian grids."""
    y = grid.at(Place.corner).y
    return np.zeros_like(y) if is_cartesian(grid) else y


def coriolis(grid: Grid, options: CoriolisOptions) -> Array:
    """The Coriolis parameter at corners [s-1]."""
    gradient, given = options.gradient, options.parameter
    if gradient != 0.0 and not is_cartesian(grid):
        raise UserError(
            f"ocean.rotation.gradient = {gradient:g}: f changes along y on Cartesian grids only,"
            " but this grid lies on the sphere. Leave the option out."
        )
    turning: Array = 2.0 * earth_rotation * np.sin(np.radians(corner_latitude(grid)))
    if given is not None:
        turning = np.full_like(turning, given)
    return turning + gradient * grid.at(Place.corner).y if gradient else turning


def is_cartesian(grid: Grid) -> bool:
    """Whether x and y are distances."""
    return not grid.spherical and grid.curvilinear is None
