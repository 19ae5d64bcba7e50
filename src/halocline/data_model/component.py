"""Fields from files, and fields that others give, as the time loop wants them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from halocline.component.component import Component
from halocline.component.forcing.field_series import FieldSeries
from halocline.component.forcing.file_series import look_through_all
from halocline.component.port import Port
from halocline.core.clock import Clock, Date
from halocline.core.names import quantities
from halocline.data_model.options import DataOptions
from halocline.data_model.recorded import RecordedFields
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.running.runner import Plan, Runner


class DataComponent(Component):
    """It gives what files hold at the time that it has come to, and keeps what others gave it."""

    def __init__(
        self,
        grid: Grid,
        options: DataOptions,
        clock: Clock,
        communicator: Communicator,
        *,
        decomposition: DecompositionOptions | None = None,
        precision: str = "float32",
        check_halos: bool = False,
        plan: Plan | None = None,
    ) -> None:
        self.plane, self.step_length = grid, clock.step
        cut = Decomposition(
            grid.mask, grid.topology, halo=1, options=decomposition, communicator=communicator
        )
        self.run = Runner(cut, check_halos=check_halos, plan=plan)

        def field(name: str) -> Field:
            units = quantities[name].units
            return Field(name, units, cut, place=Place.center, dtype=precision)

        self.fields = {name: field(name) for name in (*options.given, *options.takes)}
        self.ports = {name: Port(self.fields[name]) for name in options.takes}
        self.records = [RecordedFields(path, grid, cut) for path in options.recorded]
        for record in self.records:
            self.fields |= record.fields
        self.series = [
            FieldSeries(
                some,
                [self.fields[name] for name in some.fields],
                grid,
                (clock.start, clock.end),
                name,
                variables=some.variables,
                names=some.fields,
                recorder=self.run.recorder,
            )
            for name, some in options.gives.items()
        ]

    def restart_fields(self) -> Sequence[Field]:
        """All fields: those that files give too, as a restart file is never empty."""
        return list(self.fields.values())

    def start(self, time: Date, restarted: bool) -> None:
        """Read the values of the start; what nobody gives is 0."""
        if not restarted:
            for port in self.ports.values():
                port.field.fill(0.0)
        self._follow(time, first=True)

    def step(self, time: Date) -> None:
        """Come to the end of a step."""
        self._follow(time + self.step_length)

    def _follow(self, time: Date, *, first: bool = False) -> None:
        if self.run.plan is not None:
            return
        with self.run.recorder.time("forcing"):
            for record in self.records:
                record.update(time, first=first)
            for series in self.series:
                series.update(time)

    def diagnose(self, names: Sequence[str], time: Date) -> Mapping[str, Field]:
        """Its fields."""
        return {name: self.fields[name] for name in names}

    def look_through_input(self, deadline: float) -> tuple[int, int]:
        """All records of the files."""
        return look_through_all(self.series, deadline)

    def close(self) -> None:
        """Let readings end and close the files."""
        for series in self.series:
            series.close()
