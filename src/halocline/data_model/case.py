"""Cases of data models, which stand in for a component."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from halocline.component.case.case import Case, named
from halocline.component.streams.field_stream import MapShape
from halocline.core.clock import Clock
from halocline.core.errors import UserError
from halocline.core.names import Quantity, quantities
from halocline.core.options import option
from halocline.data_model.component import DataComponent
from halocline.data_model.files_grid import files_grid
from halocline.data_model.options import DataOptions
from halocline.data_model.recorded import read_facts
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.ranks.once_per_node import once_per_node
from halocline.runtime.running.runner import Plan


@dataclass(frozen=True, kw_only=True)
class DataCase(Case):
    """A data model, which gives fields from files and writes fields that others give it."""

    component: str = named("data")
    data: DataOptions = option(
        DataOptions(takes=["surface_temperature"]), meaning="what is given and taken"
    )

    def build(
        self,
        clock: Clock,
        communicator: Communicator,
        *,
        check_halos: bool = False,
        plan: Plan | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> DataComponent:
        """The fields on their grid, with the files that they follow."""
        return DataComponent(
            once_per_node(communicator, self.build_grid),
            self._found(),
            clock,
            communicator,
            decomposition=self.decomposition,
            precision=self.precision,
            check_halos=check_halos,
            plan=plan,
        )

    def build_grid(self) -> Grid:
        """That of the first files, or of the case."""
        if not self.data.on_files_grid:
            return super().build_grid()
        some = next(iter(self._found().gives.values()))
        assert isinstance(some.file, list)
        return files_grid(some.file, self.time.calendar, some.fields, some.variables)

    def lacking(
        self, *, restarted: bool = False, watched: bool = False, given: Collection[str] = ()
    ) -> list[str]:
        """Nothing, where it is there to give."""
        there = watched or bool(self.data.gives or self.data.recorded)
        return super().lacking(restarted=restarted, watched=there, given=given)

    def gives(self) -> Mapping[str, Quantity]:
        """What the files hold."""
        recorded = {
            some.name: replace(quantities[some.name], units=some.units)
            for path in self._records()
            for some in read_facts(path).variables
        }
        return recorded | self._of_maps()

    def _of_maps(self) -> dict[str, Quantity]:
        return {name: quantities[name] for name in self.data.given}

    def takes_from_others(self) -> Mapping[str, Quantity]:
        """What it writes of others."""
        return {name: quantities[name] for name in self.data.takes}

    def described(self) -> Mapping[str, Quantity]:
        """All its fields that lie in cells."""
        return {**self._of_maps(), **self.takes_from_others()}

    def map_shapes(self) -> Mapping[str, MapShape]:
        """Planes."""
        return dict.fromkeys(self.described(), MapShape())

    @property
    def holes(self) -> Collection[str]:
        """What was recorded is that of points which had something."""
        return self.gives() if self.data.recorded else ()

    @property
    def cost(self) -> float:
        """Of a value and a step [s]: it is interpolated in time."""
        return 2e-9

    def state_values(self, grid: Grid) -> int:
        """All fields."""
        return len({**self.gives(), **self.takes_from_others()}) * grid.depth.size

    def _records(self) -> list[str]:
        """Paths of what an earlier run recorded."""
        try:
            return [self.find_here(path) for path in self.data.recorded]
        except UserError as error:
            raise UserError(
                f"{error} A coupled run with schedule.recorded = ['all'] writes it to its folder."
            ) from None

    def _found(self) -> DataOptions:
        """The options with the paths of files as they are found."""
        gives = {
            name: replace(some, file=self.find_all(some.file))
            for name, some in self.data.gives.items()
        }
        return replace(self.data, gives=gives, recorded=self._records())
