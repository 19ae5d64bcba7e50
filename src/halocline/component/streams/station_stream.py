"""Streams of series in time, and of columns, at named stations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
from numpy.typing import NDArray

from halocline.component.streams.conventions import conventions
from halocline.component.streams.field_stream import MapShape, axis_name, define_axis
from halocline.component.streams.interval_values import (
    IntervalOptions,
    IntervalValues,
    OneBlock,
)
from halocline.component.streams.shared_places import SharedPlaces
from halocline.component.streams.stations import Stations, inside
from halocline.component.streams.stations_in_files import define_stations
from halocline.component.streams.stream import OutputStream
from halocline.core.clock import Clock, Date
from halocline.core.errors import UserError
from halocline.core.geography import position_words
from halocline.core.names import Quantity, quantity
from halocline.core.options import option
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.projected import Projected
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.writing.picking import Picker
from halocline.runtime.writing.stream_options import in_stream
from halocline.runtime.writing.streams import Stream, bytes_of_time, define_time, define_values

Array = NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class StationStreamOptions(IntervalOptions):
    """Series or columns at some places, by the CF conventions for stations."""

    points: dict[str, tuple[float, float]] = option(
        {},
        "",
        "name = [longitude, latitude] of each station, or [x, y] in metres where the grid is flat",
    )
    variables: list[str] = option(
        [],
        "",
        "names of fields at centres of cells: all with levels (columns) or all without (series)",
    )
    interpolation: str = option(
        "bilinear",
        "",
        "from the four cells around, or that of the nearest cell",
        choices=("bilinear", "nearest"),
    )


def bytes_of_stations(
    options: StationStreamOptions, clock: Clock, shapes: Mapping[str, MapShape]
) -> int:
    """Bytes of the records that a stream of stations will write, before compression."""
    values = sum(prod(shapes[name].extents) for name in options.variables if name in shapes)
    each = bytes_of_time(bounds=options.cumulative)
    each += len(options.points) * values * np.dtype(options.precision).itemsize
    return options.records(clock) * each


class StationStream(OutputStream):
    """Fields at stations, interpolated from the four cells around each.

    What has levels is a column at each station (`timeSeriesProfile`), what has none a series
    (`timeSeries`). A level that is missing in one of the cells, below the ground, is missing.
    """

    def __init__(
        self,
        name: str,
        options: StationStreamOptions,
        grid: Grid,
        clock: Clock,
        folder: Path,
        *,
        decomposition: Decomposition,
        fields: Mapping[str, Field],
        described: Mapping[str, Quantity],
        title: str = "",
        resumed: bool = False,
    ) -> None:
        self.grid, self.options, self.title = grid, options, title
        self.calendar, self.described = clock.calendar, described
        self.names: Sequence[str] = tuple(dict.fromkeys(options.variables))
        with in_stream(name):
            self._refuse(fields)
            self.axes = {short: fields[short].axes for short in self.names}
            where = on_lines(options.points, grid)
            self.stations = Stations(where, grid, interpolation=options.interpolation)
        self.places = SharedPlaces(Picker(decomposition), *self.stations.in_order())
        if options.cumulative:
            with in_stream(name):
                self.samples = options.samples(clock)
            count = Axis("", len(where))
            self.interval = IntervalValues(
                name,
                options.processing,
                {short: described[short] for short in self.names},
                {short: (count, *axes) for short, axes in self.axes.items()},
                decomposition,
                place=Place.none,
                dtype=np.float64,
                most=options.most(clock),
                dealt=self.places.dealt,
            )
        self.stream = Stream(name, options, clock, folder, self._define, resumed=resumed)

    def _refuse(self, fields: Mapping[str, Field]) -> None:
        """What cannot be written at stations."""
        if not self.options.points:
            raise UserError("There are no points. Give points = { name = [longitude, latitude] }.")
        if not self.names:
            raise UserError("There are no variables. Name at least one.")
        for name in self.names:
            if fields[name].place is not Place.center:
                raise UserError(
                    f"'{name}' lies on faces of cells, stations take what lies at centres. Use"
                    " 'eastward_wind' and 'northward_wind' of the air."
                )
        flat = [name for name in self.names if not fields[name].axes]
        if flat and len(flat) < len(self.names):
            raise UserError(
                f"{', '.join(flat)} {'have' if len(flat) > 1 else 'has'} no levels, the others"
                " have; the CF conventions want them in two files. Make two streams."
            )

    def write(self, time: Date, fields: Mapping[str, Field]) -> None:
        """Append the record of `time` from the fields in `names`, or count them into a mean."""
        picked = self.places.pick([fields[name] for name in self.names])
        record = {name: self._at(name, a) for name, a in zip(self.names, picked, strict=True)}
        if self.interval is not None:
            found = self.counted(time, {name: OneBlock(a) for name, a in record.items()})
            if found is None:
                return
            record = {name: field.read()[0] for name, field in found.items()}
        precision = self.options.precision
        sources = {name: self.places.source(a, precision) for name, a in record.items()}
        self.stream.append(time, {**sources, **self.time_bounds(time)})

    def _at(self, name: str, values: Array) -> Array:
        """A field (own stations, levels) from its values (cells, levels) around."""
        if self.axes[name]:
            return self.places.at(values)
        return self.places.value_at(values, direction=self.described[name].is_direction)

    def _define(self, file: netCDF4.Dataset) -> None:
        kind = {"float32": "f4", "float64": "f8"}[self.options.precision]
        file.setncatts(conventions(self.title))
        flat = not self.grid.spherical and self.grid.longitude is None
        if any(self.axes.values()):
            file.featureType = "timeSeriesProfile"
        elif not flat:
            file.featureType = "timeSeries"
        define_time(file, self.calendar, bounds=self.interval is not None)
        x, y = np.array(list(self.options.points.values()), np.float64).T
        horizontal = ("x", "y") if flat else ("longitude", "latitude")
        facts = map(quantity, horizontal)
        places = {n: (q, v) for n, q, v in zip(horizontal, facts, (x, y), strict=True)}
        define_stations(file, self.stations.names, places)
        for name in self.names:
            for axis in self.axes[name]:
                define_axis(file, axis)
            attributes = self.described[name].attributes()
            attributes["coordinates"] = f"{' '.join(horizontal)} station_name"
            if self.interval is not None:
                attributes["cell_methods"] = self.options.cell_methods(self.samples)
            levels = map(axis_name, self.axes[name])
            define_values(file, name, kind, ("time", "station", *levels), attributes)


def on_lines(
    points: Mapping[str, tuple[float, float]], grid: Grid
) -> dict[str, tuple[float, float]]:
    """Points on the lines of a grid: on its map [m] where it has one; outside is refused."""
    if not isinstance(grid.curvilinear, Projected):
        return dict(points)
    projection = grid.curvilinear.projection
    found = {}
    for name, (longitude, latitude) in points.items():
        x, y = projection.to_map(np.array([longitude]), np.array([latitude]))
        if not inside(x, y, grid)[0]:
            assert grid.longitude is not None and grid.latitude is not None
            j, i = int(np.abs(grid.y - y).argmin()), int(np.abs(grid.x - x).argmin())
            nearest = position_words(grid.longitude[j, i], grid.latitude[j, i], ".2f")
            away = float(np.hypot(grid.x[i] - x[0], grid.y[j] - y[0])) / 1e3
            raise UserError(
                f"The station '{name}' at {position_words(longitude, latitude)} lies outside the"
                f" grid: the nearest cell has its middle at {nearest}, {away:.0f} km away. Move the"
                " station, or the grid."
            )
        found[name] = float(x[0]), float(y[0])
    return found
