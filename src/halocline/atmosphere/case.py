"""Cases of the atmosphere."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from halocline.atmosphere.component import AtmosphereComponent
from halocline.atmosphere.coordinate import HybridCoordinate
from halocline.atmosphere.dynamics.model import halo_of
from halocline.atmosphere.dynamics.polar_filter import cut_of
from halocline.atmosphere.dynamics.state import nested_names
from halocline.atmosphere.entered_air import ground_names
from halocline.atmosphere.options import AtmosphereOptions
from halocline.atmosphere.output import AirOutput
from halocline.atmosphere.sea_surface import gives
from halocline.atmosphere.shown_fields import (
    always,
    described,
    map_shapes,
    of_water,
    on_levels,
    refuse_absent,
)
from halocline.atmosphere.start.analysis_case import AnalysisCase
from halocline.atmosphere.start.hybrid_column import HybridColumn
from halocline.atmosphere.start.made_for_run import MadeForRun
from halocline.atmosphere.start.start_reading import StartFile
from halocline.atmosphere.start.terrain_files import ground_on_grid
from halocline.atmosphere.step_work import expected_seconds
from halocline.atmosphere.taken_fluxes import taken
from halocline.component.case.case import Case, named
from halocline.component.component import Component
from halocline.component.streams.field_stream import MapShape
from halocline.component.streams.station_stream import StationStream, bytes_of_stations
from halocline.component.streams.stream import OutputStream
from halocline.core.clock import Clock
from halocline.core.errors import UserError
from halocline.core.names import Quantity, quantities
from halocline.core.options import option
from halocline.grids.files.gridded_files import expand
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.regular import build_grid
from halocline.runtime.fields.decomposition import DecompositionOptions
from halocline.runtime.fields.topology import all_sides
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.ranks.once_per_node import once_per_node
from halocline.runtime.running.runner import Plan
from halocline.runtime.writing.restart import on_first_rank
from halocline.runtime.writing.stream_options import in_stream


@dataclass(frozen=True, kw_only=True)
class AtmosphereCase(Case):
    """A run of the atmosphere."""

    component: str = named("atmosphere")
    atmosphere: AtmosphereOptions = option(
        AtmosphereOptions(), meaning="physics and numerics of the atmosphere"
    )

    output: AirOutput = option(AirOutput(), meaning="maps, stations, and who writes them")

    reflects: ClassVar[tuple[str, ...]] = ("mirror", "pole")
    over_land: ClassVar[bool] = True
    built: ClassVar[type[AtmosphereComponent]] = AtmosphereComponent  # by `build`
    imports: ClassVar[tuple[str, ...]] = taken
    exports: ClassVar[Mapping[str, Quantity]] = {
        name: quantities[name] for name in (*always, *of_water, *on_levels)
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, maps in self.output.fields.items():
            refuse_absent(name, maps.variables, self.atmosphere)
        for name, stations in self.output.stations.items():
            refuse_absent(name, stations.variables, self.atmosphere)

    def gives(self) -> Mapping[str, Quantity]:
        """Maps, and the fluxes at its surface."""
        return {**self.described(), **gives(self.atmosphere)}

    @property
    def nested(self) -> tuple[str, ...]:
        """Wind, mass, heat, geopotential, and water of moist air."""
        return nested_names(self.atmosphere.species)

    @property
    def beneath(self) -> tuple[str, ...]:
        """Heights of the ground at centres and faces."""
        return ground_names

    def refuse_uncovered(self) -> None:
        """Refuse a place that the files of start and ground do not cover, or do not tell.

        Starts that the run makes itself are made anew at each place, over the ground of a file.
        """
        air, grid = self.atmosphere, self.build_grid()
        if air.analysis.files:
            self._to_be_made(self.time.clock()).refuse_uncovered()
        elif air.start.file:
            column = HybridColumn.of_coordinate(HybridCoordinate.of(air.layers, air.base_air))
            with StartFile(Path(self._made(air.start.file)), column) as file:
                file.check_grid(grid)
        if air.mountain.file:
            ground_on_grid(self.find(air.mountain.file), grid, placed=True)

    def build(
        self,
        clock: Clock,
        communicator: Communicator,
        *,
        check_halos: bool = False,
        plan: Plan | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> AtmosphereComponent:
        """The atmosphere with its grid."""
        air = self.atmosphere
        if air.analysis.files:
            on_first_rank(communicator, lambda: self._make_start(clock))
        found = replace(
            air,
            start=replace(air.start, file=self._made(air.start.file)),
            sides=replace(air.sides, file=self._made(air.sides.file)),
            mountain=replace(
                air.mountain, file=air.mountain.file and str(self.find(air.mountain.file))
            ),
        )
        return self.built(
            once_per_node(communicator, self.build_grid),
            found,
            clock,
            communicator,
            decomposition=self.decomposition,
            precision=self.precision,
            check_halos=check_halos,
            plan=plan,
        )

    def _make_start(self, clock: Clock) -> None:
        """Make the start and its sides of the analyses that the case names, where they lack."""
        for line in self._to_be_made(clock).make():
            print(f"halocline: {line}", file=sys.stderr, flush=True)

    def _to_be_made(self, clock: Clock) -> MadeForRun:
        """The start and its sides of the analyses that the case names."""
        air = self.atmosphere
        analysis, sides = air.analysis, air.sides
        case = AnalysisCase(
            self.build_grid(),
            HybridColumn.of_coordinate(HybridCoordinate.of(air.layers, air.base_air)),
            clock,
            analysis,
            sides.width,
        )
        return MadeForRun(
            case,
            expand(self.find_all(analysis.files), Path()),
            self.find(analysis.ground) if analysis.ground else None,
            Path(air.start.file),
            Path(sides.file) if sides.kind == "file" and sides.file else None,
        )

    def _made(self, name: str) -> str:
        """Path of a file of `halocline analysis`; '' if it has no name."""
        try:
            return name and str(Path(name) if Path(name).exists() else self.find(name))
        except UserError as error:
            raise UserError(
                f"{error} Starts and sides are made by 'halocline analysis FILES CASE --output"
                f" {Path(name).parent}'."
            ) from None

    def build_grid(self) -> Grid:
        """The horizontal grid, whose cells are all air."""
        grid = build_grid(replace(self._grid_found(), closed_edges=False))
        if not grid.mask.all():
            raise UserError(
                "The grid has land, cells without a depth. The atmosphere lies over all cells:"
                " leave grid.depth and grid.land out."
            )
        closed = [side for side in all_sides if grid.topology.is_closed(side)]
        if closed and not self.atmosphere.sides.kind:
            raise UserError(
                f"The grid is closed in the {closed[0]}, but air goes on there. Join it with the"
                " other side (grid.periodic_x, grid.periodic_y), make it a mirror:"
                f" grid.sides.{closed[0]} = 'mirror', open it: atmosphere.sides.kind = 'open', or"
                " give values there: [atmosphere.sides]."
            )
        if self.atmosphere.sides.kind and not closed:
            raise UserError(
                f"atmosphere.sides.kind = '{self.atmosphere.sides.kind}', but all sides of the grid"
                " are joined or mirrors. Leave [atmosphere.sides] out, or grid.sides."
            )
        return grid

    def holds(self, grid: Grid) -> str:
        """How many layers there are, and how high."""
        return f"{self.level_count} layers, to {self.atmosphere.layers.heights()[-1]:.0f} m"

    @cached_property
    def level_count(self) -> int:
        """How many layers there are."""
        return int(self.atmosphere.layers.heights().size) - 1

    def cut(self, grid: Grid, ranks: int) -> DecompositionOptions | None:
        """With poles into whole rows."""
        return cut_of(grid, self.decomposition, ranks)

    @cached_property
    def halo(self) -> int:
        """How deep halos are [cells]."""
        return halo_of(self.build_grid().topology)

    def map_shapes(self) -> dict[str, MapShape]:
        """Where the fields lie, and their layers."""
        return map_shapes(self.atmosphere, self.level_count)

    def described(self) -> Mapping[str, Quantity]:
        """All fields that maps can hold."""
        return described(self.atmosphere)

    def streams(
        self,
        component: Component,
        clock: Clock,
        folder: Path,
        communicator: Communicator,
        *,
        resumed: bool = False,
    ) -> Sequence[OutputStream]:
        """Maps, and stations; a call for all ranks."""
        maps = super().streams(component, clock, folder, communicator, resumed=resumed)
        stations = [
            StationStream(
                name,
                some,
                component.plane,
                clock,
                folder,
                decomposition=component.run.decomposition,
                fields=component.shown,
                described=self.described(),
                title=self.title,
                resumed=resumed,
            )
            for name, some in self.output.stations.items()
        ]
        return [*maps, *stations]

    def stream_bytes(self, grid: Grid, clock: Clock) -> dict[str, int]:
        """Bytes of the records of each output stream, before compression, by its name."""
        volume = super().stream_bytes(grid, clock)
        for name, some in self.output.stations.items():
            with in_stream(name):
                volume[name] = bytes_of_stations(some, clock, self.map_shapes())
        return volume

    def state_values(self, grid: Grid) -> int:
        """Wind, potential temperature, geopotential and water on all layers."""
        return (5 + len(self.atmosphere.species)) * grid.depth.size * self.level_count

    @cached_property
    def cost(self) -> float:
        """Of a step, divided among the values that the state has [s]."""
        grid, dt = self.build_grid(), self.time.clock().step.total_seconds()
        seconds = expected_seconds(self.atmosphere, grid, self.level_count, dt, self.precision)
        return seconds / self.state_values(grid)
