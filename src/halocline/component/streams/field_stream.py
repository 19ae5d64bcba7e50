"""Streams of maps of fields, at moments or over intervals, of the whole grid or a region."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
from numpy.typing import DTypeLike, NDArray

from halocline.component.streams.conventions import conventions, define_coordinates
from halocline.component.streams.interval_values import IntervalOptions, IntervalValues, time_bounds
from halocline.component.streams.region import cut_region
from halocline.core.clock import Clock, Date
from halocline.core.errors import UserError
from halocline.core.names import Quantity, quantities
from halocline.core.options import option
from halocline.core.other_names import hint
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.space import Space
from halocline.runtime.writing.record_files import FilePlan
from halocline.runtime.writing.sources import Columns, TableSource
from halocline.runtime.writing.streams import (
    Stream,
    define_time,
    define_values,
    missing_value,
)
from halocline.runtime.writing.writers import Writers

Array = NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class FieldStreamOptions(IntervalOptions):
    """Maps of some fields."""

    variables: list[str] = option([], "", "names of the fields; all if not given")
    region: list[float] = option(
        [], "degree or m", "box [west, east, south, north]; the whole grid if empty"
    )


class FieldStream:
    """Maps of fields in one file that grows by records.

    Every rank gives what it owns. Values on sea points are put onto the grid; land and missing
    values get the fill value. Fields with axes before the horizontal ones name them in `outer`,
    with coordinates in `axes`; `more` describes fields that are not in the list of names.
    """

    def __init__(
        self,
        name: str,
        options: FieldStreamOptions,
        grid: Grid,
        clock: Clock,
        folder: Path,
        *,
        title: str = "",
        resumed: bool = False,
        outer: Mapping[str, tuple[str, ...]] | None = None,
        axes: Mapping[str, Array] | None = None,
        more: Mapping[str, Quantity] | None = None,
        space: Space | Decomposition | None = None,
        place: Place = Place.point,
        dtype: DTypeLike = np.float32,
    ) -> None:
        self.names: Sequence[str] = tuple(dict.fromkeys(options.variables))
        self.grid, self.options, self.title = grid, options, title
        self.calendar = clock.calendar
        self.outer, self.axes, self.more = outer or {}, axes or {}, more or {}
        if not self.names:
            raise UserError(f"The output stream '{name}' has no variables. Name at least one.")
        described = {short_name: self._describe(short_name) for short_name in self.names}
        self.interval: IntervalValues | None = None
        self._columns: Columns | None = None
        try:
            self.region = cut_region(grid, options.region)
            if space is not None:
                rows, columns = self.region.rows, self.region.columns
                self._columns = Columns(rows, columns, fill=missing_value)
            if options.cumulative:
                self.samples = options.samples(clock)
                assert space is not None, "means and extremes lie in fields"
                axes_of_fields = {
                    short_name: tuple(Axis(axis, len(self.axes[axis])) for axis in names)
                    for short_name, names in self.outer.items()
                }
                self.interval = IntervalValues(
                    name,
                    options.processing,
                    described,
                    axes_of_fields,
                    space,
                    place=place,
                    dtype=dtype,
                )
        except UserError as error:
            raise UserError(f"In output stream '{name}': {error}") from None
        self.stream = Stream(name, options, clock, folder, self._define, resumed=resumed)

    @property
    def plan(self) -> FilePlan:
        """The files that it writes."""
        return self.stream.plan

    @property
    def path(self) -> Path:
        """The file, under the name that it has when it is finished."""
        return self.stream.final_path

    @property
    def restart_fields(self) -> Sequence[Field]:
        """What a restart has to hold: the interval so far."""
        return self.interval.fields if self.interval else ()

    def due(self, time: Date) -> bool:
        """Whether the stream wants the fields of `time`, for a record or a sample of one."""
        if self.interval is None:
            return self.stream.due(time)
        return time > self.samples.start and self.samples.rings(time)

    def open(self, writers: Writers) -> None:
        """Open the first file; a call for all ranks."""
        self.stream.open(writers)

    def write(self, time: Date, fields: Mapping[str, Field | Array]) -> None:
        """Append the record of `time`: a field, or a global array on rank 0, for each name.

        A stream of means or extremes counts the fields in, and appends where an interval ends.
        """
        record, bounds = fields, {}
        if self.interval is not None:
            self.interval.add(fields)
            if not self.stream.due(time):
                return
            record = self.interval.take()
            bounds["time_bounds"] = time_bounds(self.stream.alarm, time)
        self.stream.append(time, {name: self._source(record[name]) for name in self.names} | bounds)

    def close(self) -> None:
        """Finish the file."""
        self.stream.close()

    def _describe(self, short_name: str) -> Quantity:
        if short_name in self.more:
            return self.more[short_name]
        if short_name not in quantities:
            known = [*quantities, *self.more]
            raise UserError(f"Unknown output variable '{short_name}'.{hint(short_name, known)}")
        if short_name == "wave_spectrum" and short_name not in self.outer:
            raise UserError(
                "Whole spectra are written at points, not as maps: name the points in"
                " [output.points.NAME] instead of 'wave_spectrum' in [output.fields.NAME]."
            )
        return quantities[short_name]

    def _define(self, file: netCDF4.Dataset) -> None:
        file.setncatts(conventions(self.title))
        define_time(file, self.calendar, bounds=self.interval is not None)
        horizontal = define_coordinates(file, self.region.grid)
        for name, values in self.axes.items():
            file.createDimension(name, len(values))
            axis = file.createVariable(name, "f8", (name,))
            axis.setncatts(self.more[name].attributes() if name in self.more else {})
            axis[:] = values
        kind = {"float32": "f4", "float64": "f8"}[self.options.precision]
        for name in self.names:
            dimensions = ("time", *self.outer.get(name, ()), *horizontal)
            attributes = self._describe(name).attributes()
            if self.grid.longitude is not None:
                attributes["coordinates"] = "latitude longitude"
            if self.interval is not None:
                attributes["cell_methods"] = self.options.cell_methods(self.samples)
            define_values(file, name, kind, dimensions, attributes)

    def _source(self, values: Field | Array) -> TableSource | Array:
        """The values on the region."""
        if isinstance(values, Field):
            assert self._columns is not None, "fields lie on a decomposed grid"
            return self._columns.source(values)
        mask = self.grid.mask
        if values.shape[-2:] == mask.shape:
            plane = np.where(mask, values, missing_value)
        else:
            plane = np.full((*values.shape[:-1], *mask.shape), missing_value, values.dtype)
            plane[..., mask] = values
        plane = self.region.of(plane)
        return np.where(np.isfinite(plane), plane, missing_value)
