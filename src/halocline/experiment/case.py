"""Case files: one TOML file says everything about a run, as typed options.

A case is complete: the same file and the same data give the same bits.
"""

from __future__ import annotations

import datetime
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import tomli_w

from halocline.biogeochemistry.transport import TransportOptions
from halocline.core.clock import Clock, Date, date, duration, later
from halocline.core.errors import UserError, nearest
from halocline.core.options import Options, option
from halocline.experiment.boundary import BoundaryOptions
from halocline.experiment.output import OutputOptions
from halocline.experiment.perturbation import PerturbationOptions
from halocline.experiment.restarting import RestartOptions
from halocline.experiment.shipped import find_case, find_data
from halocline.experiment.transport_component import TracerOutputOptions
from halocline.experiment.wave_component import ForcingOptions
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.regular import build_grid
from halocline.grids.vertical.case_grid import CaseGridOptions, build_levels
from halocline.grids.vertical.levels import VerticalGrid
from halocline.runtime.fields.decomposition import DecompositionOptions
from halocline.runtime.running.referee import CommunicationOptions
from halocline.waves.model import WavesOptions
from halocline.waves.spectrum import SpectralGrid
from halocline.waves.start import WaveStart


@dataclass(frozen=True, kw_only=True)
class TimeOptions(Options):
    """When the run starts and ends, and its step."""

    start: str = option("2000-01-01T00:00:00", "", "date of the start, UTC")
    end: str = option("", "", "date of the end, UTC; or give the length")
    length: str | float = option("", "s", "length of the run, as '5d' or a number of seconds")
    calendar: str = option("standard", "", "calendar of CF")
    step: str | float = option("1h", "s", "global time step, as '1h' or a number of seconds")

    def clock(self) -> Clock:
        """The clock of this run, at its start."""
        if (self.end == "") == (self.length == ""):
            raise UserError("[time] needs either 'end' or 'length'. Give one of the two.")
        with _named("start"):
            start = date(self.start, self.calendar)
        with _named("end" if self.end else "length"):
            end: Date = (
                date(self.end, self.calendar) if self.end else later(start, duration(self.length))
            )
        with _named("step"):
            step = duration(self.step)
        return Clock(start, end, step)


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Name the option of [time] in a message on its value."""
    try:
        yield
    except UserError as error:
        raise UserError(f"time.{name}: {error}") from None


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


@dataclass(frozen=True, kw_only=True)
class Case(Options):
    """What every case has, whatever its component."""

    component: str = option("waves", "", "what the case simulates", choices=("waves", "transport"))
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

    def find(self, name: str) -> Path:
        """Path of a data file named in this case."""
        return find_data(name, self.data_folder)

    def find_here(self, name: str) -> str:
        """Path of a file made by a run: as it is given where it exists, else as `find` does."""
        return name if not name or Path(name).exists() else str(self.find(name))

    def build_grid(self) -> Grid:
        """The horizontal grid of this case, from its file or made here."""
        return build_grid(self._grid_found())

    def build_levels(self) -> VerticalGrid:
        """The levels of this case over its horizontal grid."""
        options = self._grid_found()
        return build_levels(options, build_grid(options))

    def _grid_found(self) -> CaseGridOptions:
        """Options of the grid with the paths of its files."""
        path = self.grid.file and str(self.find(self.grid.file))
        levels = self.grid.levels
        levels = replace(levels, file=levels.file and str(self.find(levels.file)))
        return replace(self.grid, file=path, levels=levels)

    def with_settings(self, settings: Mapping[str, Any]) -> Self:
        """The same case with other values, by dotted names.

        >>> case = WaveCase().with_settings({"time.length": "6h", "spectrum.directions": 36})
        >>> case.time.length, case.spectrum.shape
        ('6h', (25, 36))
        """
        table = self.to_table()
        for name, value in settings.items():
            put(table, name, value)
        return type(self).from_table(_plain_dates(table))

    def write(self, path: Path) -> None:
        """Write every option with the value used, as a case file that gives the same run."""
        path.write_text(tomli_w.dumps(self.to_table()), encoding="utf-8")


@dataclass(frozen=True, kw_only=True)
class WaveCase(Case):
    """A run of the spectral wave model."""

    spectrum: SpectralGrid = option(SpectralGrid(), meaning="frequencies and directions")
    waves: WavesOptions = option(WavesOptions(), meaning="the wave model")
    start: WaveStart = option(WaveStart(), meaning="waves at the start")
    forcing: ForcingOptions = option(ForcingOptions(), meaning="winds and ice")
    boundary: BoundaryOptions = option(
        BoundaryOptions(), meaning="spectra from a run around this one"
    )
    output: OutputOptions = option(OutputOptions(), meaning="maps and spectra")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.output.refuse_servers_without_any("restart.way", self.restart.way)


@dataclass(frozen=True, kw_only=True)
class TransportCase(Case):
    """A run of the off-line transport of tracers."""

    transport: TransportOptions = option(TransportOptions(), meaning="tracers and what moves them")
    output: TracerOutputOptions = option(TracerOutputOptions(), meaning="maps of tracers")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.output.refuse_servers_without_any("restart.way", self.restart.way)


components: dict[str, type[Case]] = {"waves": WaveCase, "transport": TransportCase}


def read_case(name: str | Path, settings: Iterable[str] = ()) -> Case:
    """Read a case file, a folder with one, or a shipped case; `settings` are texts "key=value".

    >>> read_case("global-waves", ["time.length=6h"]).time.length
    '6h'
    """
    path = find_case(str(name))
    try:
        table = _loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"Cannot read '{path}': {error.strerror}.") from None
    except ValueError as error:
        raise UserError(f"'{path}' is no valid TOML: {error}") from None
    for setting in settings:
        put(table, *read_setting(setting))
    table.setdefault("data_folder", str(path.parent.resolve()))
    try:
        return make_case(table)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None


def _loads(text: str) -> dict[str, Any]:
    """The tables of a text in TOML; ValueError where it is none."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def make_case(table: Mapping[str, Any]) -> Case:
    """A case from nested tables, of the kind that its `component` says."""
    component = table.get("component", "waves")
    if not isinstance(component, str) or component not in components:
        hint = nearest(str(component), components)
        raise UserError(f"component = {component!r} is not one of: {', '.join(components)}.{hint}")
    try:
        return components[component].from_table(_plain_dates(table))
    except RecursionError:
        raise UserError("Its tables or lists are nested too deeply.") from None


def read_setting(text: str) -> tuple[str, Any]:
    """Name and value of "a.b.c=value"; the value is TOML, or else a plain text.

    >>> read_setting("time.length=5d"), read_setting("waves.steps = [1, 2]")
    (('time.length', '5d'), ('waves.steps', [1, 2]))
    """
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise UserError(f"--set {text}: write it as key=value, for example time.length=6h.")
    try:
        return name.strip(), _loads(f"value = {value}")["value"]
    except ValueError:
        return name.strip(), value.strip()


def put(table: dict[str, Any], name: str, value: Any) -> None:
    """Set an entry of nested tables by its dotted name."""
    *path, last = name.split(".")
    for key in path:
        table = table.setdefault(key, {})
        if not isinstance(table, dict):
            raise UserError(f"Cannot set '{name}': '{key}' is a value, not a table.")
    table[last] = value


def _plain_dates(value: Any) -> Any:
    """Dates of TOML as texts of ISO 8601."""
    if isinstance(value, Mapping):
        return {key: _plain_dates(item) for key, item in value.items()}
    if isinstance(value, datetime.datetime | datetime.date):
        return value.isoformat()
    return value
