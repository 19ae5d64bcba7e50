"""Cases of the ocean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from halocline.component.case.case import Case, named
from halocline.component.case.output_writers import MapOutput
from halocline.component.component import Component
from halocline.component.streams.field_stream import MapShape
from halocline.component.streams.stream import OutputStream
from halocline.core.clock import Clock
from halocline.core.errors import UserError
from halocline.core.names import Quantity, quantities
from halocline.core.options import option
from halocline.grids.horizontal.grid import Grid
from halocline.ocean.column_work import column_work, expected_seconds, work
from halocline.ocean.component import OceanComponent
from halocline.ocean.forcing_options import with_paths
from halocline.ocean.joined_seas import refuse_lone_cells, without_lone_cells
from halocline.ocean.model import halo_of
from halocline.ocean.options import OceanOptions
from halocline.ocean.passive_tracers import described
from halocline.ocean.series_stream import (
    OceanSeriesOptions,
    OceanSeriesStream,
    bytes_of_numbers,
)
from halocline.ocean.shown_fields import always, by_bulk, map_shapes, with_eddies
from halocline.ocean.surface_ports import gives, taken
from halocline.runtime.fields.load import Load
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.ranks.once_per_node import once_per_node
from halocline.runtime.running.runner import Plan


@dataclass(frozen=True, kw_only=True)
class OceanOutput(MapOutput):
    """What a run of the ocean writes."""

    series: Mapping[str, OceanSeriesOptions] = option(
        {}, "", "streams of numbers of the whole ocean, by name"
    )


@dataclass(frozen=True, kw_only=True)
class OceanCase(Case):
    """A run of the ocean."""

    component: str = named("ocean")
    precision: str = option(
        "float64", "", "precision of the model's arrays", choices=("float32", "float64")
    )
    output: OceanOutput = option(
        OceanOutput(), meaning="maps, numbers of the whole ocean, and who writes them"
    )
    ocean: OceanOptions = option(OceanOptions(), meaning="physics and numerics of the ocean")

    built: ClassVar[type[OceanComponent]] = OceanComponent  # by `build`
    imports: ClassVar[tuple[str, ...]] = tuple(taken)
    exports: ClassVar[Mapping[str, Quantity]] = {
        name: quantities[name] for name in (*always, *by_bulk)
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        wanted = {name for some in self.output.fields.values() for name in some.variables}
        if not self.ocean.forcing.bulk.file and (without := sorted(by_bulk.keys() & wanted)):
            raise UserError(
                f"The variable '{without[0]}' of [output.fields] comes with bulk formulas. Set"
                " ocean.forcing.bulk.file, or leave it out."
            )

    def build(
        self,
        clock: Clock,
        communicator: Communicator,
        *,
        check_halos: bool = False,
        plan: Plan | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> OceanComponent:
        """The ocean with its grid, which has no lone cells unless the case wants them."""
        levels = once_per_node(communicator, self.build_levels)
        if self.ocean.lone_cells == "refuse":
            refuse_lone_cells(levels.horizontal)
        start = self.ocean.start
        start = replace(start, file=start.file and str(self.find(start.file)))
        return self.built(
            levels,
            with_paths(
                replace(self.ocean, start=start, tracers=self.ocean.tracers.found(self.find)),
                self.find_all,
            ),
            clock,
            communicator,
            decomposition=self.decomposition,
            precision=self.precision,
            check_halos=check_halos,
            plan=plan,
        )

    def build_grid(self) -> Grid:
        """The horizontal grid; lone cells are land where the case says so."""
        grid = super().build_grid()
        return without_lone_cells(grid) if self.ocean.lone_cells == "land" else grid

    def map_shapes(self) -> dict[str, MapShape]:
        """Where the fields lie, and their levels."""
        return map_shapes(self.ocean, self.level_count)

    def described(self) -> dict[str, Quantity]:
        """All fields that maps can hold, passive tracers too."""
        passive = described(self.ocean.tracers.passive)
        return {**self.exports, **with_eddies(self.ocean), **passive}

    def gives(self) -> dict[str, Quantity]:
        """Maps, and the current of the surface to east and north."""
        shown = self.map_shapes()
        return {name: q for name, q in self.exports.items() if name in shown} | gives()

    def stream_bytes(self, grid: Grid, clock: Clock) -> dict[str, int]:
        """Bytes of the records of each output stream, before compression, by its name."""
        levels = self.level_count
        lines = len(self.ocean.sections), len(self.ocean.basins)
        return super().stream_bytes(grid, clock) | {
            name: some.records(clock) * bytes_of_numbers(some, grid, levels, *lines)
            for name, some in self.output.series.items()
        }

    def streams(
        self,
        component: Component,
        clock: Clock,
        folder: Path,
        communicator: Communicator,
        *,
        resumed: bool = False,
    ) -> Sequence[OutputStream]:
        """Maps, and numbers of the whole ocean."""
        assert isinstance(component, OceanComponent)
        maps = super().streams(component, clock, folder, communicator, resumed=resumed)
        series = [
            OceanSeriesStream(
                name, some, component, clock, folder, title=self.title, resumed=resumed
            )
            for name, some in self.output.series.items()
        ]
        return [*maps, *series]

    @cached_property
    def halo(self) -> int:
        """How deep halos are [cells]."""
        return halo_of(self.build_grid(), self.ocean.solver)

    def load(self, grid: Grid) -> Load:
        """What the blocks of a cut cost."""
        weights = column_work(self.build_levels())
        return Load(grid.mask, grid.topology, self.halo, weights=weights, work=work)

    def state_values(self, grid: Grid) -> int:
        """Tracers and two velocities on all levels, land included, at two times."""
        values = 2 * (4 + len(self.ocean.tracers.passive))
        return values * grid.depth.size * self.level_count

    @cached_property
    def cost(self) -> float:
        """Of a step, divided among the values that the state has [s]."""
        levels = self.build_levels()
        seconds = expected_seconds(levels, self.ocean, self.precision)
        return seconds / self.state_values(levels.horizontal)
