"""The transport of tracers with its grid, start and output, as the time loop wants it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import numpy as np

from halocline.biogeochemistry.transport import Transport, TransportOptions, reach, work
from halocline.core.clock import Clock, Date, to_number
from halocline.core.errors import UserError, nearest
from halocline.core.names import Quantity
from halocline.core.options import option
from halocline.experiment.field_stream import FieldStream, FieldStreamOptions
from halocline.experiment.output_writers import OutputWriters
from halocline.experiment.perturbation import PerturbationOptions
from halocline.grids.vertical.levels import VerticalGrid
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.running.runner import Plan, Runner
from halocline.runtime.sums.reductions import GlobalSums


@dataclass(frozen=True, kw_only=True)
class TracerStreamOptions(FieldStreamOptions):
    """Maps of some tracers on all levels."""

    variables: list[str] = option([], "", "names of tracers; all if not given")


@dataclass(frozen=True, kw_only=True)
class TracerOutputOptions(OutputWriters):
    """What a run of the transport writes."""

    fields: dict[str, TracerStreamOptions] = option({}, "", "streams of maps, by name")


class TransportComponent:
    """Tracers on one grid, moved by an analytic circulation."""

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
    ) -> None:
        self.perturbation = perturbation or PerturbationOptions()
        self.grid, self.options, self.precision = grid, options, precision
        self.step_length: timedelta = clock.step
        self.decomposition = Decomposition(
            grid.mask,
            grid.topology,
            halo=reach,
            options=decomposition,
            communicator=communicator,
            weights=np.ones(grid.mask.shape),
            work=work,
        )
        self.run = Runner(self.decomposition, check_halos=check_halos, plan=plan)
        dt = clock.step.total_seconds()
        self.model = Transport(grid, options, self.decomposition, dt, dtype=precision)
        self.sums: Mapping[str, GlobalSums] = {"tracer contents": self.model.sums}
        self._outputs: dict[str, Field] = {}
        self.contents_at_start = Field(
            "contents_at_start",
            "m3",
            self.decomposition,
            outer=(len(options.tracers),),
            place=Place.none,
            dtype=np.float64,
            restart=True,
        )

    def restart_fields(self) -> Sequence[Field]:
        """Fields that a restart file holds."""
        return [self.model.state.tracer, self.contents_at_start]

    def facts(self) -> dict[str, str | int | float]:
        """Tracers and precision, which a restart must share."""
        return {"tracers": " ".join(self.options.tracers), "precision": self.precision}

    def start(self, time: Date, restarted: bool) -> None:
        """Set the tracers to their start unless `restarted`."""
        if restarted:
            return
        self.model.set_start()
        if self.perturbation.amplitude > 0.0:
            self._perturb()
        if self.run.plan is None:
            self.contents_at_start.set_global(self.model.contents())

    def _perturb(self) -> None:
        """Change the tracers at the start, each cell of the plane alike on all levels."""
        width = self.grid.mask.shape[1]
        tracer = self.model.state.tracer
        for array, block in zip(tracer.owned, tracer.layout.blocks, strict=True):
            assert isinstance(block, Block)
            r = block.rectangle
            j, i = np.arange(r.j0, r.j1)[:, None], np.arange(r.i0, r.i1)
            array *= self.perturbation.factors(j * width + i).astype(array.dtype)
        tracer.written()

    def step(self, time: Date) -> None:
        """Advance from `time` by one step."""
        seconds = self.step_length.total_seconds()
        number = round(to_number(time) / seconds)
        self.model.step(self.run, self.model.state, seconds, number)

    def diagnose(self, names: Sequence[str], time: Date) -> dict[str, Field]:
        """Tracers by name, each on all levels."""
        state, result = self.model.state, {}
        self._check_names(names)
        for name in names:
            number = self.options.tracers.index(name)
            if name not in self._outputs:
                self._outputs[name] = Field(
                    name,
                    "1",
                    self.decomposition,
                    outer=(self.grid.thickness.size,),
                    place=Place.center,
                    dtype=self.precision,
                )
            result[name] = self._outputs[name]
            for array, tracer in zip(result[name].owned, state.tracer.owned, strict=True):
                array[...] = tracer[number]
        return result

    def _check_names(self, names: Sequence[str]) -> None:
        """Refuse a name that no tracer has."""
        for name in names:
            if name not in self.options.tracers:
                hint = nearest(name, self.options.tracers)
                raise UserError(f"Unknown output variable '{name}'.{hint}")

    def close(self) -> None:
        """Nothing is read during a run."""

    def summary(self) -> str:
        """Change of the contents and extremes of the tracers; a call for all ranks."""
        before = self.contents_at_start.blocks[0]
        change = self.model.contents() / np.where(before > 0, before, 1.0) - 1.0
        least, greatest = self.model.extremes()
        worst = int(np.abs(change).argmax())
        return (
            f"{len(self.options.tracers)} tracers: greatest change of a content"
            f" {change[worst]:.1e} ({self.options.tracers[worst]}), values from {least.min():.3g}"
            f" to {greatest.max():.3g}"
        )

    def streams(
        self,
        options: TracerOutputOptions,
        clock: Clock,
        folder: Path,
        *,
        title: str = "",
        resumed: bool = False,
    ) -> list[FieldStream]:
        """Output streams of tracers on all levels."""
        tracers = self.options.tracers
        for some in options.fields.values():
            self._check_names(some.variables)
        return [
            FieldStream(
                name,
                replace(some, variables=some.variables or tracers),
                self.grid.horizontal,
                clock,
                folder,
                title=title,
                resumed=resumed,
                decomposition=self.decomposition,
                place=Place.center,
                dtype=self.precision,
                outer=dict.fromkeys(tracers, ("depth",)),
                axes={"depth": self.grid.depth},
                more={
                    "depth": Quantity("depth", "depth", "m", "depth of the centres of the levels"),
                    **{tracer: Quantity(tracer, "", "1", f"tracer {tracer}") for tracer in tracers},
                },
            )
            for name, some in options.fields.items()
        ]
