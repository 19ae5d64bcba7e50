"""Streams of maps of fields, at moments or over intervals, of the whole grid or a region."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
from numpy.typing import DTypeLike, NDArray

from halocline.component.streams.conventions import (
    axis_names,
    conventions,
    coordinates_of,
    define_place,
    vertical,
)
from halocline.component.streams.interval_values import IntervalOptions, IntervalValues
from halocline.component.streams.moving_places import (
    define_moving_place,
    moving_coordinates_of,
    moving_places,
)
from halocline.component.streams.region import cut_region
from halocline.component.streams.staggering import define_topology, location_of
from halocline.component.streams.stream import OutputStream
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
from halocline.runtime.writing.sources import Columns, TableSource
from halocline.runtime.writing.streams import (
    Stream,
    bytes_of_time,
    define_time,
    define_values,
    missing_value,
)

Array = NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class FieldStreamOptions(IntervalOptions):
    """Maps of some fields."""

    variables: list[str] = option([], "", "names of the fields; all if not given")
    region: list[float] = option(
        [], "degree or m", "box [west, east, south, north]; the whole grid if empty"
    )


@dataclass(frozen=True)
class MapShape:
    """Where a field of maps lies, and the extents of its axes before the horizontal ones."""

    place: Place = Place.center
    extents: tuple[int, ...] = ()


def bytes_of_maps(
    options: FieldStreamOptions, grid: Grid, clock: Clock, shapes: Mapping[str, MapShape]
) -> int:
    """Bytes of the records that a stream of maps will write, before compression.

    Of its variables, or of all that have `shapes`; what has none is a plane of cells.
    """
    region, values = cut_region(grid, options.region), 0
    for name in dict.fromkeys(options.variables or shapes):
        shape = shapes.get(name, MapShape())
        rows, columns = region.lines(shape.place)
        values += prod(shape.extents) * rows.size * columns.size
    each = bytes_of_time(bounds=options.cumulative) + values * np.dtype(options.precision).itemsize
    return options.records(clock) * each


class FieldStream(OutputStream):
    """Maps of fields in one file that grows by records.

    Every rank gives what it owns. Values on sea points are put onto the grid; land and missing
    values get the fill value. Fields with axes before the horizontal ones name them in `outer`,
    with coordinates in `axes`; `more` describes fields that are not in the list of names. Place and
    axes of those that are in `fields` are those of that field: dimensions of faces and corners end
    in `_face`, those of interfaces in `_interface`. Of a grid that is `moving`, each record has
    coordinates of its own.
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
        fields: Mapping[str, Field] | None = None,
        moving: bool = False,
    ) -> None:
        self.moving = moving
        self.names: Sequence[str] = tuple(dict.fromkeys(options.variables))
        self.grid, self.options, self.title = grid, options, title
        self.calendar = clock.calendar
        self.outer, self.axes, self.more = outer or {}, axes or {}, more or {}
        self.fields, self._place = fields or {}, place if place.planar else Place.center
        if not self.names:
            raise UserError(f"The output stream '{name}' has no variables. Name at least one.")
        described = {short_name: self._describe(short_name) for short_name in self.names}
        self._columns: dict[Place, Columns] = {}
        self._decomposed = space is not None
        try:
            self.region = cut_region(grid, options.region)
            if options.cumulative:
                self.samples = options.samples(clock)
                assert space is not None, "means and extremes lie in fields"
                axes_of_fields = {
                    short_name: tuple(Axis(axis, len(self.axes[axis])) for axis in names)
                    for short_name, names in self.outer.items()
                } | {short_name: field.axes for short_name, field in self.fields.items()}
                self.interval = IntervalValues(
                    name,
                    options.processing,
                    described,
                    axes_of_fields,
                    space,
                    place=place,
                    dtype=dtype,
                    most=options.most(clock),
                    written=options.precision,
                    like=self.fields,
                )
        except UserError as error:
            raise UserError(f"In output stream '{name}': {error}") from None
        self.stream = Stream(name, options, clock, folder, self._define, resumed=resumed)

    def write(self, time: Date, fields: Mapping[str, Field | Array]) -> None:
        """Append the record of `time`: a field, or a global array on rank 0, for each name.

        A stream of means or extremes counts the fields in, and appends where an interval ends.
        """
        record = fields if self.interval is None else self.counted(time, fields)
        if record is None:
            return
        places: dict[str, Array] = {}
        if self.moving:
            for place in dict.fromkeys(map(self.place_of, self.names)):
                places |= moving_places(self.grid, place)
        sources = {name: self._source(record[name]) for name in self.names}
        self.stream.append(time, sources | places | self.time_bounds(time))

    def move(self, grid: Grid) -> None:
        """The grid lies elsewhere from now on; each record says where."""
        self.grid = grid

    def place_of(self, name: str) -> Place:
        """Where on the grid the values of a variable lie."""
        place = self.fields[name].place if name in self.fields else self._place
        return place if place.planar else Place.center

    def _describe(self, short_name: str) -> Quantity:
        if short_name in self.more:
            return self.more[short_name]
        if short_name not in quantities:
            known = [*quantities, *self.more]
            raise UserError(f"Unknown output variable '{short_name}'.{hint(short_name, known)}")
        return quantities[short_name]

    def _define(self, file: netCDF4.Dataset) -> None:
        file.setncatts(conventions(self.title))
        define_time(file, self.calendar, bounds=self.interval is not None)
        places = dict.fromkeys(map(self.place_of, self.names))
        for place in places:
            if self.moving:
                define_moving_place(file, self.grid, place)
            else:
                define_place(file, self.region, place)
        staggered = any(place is not Place.center for place in places)
        if staggered and not self.moving:
            define_topology(file, self.region)
        for name, values in self.axes.items():
            file.createDimension(name, len(values))
            axis = file.createVariable(name, "f8", (name,))
            axis.setncatts(self.more[name].attributes() if name in self.more else {})
            axis[:] = values
        for name in self.names:
            for axis_of_field in self.fields[name].axes if name in self.fields else ():
                define_axis(file, axis_of_field)
        kind = {"float32": "f4", "float64": "f8"}[self.options.precision]
        for name in self.names:
            place, outer = self.place_of(name), self.outer.get(name, ())
            if name in self.fields:
                outer = tuple(map(axis_name, self.fields[name].axes))
            dimensions = ("time", *outer, *axis_names(self.grid, place))
            named = moving_coordinates_of if self.moving else coordinates_of
            attributes = self._describe(name).attributes() | named(self.grid, place)
            if staggered and not self.moving:
                attributes |= location_of(place)
            if self.interval is not None:
                attributes["cell_methods"] = self.options.cell_methods(self.samples)
            define_values(file, name, kind, dimensions, attributes)

    def _source(self, values: Field | Array) -> TableSource | Array:
        """The values on the region."""
        if isinstance(values, Field):
            assert self._decomposed, "fields lie on a decomposed grid"
            place = values.place if values.place.planar else Place.center
            if place not in self._columns:
                self._columns[place] = Columns(*self.region.lines(place), fill=missing_value)
            return self._columns[place].source(values)
        mask = self.grid.mask
        if values.shape[-2:] == mask.shape:
            plane = np.where(mask, values, missing_value)
        else:
            plane = np.full((*values.shape[:-1], *mask.shape), missing_value, values.dtype)
            plane[..., mask] = values
        plane = self.region.of(plane)
        return np.where(np.isfinite(plane), plane, missing_value)


def axis_name(axis: Axis) -> str:
    """The dimension of an axis in files; levels and their interfaces are two.

    >>> axis_name(Axis("depth", 4, staggered=True))
    'depth_interface'
    """
    return axis.name + "_interface" * axis.staggered


def define_axis(file: netCDF4.Dataset, axis: Axis) -> None:
    """An axis in a file with its coordinates, once."""
    name = axis_name(axis)
    if name in file.dimensions:
        return
    file.createDimension(name, axis.size)
    if axis.coordinates:
        variable = file.createVariable(name, "f8", (name,))
        words = {"long_name": name.replace("_", " "), "units": axis.units}
        variable.setncatts(words | vertical.get(axis.name, {}))
        variable[:] = axis.coordinates
