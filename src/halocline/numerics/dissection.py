"""Exact factors of the whole operator, made once and kept by the first rank."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.numerics import _native
from halocline.numerics.elliptic import EllipticOperator, NinePoint, kernels
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.sides import put_values, read_values, side_of
from halocline.runtime.running.runner import Runner
from halocline.runtime.transfer.side import Side, in_order
from halocline.runtime.transfer.transfer import Transfer

most_cells = 2_000_000
"""More are refused: their factors take gigabytes, and minutes to make."""

around = ((0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1))
"""Rows and columns from a cell to its neighbours."""


def cell_system(numbers: NinePoint) -> tuple[NDArray[Any], ...]:
    """The operator cell by cell, as `dissection.hpp` takes it.

    Of the cells that count, row by row: the diagonal [m], couplings with eight neighbours [m], the
    numbers of these (-1: none, or no coupling), and rows and columns.
    """
    topology, counted = numbers.topology, numbers.counted
    rows, columns = counted.shape
    number = np.full(counted.shape, -1, np.int32)
    number[counted] = np.arange(counted.sum())
    wide = topology.widened(number + 1, (1, 1, 1, 1)) - 1
    west = topology.widened(numbers.west, (0, 1, 0, 0), Place.x_face)[:rows, : columns + 1]
    south = topology.widened(numbers.south, (0, 0, 0, 1), Place.y_face)[: rows + 1, :columns]
    corner = topology.widened(numbers.corner, (0, 1, 0, 1), Place.corner)
    corner = corner[: rows + 1, : columns + 1]
    planes = (
        west[:, :-1], west[:, 1:], south[:-1], south[1:],
        corner[:-1, :-1], corner[:-1, 1:], corner[1:, :-1], corner[1:, 1:],
    )  # fmt: skip
    neighbour = np.stack(
        [wide[1 + b : 1 + b + rows, 1 + a : 1 + a + columns][counted] for b, a in around], axis=1
    )
    coupling = np.stack([plane[counted] for plane in planes], axis=1)
    neighbour[coupling == 0.0] = -1
    place = np.stack(np.nonzero(counted), axis=1).astype(np.int32)
    return numbers.diagonal[counted], coupling, neighbour, place


class WholeFactors:
    """Solves with the whole operator: the first rank does, the others give it what they have."""

    def __init__(self, operator: EllipticOperator, run: Runner, precision: np.dtype[Any]) -> None:
        self.operator, self.run, self.precision = operator, run, precision
        self.communicator = operator.decomposition.communicator
        count = int(operator.numbers.counted.sum())
        if count > most_cells:
            raise UserError(
                f"Factors of {count} cells would take gigabytes: at most {most_cells} are factored."
                " Give preconditioner = 'polynomial' and method = 'chronopoulos_gear'."
            )
        self.first = self.communicator.rank == 0
        self.cells, self._values = Side(), np.zeros((1, 0), precision)
        if self.first:
            made = {"float32": _native.DissectionFloat32, "float64": _native.DissectionFloat64}
            self._factors = made[precision.name](*cell_system(operator.numbers))
            order = np.empty(count, np.int32)
            self._factors.order(order)
            self.cells = in_order(np.flatnonzero(operator.numbers.counted)[order])
            self._values = np.zeros((1, count), precision)

    def _field(self, name: str, units: str) -> Field:
        return Field(
            name, units, self.operator.decomposition, place=Place.center, dtype=self.precision
        )

    def prepare(self, given: Field, found: Field) -> Callable[[], None]:
        """The call that solves A found = given."""
        right_side, solution = self._field("right_side", "m3 s-2"), self._field("found", "m2 s-2")
        take = self.run.bind(kernels["copy_values"], source=given, copy=right_side)
        give = self.run.bind(kernels["copy_values"], source=solution, copy=found)
        recorder = self.run.recorder
        there = Transfer(side_of(right_side), self.cells, self.communicator, recorder=recorder)
        back = Transfer(self.cells, side_of(solution), self.communicator, recorder=recorder)
        values = [[self._values]] if self.first else None

        def solve() -> None:
            take()
            read_values(there, right_side, values)
            if self.first:
                with recorder.time("substitution", "kernel"):
                    self._factors.solve(self._values[0])
            put_values(back, values, solution)
            give()

        return solve
