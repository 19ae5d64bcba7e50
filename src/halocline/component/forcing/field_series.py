"""Fields of a component that follow files in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from halocline.component.forcing.field_places import FieldPlaces
from halocline.component.forcing.file_series import Brackets, FileSeries, Share, look_through_all
from halocline.core.clock import Date, date
from halocline.core.options import Options, option
from halocline.grids.files.curvilinear_maps import open_maps
from halocline.grids.files.gridded_files import expand
from halocline.grids.horizontal.grid import Grid
from halocline.grids.vertical.file_field import along_grid
from halocline.runtime.fields.field import Field
from halocline.runtime.record.recorder import Recorder


@dataclass(frozen=True, kw_only=True)
class SeriesOptions(Options):
    """Files with maps in time, on a regular or curvilinear grid, with levels or without."""

    file: str | list[str] = option(
        "", "", "netCDF or GRIB2 files or Zarr folders, patterns such as flux_*.nc included"
    )
    interpolation: str = option(
        "linear",
        "",
        "in time: linear between records, or steps, where a record holds until the next",
        choices=("linear", "steps"),
    )
    every_year: bool = option(False, "", "the records are of one year, which repeats every year")
    at: str = option(
        "", "", "date of the record that is held during the run; interpolated in time where empty"
    )


class FieldSeries:
    """Fields that take their values from files, for any time of a period.

    `variables` are those of the files, one for each field; where one is empty it is found by the
    `names` of the quantities, whose units and bounds count then; without names values are brought
    to `units`, or are as the files have them. Fields may have one axis, of
    depths [m]: all levels of their space or the upper ones; a file with one map serves all levels.
    They lie at one place, but the two of a `vector`, which is eastward and northward in the files
    and along x and y of the grid in the fields, lie at one each.

    Otherwise as `FileSeries`; to make one is a call for all ranks, and so is each update.
    """

    def __init__(
        self,
        options: SeriesOptions,
        fields: Sequence[Field],
        grid: Grid,
        period: tuple[Date, Date],
        what: str,
        *,
        variables: Sequence[str] = (),
        names: Sequence[str] = (),
        units: Sequence[str] = (),
        vector: bool = False,
        base: Path = Path(),
        recorder: Recorder | None = None,
    ) -> None:
        self.options, self.grid, self.period, self.what = options, grid, period, what
        self.variables = tuple(variables) or ("",) * len(fields)
        self.names = tuple(names) or ("",) * len(fields)
        self.base, self.recorder = base, recorder or Recorder()
        self.groups: list[tuple[FieldPlaces, FileSeries, list[Field]]] = []
        self._shown: list[tuple[int, float]] = []
        self._turned: list[Brackets | None] = []
        self.vector = vector
        self.units = tuple(units)
        for group in [[field] for field in fields] if vector else [list(fields)]:
            first = group[0]
            places = FieldPlaces(
                first.space, first.place, grid, first.axes[0] if first.axes else None
            )
            self.groups.append((places, self._series(places, first), group))
            self._shown.append((-1, 0.0))
            self._turned.append(None)

    def _series(self, places: FieldPlaces, field: Field) -> FileSeries:
        calendar = str(self.period[0].calendar)
        at = self.options.at
        own = Share(np.zeros(0, np.int64), field.decomposition.communicator, self.recorder)
        return FileSeries(
            open_maps(expand(self.options.file, self.base), calendar),
            self.names,
            self.variables,
            self.grid,
            self.period,
            self.what,
            own,
            date(at, calendar) if at else None,
            wanted=places.wanted,
            between=self.options.interpolation,
            every_year=self.options.every_year,
            units=self.units,
        )

    def update(self, moment: Date) -> None:
        """Give the fields their values at a moment; a call for all ranks."""
        for number, (places, series, fields) in enumerate(self.groups):
            brackets = series.brackets(moment)
            if (brackets.number, brackets.weight) == self._shown[number]:
                continue
            self._shown[number] = brackets.number, brackets.weight
            if self.vector:
                brackets = self._along_grid(number, brackets)
            for field, own in zip(fields, brackets.now(), strict=True):
                places.put(own, field)

    def _along_grid(self, number: int, brackets: Brackets) -> Brackets:
        """Those of the component of the vector that lies at the places of a group."""
        turned = self._turned[number]
        if turned is None or turned.number != brackets.number:
            angle = self.groups[number][0].angle
            before, after = (
                (along_grid(east, north, angle)[number],)
                for east, north in (brackets.before, brackets.after)
            )
            turned = Brackets(before, after, brackets.weight, brackets.number)
        self._turned[number] = turned = replace(turned, weight=brackets.weight)
        return turned

    def look_through(self, deadline: float) -> tuple[int, int]:
        """As that of `FileSeries`, of all places."""
        return look_through_all((series for _, series, _ in self.groups), deadline)

    def close(self) -> None:
        """Let readings end and close the files."""
        for _, series, _ in self.groups:
            series.close()
