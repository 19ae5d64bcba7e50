"""Tracers that are moved by a circulation and react with each other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from halocline.biogeochemistry.biology import Biology
from halocline.biogeochemistry.component import TransportComponent
from halocline.biogeochemistry.environment import Environment
from halocline.biogeochemistry.light import Light
from halocline.biogeochemistry.merging import Merging
from halocline.biogeochemistry.moving_flow import MovingFlow
from halocline.biogeochemistry.reacting_state import (
    ReactingState,
    shown_at_surface,
    shown_on_levels,
)
from halocline.biogeochemistry.transport import TransportOptions, TransportState
from halocline.component.case.perturbation import PerturbationOptions
from halocline.component.forcing.field_records import FieldRecords
from halocline.component.forcing.field_series import FieldSeries
from halocline.component.forcing.file_series import look_through_all
from halocline.core.clock import Clock, Date
from halocline.core.errors import UserError, nearest
from halocline.grids.vertical.levels import VerticalGrid
from halocline.runtime.fields.decomposition import DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.running.runner import Plan, Runner


class BiogeochemistryComponent(TransportComponent):
    """The transport of a biology's tracers, what is around them, and the biology."""

    def __init__(
        self,
        grid: VerticalGrid,
        options: TransportOptions,
        biology: Biology,
        environment: Environment,
        light: Light,
        start_values: dict[str, float],
        clock: Clock,
        communicator: Communicator,
        *,
        decomposition: DecompositionOptions | None = None,
        precision: str = "float32",
        check_halos: bool = False,
        plan: Plan | None = None,
        perturbation: PerturbationOptions | None = None,
        merging: Merging | None = None,
        run: Runner | None = None,
        flow: Callable[[TransportState], MovingFlow] | None = None,
    ) -> None:
        super().__init__(
            grid,
            options,
            clock,
            communicator,
            decomposition=decomposition,
            precision=precision,
            check_halos=check_halos,
            plan=plan,
            perturbation=perturbation,
            merging=merging,
            kind=ReactingState,
            start_values={**biology.start_values(), **start_values},
            units={one.short_name: one.units for one in biology.tracers},
            weights=biology.column_weights(grid),
            run=run,
            flow=flow,
        )
        assert isinstance(self.model.state, ReactingState)
        self.state: ReactingState = self.model.state
        self.biology, self.environment = biology, environment
        self.light = light
        maps = light.settle(self.state, biology.attenuation)
        self._kept = biology.settle(self.state)
        self._read: list[FieldRecords | FieldSeries] = [*environment.settle(self.state), *maps]
        self.sums = {**self.sums, **biology.sums}

    def restart_fields(self) -> Sequence[Field]:
        """Fields that a restart file holds."""
        return [*super().restart_fields(), *self._kept]

    def look_through_input(self, deadline: float) -> tuple[int, int]:
        """Read all records of circulation, restoring, surroundings; how many of how many."""
        done, total = super().look_through_input(deadline)
        more, of = look_through_all(self._read, deadline)
        return done + more, total + of

    def close(self) -> None:
        """Let readings end and close the files of circulation, restoring and surroundings."""
        super().close()
        for files in self._read:
            files.close()

    def step(self, time: Date) -> None:
        """Advance from `time` by one step.

        1. surroundings  2. transport and restoring  3. light  4. biology
        """
        seconds = self.step_length.total_seconds()
        # 1. surroundings
        self.environment.fill(self.state, time, seconds)
        # 2. transport and restoring
        super().step(time)
        # 3. light
        self.light.step(self.run, self.state, time, seconds)
        # 4. biology
        self.biology.step(self.run, self.state, seconds)

    def diagnose(self, names: Sequence[str], time: Date) -> dict[str, Field]:
        """Tracers, what the biology shows besides, and what is around them."""
        self.check_names(names)
        others = {**self.biology.diagnostics, **self.biology.planes}
        own = [name for name in names if name in others]
        around = [name for name in names if name in self._around and name not in own]
        shown = super().diagnose([name for name in names if name not in own + around], time)
        shown |= {name: getattr(self.state, name) for name in around}
        return shown | {name: self.biology.show(name, self.run, self.state) for name in own}

    def show_only(self, names: Collection[str]) -> Sequence[str]:
        """Let the biology make no fields that nothing shows."""
        return self.biology.show_only(names)

    @property
    def _around(self) -> list[str]:
        """Names of what is around the tracers and can be shown, unless a tracer is called so."""
        names = [*shown_on_levels, *shown_at_surface]
        return [name for name in names if name not in self.options.tracers]

    def check_names(self, names: Sequence[str]) -> None:
        """Refuse a name that neither a tracer nor anything else has."""
        biology = self.biology
        known = [*self.options.tracers, *biology.diagnostics, *biology.planes, *self._around]
        for name in names:
            if name not in known:
                raise UserError(f"Unknown output variable '{name}'.{nearest(name, known)}")

    def elements(self) -> dict[str, tuple[float, float]]:
        """Content of each element at the start, with what came in since, and now; for all ranks."""
        now, begin = self.model.contents(), self.contents_at_start.read()[0]
        outside, brought = self.biology.outside(), self.boundaries.totals()
        held = {}
        for element, names in self.biology.elements.items():
            numbers = [self.options.tracers.index(name) for name in names]
            came = float(brought[numbers].sum())
            held[element] = float(begin[numbers].sum()) + came, float(now[numbers].sum())
        return {element: (a, b + outside[element]) for element, (a, b) in held.items()}

    def summary(self) -> str:
        """How much the elements changed, extremes, and what the biology says; for all ranks."""
        least, greatest = self.model.extremes()
        changes = {name: b / a - 1.0 if a else b for name, (a, b) in self.elements().items()}
        worst = max(changes, key=lambda name: abs(changes[name]), default="")
        change = f"greatest change of an element {changes[worst]:.1e} ({worst}), " if worst else ""
        told = (
            f"{len(self.options.tracers)} tracers: {change}values from {least.min():.3g} to"
            f" {greatest.max():.3g}"
        )
        return "; ".join(filter(None, [told, self.biology.summary()]))
