"""A member whose program declares its loops, as the run sees it: fields in our memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.component.outside import ComputedInLoops, FieldMemory, Loops
from halocline.component.port import Port
from halocline.core.clock import Clock, Date, text
from halocline.core.errors import BrokenState, UserError, nearest
from halocline.grids.horizontal.grid import Grid
from halocline.program.declared_check import DeclaredCheck
from halocline.program.declared_loops import DeclaredLoops, block_of, made
from halocline.program.options import ProgramOptions
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.running.calls import BoundCall
from halocline.runtime.running.runner import Plan, Runner
from halocline.runtime.sums.field_sums import FieldSums

looks_every = 16
"""Steps after which it is looked whether all that restarts hold is finite: a look costs a pass."""


class DeclaredComponent(ComputedInLoops):
    """Runs the loops of the program as kernels: halos, record and checks are the runner's.

    Every rank has one block, so that the program's arrays stay where they are.
    """

    def __init__(
        self,
        grid: Grid,
        options: ProgramOptions,
        clock: Clock,
        communicator: Communicator,
        *,
        decomposition: DecompositionOptions | None = None,
        check_halos: bool = False,
        plan: Plan | None = None,
    ) -> None:
        self.plane, self.step_length, self.clock = grid, clock.step, clock
        self.options, self.communicator = options, communicator
        if grid.fold:
            raise UserError(
                "The grid is folded in the north, where components of vectors change their sign:"
                " declared loops do not know which fields those are. Take another grid."
            )
        cut = Decomposition(
            grid.mask, grid.topology, halo=options.halo, options=decomposition,
            communicator=communicator,
        )  # fmt: skip
        _refuse_many_blocks(cut)
        self.run = Runner(cut, check_halos=check_halos, plan=plan)
        self.fields = {
            name: Field(
                name, options.quantity(name).units, cut,
                axes=(some.levels,) if some.levels > 1 else (),
                place=Place(some.place), dtype=np.float64, restart=some.restart,
            )
            for name, some in options.fields.items()
        }  # fmt: skip
        self.depth = Field("depth", "m", cut, place=Place.center, dtype=np.float64, static=True)
        self.depth.set_global(np.where(grid.mask, grid.depth, 0.0))
        self.shown = {
            name: field
            for name, field in self.fields.items()
            if field.place != Place.center or field.axes
        }
        self.ports = {name: Port(self.fields[name]) for name in options.takes}
        self.sums = {name: FieldSums(field, 1) for name, field in self.fields.items()}
        self._wet_at: dict[Place, NDArray[np.bool_]] = {}
        self.calls: dict[Any, tuple[DeclaredLoops, BoundCall]] = {}
        self.check = DeclaredCheck(self._all, communicator) if self.run.truth else None

    @property
    def _all(self) -> Mapping[str, Field]:
        return {**self.fields, "depth": self.depth}

    # --- what the program calls -----------------------------------------------------------------

    def window(self, name: str) -> FieldMemory:
        """The memory of a field."""
        field = self._field(name)
        block = block_of(field)
        levels = int(np.prod(field.outer))
        array = field.storage(field.layout).flat[0]
        r, halo = block.rectangle, block.halo
        whole = array.reshape(levels, block.shape[0], array.shape[1] // block.shape[0])
        return FieldMemory(whole, r.j0 - halo, r.i0 - halo)

    def declare(
        self, key: Any, name: str, loops: Loops, reads: str, writes: str, updates: str
    ) -> None:
        """Make a kernel of loops."""
        if key in self.calls or name in (some.kernel.name for some, _ in self.calls.values()):
            raise UserError(
                f"Kernel '{name}' is declared already. Declare loops once, by one name."
            )
        found = made(name, loops, reads, writes, updates, self._all)
        self.calls[key] = found, self.run.bind(found.kernel, **found.fields)

    def compute(self, key: Any) -> None:
        """Run loops as the kernel that they are."""
        if key not in self.calls:
            names = ", ".join(some.kernel.name for some, _ in self.calls.values())
            raise UserError(
                "The program runs loops that it has not declared. Declare them before, by"
                f" halocline_kernel: there are {names or 'none'}."
            )
        declared, call = self.calls[key]
        if self.check is None:
            call()
        else:
            self.check.watch(declared, call, text(self.clock.time))

    def sum(self, name: str) -> float:
        """Sum of a field over its wet points."""
        field = self._field(name)
        try:
            return float(self.sums[name]([field.owned])[0])
        except FloatingPointError:
            raise BrokenState(
                f"The sum of '{name}' at {text(self.clock.time)} is of values that are not finite."
            ) from None

    def largest(self, name: str) -> float:
        """The largest value of a field at its wet points."""
        field = self._field(name)
        (array,) = field.owned
        mine = np.max(array, where=self._wet(field), initial=-np.inf)
        return float(self.communicator.maximum(np.array([mine]))[0])

    def hand_out(self) -> None:
        """What others gave is in the fields already."""
        if self.check is not None:
            self.check.trust_all()

    # --- what the run calls ---------------------------------------------------------------------

    def restart_fields(self) -> Sequence[Field]:
        """Those of which the case says so."""
        return [field for field in self.fields.values() if field.restart]

    def start(self, time: Date, restarted: bool) -> None:
        """The program may have set its arrays by hand until now, not only in kernels."""
        if self.run.plan is not None:
            return
        if not self.calls:
            raise UserError(
                "The program has declared no kernels. Let it declare its loops before its first"
                " step, by halocline_kernel."
            )
        for field in self.fields.values():
            field.written()
        if self.check is not None:
            self.check.trust_all()
        self._look(self.restart_fields(), time)

    def step(self, time: Date) -> None:
        """What the program has computed is in the fields already."""
        if self.run.plan is not None:
            self.run.plan.lines.append("kernels    as the program declares when it runs")
        elif self.clock.step_number % looks_every == 0:
            self._look(self.restart_fields(), time + self.step_length)

    def diagnose(self, names: Sequence[str], time: Date) -> Mapping[str, Field]:
        """Its fields."""
        found = {name: self.fields[name] for name in names}
        self._look(list(found.values()), time)
        return found

    def _look(self, fields: Sequence[Field], time: Date) -> None:
        """Refuse a state in the sea that is no number."""
        for field in fields:
            (array,) = field.owned
            if np.isfinite(array).all():
                continue
            bad = ~np.isfinite(array) & self._wet(field)
            if bad.any():
                *level, j, i = (int(at[0]) for at in np.nonzero(bad))
                value, r = array[(*level, j, i)], block_of(field).rectangle
                raise BrokenState(
                    f"The program has computed {value} in '{field.name}' by {text(time)}, in"
                    f" row {j + r.j0} and column {i + r.i0} (from 0)."
                )

    def _wet(self, field: Field) -> NDArray[np.bool_]:
        """Which of the values that this rank owns are in the sea, of all levels alike."""
        if field.place not in self._wet_at:
            (self._wet_at[field.place],) = field.wet
        return self._wet_at[field.place]

    def _field(self, name: str) -> Field:
        known = self._all
        if name not in known:
            raise UserError(
                f"The program asks for the field '{name}', which is none of [program.fields]."
                f"{nearest(name, known)}"
            )
        return known[name]


def _refuse_many_blocks(cut: Decomposition) -> None:
    """Refuse cuts in which a rank has not just one block."""
    ranks = [rectangle.rank for rectangle in cut.world.rectangles] if cut.kind != "cards" else []
    if sorted(ranks) != list(range(cut.communicator.size)):
        raise UserError(
            f"Declared loops have one block on each rank, but the grid is cut into"
            f" {cut.describe()}. Use decomposition.kind = 'blocks' and blocks_per_rank = 1."
        )
    assert all(isinstance(block, Block) for block in cut.planes.blocks)
