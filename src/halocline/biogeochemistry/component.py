"""The transport of tracers with its grid, start and output, as the time loop wants it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from halocline.biogeochemistry.boundaries import Boundaries
from halocline.biogeochemistry.circulation_files import FileCirculation
from halocline.biogeochemistry.merging import Merging
from halocline.biogeochemistry.moving_flow import MovingFlow
from halocline.biogeochemistry.restoring import Restoring
from halocline.biogeochemistry.transport import (
    Transport,
    TransportOptions,
    TransportState,
    reach,
    work,
)
from halocline.component.case.perturbation import PerturbationOptions
from halocline.component.component import Component
from halocline.component.forcing.file_series import look_through_all
from halocline.core.clock import Clock, Date, to_number
from halocline.core.errors import UserError, nearest
from halocline.grids.vertical.levels import VerticalGrid
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Entry, Field
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.running.runner import Plan, Runner


class TransportComponent(Component):
    """Tracers on one grid, moved by an analytic circulation, by files, or by a given `flow`.

    A `run` that is given has the decomposition too.
    """

    def __init__(
        self,
        grid: VerticalGrid,
        options: TransportOptions,
        clock: Clock,
        communicator: Communicator,
        *,
        decomposition: DecompositionOptions | None = None,
        precision: str = "float32",
        check_halos: bool = False,
        plan: Plan | None = None,
        perturbation: PerturbationOptions | None = None,
        merging: Merging | None = None,
        kind: type[TransportState] = TransportState,
        start_values: Mapping[str, float] | None = None,
        units: Mapping[str, str] | None = None,
        weights: NDArray[np.float64] | None = None,
        run: Runner | None = None,
        flow: Callable[[TransportState], MovingFlow] | None = None,
    ) -> None:
        self.perturbation = perturbation or PerturbationOptions()
        self.grid, self.options, self.precision = grid, options, precision
        self.plane = grid.horizontal
        self.step_length: timedelta = clock.step
        self.run = run or Runner(
            Decomposition(
                grid.mask,
                grid.topology,
                halo=reach,
                options=decomposition,
                communicator=communicator,
                weights=np.ones(grid.mask.shape) if weights is None else weights,
                work=work,
                staggered=not options.analytic,
            ),
            check_halos=check_halos,
            plan=plan,
        )
        self.decomposition = self.run.decomposition
        dt = clock.step.total_seconds()
        self.model = Transport(
            grid,
            options,
            self.decomposition,
            dt,
            dtype=precision,
            kind=kind,
            start_values=start_values,
            units=units,
        )
        self.sums = {"tracer contents": self.model.sums}
        period = clock.start, clock.end
        self.flow: MovingFlow | None = None if flow is None else flow(self.model.state)
        if options.circulation == "files":
            self.flow = FileCirculation(
                options.files,
                grid,
                self.model.state,
                period,
                self.run,
                merging,
                at_once=options.advection == "smolarkiewicz",
            )
        self.mixing = self.model.state.vertical_diffusivity  # made now unless files brought theirs
        self.boundaries = Boundaries(
            options.boundaries,
            grid,
            self.model.state,
            self.run,
            dt,
            {
                name: self.model.start_profiles(
                    0.5 * (some.box[0] + some.box[1]), 0.5 * (some.box[2] + some.box[3])
                )
                for name, some in options.boundaries.open.items()
            },
            fresh=options.circulation == "files" and options.files.fresh_water,
        )
        self.restoring: Restoring | None = None
        if options.restoring.variables:
            self.restoring = Restoring(
                options.restoring,
                grid,
                self.model.state,
                period,
                self.run,
                self.boundaries.brought,
            )
        self._shown: dict[str, Field] = {}
        self.contents_at_start = Field(
            "contents_at_start",
            "m3",
            self.decomposition,
            axes=(self.model.state.tracers,),
            place=Place.none,
            dtype=np.float64,
            restart=True,
        )

    def restart_fields(self) -> Sequence[Field]:
        """Fields that a restart file holds."""
        moving = [] if self.flow is None else [self.model.state.volume]
        return [self.model.state.tracer, *moving, self.contents_at_start, self.boundaries.brought]

    def facts(self) -> dict[str, str | int | float]:
        """Tracers and precision, which a restart must share."""
        return {"tracers": " ".join(self.options.tracers), "precision": self.precision}

    def describe(self) -> list[tuple[str, str]]:
        """How many tracers there are."""
        return [("tracers", str(len(self.options.tracers)))]

    def start(self, time: Date, restarted: bool) -> None:
        """Set the tracers to their start unless `restarted`."""
        if restarted:
            return
        if self.flow is not None:
            self.flow.start(time)
        self.model.set_start()
        if self.perturbation.amplitude > 0.0:
            self._perturb()
        if self.run.plan is None:
            self.contents_at_start.set_global(self.model.contents())

    def _perturb(self) -> None:
        """Change the tracers at the start, each cell of the plane alike on all levels."""
        width = self.grid.mask.shape[1]
        tracer = self.model.state.tracer
        with tracer.change() as owned:
            for array, block in zip(owned, tracer.layout.blocks, strict=True):
                assert isinstance(block, Block)
                r = block.rectangle
                j, i = np.arange(r.j0, r.j1)[:, None], np.arange(r.i0, r.i1)
                array *= self.perturbation.factors(j * width + i).astype(array.dtype)

    def step(self, time: Date) -> None:
        """Advance from `time` by one step."""
        seconds = self.step_length.total_seconds()
        number = round(to_number(time) / seconds)
        if self.flow is not None:
            self.flow.step(time, self.step_length, number)
            self.boundaries.surface_water()
        self.model.step(self.run, self.model.state, seconds, number)
        if self.flow is not None:
            self.flow.finish()
        self.boundaries.step()
        if self.restoring is not None:
            self.restoring.step(time + self.step_length, seconds)

    def look_through_input(self, deadline: float) -> tuple[int, int]:
        """Read all records of circulation and restoring; how many of how many."""
        series = [] if self.restoring is None else [self.restoring.series]
        flow = [] if self.flow is None else [self.flow]
        return look_through_all([*flow, *series], deadline)

    def close(self) -> None:
        """Let readings end and close the files of circulation and restoring."""
        if self.flow is not None:
            self.flow.close()
        if self.restoring is not None:
            self.restoring.series.close()

    def diagnose(self, names: Sequence[str], time: Date) -> dict[str, Field]:
        """Tracers by name, each on all levels, in their own memory."""
        self.check_names(names)
        tracer, numbers = self.model.state.tracer, self.options.tracers.index
        for name in set(names).difference(self._shown):
            self._shown[name] = Entry(tracer, numbers(name), name, "1")
        return {name: self._shown[name] for name in names}

    def check_names(self, names: Sequence[str]) -> None:
        """Refuse a name that no tracer has."""
        for name in names:
            if name not in self.options.tracers:
                hint = nearest(name, self.options.tracers)
                raise UserError(f"Unknown output variable '{name}'.{hint}")

    def summary(self) -> str:
        """Change of the contents and extremes of the tracers; a call for all ranks."""
        before = self.contents_at_start.read()[0] + self.boundaries.totals()
        change = self.model.contents() / np.where(before > 0, before, 1.0) - 1.0
        least, greatest = self.model.extremes()
        worst = int(np.abs(change).argmax())
        return (
            f"{len(self.options.tracers)} tracers: greatest change of a content"
            f" {change[worst]:.1e} ({self.options.tracers[worst]}), values from {least.min():.3g}"
            f" to {greatest.max():.3g}"
        )
