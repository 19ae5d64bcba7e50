"""What every case has, whatever its component: tables, and what runs ask of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import tomli_w

from halocline.component.case.output_writers import MapOutput
from halocline.component.case.perturbation import PerturbationOptions
from halocline.component.case.restart_options import RestartOptions
from halocline.component.case.shipped import find_data
from halocline.component.case.tables import plain_dates, put
from halocline.component.case.time_options import TimeOptions
from halocline.component.component import Component
from halocline.component.streams.field_stream import FieldStream, MapShape, bytes_of_maps
from halocline.component.streams.stream import OutputStream
from halocline.core.clock import Clock
from halocline.core.errors import UserError
from halocline.core.names import Quantity, quantities
from halocline.core.options import Options, option
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.regular import build_grid
from halocline.grids.vertical.case_grid import CaseGridOptions, build_levels
from halocline.grids.vertical.levels import VerticalGrid
from halocline.runtime.fields.axis import sizes
from halocline.runtime.fields.decomposition import DecompositionOptions
from halocline.runtime.fields.load import Load
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.record.hardware_counters import refuse_unknown
from halocline.runtime.running.referee import CommunicationOptions
from halocline.runtime.running.runner import Plan
from halocline.runtime.writing.stream_options import in_stream


def named(component: str) -> Any:
    """The option `component` of a class of cases, with the name that it is registered by."""
    return option(
        component,
        "",
        "what the case simulates, by the name of a component: 'halocline explain component' lists"
        " them; the first of that list if a case names none",
        more=_component_names,
    )


def _component_names() -> str:
    from halocline.component.case.registry import component_names

    return component_names()


@dataclass(frozen=True, kw_only=True)
class RecordOptions(Options):
    """What a run leaves on record of its own performance; see `halocline lab report`."""

    write: bool = option(
        True, "", "write halocline.record beside the results: time, messages, steps"
    )
    counters: list[str] = option(
        ["operations"],
        "",
        "what the processor counts in kernels, where it lets us: floating-point operations,"
        " 'D1 loads', 'D1 misses', 'L2 misses', 'instructions', 'cycles' and others",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_unknown(self.counters)


@dataclass(frozen=True, kw_only=True)
class Case(Options):
    """What every case has, whatever its component."""

    component: str = named("")
    title: str = option("", "", "one line for logs, files and plots")
    precision: str = option(
        "float32", "", "precision of the model's arrays", choices=("float32", "float64")
    )
    data_folder: str = option(
        "", "", "where data files are looked for first; the folder of the case file if not given"
    )
    time: TimeOptions = option(TimeOptions(), meaning="start, end and step")
    grid: CaseGridOptions = option(CaseGridOptions(), meaning="the grid, horizontal and vertical")
    restart: RestartOptions = option(RestartOptions(), meaning="restart files")
    decomposition: DecompositionOptions = option(
        DecompositionOptions(), meaning="how the grid is cut among the ranks"
    )
    communication: CommunicationOptions = option(
        CommunicationOptions(), meaning="how ranks exchange halos"
    )
    perturbation: PerturbationOptions = option(
        PerturbationOptions(), meaning="changes of a member of an ensemble"
    )
    record: RecordOptions = option(RecordOptions(), meaning="what a run records of itself")
    output: MapOutput = option(MapOutput(), meaning="maps, and who writes them")

    takes: ClassVar[tuple[str, ...]] = ()  # what `halocline.run(case, NAME=...)` may hand to it
    imports: ClassVar[tuple[str, ...]] = ()  # fields that others may give it, by short name
    exports: ClassVar[Mapping[str, Quantity]] = {}  # fields that it can write and give to others
    cuts: ClassVar[tuple[str, ...]] = ("blocks", "curve")  # kinds of decompositions
    staggered: ClassVar[bool] = True  # whether fields that change lie on faces or corners
    reflects: ClassVar[tuple[str, ...]] = ()  # sides that its schemes know: "mirror", "pole"
    over_land: ClassVar[bool] = False  # whether it computes everywhere, so that depths say nothing
    tiles: ClassVar[str] = ""  # the option with the bytes of a tile, if there is one

    @property
    def holes(self) -> Collection[str]:
        """What it gives that is no number where it means nothing, as the period of a calm sea."""
        return ()

    @property
    def outside_command(self) -> Sequence[str]:
        """The command of the program outside that computes its steps; empty: there is none."""
        return ()

    @property
    def nested(self) -> tuple[str, ...]:
        """State that nests take from it and give back."""
        return ()

    @property
    def beneath(self) -> tuple[str, ...]:
        """What comes with the state to the sides of nests, which compare it with their own."""
        return ()

    def refuse_uncovered(self) -> None:
        """Refuse a place of a nest that moves which files of the case do not cover."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.output.refuse_servers_without_any("restart.way", self.restart.way)

    def build(
        self,
        clock: Clock,
        communicator: Communicator,
        *,
        check_halos: bool = False,
        plan: Plan | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> Component:
        """The component, with its grid, its cut and its forcing; `given` are those of `takes`."""
        raise NotImplementedError(f"{type(self).__name__} builds no component yet.")

    def streams(
        self,
        component: Component,
        clock: Clock,
        folder: Path,
        communicator: Communicator,
        *,
        resumed: bool = False,
    ) -> Sequence[OutputStream]:
        """The output streams of this case; a call for all ranks."""
        shapes = self.map_shapes()
        for name, field in component.shown.items():
            there = MapShape(field.place, sizes(field.axes))
            assert shapes[name] == there, f"map_shapes() has {shapes[name]} for '{name}': {there}"
        return [
            FieldStream(
                name,
                replace(some, variables=some.variables or list(shapes)),
                component.plane,
                clock,
                folder,
                title=self.title,
                resumed=resumed,
                space=component.run.decomposition,
                place=Place.center,
                dtype=self.precision,
                more=self.described(),
                fields=component.shown,
                moving=component.moves,
            )
            for name, some in self.output.fields.items()
        ]

    def holds(self, grid: Grid) -> str:
        """What is in the cells of its grid, for `halocline check`."""
        deepest = float(grid.depth[grid.mask].max()) if grid.sea_points else 0.0
        return f"{grid.sea_points} sea points, to {deepest:.0f} m depth"

    @property
    def halo(self) -> int:
        """How deep halos are [cells]."""
        return 1

    def load(self, grid: Grid) -> Load:
        """What the blocks of a cut cost."""
        return Load(grid.mask, grid.topology, self.halo, staggered=self.staggered)

    def cut(self, grid: Grid, ranks: int) -> DecompositionOptions | None:
        """How its grid is cut on so many ranks."""
        return self.decomposition

    @property
    def planes(self) -> int:
        """How many planes cards can deal among ranks."""
        return 0

    @property
    def cost(self) -> float:
        """Expected time for a value of the state and a step on one core [s]."""
        return 1e-8

    def state_values(self, grid: Grid) -> int:
        """How many numbers the state is, on all ranks."""
        return grid.sea_points

    def map_shapes(self) -> Mapping[str, MapShape]:
        """All fields that maps can hold, with their shapes: those of the fields in `shown`."""
        return dict.fromkeys(self.exports, MapShape())

    def described(self) -> Mapping[str, Quantity]:
        """What the fields of maps are, by short name."""
        return self.exports

    def gives(self) -> Mapping[str, Quantity]:
        """What it can give to other members of a run, by short name."""
        return self.exports

    def takes_from_others(self) -> Mapping[str, Quantity]:
        """What other members of a run may give it, by short name."""
        unknown = {name: Quantity(name, "", "", "") for name in self.imports}
        return {name: quantities.get(name, unknown[name]) for name in self.imports}

    def stream_bytes(self, grid: Grid, clock: Clock) -> dict[str, int]:
        """Bytes of the records of each output stream, before compression, by its name."""
        shapes, volume = self.map_shapes(), {}
        for name, maps in self.output.fields.items():
            with in_stream(name):
                volume[name] = bytes_of_maps(maps, grid, clock, shapes)
        return volume

    def lacking(
        self, *, restarted: bool = False, watched: bool = False, given: Collection[str] = ()
    ) -> list[str]:
        """What is to be said of a run that would show nothing, a line each.

        A run may be `restarted`, `watched` without output of the case (by streams of the user, or
        in its fields), and have been `given` some of `takes`.
        """
        if watched or self.output.streams():
            return []
        tables = ", ".join(f"[output.{kind}.NAME]" for kind in self.output.kinds())
        return [f"no output: nothing is written but restarts and the log ({tables})"]

    def find(self, name: str) -> Path:
        """Path of a data file named in this case."""
        return find_data(name, self.data_folder)

    def find_all(self, names: str | list[str]) -> list[str]:
        """Paths of data files, of a pattern such as flux_*.nc beside the case file."""
        base = Path(self.data_folder)
        return [
            str(base / name if any(sign in name for sign in "*?[") else self.find(name))
            for name in ([names] if isinstance(names, str) else names)
            if name
        ]

    def find_here(self, name: str) -> str:
        """Path of a file made by a run: as it is given where it exists, else as `find` does."""
        path = Path(name)
        if not name or path.exists():
            return name
        if len(path.parts) > 2 and path.parts[0] == "results":
            raise UserError(
                f"No file '{name}' in '{Path.cwd()}'. It belongs to the results of another run:"
                f" 'halocline run {path.parts[1]}' makes it there."
            )
        return str(self.find(name))

    def build_grid(self) -> Grid:
        """The horizontal grid of this case, from its file or made here."""
        return build_grid(self._grid_found())

    def build_levels(self) -> VerticalGrid:
        """The levels of this case over its horizontal grid."""
        return build_levels(self._grid_found(), self.build_grid())

    @cached_property
    def level_count(self) -> int:
        """How many levels there are."""
        return int(self.build_levels().thickness.size)

    def _grid_found(self) -> CaseGridOptions:
        """Options of the grid with the paths of its files; sides must be known to the component."""
        for side, kind in self.grid.sides.reflections._asdict().items():
            if kind and kind not in self.reflects:
                raise UserError(
                    f"grid.sides.{side} = '{kind}': the component '{self.component}' knows no"
                    f" {kind}. Its sides are closed or periodic. Choose one of these, or another"
                    " component."
                )
        path = self.grid.file and str(self.find(self.grid.file))
        depths = self.grid.depth_file and str(self.find(self.grid.depth_file))
        levels = self.grid.levels
        levels = replace(levels, file=levels.file and str(self.find(levels.file)))
        return replace(self.grid, file=path, depth_file=depths, levels=levels)

    def with_settings(self, settings: Mapping[str, Any]) -> Self:
        """The same case with other values, by dotted names.

        >>> Case().with_settings({"time.length": "6h"}).time.length
        '6h'
        """
        table = self.to_table()
        for name, value in settings.items():
            put(table, name, value)
        return type(self).from_table(plain_dates(table))

    def write(self, path: Path) -> None:
        """Write every option with the value used, as a case file that gives the same run."""
        path.write_text(tomli_w.dumps(self.to_table()), encoding="utf-8")
