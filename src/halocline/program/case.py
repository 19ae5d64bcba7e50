"""Cases of members that are programs of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halocline.component.case.case import Case, named
from halocline.component.streams.field_stream import MapShape
from halocline.core.clock import Clock
from halocline.core.names import Quantity
from halocline.core.options import option
from halocline.core.programs import find_program
from halocline.grids.horizontal.grid import Grid
from halocline.program.component import ProgramComponent
from halocline.program.declared import DeclaredComponent
from halocline.program.options import ProgramOptions
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.ranks.once_per_node import once_per_node
from halocline.runtime.running.runner import Plan


@dataclass(frozen=True, kw_only=True)
class ProgramCase(Case):
    """Another program on ranks of its own, which gives fields to other members and takes some."""

    component: str = named("program")
    program: ProgramOptions = option(
        ProgramOptions(command="./theirs", gives=["surface_temperature"]),
        meaning="how it starts, and its fields",
    )

    def build(
        self,
        clock: Clock,
        communicator: Communicator,
        *,
        check_halos: bool = False,
        plan: Plan | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> ProgramComponent | DeclaredComponent:
        """Its fields on its grid: those of loops that it declares, or of cells that it shares."""
        if self.program.fields:
            return DeclaredComponent(
                once_per_node(communicator, self.build_grid),
                self.program,
                clock,
                communicator,
                decomposition=self.decomposition,
                check_halos=check_halos,
                plan=plan,
            )
        return ProgramComponent(
            once_per_node(communicator, self.build_grid),
            self.program,
            clock,
            communicator,
            decomposition=self.decomposition,
            precision=self.precision,
            check_halos=check_halos,
            plan=plan,
        )

    @property
    def outside_command(self) -> Sequence[str]:
        """What starts it; a path is one from the folder of the case, if that has it.

        Where PATH has no `python`, as on Debian, it is the one that runs this.
        """
        first, *rest = self.program.words
        beside = Path(self.data_folder) / first
        if first == "python":
            first = find_program(first, own_first=False) or first
        return [str(beside.absolute()) if beside.is_file() else first, *rest]

    def gives(self) -> Mapping[str, Quantity]:
        """What the case says that it gives."""
        fields = self.program.fields.items()
        centers = [name for name, some in fields if (some.place, some.levels) == ("center", 1)]
        return {name: self.program.quantity(name) for name in (*self.program.gives, *centers)}

    def takes_from_others(self) -> Mapping[str, Quantity]:
        """What the case says that it takes."""
        return {name: self.program.quantity(name) for name in self.program.takes}

    def described(self) -> Mapping[str, Quantity]:
        """All that maps can hold."""
        own = {name: self.program.quantity(name) for name in self.program.fields}
        return {**self.gives(), **self.takes_from_others(), **own}

    def map_shapes(self) -> Mapping[str, MapShape]:
        """Planes, but of fields that it declares with places or levels."""
        own = {
            name: MapShape(Place(some.place), (some.levels,) if some.levels > 1 else ())
            for name, some in self.program.fields.items()
        }
        return {**dict.fromkeys(self.described(), MapShape()), **own}

    @property
    def halo(self) -> int:
        """How deep halos are [cells]."""
        return self.program.halo if self.program.fields else 1

    @property
    def cost(self) -> float:
        """Of a value and a step [s]: nobody knows the program, so as much as a simple model."""
        return 1e-8

    def state_values(self, grid: Grid) -> int:
        """All fields."""
        kept = sum(some.levels for some in self.program.keeps.values())
        declared = sum(some.levels - 1 for some in self.program.fields.values())
        return (len(self.described()) + kept + declared) * grid.depth.size
