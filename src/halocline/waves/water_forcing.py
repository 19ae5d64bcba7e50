"""Currents and the level of the sea from files, constants or functions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.component.forcing.file_series import FileSeries, Share
from halocline.core.clock import Date
from halocline.core.errors import UserError
from halocline.core.options import Options, option
from halocline.grids.files.gridded_files import GriddedFiles, expand
from halocline.grids.horizontal.grid import Grid
from halocline.waves.forcing import load_function
from halocline.waves.moving_water import WaterThatMoves

Array = NDArray[np.float64]
WaterFunction = Callable[[float, Array, Array], Any]


@dataclass(frozen=True, kw_only=True)
class CurrentOptions(Options):
    """Surface currents; constant if neither `file` nor `function` is given."""

    file: str | list[str] = option(
        "", "", "netCDF or GRIB2 files or Zarr folders, patterns such as flow_*.nc included"
    )
    u: str = option("", "", "variable of the eastward current; found by name where empty")
    v: str = option("", "", "variable of the northward current; found by name where empty")
    eastward: float = option(0.0, "m s-1", "constant eastward current", at_least=-15, at_most=15)
    northward: float = option(0.0, "m s-1", "constant northward current", at_least=-15, at_most=15)
    function: str = option(
        "",
        "",
        "'file.py:name' of a function of (seconds since the start, x, y of the points) that"
        " returns eastward and northward current [m s-1]",
    )
    steady: bool = option(False, "", "whether the function gives the same at all times")


@dataclass(frozen=True, kw_only=True)
class SeaLevelOptions(Options):
    """Height of the surface above that from which the depths of the grid count."""

    file: str | list[str] = option("", "", "netCDF or GRIB2 files or Zarr folders")
    variable: str = option("", "", "variable of the level; found by name where empty")
    height: float = option(0.0, "m", "constant level", at_least=-50, at_most=50)
    function: str = option(
        "",
        "",
        "'file.py:name' of a function of (seconds since the start, x, y of the points) that"
        " returns the level [m]",
    )
    steady: bool = option(False, "", "whether the function gives the same at all times")
    least_depth: float = option(
        0.5,
        "m",
        "where there is less water, or none, waves find so much: nothing is taken out of the"
        " computation as the sea falls dry",
        at_least=0.01,
        at_most=100,
    )


@dataclass(frozen=True)
class WaterSource:
    """Where one of the two comes from: one of a file, constants, a function."""

    where: str  # its table in a case file
    names: tuple[str, ...]  # of the quantities
    constants: tuple[float, ...]
    file: str | list[str]
    variables: tuple[str, ...]
    function: WaterFunction | None
    steady: bool

    @classmethod
    def of_currents(
        cls, options: CurrentOptions, base: Path, function: WaterFunction | None
    ) -> WaterSource:
        """That of the currents; `function` may be one given to the run."""
        return cls(
            "forcing.currents",
            ("current_u", "current_v"),
            (options.eastward, options.northward),
            options.file,
            (options.u, options.v),
            function or _function(options.function, base),
            options.steady,
        )

    @classmethod
    def of_level(
        cls, options: SeaLevelOptions, base: Path, function: WaterFunction | None
    ) -> WaterSource:
        """That of the level."""
        return cls(
            "forcing.level",
            ("sea_level",),
            (options.height,),
            options.file,
            (options.variable,),
            function or _function(options.function, base),
            options.steady,
        )

    def __post_init__(self) -> None:
        given = [bool(self.file), any(self.constants), self.function is not None]
        if sum(given) > 1:
            raise UserError(
                f"[{self.where}] names {sum(given)} sources of {' and '.join(self.names)}. Give one"
                " of: a file, constants, a function."
            )

    @property
    def changes(self) -> bool:
        """Whether it depends on time."""
        varies = self.function is not None and not self.steady
        return bool(self.file) or varies

    @property
    def there(self) -> bool:
        """Whether it is anything but water at rest."""
        return self.changes or self.function is not None or any(self.constants)


def _function(where: str, base: Path) -> WaterFunction | None:
    return load_function(where, base) if where else None


class WaterForcing:
    """Currents and level at the sea points of a share, in the order of their numbers."""

    def __init__(
        self,
        sources: Sequence[WaterSource],
        grid: Grid,
        start: Date,
        end: Date,
        base: Path = Path(),
        share: Share | None = None,
    ) -> None:
        self.sources, self.grid, self.start = sources, grid, start
        self.share = share or Share.whole(grid)
        self.series: dict[str, FileSeries] = {}
        for source in sources:
            if source.file:
                files = GriddedFiles(expand(source.file, base), start.calendar)
                what = "current" if len(source.names) > 1 else "level"
                self.series[source.where] = FileSeries(
                    files, source.names, source.variables, grid, (start, end), what, self.share
                )

    def facts(self, least_depth: float, given: Collection[str] = ()) -> WaterThatMoves | None:
        """What the model must know, where others have `given` some; None of water that rests."""
        currents, level = self.sources
        rises = level.there or not {*level.names}.isdisjoint(given)
        if not (currents.there or rises or given):
            return None
        return WaterThatMoves(
            changes=currents.changes or level.changes or bool(given),
            rises=rises,
            taken=bool(given),
            least_depth=least_depth,
        )

    def at(self, time: Date) -> Mapping[str, Array]:
        """Currents [m s-1] and level [m] of the case at a time; a call for all ranks."""
        found: dict[str, Array] = {}
        for source in self.sources:
            found |= zip(source.names, self._values(source, time), strict=True)
        return found

    def _values(self, source: WaterSource, time: Date) -> Sequence[Array]:
        if source.where in self.series:
            return self.series[source.where].now(time)
        if source.function is not None:
            return self._evaluate(source, source.function, (time - self.start).total_seconds())
        return [np.full(self.share.numbers.size, value) for value in source.constants]

    def _evaluate(
        self, source: WaterSource, function: WaterFunction, seconds: float
    ) -> Sequence[Array]:
        """The function at all points, then those of the share: the same mistakes on all ranks."""
        x, y = self.grid.point_x, self.grid.point_y
        result = function(seconds, x, y)
        values = result if len(source.names) > 1 else (result,)
        try:
            arrays = [np.broadcast_to(np.asarray(one, float), x.shape) for one in values]
            assert len(arrays) == len(source.names)
        except (TypeError, ValueError, AssertionError):
            raise UserError(
                f"The function of [{source.where}] must return {' and '.join(source.names)}:"
                f" numbers or arrays for {x.size} points. It returned {type(result).__name__}."
            ) from None
        fine = np.logical_and.reduce([np.isfinite(one) for one in arrays])
        if not fine.all():
            at = int(np.argmin(fine))
            raise UserError(
                f"The function of [{source.where}] returns no number {seconds:g} s after the start"
                f" at x = {x[at]:g}, y = {y[at]:g}."
            )
        return [one[self.share.numbers] for one in arrays]

    def close(self) -> None:
        """Let readings end and close the files."""
        for series in self.series.values():
            series.close()
