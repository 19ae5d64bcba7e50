"""Cases of the off-line transport of tracers."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from halocline.biogeochemistry.circulation_files import CirculationFileOptions
from halocline.biogeochemistry.component import TransportComponent
from halocline.biogeochemistry.merging import Merging, merged
from halocline.biogeochemistry.transport import TransportOptions, reach, work
from halocline.component.case.case import Case, named
from halocline.component.case.output_writers import MapOutput
from halocline.component.component import Component
from halocline.component.streams.field_stream import FieldStream, FieldStreamOptions, MapShape
from halocline.component.streams.stream import OutputStream
from halocline.core.clock import Clock
from halocline.core.names import Quantity
from halocline.core.options import option
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.regular import build_grid
from halocline.grids.vertical.case_grid import build_levels
from halocline.runtime.fields.load import Load
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.ranks.once_per_node import once_per_node
from halocline.runtime.running.runner import Plan

seconds_per_value = 3e-9
"""Time for a cell, tracer and step on one core [s]: `halocline lab transport` on an AMD Zen 5 at 2
cores, rounded up."""

of_calls = 2.5e-4
"""What the calls of a step take on however small a grid [s]: `bloom-box`, `bloom-column`, Zen 5."""


@dataclass(frozen=True, kw_only=True)
class TracerStreamOptions(FieldStreamOptions):
    """Maps of some tracers on all levels."""

    variables: list[str] = option([], "", "names of tracers; all if not given")


@dataclass(frozen=True, kw_only=True)
class TracerOutputOptions(MapOutput):
    """What a run of the transport writes."""

    fields: dict[str, TracerStreamOptions] = option({}, "", "streams of maps, by name")


@dataclass(frozen=True, kw_only=True)
class TransportCase(Case):
    """A run of the off-line transport of tracers."""

    component: str = named("transport")
    transport: TransportOptions = option(TransportOptions(), meaning="tracers and what moves them")
    output: TracerOutputOptions = option(TracerOutputOptions(), meaning="maps of tracers")

    tiles: ClassVar[str] = "transport.tile_bytes"

    @property
    def tracer_names(self) -> list[str]:
        """Names of the tracers, in their order."""
        return self.transport.tracers

    @property
    def shown(self) -> Mapping[str, Quantity]:
        """What maps can hold, by name."""
        return {name: Quantity(name, "", "1", f"tracer {name}") for name in self.tracer_names}

    def described(self) -> Mapping[str, Quantity]:
        """What the fields of maps are, by short name."""
        return self.shown

    @property
    def without_levels(self) -> Collection[str]:
        """What of it has no levels."""
        return ()

    def build(
        self,
        clock: Clock,
        communicator: Communicator,
        *,
        check_halos: bool = False,
        plan: Plan | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> TransportComponent:
        """The tracers with their grid and circulation."""
        return TransportComponent(
            once_per_node(communicator, self.build_levels),
            self.found_transport(),
            clock,
            communicator,
            decomposition=self.decomposition,
            precision=self.precision,
            check_halos=check_halos,
            plan=plan,
            perturbation=self.perturbation,
            merging=once_per_node(communicator, lambda: self.merging),
        )

    def found_transport(self) -> TransportOptions:
        """Options of the transport with the paths of its files."""
        start, restoring = self.transport.start_file, self.transport.restoring
        files = self.transport.files
        start = replace(start, file=start.file and str(self.find(start.file)))
        restoring = replace(restoring, file=self.find_all(restoring.file))
        if files.file:
            files = self.circulation_files
        return replace(self.transport, start_file=start, restoring=restoring, files=files)

    @property
    def circulation_files(self) -> CirculationFileOptions:
        """Options of the circulation's files with their paths."""
        files = self.transport.files
        named = [files.file] if isinstance(files.file, str) else files.file
        pattern = re.compile(r"[*?\[]")
        found = [
            path
            for name in named
            for path in (self.find_all(name) if pattern.search(name) else [self.find_here(name)])
        ]
        return replace(files, file=found)

    @property
    def merging(self) -> Merging | None:
        """How cells of the circulation's finer grid are merged, if it is on one."""
        if not self.transport.files.grid:
            return None
        path = str(self.find_here(self.transport.files.grid))
        options = replace(self._grid_found(), file=path)
        fine, coarse = build_levels(options, build_grid(options)), self.build_grid()
        return merged(fine, fine.horizontal.shape[0] // coarse.shape[0])

    def streams(
        self,
        component: Component,
        clock: Clock,
        folder: Path,
        communicator: Communicator,
        *,
        resumed: bool = False,
    ) -> Sequence[OutputStream]:
        """Output streams of tracers on all levels."""
        assert isinstance(component, TransportComponent)
        shown = self.shown
        for some in self.output.fields.values():
            component.check_names(some.variables)
        return [
            FieldStream(
                name,
                replace(some, variables=some.variables or list(shown)),
                component.plane,
                clock,
                folder,
                title=self.title,
                resumed=resumed,
                space=component.model.state.space,
                place=Place.center,
                dtype=self.precision,
                outer={name: () if name in self.without_levels else ("depth",) for name in shown},
                axes={"depth": component.grid.depth},
                more={
                    "depth": Quantity("depth", "depth", "m", "depth of the centres of the levels"),
                    **shown,
                },
            )
            for name, some in self.output.fields.items()
        ]

    @property
    def halo(self) -> int:
        """How deep halos are [cells]."""
        return reach

    def load(self, grid: Grid) -> Load:
        """What the blocks of a cut cost: cells of land too."""
        weights, files = self.column_weights(), self.transport.circulation == "files"
        return Load(grid.mask, grid.topology, reach, weights=weights, work=work, staggered=files)

    def column_weights(self) -> NDArray[np.float64]:
        """What columns cost: all of them the same, land too."""
        return np.ones(self.build_grid().shape)

    @cached_property
    def cost(self) -> float:
        """Expected time for a tracer, cell and step on one core [s]."""
        return seconds_per_value + of_calls / self.state_values(self.build_grid())

    def state_values(self, grid: Grid) -> int:
        """Values of all tracers, land included."""
        cells = grid.depth.size * self.level_count
        return cells * len(self.tracer_names)

    def map_shapes(self) -> Mapping[str, MapShape]:
        """All that can be shown, on all levels."""
        levels = self.level_count
        on_levels, planes = MapShape(extents=(levels,)), MapShape()
        return {name: planes if name in self.without_levels else on_levels for name in self.shown}
