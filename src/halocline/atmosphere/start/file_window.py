"""Where a grid lies in a file whose cells are its own and more around them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.projected import Projected
from halocline.runtime.fields.place import Place

Array = NDArray[np.float64]


@dataclass(frozen=True)
class FileWindow:
    """The cells of a file that are those of a grid, whose first one is (`row`, `column`) there."""

    row: int
    column: int
    grid: Grid

    @classmethod
    def find(cls, grid: Grid, x: Array, y: Array, file: str) -> FileWindow:
        """By the places of the centres of the cells of a file, shape (rows, columns).

        These are longitudes and latitudes [degree], or x and y of a plane [m]. Refused where the
        cells of the file are others in size, or do not cover the grid; whether they lie on those
        of the grid is for the caller to see.
        """
        x, y = _on_lines(grid, x, y)
        rows, columns = x.shape
        _refuse_other_steps(grid, x, y, file)
        row = round((grid.y[0] - y[0, 0]) / grid.step_y)
        places = [(grid.x[0] - x[0, 0]) / grid.step_x]
        if grid.spherical:
            turn = 360.0 / grid.step_x
            places = [places[0] % turn, places[0] % turn - turn]
        found = [(_lack(round(at), grid.shape[1], columns), round(at)) for at in places]
        column = min(found, key=lambda some: sum(some[0]))[1]
        south, north = _lack(row, grid.shape[0], rows)
        west, east = _lack(column, grid.shape[1], columns)
        lacking = [
            f"{count} {what}{'s' * (count > 1)} in the {side}"
            for side, count, what in (
                ("west", west, "column"), ("east", east, "column"),
                ("south", south, "row"), ("north", north, "row"),
            )
            if count
        ]  # fmt: skip
        if lacking:
            raise UserError(
                f"{file} does not cover the grid of {grid.shape[0]} x {grid.shape[1]} cells: it"
                f" lacks {', '.join(lacking)}. Give a file of a larger area."
            )
        return cls(row, column, grid)

    def slices(self, place: Place = Place.center) -> tuple[slice, slice]:
        """Rows and columns of a place in the file."""
        rows, columns = self.grid.topology.shape(place)
        return slice(self.row, self.row + rows), slice(self.column, self.column + columns)


def _on_lines(grid: Grid, x: Array, y: Array) -> tuple[Array, Array]:
    """Places as the lines of the grid count them."""
    if isinstance(grid.curvilinear, Projected):
        return grid.curvilinear.projection.to_map(x, y)
    return x, y


def _refuse_other_steps(grid: Grid, x: Array, y: Array, file: str) -> None:
    """Refuse a file whose rows and columns are not as far apart as those of the grid."""
    across, along = x[0, -1] - x[0, 0], y[-1, 0] - y[0, 0]
    across = across % 360.0 if grid.spherical else across
    for what, length, count, step in (
        ("columns", across, x.shape[1], grid.step_x),
        ("rows", along, x.shape[0], grid.step_y),
    ):
        times = length / max(count - 1, 1) / step
        if count > 1 and abs(times - 1.0) > 1e-2:
            raise UserError(
                f"{file} has {what} {times:.4g} times as far apart as the grid. Give one with the"
                " cells of the grid."
            )


def _lack(first: int, wanted: int, there: int) -> tuple[int, int]:
    """Lines that a file lacks before and behind those that are wanted.

    >>> _lack(-2, 5, 10), _lack(7, 5, 10)
    ((2, 0), (0, 2))
    """
    return max(0, -first), max(0, first + wanted - there)
