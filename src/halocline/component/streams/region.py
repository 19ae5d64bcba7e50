"""Part of a grid, for output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Reflections


@dataclass(frozen=True)
class GridRegion:
    """Rows and columns of a grid, and the grid that they make."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    grid: Grid
    whole: Grid

    def lines(self, place: Place) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows and columns of a place in the region: of faces those on both sides of its cells."""
        topology, rows, columns = self.whole.topology, self.rows, self.columns
        if place.between_rows:
            north = topology.resolve(place, rows + 1, np.zeros_like(rows))
            rows = _in_order(rows, np.where(north.inside, north.j, rows))
        if place.between_columns:
            east = topology.resolve(place, np.zeros_like(columns), columns + 1)
            columns = _in_order(columns, np.where(east.inside, east.i, columns))
        return rows, columns

    def coordinates(self, place: Place) -> tuple[NDArray[Any], NDArray[Any]]:
        """y of the rows and x of the columns of a place; of curvilinear grids they are counted."""
        rows, columns = (line.size for line in self.lines(place))
        y, x = self.grid.y, self.grid.x
        if place.between_rows:
            y = np.append(y, y[-1] + self.grid.step_y) - 0.5 * self.grid.step_y
            y = np.clip(y, -90.0, 90.0) if self.grid.spherical else y
        if place.between_columns:
            x = np.append(x, x[-1] + self.grid.step_x) - 0.5 * self.grid.step_x
        return y[:rows], x[:columns]

    def of(self, plane: NDArray[Any]) -> NDArray[Any]:
        """The part of `plane` (..., nj, ni)."""
        return plane[..., self.rows[:, None], self.columns]


def cut_region(grid: Grid, box: Sequence[float]) -> GridRegion:
    """Cells whose centres lie in `box` (west, east, south, north); the whole grid if it is empty.

    Longitudes of any convention; a box may cross the edge of the grid where that is joined. On
    curvilinear grids, the rows and columns that have any cell in the box.

    >>> grid = Grid(x=np.arange(0.0, 360, 30), y=np.arange(-60.0, 61, 30), depth=np.ones((5, 12)),
    ...             mask=np.ones((5, 12), bool), periodic_x=True)
    >>> region = cut_region(grid, [-40, 30, 0, 90])
    >>> region.grid.x.tolist(), region.grid.y.tolist()
    ([-30.0, 0.0, 30.0], [0.0, 30.0, 60.0])
    """
    if len(box) == 0:
        return GridRegion(np.arange(grid.y.size), np.arange(grid.x.size), grid, grid)
    if len(box) != 4 or box[2] > box[3]:
        raise UserError(f"region = {list(box)}: write [west, east, south, north].")
    rows, columns, x = _inside(grid, *box)
    if not rows.size or not columns.size:
        raise UserError(
            f"region = {list(box)} holds no point of the grid, which reaches from {grid.x[0]:g} to"
            f" {grid.x[-1]:g} and from {grid.y[0]:g} to {grid.y[-1]:g}."
        )
    if not grid.mask[rows[:, None], columns].any():
        raise UserError(
            f"region = {list(box)} holds no sea point: all {rows.size * columns.size} cells in it"
            " are land, so that nothing but missing values would be written. Choose another box."
        )
    planes: dict[str, Any] = {
        name: None if plane is None else plane[rows[:, None], columns]
        for name, plane in vars(grid).items()
        if name in ("depth", "mask", "longitude", "latitude")
    }
    some = replace(
        grid, x=x, y=grid.y[rows], periodic_x=False, periodic_y=False, fold="",
        reflections=Reflections(), boundary=None, obstruction_x=None, obstruction_y=None,
        single_x=grid.step_x, single_y=grid.step_y,
        **planes,
    )  # fmt: skip
    return GridRegion(rows, columns, some, grid)


def _in_order(lines: NDArray[np.int64], after: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each line and what comes after it, every one once."""
    both = np.stack([lines, after], axis=1).ravel()
    _, first = np.unique(both, return_index=True)
    return both[np.sort(first)]


def _inside(grid: Grid, west: float, east: float, south: float, north: float) -> tuple[Any, ...]:
    """Rows, columns and their x, from west to east."""
    width = (east - west) % 360.0 or 360.0
    if grid.longitude is not None and grid.latitude is not None:
        inside = (grid.latitude >= south) & (grid.latitude <= north)
        inside &= (grid.longitude - west) % 360.0 <= width
        rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
        return rows, columns, grid.x[columns]
    rows = np.flatnonzero((grid.y >= south) & (grid.y <= north))
    if not grid.spherical:
        columns = np.flatnonzero((grid.x >= west) & (grid.x <= east))
        return rows, columns, grid.x[columns]
    away = (grid.x - west) % 360.0
    columns = np.flatnonzero(away <= width)
    columns = columns[np.argsort(away[columns], kind="stable")]
    return rows, columns, west + away[columns]
