"""What a run asks of a model component: a class to build upon."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from halocline.component.port import Port
from halocline.core.clock import Date
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner
from halocline.runtime.sums.reductions import GlobalSums


class Component(ABC):
    """A model on one grid, with its forcing, that can be stepped and looked at."""

    run: Runner
    step_length: timedelta
    plane: Grid  # the horizontal grid
    remarks: Sequence[str] = ()  # what the log tells of the start
    shown: Mapping[str, Field] = {}  # output fields by name that lie off centres or have axes
    sums: Mapping[str, GlobalSums] = {}  # those it makes, by what they add up

    nested: Mapping[str, Field] = {}  # what nests take their sides from; they give state back
    feedback_rim: int = 1  # cells inside of a nest's side that it does not give back
    moves: bool = False  # whether it is a nest that moves along
    sides: Mapping[str, Port] = {}  # of a nest: what the one around it fills before its steps
    ports: Mapping[str, Port] = {}  # what others may give it, by short name
    expected: Sequence[str] = ()  # ports that others fill in this run
    taken_at: Date | None = None  # time of what others gave it last

    @abstractmethod
    def restart_fields(self) -> Sequence[Field]:
        """Fields that a restart file holds.

        Small state without a place on the grid is a field with `place=Place.none`, the same on
        all ranks.
        """

    @abstractmethod
    def start(self, time: Date, restarted: bool) -> None:
        """Get ready for the first step at `time`; the fields hold a restart if `restarted`."""

    @abstractmethod
    def step(self, time: Date) -> None:
        """Advance from `time` by `step_length`."""

    @abstractmethod
    def diagnose(self, names: Sequence[str], time: Date) -> Mapping[str, Field]:
        """Output fields by short name, at `time`, computed from the state."""

    def expect(self, names: Sequence[str]) -> None:
        """Others will fill ports by these names, in place of what its case says of them.

        Called before a restart is read and before `start`, once for each exchange.
        """
        self.expected = (*self.expected, *names)

    def show_only(self, names: Collection[str]) -> Sequence[str]:
        """Before the first step: `diagnose` will be asked for no others; what is not made now."""
        return []

    def took(self, names: Sequence[str], time: Date) -> None:
        """Ports, sides or nested state by these names were filled, with values of `time`."""
        self.taken_at = time

    def inherited(self) -> Mapping[str, Field]:
        """What a nest which begins or moves takes from the member around it, by name.

        That is state, and what nests compare with their own.
        """
        return {}

    def compared(self) -> Mapping[str, Field]:
        """Fields of its own that take what the member around it inherits to others by these names.

        They are not of its state, which it brings to what it is itself by them (`entered`).
        """
        return {}

    def entered(self, new: Callable[[Place], NDArray[np.bool_]]) -> None:  # noqa: B027
        """What it takes from the member around it came at some points of places, True there."""

    def settled(self, time: Date) -> None:
        """The state was set from outside, at `time`: make what follows from it."""
        self.taken_at = time

    def forget_sides(self) -> None:
        """What was given at its sides counts no more; new values of now will come."""
        self.taken_at = None

    def facts(self) -> dict[str, str | int | float]:
        """What a restart must share with the run that reads it, besides the grid."""
        return {}

    def describe(self) -> list[tuple[str, str]]:
        """What `halocline check` says of it: a word and a line each."""
        return []

    def look_through_input(self, deadline: float) -> tuple[int, int]:
        """Read all records of input that a run needs; how many of how many.

        It ends at `deadline` of `time.monotonic` [s].
        """
        return 0, 0

    def close(self) -> None:  # noqa: B027
        """End what still goes on in the background and close the files that are read."""

    def summary(self) -> str:
        """One line on the state, for the end of a run: a call for all ranks."""
        return ""
