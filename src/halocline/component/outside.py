"""What a component offers the program that computes its steps, and has joined the run here."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halocline.component.component import Component
from halocline.core.clock import Clock

Values = NDArray[np.float64]


class ComputedOutside(Component):
    """A component whose steps another program computes, on the same ranks.

    Fields have the values of this rank's cells, in the order in which the program names them; of
    several levels, those of the first level come first.
    """

    clock: Clock
    restarted: bool = False  # whether the fields that it keeps are those of a restart

    @property
    @abstractmethod
    def mpi_communicator(self) -> Any:
        """mpi4py's communicator of the ranks of this member."""

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

    @abstractmethod
    def hand_out(self) -> None:
        """Bring the program what it takes, before a step: a call for all its ranks."""
