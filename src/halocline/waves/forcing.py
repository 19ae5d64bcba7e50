"""What drives the waves: winds, ice and temperatures from files, constants or functions."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.component.forcing.file_series import Brackets, FileSeries, Share
from halocline.core.clock import Date, date
from halocline.core.errors import UserError
from halocline.core.names import quantity
from halocline.core.options import Options, option
from halocline.grids.files.gridded_files import GriddedFiles, expand
from halocline.grids.horizontal.grid import Grid

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


class WindForcing:
    """Wind at the sea points of a share, in the order of their numbers."""

    def __init__(
        self,
        options: WindOptions,
        grid: Grid,
        start: Date,
        end: Date,
        base: Path = Path(),
        function: WindFunction | None = None,
        share: Share | None = None,
    ) -> None:
        self.options, self.grid, self.start = options, grid, start
        self.share = share or Share.whole(grid)
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
            period = start, end
            self.series = FileSeries(files, names, variables, grid, period, "wind", self.share)
        elif options.speed is None:
            self.function = function or load_function(options.function, base)
        else:
            u, v = components(options.speed, options.direction)
            points = self.share.numbers.size
            self._constant = np.full(points, u), np.full(points, v)

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
        """The function at all points, so that it may look at all of them, then those of the share.

        It makes the same mistakes on all ranks.
        """
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
        return u[self.share.numbers], v[self.share.numbers]

    def close(self) -> None:
        """Let readings end and close the files."""
        if self.series is not None:
            self.series.close()


class IceForcing:
    """Sea-ice concentration at the sea points of a share."""

    def __init__(
        self,
        options: IceOptions,
        grid: Grid,
        start: Date,
        end: Date,
        base: Path = Path(),
        share: Share | None = None,
    ) -> None:
        self.share = share or Share.whole(grid)
        self.series: FileSeries | None = None
        if options.file:
            files = GriddedFiles(expand(options.file, base), start.calendar)
            held = date(options.at, start.calendar) if options.at else None
            variables, period = (options.variable,), (start, end)
            self.series = FileSeries(
                files, ("ice",), variables, grid, period, "sea ice", self.share, held
            )

    @property
    def changes(self) -> bool:
        """Whether the ice depends on time."""
        return self.series is not None and self.series.held is None

    def now(self, time: Date) -> Array:
        """Concentration [1] at `time`."""
        if self.series is None:
            return np.zeros(self.share.numbers.size)
        return np.clip(self.series.now(time)[0], 0.0, 1.0)

    def close(self) -> None:
        """Let readings end and close the files."""
        if self.series is not None:
            self.series.close()


class AirSeaForcing:
    """Air-sea temperature difference at the sea points of a share."""

    def __init__(
        self,
        options: AirSeaOptions,
        grid: Grid,
        start: Date,
        end: Date,
        base: Path = Path(),
        share: Share | None = None,
    ) -> None:
        self.options, self.share = options, share or Share.whole(grid)
        self.series: FileSeries | None = None
        if not options.file:
            return
        files = GriddedFiles(expand(options.file, base), start.calendar)
        name = "air_sea_temperature_difference"
        whole = options.difference or (files.has(name) and not (options.air or options.sea))
        names = (name,) if whole else ("air_temperature", "sea_surface_temperature")
        variables = (options.difference,) if whole else (options.air, options.sea)
        what, period = quantity(name).long_name, (start, end)
        self.series = FileSeries(files, names, variables, grid, period, what, self.share)

    @property
    def changes(self) -> bool:
        """Whether the difference depends on time."""
        return self.series is not None

    def now(self, time: Date) -> Array:
        """Temperature of the air less that of the sea surface [K] at `time`."""
        if self.series is None:
            return np.full(self.share.numbers.size, self.options.constant)
        values = self.series.now(time)
        return values[0] if len(values) == 1 else values[0] - values[1]

    def close(self) -> None:
        """Let readings end and close the files."""
        if self.series is not None:
            self.series.close()


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
