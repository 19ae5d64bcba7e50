"""What drives the waves: winds, ice and temperatures from files, constants or functions."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.clock import Date, date, text
from halocline.core.errors import UserError
from halocline.core.names import quantity
from halocline.core.options import Options, option
from halocline.grids.axes import bilinear
from halocline.grids.gaps import nearest_valid, open_sea
from halocline.grids.grid import Grid
from halocline.grids.gridded_files import GriddedFiles, Record, expand

Array = NDArray[np.float64]
WindFunction = Callable[[float, Array, Array], tuple[Any, Any]]


@dataclass(frozen=True, kw_only=True)
class WindOptions(Options):
    """Wind at 10 m; give one of `file`, `speed` (constant) and `function`."""

    file: str | list[str] = option(
        "", "", "netCDF or GRIB2 files or Zarr folders, patterns such as wind_*.nc included"
    )
    u: str = option("", "", "variable of the eastward wind; found by name where empty")
    v: str = option("", "", "variable of the northward wind; found by name where empty")
    speed: float | None = option(None, "m s-1", "constant wind speed", at_least=0, at_most=150)
    direction: float = option(
        270.0, "degree", "where the constant wind comes from, clockwise from north",
        at_least=-360, at_most=360,
    )  # fmt: skip
    function: str = option(
        "", "",
        "'file.py:name' of a function of (seconds since the start, x, y of the points) that"
        " returns eastward and northward wind [m s-1]",
    )  # fmt: skip
    interpolation: str = option(
        "arc", "", "in time: speed, and direction along the shorter arc; or by components",
        choices=("arc", "components"),
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class IceOptions(Options):
    """Sea-ice concentration from a file, or constant."""

    file: str | list[str] = option("", "", "netCDF or GRIB2 files or Zarr folders; none: no ice")
    variable: str = option("", "", "variable of the concentration; found by name where empty")
    at: str = option(
        "", "", "date of the record that is held during the run; interpolated in time where empty"
    )


@dataclass(frozen=True, kw_only=True)
class AirSeaOptions(Options):
    """Air-sea temperature difference for the stability correction; 0 where nothing is given."""

    constant: float = option(0.0, "K", "temperature of air less that of the sea")
    file: str | list[str] = option("", "", "files with the difference, or with both temperatures")
    difference: str = option("", "", "variable of the difference; found by name where empty")
    air: str = option("", "", "variable of the air temperature; found by name where empty")
    sea: str = option("", "", "variable of the sea temperature; found by name where empty")


@dataclass(frozen=True)
class Brackets:
    """Values at the points at two times around the present.

    `weight` is that of `after`; `number` changes whenever the values do.
    """

    before: tuple[Array, ...]
    after: tuple[Array, ...]
    weight: float
    number: int

    def now(self) -> tuple[Array, ...]:
        """Linear interpolation, element by element (same bits in any part of the points)."""
        share = self.weight
        return tuple(
            (1.0 - share) * a + share * b for a, b in zip(self.before, self.after, strict=True)
        )


@dataclass
class FileSeries:
    """Maps of some quantities from files, at the sea points of a grid, for a period of time.

    `what` names them in messages. With `held`, the record of that date serves at all times.
    """

    files: GriddedFiles
    short_names: tuple[str, ...]
    variables: tuple[str, ...]
    grid: Grid
    start: Date
    end: Date
    what: str
    held: Date | None = None
    number: int = 0
    _loaded: dict[Date, tuple[Array, ...]] = field(default_factory=dict)
    _gaps: tuple[bytes, Any, Any] | None = None

    def __post_init__(self) -> None:
        if not self.grid.spherical:
            raise UserError(
                f"The {self.what} is to come from a file with longitudes and latitudes, but the"
                " grid is Cartesian. Use a constant or a function."
            )
        self.variables = tuple(
            self.files.find(short_name, variable)
            for short_name, variable in zip(self.short_names, self.variables, strict=True)
        )
        self.weights = bilinear(
            self.files.longitude,
            self.files.latitude,
            (self.grid.point_x, self.grid.point_y),
            f"The {self.what} in {self.files.name}",
            "the sea of the model grid",
        )
        self._check_period()

    def _check_period(self) -> None:
        times = self.files.times
        if self.held is not None:
            if self.held not in times:
                raise UserError(
                    f"The {self.what} of {text(self.held)} is not in {self.files.name}, which has"
                    f" {len(times)} times from {text(times[0])} to {text(times[-1])}."
                )
            return
        if times[0] > self.start or times[-1] < self.end:
            raise UserError(
                f"The {self.what} in {self.files.name} covers {text(times[0])} to"
                f" {text(times[-1])}, but the run needs {text(self.start)} to {text(self.end)}."
                " Shorten the run or add a file that covers the rest."
            )

    def brackets(self, time: Date) -> Brackets:
        """Values at the records before and after `time`."""
        records = self.files.records
        if self.held is not None:
            at = next(n for n, record in enumerate(records) if record.time == self.held)
            values = self._values(records[at])
            return Brackets(values, values, 0.0, self.number)
        at = sum(record.time <= time for record in records) - 1
        assert 0 <= at and (at + 1 < len(records) or records[at].time == time)
        at = min(at, max(len(records) - 2, 0))
        before, after = records[at], records[min(at + 1, len(records) - 1)]
        first, second = self._values(before), self._values(after)
        for old in [t for t in self._loaded if t not in (before.time, after.time)]:
            del self._loaded[old]
        length = (after.time - before.time).total_seconds()
        weight = (time - before.time).total_seconds() / length if length else 0.0
        return Brackets(first, second, weight, self.number)

    def now(self, time: Date) -> tuple[Array, ...]:
        """Values at `time`, interpolated linearly."""
        return self.brackets(time).now()

    def _values(self, record: Record) -> tuple[Array, ...]:
        if record.time not in self._loaded:
            self._loaded[record.time] = tuple(
                self.weights(self._filled(self.files.read(variable, name, record), record))
                for variable, name in zip(self.variables, self.short_names, strict=True)
            )
            self.number += 1
        return self._loaded[record.time]

    def _filled(self, values: Array, record: Record) -> Array:
        """`values` with gaps over land filled from the nearest sea; gaps over sea are refused."""
        missing = ~np.isfinite(values)
        if not missing.any():
            return values
        if self._gaps is None or self._gaps[0] != missing.tobytes():
            longitude, latitude = self.files.longitude, self.files.latitude
            used = self.weights.used(values.shape)
            wrong = missing & used & open_sea(self.grid, longitude, latitude)
            if wrong.any() or missing.all():
                j, i = np.argwhere(wrong if wrong.any() else missing)[0]
                count = int((wrong if wrong.any() else missing).sum())
                raise UserError(
                    f"The {self.what} in {self.files.name} is missing (NaN) over sea at"
                    f" {text(record.time)}: {count} places, first at"
                    f" {longitude.values[i] % 360.0:g} E, {latitude.values[j]:g} N. Fill these"
                    " values, or use another file."
                )
            places = nearest_valid(~missing, used, longitude, latitude)
            self._gaps = missing.tobytes(), *places
        _, target, source = self._gaps
        values[target] = values[source]
        return np.where(np.isfinite(values), values, 0.0)


class WindForcing:
    """Wind at all sea points of a grid, in the order of their numbers."""

    def __init__(
        self,
        options: WindOptions,
        grid: Grid,
        start: Date,
        end: Date,
        base: Path = Path(),
        function: WindFunction | None = None,
    ) -> None:
        self.options, self.grid, self.start = options, grid, start
        given = [bool(options.file), options.speed is not None, bool(options.function or function)]
        if sum(given) != 1:
            raise UserError(
                "The wind comes from one of: a file, a constant speed, a function;"
                f" {sum(given)} of these are given. Set one of file, speed and function in"
                " [forcing.wind]."
            )
        self.series: FileSeries | None = None
        self.function: WindFunction | None = None
        self._number = 0
        if options.file:
            files = GriddedFiles(expand(options.file, base), start.calendar)
            names, variables = ("wind_u", "wind_v"), (options.u, options.v)
            self.series = FileSeries(files, names, variables, grid, start, end, "wind")
        elif options.speed is None:
            self.function = function or load_function(options.function, base)
        else:
            u, v = components(options.speed, options.direction)
            self._constant = np.full(grid.sea_points, u), np.full(grid.sea_points, v)

    @property
    def along_arc(self) -> bool:
        """Whether speed and direction are interpolated in time, rather than components."""
        return self.options.interpolation == "arc"

    def brackets(self, time: Date) -> Brackets:
        """Eastward and northward wind [m s-1] before and after `time`."""
        if self.series is not None:
            return self.series.brackets(time)
        if self.function is None:
            return Brackets(self._constant, self._constant, 0.0, 0)
        self._number += 1
        values = self._evaluate((time - self.start).total_seconds())
        return Brackets(values, values, 0.0, self._number)

    def _evaluate(self, seconds: float) -> tuple[Array, Array]:
        assert self.function is not None
        wind = self.function(seconds, self.grid.point_x, self.grid.point_y)
        shape = (self.grid.sea_points,)
        try:
            u, v = (np.broadcast_to(np.asarray(w, float), shape) for w in wind)
        except (TypeError, ValueError):
            raise UserError(
                "The wind function must return two numbers or arrays (eastward, northward) for"
                f" {shape[0]} points; it returned {type(wind).__name__}."
            ) from None
        if not (np.isfinite(u).all() and np.isfinite(v).all()):
            at = int(np.argmin(np.isfinite(u) & np.isfinite(v)))
            raise UserError(
                f"The wind function returns no number {seconds:g} s after the start at x ="
                f" {self.grid.point_x[at]:g}, y = {self.grid.point_y[at]:g}."
            )
        return u, v


class IceForcing:
    """Sea-ice concentration at all sea points of a grid."""

    def __init__(
        self, options: IceOptions, grid: Grid, start: Date, end: Date, base: Path = Path()
    ) -> None:
        self.points, self.series = grid.sea_points, None
        if options.file:
            files = GriddedFiles(expand(options.file, base), start.calendar)
            held = date(options.at, start.calendar) if options.at else None
            self.series = FileSeries(
                files, ("ice",), (options.variable,), grid, start, end, "sea ice", held
            )

    @property
    def changes(self) -> bool:
        """Whether the ice depends on time."""
        return self.series is not None and self.series.held is None

    def now(self, time: Date) -> Array:
        """Concentration [1] at `time`."""
        if self.series is None:
            return np.zeros(self.points)
        return np.clip(self.series.now(time)[0], 0.0, 1.0)


class AirSeaForcing:
    """Air-sea temperature difference at all sea points of a grid."""

    def __init__(
        self, options: AirSeaOptions, grid: Grid, start: Date, end: Date, base: Path = Path()
    ) -> None:
        self.options, self.points, self.series = options, grid.sea_points, None
        if not options.file:
            return
        files = GriddedFiles(expand(options.file, base), start.calendar)
        name = "air_sea_temperature_difference"
        whole = options.difference or (files.has(name) and not (options.air or options.sea))
        names = (name,) if whole else ("air_temperature", "sea_surface_temperature")
        variables = (options.difference,) if whole else (options.air, options.sea)
        self.series = FileSeries(
            files, names, variables, grid, start, end, quantity(name).long_name
        )

    @property
    def changes(self) -> bool:
        """Whether the difference depends on time."""
        return self.series is not None

    def now(self, time: Date) -> Array:
        """Temperature of the air less that of the sea surface [K] at `time`."""
        if self.series is None:
            return np.full(self.points, self.options.constant)
        values = self.series.now(time)
        return values[0] if len(values) == 1 else values[0] - values[1]


def components(speed: float, direction_from: float) -> tuple[float, float]:
    """Eastward and northward component [m s-1] of a wind that comes from a direction [degree].

    >>> [round(c, 12) + 0.0 for c in components(10.0, 270.0)]
    [10.0, 0.0]
    """
    angle = math.radians(direction_from)
    return -speed * math.sin(angle), -speed * math.cos(angle)


def load_function(where: str, base: Path) -> WindFunction:
    """The function named by 'file.py:name'; the path is relative to the case."""
    path, _, name = where.rpartition(":")
    full = base / path
    if not path or not full.exists():
        raise UserError(f"There is no file '{full}'. Write 'file.py:name' for a function.")
    spec = importlib.util.spec_from_file_location(full.stem, full)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not callable(getattr(module, name, None)):
        raise UserError(f"The file '{full}' has no function '{name}'.")
    found: WindFunction = getattr(module, name)
    return found
