"""Streams of numbers that are made of the whole ocean, at moments or over intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import netCDF4
import numpy as np
from numpy.typing import NDArray

from halocline.component.streams.conventions import conventions, vertical
from halocline.component.streams.interval_values import IntervalOptions, IntervalValues
from halocline.component.streams.stream import OutputStream
from halocline.core.clock import Clock, Date
from halocline.core.names import Quantity, quantity
from halocline.core.options import option
from halocline.grids.horizontal.grid import Grid
from halocline.ocean.meridional import Parallels
from halocline.ocean.rotation import is_cartesian
from halocline.ocean.whole_ocean import (
    WholeOcean,
    basin_numbers,
    carried_numbers,
    number_shapes,
    numbers,
)
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.writing.stream_options import in_stream
from halocline.runtime.writing.streams import (
    Stream,
    bytes_of_time,
    define_time,
    define_values,
    missing_value,
)

if TYPE_CHECKING:
    from halocline.ocean.component import OceanComponent

Array = NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class OceanSeriesOptions(IntervalOptions):
    """Numbers of the ocean and its basins: means, Nino indices, sections, overturning, heat, salt.

    Whole fields are brought to the first rank for every record, and every sample of a mean.
    """

    precision: str = option(
        "float64", "", "precision of the values in the file", choices=("float32", "float64")
    )


def bytes_of_numbers(
    options: OceanSeriesOptions, grid: Grid, levels: int, sections: int, basins: int
) -> int:
    """Bytes of a record."""
    shapes = number_shapes(levels, Parallels.of(grid).edges.size, sections, basins)
    times = bytes_of_time(bounds=options.cumulative)
    return times + sum(map(math.prod, shapes.values())) * np.dtype(options.precision).itemsize


class OceanSeriesStream(OutputStream):
    """One file of such numbers."""

    def __init__(
        self,
        name: str,
        options: OceanSeriesOptions,
        component: OceanComponent,
        clock: Clock,
        folder: Path,
        *,
        title: str,
        resumed: bool = False,
    ) -> None:
        self.component, self.calendar, self.title = component, clock.calendar, title
        self.options, self.numbers = options, WholeOcean(component)
        self.kind = {"float32": "f4", "float64": "f8"}[options.precision]
        if options.cumulative:
            with in_stream(name):
                self._gather_intervals(name, clock)
        self.stream = Stream(name, options, clock, folder, self._define, resumed=resumed)

    def _gather_intervals(self, name: str, clock: Clock) -> None:
        """Make what holds the samples of a mean or an extreme."""
        self.samples, space = self.options.samples(clock), self.component.model.state.space
        axes = {number: shape or (1,) for number, shape in self.numbers.shapes.items()}
        self.sample = {
            number: Field(number, "1", space, axes=shape, place=Place.none, dtype=np.float64)
            for number, shape in axes.items()
        }
        self.interval = IntervalValues(
            name,
            self.options.processing,
            {number: Quantity(number, "", "1", number) for number in axes},
            {number: field.axes for number, field in self.sample.items()},
            space,
            place=Place.none,
            dtype=np.float64,
            most=self.options.most(clock),
        )

    def write(self, time: Date, fields: Mapping[str, Field]) -> None:
        """Append the numbers of `time`, or count them in, and append where an interval ends."""
        found = self.numbers()
        if self.interval is not None:
            self._take(found)
            results = self.counted(time, self.sample)
            if results is None:
                return
            if found:
                shapes = self.numbers.shapes
                found = {name: results[name].read()[0].reshape(shapes[name]) for name in found}
                found |= self.time_bounds(time)
        self.stream.append(time, {name: _with_missing(values) for name, values in found.items()})

    def _take(self, found: Mapping[str, Array]) -> None:
        """Take the numbers of the first rank as a sample, on all ranks."""
        everywhere = self.component.decomposition.communicator.broadcast(found)
        for name, values in everywhere.items():
            self.sample[name].set_global(values.reshape(self.sample[name].shape))

    def _define(self, file: netCDF4.Dataset) -> None:
        file.setncatts(conventions(self.title))
        define_time(file, self.calendar, bounds=self.options.cumulative)
        levels, diagnostics = self.component.grid, self.component.diagnostics
        cartesian = is_cartesian(self.component.plane)
        north, known = ("y", "y") if cartesian else ("parallel", "latitude")
        across = quantity(known).attributes() | {"long_name": north, "axis": "Y"}
        down = {"long_name": "depth interface", "units": "m"} | vertical["depth"]
        _line(file, north, self.numbers.parallels.edges, across)
        _line(file, "depth_interface", levels.interfaces, down)
        for name, (units, words) in numbers.items():
            self._value(file, name, (), {"long_name": words, "units": units})
        for name, (units, words) in carried_numbers.items():
            axes = ("depth_interface", north) if name == "overturning" else (north,)
            self._value(file, name, axes, {"long_name": words, "units": units})
        if diagnostics.basins:
            file.createDimension("basin", len(diagnostics.basins))
            for name, (units, words) in basin_numbers.items():
                facts = {"comment": ", ".join(diagnostics.basins)}
                self._value(file, name, ("basin",), {"long_name": words, "units": units} | facts)
        if diagnostics.sections:
            file.createDimension("section", len(diagnostics.sections))
            _define_names(file, list(diagnostics.sections))
            facts = {"long_name": "transport to the right", "units": "m3 s-1"}
            facts["comment"] = ", ".join(diagnostics.sections)
            facts["coordinates"] = "section_name"
            self._value(file, "section_transport", ("section",), facts)

    def _value(
        self, file: netCDF4.Dataset, name: str, axes: tuple[str, ...], facts: dict[str, str]
    ) -> None:
        """Define one of the numbers."""
        if self.interval is not None:
            facts |= {"cell_methods": self.options.cell_methods(self.samples)}
        define_values(file, name, self.kind, ("time", *axes), facts)


def _with_missing(values: Array) -> Array:
    return np.where(np.isnan(values), missing_value, values)


def _define_names(file: netCDF4.Dataset, names: Sequence[str]) -> None:
    """The names of sections, as letters."""
    length = max(len(name.encode()) for name in names)
    file.createDimension("letter", length)
    letters = file.createVariable("section_name", "S1", ("section", "letter"))
    letters.long_name = "name of the section"
    letters[:] = (
        np.array([name.encode() for name in names], f"S{length}")
        .view("S1")
        .reshape(len(names), length)
    )


def _line(file: netCDF4.Dataset, name: str, values: Array, attributes: dict[str, str]) -> None:
    file.createDimension(name, values.size)
    variable = file.createVariable(name, "f8", (name,))
    variable.setncatts(attributes)
    variable[:] = values
