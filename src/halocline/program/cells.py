"""The cells of a grid as a program shares them among its ranks, which is its own business."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halocline.component.outside import Values
from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.sides import put_values, read_values, side_of
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.record.recorder import Recorder
from halocline.runtime.transfer.side import in_order
from halocline.runtime.transfer.transfer import Transfer

tolerance = 0.01
"""How far centres of the program's cells may lie from those of the grid [cell]."""


class Cells:
    """Cells of the grid that this rank has, by numbers that count them row by row from 0.

    Making it is a call for all ranks: each cell of the sea is had by one of them.
    """

    def __init__(
        self,
        numbers: ArrayLike,
        grid: Grid,
        like: Field,
        communicator: Communicator,
        recorder: Recorder,
    ) -> None:
        self.grid, self.numbers = grid, np.ravel(np.asarray(numbers, np.int64))
        total = grid.mask.size
        strange = self.numbers[(self.numbers < 0) | (self.numbers >= total)]
        if strange.size:
            raise UserError(
                f"The program has a cell of number {strange[0]}, but those of its grid"
                f" ({grid.shape[0]} rows of {grid.shape[1]}) go from 0 to {total - 1}. Count"
                " them row by row (in Fortran from 1)."
            )
        self.wet: NDArray[np.bool_] = grid.mask.ravel()[self.numbers]
        here, there = in_order(self.numbers), side_of(like)
        self.inwards = Transfer(here, there, communicator, recorder=recorder, name="program gives")
        self.outwards = Transfer(there, here, communicator, recorder=recorder, name="program takes")
        self._refuse_shared_or_missing(like, communicator)

    def compare(self, longitude: ArrayLike, latitude: ArrayLike) -> None:
        """Refuse cells whose centres are not those of the grid."""
        centers = self.grid.at(Place.center)
        x, y = (plane.ravel()[self.numbers] for plane in (centers.x, centers.y))
        own_x, own_y = (np.ravel(np.asarray(some, np.float64)) for some in (longitude, latitude))
        if own_x.size != x.size or own_y.size != y.size:
            raise UserError(
                f"The program has {x.size} cells here, and {own_x.size} longitudes and"
                f" {own_y.size} latitudes. Give one of each for every cell."
            )
        east, north = own_x - x, own_y - y
        if not self.grid.spherical and self.grid.curvilinear is None:
            step_x, step_y = self.grid.step_x, self.grid.step_y
        else:
            east = (east + 180.0) % 360.0 - 180.0
            east = east * np.cos(np.radians(y))
            metre = np.degrees(1.0 / self.grid.radius)
            step_x, step_y = (
                plane.ravel()[self.numbers] * metre for plane in (centers.dx, centers.dy)
            )
        off = self.wet & ~((abs(east) < tolerance * step_x) & (abs(north) < tolerance * step_y))
        if off.any():
            at = int(np.argmax(off))
            row, column = divmod(int(self.numbers[at]), self.grid.shape[1])
            raise UserError(
                f"The cell in row {row} and column {column} (from 0) has its centre at"
                f" ({own_x[at]:.6g}, {own_y[at]:.6g}) in the program, and at ({x[at]:.6g},"
                f" {y[at]:.6g}) in the grid of the case. Give both the same grid ([grid]), and"
                " count cells row by row from the south."
            )

    def bring(self, values: Values, field: Field) -> None:
        """Set a field of the run to the values of these cells (levels, cells); 0 on land."""
        flat = np.where(self.wet, values, 0.0).astype(field.dtype)
        put_values(self.inwards, [[flat]], field)

    def fetch(self, field: Field) -> Values:
        """The values of a field of the run in these cells (levels, cells)."""
        flat = np.zeros((int(np.prod(field.outer)), self.numbers.size), field.dtype)
        read_values(self.outwards, field, [[flat]])
        return flat.astype(np.float64)

    def _refuse_shared_or_missing(self, like: Field, communicator: Communicator) -> None:
        sides = side_of(like)
        lacking = 0
        if self.inwards.missing.size:
            block_of, place = self.inwards.missing.T
            for block, (numbers, places) in enumerate(
                zip(sides.numbers, sides.places, strict=True)
            ):
                gone = np.isin(places, place[block_of == block])
                lacking += int(self.grid.mask.ravel()[numbers[gone]].sum())
        counts = np.array([float(lacking), float(self.wet.sum())])
        nobodys, had = communicator.sum(counts).astype(int)
        sea = self.grid.sea_points
        if nobodys or had != sea:
            words = (
                f"{nobodys} of {sea} cells of the sea are of none of its ranks"
                if nobodys
                else f"its ranks have {had} cells of a sea of {sea}, so that some are of two"
            )
            raise UserError(f"Of the program's cells {words}. Let each be of one rank.")


def as_values(values: ArrayLike, levels: int, cells: int, name: str) -> Values:
    """Values as (levels, cells), refused where they are too few or too many."""
    found = np.array(values, np.float64)
    if found.size != levels * cells:
        of_levels = f" of {levels} levels" if levels > 1 else ""
        raise UserError(
            f"The program has {found.size} values of '{name}', and {cells} cells{of_levels} on this"
            " rank. Give one value for each."
        )
    return found.reshape(levels, cells)


def not_finite(values: Values, wet: NDArray[np.bool_]) -> int:
    """The first wet cell with a value that is no number, -1 where there is none."""
    bad = (~np.isfinite(values) & wet).any(axis=0)
    return int(np.argmax(bad)) if bad.any() else -1


def listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "nothing"
