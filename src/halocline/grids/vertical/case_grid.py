"""The grid as a case describes it: the horizontal one, and its levels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.core.options import Options, option
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.regular import GridOptions
from halocline.grids.vertical.levels import (
    VerticalGrid,
    file_thickness,
    growing_thickness,
    layered,
)
from halocline.runtime.fields.place import Place

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class GrowingOptions(Options):
    """Levels whose thickness grows with depth as 1 - exp(-z^2 / L^2); L follows from the total."""

    count: int = option(
        0, "1", "number of levels; 0: they are given otherwise", at_least=0, at_most=10_000
    )
    top: float = option(10.0, "m", "thickness at the surface", at_least=0.001)
    deep: float = option(250.0, "m", "thickness far down", at_least=0.001)
    total: float = option(5500.0, "m", "of all levels together", at_least=0.001)


@dataclass(frozen=True, kw_only=True)
class LevelOptions(Options):
    """The levels: from a list, a closed form or a file.

    Where none of these is given, they are those of the grid's file (`dz`), or, where that has none,
    one level down to the deepest floor.
    """

    thickness: list[float] = option(
        [], "m", "thickness of the levels from the surface down", at_least=0.001
    )
    growing: GrowingOptions = option(GrowingOptions(), meaning="levels in closed form")
    file: str = option("", "", "file with the thickness of the levels as the variable dz")
    count: int | None = option(
        None, "1", "upper levels that are used; all if not given", at_least=1
    )
    least_share: float = option(
        1.0,
        "1",
        "least share of its level that the lowest cell of a column keeps, so that it ends at the"
        " floor; 1: all cells are whole",
        at_least=0.01,
        at_most=1.0,
    )
    sills: list[tuple[float, float, float, float, float]] = option(
        [],
        "degree or m",
        "boxes [west, east, south, north] and a depth [m] that no column in them passes: sills that"
        " the means over cells have lost",
    )
    straits: list[tuple[float, float, float, float, float]] = option(
        [],
        "degree or m",
        "boxes [west, east, south, north] and a depth [m] that all columns of sea in them reach:"
        " straits that the means over cells have closed; after sills",
    )


@dataclass(frozen=True, kw_only=True)
class CaseGridOptions(GridOptions):
    """The grid: horizontal from a file, or regular with simple depths, and its levels."""

    levels: LevelOptions = option(LevelOptions(), meaning="thickness of the levels")


def build_levels(options: CaseGridOptions, grid: Grid) -> VerticalGrid:
    """The levels of a case over its horizontal grid; `levels.file` and `file` are paths."""
    center, depth = grid.at(Place.center), grid.depth

    def inside(west: float, east: float, south: float, north: float) -> NDArray[np.bool_]:
        x, y = center.x, center.y
        return (x >= west) & (x <= east) & (y >= south) & (y <= north)

    for *box, sill in options.levels.sills:
        depth = np.where(inside(*box), np.minimum(depth, sill), depth)
    for *box, strait in options.levels.straits:
        depth = np.where(inside(*box), np.maximum(depth, strait), depth)
    least = options.levels.least_share
    thickness = level_thickness(options, grid)[: options.levels.count]
    made = layered(replace(grid, depth=depth), thickness, least=least if least < 1.0 else None)
    return replace(made, horizontal=grid)


def level_thickness(options: CaseGridOptions, grid: Grid) -> Array:
    """Thickness of the levels from the surface down [m]."""
    levels, growing = options.levels, options.levels.growing
    given = [bool(levels.thickness), growing.count > 0, bool(levels.file)]
    if sum(given) > 1:
        raise UserError(
            "grid.levels: thickness, growing.count and file are given together. Keep one of them."
        )
    if levels.thickness:
        return np.array(levels.thickness)
    if growing.count:
        return growing_thickness(growing.count, growing.top, growing.deep, growing.total)
    path = levels.file or options.file
    found = file_thickness(Path(path)) if path else None
    if levels.file and found is None:
        raise UserError(
            f"'{path}' (grid.levels.file) has no variable dz with one number for every level, the"
            " thickness from the surface down [m]."
        )
    if found is not None:
        return found
    return np.array([max(float(grid.depth[grid.mask].max(initial=0.0)), 1.0)])
