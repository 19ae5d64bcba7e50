"""Starts and sides that a run makes itself, of the analyses that its case names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import netCDF4

from halocline import __version__
from halocline.atmosphere.start.analysis_case import AnalysisCase
from halocline.atmosphere.start.terrain_files import ground_on_grid
from halocline.core.errors import UserError
from halocline.core.netcdf_lock import netcdf_lock
from halocline.runtime.fields.place import Place


@dataclass(frozen=True)
class MadeForRun:
    """The start of a case and its sides, made where they are missing or made for another run.

    Files without a mark of their own, such as those of `halocline analysis`, stay as they are.
    """

    case: AnalysisCase
    analyses: Sequence[Path]
    ground: Path | None
    start: Path
    sides: Path | None  # none: values at sides come from elsewhere

    def make(self) -> Iterator[str]:
        """Make what is wanted; a line before each file is made."""
        # Imported where it is needed: most runs have their files.
        from halocline.atmosphere.start.making import Making
        from halocline.atmosphere.start.pressure_level_files import PressureLevelFiles

        wanted = [path for path in (self.start, self.sides) if path and not self._fits(path)]
        if not wanted:
            return
        files = PressureLevelFiles(self.analyses, self.case.clock.start.calendar)
        making = Making(files, self.case, self.ground)
        for path in wanted:
            yield f"making '{path}' of {', '.join(one.name for one in self.analyses)}"
            path.parent.mkdir(parents=True, exist_ok=True)
            unready = path.with_name(f".{path.name}.unready")
            if path == self.start:
                making.write_start(unready)
            else:
                for _ in making.write_sides(unready, steady=self.case.options.steady):
                    pass
            with netcdf_lock, netCDF4.Dataset(unready, "a") as file:
                file.made_for = self._mark(path)
            unready.replace(path)

    def refuse_uncovered(self) -> None:
        """Refuse a grid that the analyses or the ground do not cover, before any is made."""
        from halocline.atmosphere.start.pressure_level_files import PressureLevelFiles

        grid, centers = self.case.grid, self.case.grid.at(Place.center)
        files = PressureLevelFiles(self.analyses, self.case.clock.start.calendar)
        files.weights(centers.x, centers.y, "the model grid")
        if self.ground:
            ground_on_grid(self.ground, grid, placed=True)

    def _fits(self, path: Path) -> bool:
        """Whether a file is there, and is of this case or of the user's own making."""
        if not path.is_file():
            return False
        mark = self._mark(path)
        try:
            with netcdf_lock, netCDF4.Dataset(path) as file:
                return bool(getattr(file, "made_for", mark) == mark)
        except OSError as error:
            raise UserError(
                f"{path} cannot be read: {error}. Remove it: it is made anew."
            ) from None

    def _mark(self, path: Path) -> str:
        """Of all that a file depends on: places, layers, times, options, the analyses."""
        case, clock, told = self.case, self.case.clock, blake2b(digest_size=16)
        column, centers = case.column, case.grid.at(Place.center)
        for values in (centers.x, centers.y, column.c1, column.c2, column.thickness):
            told.update(values.tobytes())
        needed = (clock.start,) if path == self.start else (clock.start, clock.end, case.side_width)
        told.update(repr((__version__, column.top_pressure, needed, case.options)).encode())
        for one in (*self.analyses, *([self.ground] if self.ground else [])):
            seen = one.stat()
            told.update(f"{one.name} {seen.st_size} {seen.st_mtime_ns}".encode())
        return told.hexdigest()
