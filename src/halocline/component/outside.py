"""What a component offers the program that computes its steps, and has joined the run here."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halocline.component.component import Component
from halocline.core.clock import Clock
from halocline.runtime.ranks.communicator import Communicator, Ranks

Values = NDArray[np.float64]
Loops = Callable[[int, int, int, int], None]
"""Loops over columns [i0, i1) and rows [j0, j1) of the whole grid, counted from 0."""


class ComputedOutside(Component):
    """A component whose steps another program computes, on the same ranks."""

    clock: Clock
    communicator: Communicator
    restarted: bool = False  # whether the fields that it keeps are those of a restart

    @property
    def mpi_communicator(self) -> Any:
        """mpi4py's communicator of the ranks of this member."""
        if isinstance(self.communicator, Ranks):
            return self.communicator.comm
        from mpi4py import MPI

        return MPI.COMM_SELF

    @abstractmethod
    def hand_out(self) -> None:
        """Bring the program what it takes, before a step: a call for all its ranks."""


class ComputedInCells(ComputedOutside):
    """One whose program cuts the grid itself, and has arrays of its own.

    Fields have the values of this rank's cells, in the order in which the program names them; of
    several levels, those of the first level come first.
    """

    @abstractmethod
    def set_cells(
        self, numbers: ArrayLike, longitude: ArrayLike | None, latitude: ArrayLike | None
    ) -> None:
        """Say which cells this rank has, row by row from 0; their centres are compared."""

    @abstractmethod
    def set_units(self, name: str, units: str, *, given: bool) -> None:
        """Say of a field that is given, or taken, in what units the program has it."""

    @abstractmethod
    def put(self, name: str, values: ArrayLike) -> None:
        """Values of a field that the program gives or keeps, or of one that it takes at first."""

    @abstractmethod
    def take(self, name: str) -> Values:
        """The newest values of a field."""


class FieldMemory(NamedTuple):
    """The memory of a field on this rank, and where on the whole grid it begins.

    `array` (levels, rows, columns) has the halo; behind the columns of the halo there may be some
    of no use. Its first value is that of `row` and `column`, from 0, negative in a halo.
    """

    array: Values
    row: int
    column: int


class ComputedInLoops(ComputedOutside):
    """One whose program declares loops over fields, which have their values in our memory."""

    @abstractmethod
    def window(self, name: str) -> FieldMemory:
        """The memory of a field."""

    @abstractmethod
    def declare(
        self, key: Any, name: str, loops: Loops, reads: str, writes: str, updates: str
    ) -> None:
        """Say what loops touch, in words as `height(west=1), u`; `compute` knows them by `key`."""

    @abstractmethod
    def compute(self, key: Any) -> None:
        """Fill halos that loops need and that are stale, and run them: a call for all ranks."""

    @abstractmethod
    def sum(self, name: str) -> float:
        """Sum of a field over its wet points, the same bits on any ranks: a call for all."""

    @abstractmethod
    def largest(self, name: str) -> float:
        """The largest value of a field at its wet points: a call for all ranks."""
