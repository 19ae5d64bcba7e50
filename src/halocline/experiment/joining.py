"""The calls of a program that computes a member of a run: `halocline.join`.

    program = halocline.join("slab")
    program.cells(numbers, longitude, latitude)
    program.gives("surface_temperature", "degree_C")
    program.takes("heat_flux_into_sea", "W m-2")
    program.put("surface_temperature", temperature)
    while program.step():
        temperature += program.step_length * program.take("heat_flux_into_sea") / capacity
        program.put("surface_temperature", temperature)
    program.end()

All of its ranks make all calls. A mistake ends the whole run, with one message.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn, TypeVar

from numpy.typing import ArrayLike

from halocline.component.outside import (
    ComputedInCells,
    ComputedInLoops,
    ComputedOutside,
    FieldMemory,
    Loops,
    Values,
)
from halocline.core.clock import text
from halocline.core.errors import BrokenState, UserError
from halocline.experiment import exit_codes
from halocline.experiment.command_line import guarded
from halocline.experiment.ending import report_code
from halocline.experiment.meeting import told_variable
from halocline.experiment.pauses import Pauses
from halocline.experiment.start import running_here
from halocline.runtime.ranks.launched import under_mpi

Found = TypeVar("Found")


def join(member: str = "") -> Program:
    """Join the run that started this program, as the one that computes a member of it.

    Without a name it computes all of the run.
    """
    return Program(member)


class Program:
    """The run as the program sees it that computes one of its members."""

    def __init__(self, member: str) -> None:
        self.member, self._whose = member or "the run", f"'{member}'" if member else "a run"
        self._over = False
        self._going: Pauses[int] = running_here(None, self.member)
        self._component = self._do(self._first)
        atexit.register(self._left)
        _before_finalize(self._left)

    def _first(self) -> ComputedOutside:
        if not (under_mpi() or os.environ.get(told_variable)):
            raise UserError(
                f"The program of {self._whose} is alone: MPI has not started it beside others."
                " Start all with 'halocline run CASE'; 'halocline plan CASE' says the command."
            )
        return next(self._going)

    @property
    def communicator(self) -> Any:
        """mpi4py's communicator of the ranks of this member."""
        return self._component.mpi_communicator

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        return self._component.plane.shape

    @property
    def step_length(self) -> float:
        """Of a step of this member [s]."""
        return self._component.step_length.total_seconds()

    @property
    def date(self) -> str:
        """Of the beginning of this step, ISO 8601."""
        return text(self._component.clock.time)

    @property
    def seconds(self) -> float:
        """From the start of the run to the beginning of this step [s]."""
        return float(self._component.clock.seconds)

    @property
    def restarted(self) -> bool:
        """Whether the run goes on from a restart, so that kept fields have values to begin with."""
        return self._component.restarted

    def cells(
        self,
        numbers: ArrayLike,
        longitude: ArrayLike | None = None,
        latitude: ArrayLike | None = None,
    ) -> None:
        """Say which cells of the grid this rank has, counted row by row from 0.

        Their centres, if given, are compared with those of the case's grid [degree].
        """
        self._do(lambda: self._in_cells.set_cells(numbers, longitude, latitude))

    def gives(self, name: str, units: str) -> None:
        """Say in what units it has a field that it gives."""
        self._do(lambda: self._in_cells.set_units(name, units, given=True))

    def takes(self, name: str, units: str) -> None:
        """Say in what units it wants a field that it takes."""
        self._do(lambda: self._in_cells.set_units(name, units, given=False))

    def put(self, name: str, values: ArrayLike) -> None:
        """Values of a field that it gives or keeps, of each cell (and level, the first first).

        Before the first step of one that it takes, too: they stay where nobody gives others.
        """
        self._do(lambda: self._in_cells.put(name, values))

    def take(self, name: str) -> Values:
        """Values of a field that it takes, or keeps, of each cell (levels, cells)."""
        return self._do(lambda: self._in_cells.take(name))

    def take_into(self, name: str, values: Values) -> None:
        """The same in an array that is there, of as many values."""

        def take() -> None:
            found = self._in_cells.take(name)
            if found.size != values.size:
                raise UserError(
                    f"The program takes {values.size} values of '{name}', of which there are"
                    f" {found.size} on this rank. Take as many."
                )
            values[:] = found.ravel()

        self._do(take)

    def window(self, name: str, axes: int = 3) -> FieldMemory:
        """The memory of a field on which it declares loops; with two axes it has no levels."""

        def look() -> FieldMemory:
            found = self._in_loops.window(name)
            levels = found.array.shape[0]
            if axes == 2 and levels > 1:
                raise UserError(
                    f"The program has an array (:, :) for the field '{name}', which has {levels}"
                    " levels. Make it (:, :, :)."
                )
            return found

        return self._do(look)

    def declare(
        self,
        key: Any,
        name: str,
        loops: Loops,
        reads: str = "",
        writes: str = "",
        updates: str = "",
    ) -> None:
        """Declare loops: what they read, as `height(west=1), u`, write and update."""
        self._do(lambda: self._in_loops.declare(key, name, loops, reads, writes, updates))

    def compute(self, key: Any) -> None:
        """Run declared loops; halos that they need and that are stale are filled before."""
        try:
            self._in_loops.compute(key)
        except Exception as error:  # `_do` is for what is rarer: it takes a microsecond
            self._do(partial(_raise, error))

    def sum(self, name: str) -> float:
        """Sum of a field over its wet points, the same bits on any ranks."""
        return self._do(lambda: self._in_loops.sum(name))

    def largest(self, name: str) -> float:
        """The largest value of a field at its wet points."""
        return self._do(lambda: self._in_loops.largest(name))

    def step(self) -> bool:
        """End a step, and wait for the next one to begin; False where the run has ended."""
        if self._over:
            return False
        return self._do(self._next)

    def end(self) -> None:
        """Say that it has nothing more to do, which is so when `step` said that the run ended."""
        if not self._over:
            self._do(self._refuse_to_end)

    @property
    def _in_cells(self) -> ComputedInCells:
        if not isinstance(self._component, ComputedInCells):
            raise UserError(
                "The program gives and takes values of cells, but its case has program.fields, on"
                " which it declares loops. Take these out of the case, or these calls out of the"
                " program."
            )
        return self._component

    @property
    def _in_loops(self) -> ComputedInLoops:
        if not isinstance(self._component, ComputedInLoops):
            raise UserError(
                "The program declares loops, but its case has no fields for them. Describe them in"
                " [program.fields]."
            )
        return self._component

    def _next(self) -> bool:
        try:
            self._component = next(self._going)
        except StopIteration:
            self._over = True
            return False
        self._component.hand_out()
        return True

    def _left(self) -> None:
        """End the run with a message where the program ends before it, without a word."""
        with suppress(SystemExit):
            self.end()

    def _refuse_to_end(self) -> None:
        raise BrokenState(
            f"Its program ended at {self.date}, before the run did. Let it compute until there is"
            " no step left."
        )

    def _do(self, action: Callable[[], Found]) -> Found:
        """Do something; what is wrong with it ends the run, and this program."""
        found: list[Found] = []

        def act() -> int:
            try:
                found.append(action())
            except UserError as error:
                self._going.throw(error)
            return exit_codes.done

        code = guarded(act)
        if not found:
            self._over = True
            raise SystemExit(code if under_mpi() else report_code(code))
        return found[0]


def _raise(error: Exception) -> NoReturn:
    raise error


def _before_finalize(action: Callable[[], None]) -> None:
    """Have something done when MPI is finalized: it deletes what this process keeps first."""
    from mpi4py import MPI

    def deleted(comm: Any, key: int, value: Any) -> None:
        action()

    MPI.COMM_SELF.Set_attr(MPI.Comm.Create_keyval(delete_fn=deleted), True)
