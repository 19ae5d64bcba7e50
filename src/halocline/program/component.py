"""A member that is a program of its own, as the run sees it: fields to be filled and looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike

from halocline.component.outside import ComputedInCells, Values
from halocline.component.port import Port
from halocline.core.clock import Clock, Date, text
from halocline.core.errors import BrokenState, UserError, nearest
from halocline.core.units import conversion
from halocline.grids.horizontal.grid import Grid
from halocline.program.cells import Cells, as_values, listed, not_finite
from halocline.program.options import ProgramOptions
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.running.runner import Plan, Runner


class ProgramComponent(ComputedInCells):
    """Brings values between the cells that the program has on each rank and fields of ours."""

    def __init__(
        self,
        grid: Grid,
        options: ProgramOptions,
        clock: Clock,
        communicator: Communicator,
        *,
        decomposition: DecompositionOptions | None = None,
        precision: str = "float32",
        check_halos: bool = False,
        plan: Plan | None = None,
    ) -> None:
        self.plane, self.step_length, self.clock = grid, clock.step, clock
        self.options, self.communicator = options, communicator
        cut = Decomposition(
            grid.mask, grid.topology, halo=1, options=decomposition, communicator=communicator
        )
        self.run = Runner(cut, check_halos=check_halos, plan=plan)

        def field(name: str, units: str, levels: int = 1) -> Field:
            axes = (levels,) if levels > 1 else ()
            return Field(name, units, cut, axes=axes, place=Place.center, dtype=precision)

        self.fields = {
            name: field(name, options.quantity(name).units)
            for name in (*options.gives, *options.takes)
        }
        self.kept = {
            name: Field(
                f"kept {name}", "1", cut, axes=(some.levels,), place=Place.center, dtype="float64"
            )
            for name, some in options.keeps.items()
        }
        self.ports = {name: Port(self.fields[name]) for name in options.takes}
        self.units = dict.fromkeys(self.kept, (1.0, 0.0))
        self.values: dict[str, Values] = {}
        self.new: set[str] = set()
        self.cells: Cells | None = None
        self.begun = False

    # --- what the program calls -----------------------------------------------------------------

    def set_cells(
        self, numbers: ArrayLike, longitude: ArrayLike | None, latitude: ArrayLike | None
    ) -> None:
        """Say which cells this rank has; what a restart kept for the program comes with them."""
        if self.cells is not None:
            raise UserError("The program has said already which cells it has. Say it once.")
        like = next(iter({**self.fields, **self.kept}.values()))
        self.cells = Cells(numbers, self.plane, like, self.communicator, self.run.recorder)
        if longitude is not None and latitude is not None:
            self.cells.compare(longitude, latitude)
        for name, field in self.kept.items():
            self.values[name] = self.cells.fetch(field)

    def set_units(self, name: str, units: str, *, given: bool) -> None:
        """Say in what units the program has a field."""
        names = self.options.gives if given else self.options.takes
        verb = "give" if given else "take"
        short = self._short(name, names, f"program.{verb}s does not name it: it has")
        own = self.options.quantity(short).units
        found = conversion(units, own)
        if found is None:
            raise UserError(
                f"The program {verb}s '{name}' in {units}, which does not convert to {own}. Let the"
                f" program say the units that it has '{name}' in."
            )
        self.units[short] = found

    def put(self, name: str, values: ArrayLike) -> None:
        """Values of a field, in the program's units."""
        cells, known = self._cells, [*self.options.gives, *self.kept]
        if not self.begun:
            known += self.options.takes
        short = self._short(name, known, "that is nothing it puts into the run here, which is")
        levels = self.options.keeps[short].levels if short in self.kept else 1
        found = as_values(values, levels, cells.numbers.size, name)
        factor, offset = self._conversion(short)
        self.values[short] = found * factor + offset if (factor, offset) != (1.0, 0.0) else found
        self.new.add(short)

    def take(self, name: str) -> Values:
        """The newest values of a field, in the program's units."""
        known = [*self.options.takes, *self.kept]
        short = self._short(name, known, "that is nothing it takes from the run, which is")
        cells = self._cells
        found = self.values.get(short)
        if found is None:
            found = np.zeros((1, cells.numbers.size))
        factor, offset = self._conversion(short)
        found = (found - offset) / factor if (factor, offset) != (1.0, 0.0) else found
        return found if found.shape[0] > 1 else found[0]

    def hand_out(self) -> None:
        """Bring the program what others gave it."""
        for name in self.options.takes:
            self.values[name] = self._cells.fetch(self.fields[name])

    # --- what the run calls ---------------------------------------------------------------------

    def restart_fields(self) -> Sequence[Field]:
        """All that the program gives, and what is kept for it."""
        return [*self.fields.values(), *self.kept.values()]

    def start(self, time: Date, restarted: bool) -> None:
        """Take what the program begins with: all that it gives and keeps, if nothing had it."""
        if self.run.plan is not None:
            return
        self._refuse_undeclared()
        names = [*self.fields, *self.kept]
        flags = np.array([float(name in self.new) for name in names])
        by_some = self.communicator.maximum(flags)
        some = [name for name, flag in zip(names, by_some, strict=True) if flag]
        wanted = some if restarted else [*self.options.gives, *self.kept]
        self._collect(time, list(dict.fromkeys([*wanted, *some])), "before its first step")
        self.begun = True

    def step(self, time: Date) -> None:
        """Take what the program has computed: all that it gives and keeps."""
        if self.run.plan is None:
            wanted = [*self.options.gives, *self.kept]
            self._collect(time + self.step_length, wanted, f"in the step from {text(time)}")

    def diagnose(self, names: Sequence[str], time: Date) -> Mapping[str, Field]:
        """Its fields."""
        return {name: self.fields[name] for name in names}

    def _collect(self, time: Date, wanted: Sequence[str], when: str) -> None:
        """Set fields of the run to what the program has put; refused where that is not whole."""
        cells = self._cells
        missing = [name for name in wanted if name not in self.new]
        if missing:
            raise UserError(
                f"The program did not put '{missing[0]}' {when}, and the run waits for"
                f" {listed(wanted)}. Let all its ranks put these."
            )
        fields = {**self.fields, **self.kept}
        for name in wanted:
            at = not_finite(self.values[name], cells.wet)
            if at >= 0:
                raise BrokenState(self._words_of(name, at, time))
        for name in wanted:  # in one order on all ranks
            cells.bring(self.values[name], fields[name])
        self.new.clear()

    def _words_of(self, name: str, at: int, time: Date) -> str:
        cells = self._cells
        row, column = divmod(int(cells.numbers[at]), self.plane.shape[1])
        centers = self.plane.at(Place.center)
        bad = self.values[name][:, at]
        value = bad[~np.isfinite(bad)][0]
        return (
            f"The program gave {value} for '{name}' at {text(time)}, in row {row} and column"
            f" {column} (from 0), x {centers.x[row, column]:.6g}, y {centers.y[row, column]:.6g}."
        )

    def _refuse_undeclared(self) -> None:
        """Refuse a program that did not say its cells, or the units of what it gives and takes."""
        assert self._cells
        for name in (*self.options.gives, *self.options.takes):
            if name not in self.units:
                verb = "gives" if name in self.options.gives else "takes"
                raise UserError(
                    f"The program did not say that it {verb} '{name}', which the case says (program"
                    f".{verb}). Let it say so, with its units, or leave it out of the case."
                )

    def _conversion(self, name: str) -> tuple[float, float]:
        if name not in self.units:
            raise UserError(
                f"The program did not say in what units it has '{name}'. Let it do so before it"
                " puts or takes values."
            )
        return self.units[name]

    def _short(self, name: str, known: Sequence[str], words: str) -> str:
        """The short name of a field that is named by either name."""
        if name in known:
            return name
        for short in known:
            if short in self.fields and self.options.quantity(short).standard_name == name:
                return short
        raise UserError(
            f"The program names '{name}', but {words} {listed(known)}.{nearest(name, known)}"
        )

    @property
    def _cells(self) -> Cells:
        if self.cells is None:
            self._say_no_cells()
        return self.cells

    def _say_no_cells(self) -> NoReturn:
        raise UserError(
            "The program did not say which cells each of its ranks has. Let it do so after it has"
            " joined."
        )
