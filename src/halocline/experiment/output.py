"""Output of a run: maps of fields and spectra at points, each stream with its own schedule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
from numpy.typing import NDArray

import halocline
from halocline.core.clock import Clock, Date
from halocline.core.errors import UserError, nearest
from halocline.core.names import Quantity, quantities, quantity
from halocline.core.options import Options, option
from halocline.experiment.stations import Stations
from halocline.grids.grid import Grid
from halocline.runtime.communicator import Communicator
from halocline.runtime.fields import Field
from halocline.runtime.picking import pick
from halocline.runtime.streams import (
    Stream,
    StreamOptions,
    define_time,
    define_values,
    missing_value,
)
from halocline.waves.spectrum import SpectralGrid

Array = NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class FieldStreamOptions(StreamOptions):
    """Maps of some fields."""

    variables: list[str] = option(
        ["significant_height"], "", "short names of the fields; see the list of names"
    )


@dataclass(frozen=True, kw_only=True)
class PointStreamOptions(StreamOptions):
    """Spectra at some points, as WAVEWATCH III's files have them (wavespectra reads them)."""

    points: dict[str, tuple[float, float]] = option(
        {}, "", "name = [longitude, latitude] of each point (or [x, y] in metres)"
    )


@dataclass(frozen=True, kw_only=True)
class OutputOptions(Options):
    """What a run writes."""

    fields: dict[str, FieldStreamOptions] = option({}, "", "streams of maps, by name")
    points: dict[str, PointStreamOptions] = option({}, "", "streams of point spectra, by name")


def conventions(title: str) -> dict[str, str]:
    """Global attributes of every file; no date, host or rank, so that files can be compared."""
    return {
        "Conventions": "CF-1.8",
        "title": title or "Halocline output",
        "source": f"Halocline {halocline.__version__}",
        "history": f"written by Halocline {halocline.__version__}",
    }


def define_coordinates(file: netCDF4.Dataset, grid: Grid) -> tuple[str, str]:
    """The horizontal axes of a grid in a file; returns their names, y first."""
    names = ("latitude", "longitude") if grid.spherical else ("y", "x")
    for name, values, letter in ((names[0], grid.y, "Y"), (names[1], grid.x, "X")):
        file.createDimension(name, values.size)
        variable = file.createVariable(name, "f8", (name,))
        variable.setncatts({**quantity(name).attributes(), "axis": letter})
        variable[:] = values
    for name, plane in (("longitude", grid.longitude), ("latitude", grid.latitude)):
        if plane is not None:
            variable = file.createVariable(name, "f8", names)
            variable.setncatts(quantity(name).attributes())
            variable[:] = plane
    return names


class FieldStream:
    """Maps of fields in one file that grows by records.

    Values on sea points are put onto the grid; land and missing values get the fill value. Fields
    with axes before the horizontal ones name them in `outer`, with coordinates in `axes`; `more`
    describes fields that are not in the list of names.
    """

    def __init__(
        self,
        name: str,
        options: FieldStreamOptions,
        grid: Grid,
        clock: Clock,
        folder: Path,
        communicator: Communicator,
        *,
        title: str = "",
        resumed: bool = False,
        outer: Mapping[str, tuple[str, ...]] | None = None,
        axes: Mapping[str, Array] | None = None,
        more: Mapping[str, Quantity] | None = None,
    ) -> None:
        self.names: Sequence[str] = tuple(dict.fromkeys(options.variables))
        self.grid, self.options, self.title = grid, options, title
        self.calendar = clock.calendar
        self.outer, self.axes, self.more = outer or {}, axes or {}, more or {}
        if not self.names:
            raise UserError(f"The output stream '{name}' has no variables. Name at least one.")
        for short_name in self.names:
            self._describe(short_name)
        self.stream = Stream(
            name, options, clock, folder, communicator, self._define, resumed=resumed
        )

    @property
    def path(self) -> Path:
        return self.stream.path

    def due(self, time: Date) -> bool:
        """Whether the stream wants a record at `time`."""
        return self.stream.due(time)

    def write(self, time: Date, fields: Mapping[str, Field | Array]) -> None:
        """Append the record of `time`: a field, or a global array on rank 0, for each name."""
        values = {name: self._map(fields[name]) for name in self.names}
        whole = {name: array for name, array in values.items() if array is not None}
        self.stream.append(time, whole)

    def close(self) -> None:
        """Finish the file."""
        self.stream.close()

    def _describe(self, short_name: str) -> Quantity:
        if short_name in self.more:
            return self.more[short_name]
        if short_name not in quantities:
            hint = nearest(short_name, [*quantities, *self.more])
            raise UserError(f"Unknown output variable '{short_name}'.{hint}")
        if short_name == "wave_spectrum" and short_name not in self.outer:
            raise UserError(
                "Whole spectra are written at points, not as maps: name the points in"
                " [output.points.NAME] instead of 'wave_spectrum' in [output.fields.NAME]."
            )
        return quantities[short_name]

    def _define(self, file: netCDF4.Dataset) -> None:
        file.setncatts(conventions(self.title))
        define_time(file, self.calendar)
        horizontal = define_coordinates(file, self.grid)
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
            define_values(file, name, kind, dimensions, attributes)

    def _map(self, field: Field | Array) -> Array | None:
        """The field on the whole grid, on rank 0."""
        values = field.gather() if isinstance(field, Field) else field
        if values is None:
            return None
        mask = self.grid.mask
        if values.shape[-2:] == mask.shape:
            plane = np.where(mask, values, missing_value)
        else:
            plane = np.full((*values.shape[:-1], *mask.shape), missing_value, values.dtype)
            plane[..., mask] = values
        return np.where(np.isfinite(plane), plane, missing_value)


class PointStream:
    """Spectra at points, interpolated from the four sea points around each."""

    names: Sequence[str] = ("wave_spectrum", "wind_u", "wind_v")

    def __init__(
        self,
        name: str,
        options: PointStreamOptions,
        grid: Grid,
        spectral: SpectralGrid,
        clock: Clock,
        folder: Path,
        communicator: Communicator,
        *,
        title: str = "",
        resumed: bool = False,
    ) -> None:
        self.grid, self.spectral, self.options, self.title = grid, spectral, options, title
        self.calendar = clock.calendar
        if not options.points:
            raise UserError(f"The output stream '{name}' has no points. Name at least one.")
        self.stations = Stations(options.points, grid)
        self.depth = self.stations.at(grid.at_points(grid.depth)[self.stations.sea_numbers])
        self.stream = Stream(
            name, options, clock, folder, communicator, self._define, resumed=resumed
        )

    @property
    def path(self) -> Path:
        return self.stream.path

    def due(self, time: Date) -> bool:
        """Whether the stream wants a record at `time`."""
        return self.stream.due(time)

    def write(self, time: Date, fields: Mapping[str, Field]) -> None:
        """Append the record of `time` from the fields in `names`."""
        picked = [pick(fields[name], self.stations.sea_numbers) for name in self.names]
        self.stream.append(time, self._record(picked) if picked[0] is not None else {})

    def close(self) -> None:
        """Finish the file."""
        self.stream.close()

    def _record(self, picked: Sequence[Array | None]) -> dict[str, Array]:
        spectrum, u, v = (self.stations.at(values) for values in picked if values is not None)
        shape = (*self.spectral.shape, len(self.stations.names))
        return {
            "efth": np.moveaxis(spectrum.reshape(shape), -1, 0),
            "dpt": self.depth,
            "wnd": np.hypot(u, v),
            "wnddir": np.rad2deg(np.arctan2(-u, -v)) % 360.0,
            "longitude": self.stations.x,
            "latitude": self.stations.y,
        }

    def _define(self, file: netCDF4.Dataset) -> None:
        kind = {"float32": "f4", "float64": "f8"}[self.options.precision]
        file.setncatts({**conventions(self.title), "featureType": "timeSeries"})
        define_time(file, self.calendar)
        self._define_stations(file)
        self._define_bands(file)
        per_station = ("time", "station")
        for name, short_name in (("longitude", "longitude"), ("latitude", "latitude")):
            facts = quantity(short_name if self.grid.spherical else name_in_metres[name])
            define_values(file, name, "f8", per_station, facts.attributes())
        for name, short_name in (("dpt", "depth"), ("wnd", "wind_speed"),
                                 ("wnddir", "wind_direction")):  # fmt: skip
            attributes = quantity(short_name).attributes()
            define_values(file, name, kind, per_station, attributes)
        dimensions = (*per_station, "frequency", "direction")
        define_values(file, "efth", kind, dimensions, quantity("wave_spectrum").attributes())

    def _define_stations(self, file: netCDF4.Dataset) -> None:
        names = self.stations.names
        length = max(16, max(len(name.encode()) for name in names))
        file.createDimension("station", len(names))
        file.createDimension(f"string{length}", length)
        station = file.createVariable("station", "i4", ("station",))
        station.setncatts({"long_name": "station number", "axis": "E"})
        station[:] = np.arange(1, len(names) + 1)
        station_name = file.createVariable("station_name", "S1", ("station", f"string{length}"))
        station_name.setncatts({"long_name": "station name", "cf_role": "timeseries_id"})
        texts = np.array([name.encode() for name in names], f"S{length}")
        station_name[:] = texts.view("S1").reshape(len(names), length)

    def _define_bands(self, file: netCDF4.Dataset) -> None:
        spectral = self.spectral
        edge = np.sqrt(spectral.factor)
        bands = {
            "frequency": (spectral.frequency, "centre of the band"),
            "frequency1": (spectral.frequency / edge, "lower edge of the band"),
            "frequency2": (spectral.frequency * edge, "upper edge of the band"),
        }
        file.createDimension("frequency", spectral.frequencies)
        for name, (values, words) in bands.items():
            variable = file.createVariable(name, "f8", ("frequency",))
            variable.setncatts({"long_name": words, "units": "Hz"})
            variable[:] = values
        file["frequency"].standard_name = quantity("frequency").standard_name
        file.createDimension("direction", spectral.directions)
        direction = file.createVariable("direction", "f8", ("direction",))
        direction.setncatts(quantity("direction").attributes())
        direction[:] = np.mod(90.0 - np.rad2deg(spectral.direction), 360.0)


name_in_metres = {"longitude": "x", "latitude": "y"}


def make_streams(
    options: OutputOptions,
    grid: Grid,
    spectral: SpectralGrid,
    clock: Clock,
    folder: Path,
    communicator: Communicator,
    *,
    title: str = "",
    resumed: bool = False,
) -> list[FieldStream | PointStream]:
    """All streams of a wave case, their files opened; a call for all ranks."""
    _refuse_shared_files(options)
    place = (clock, folder, communicator)
    streams: list[FieldStream | PointStream] = [
        FieldStream(name, some, grid, *place, title=title, resumed=resumed)
        for name, some in options.fields.items()
    ]
    streams += [
        PointStream(name, some, grid, spectral, *place, title=title, resumed=resumed)
        for name, some in options.points.items()
    ]
    return streams


def _refuse_shared_files(options: OutputOptions) -> None:
    streams: dict[str, StreamOptions] = {**options.fields, **options.points}
    if len(streams) < len(options.fields) + len(options.points):
        raise UserError("A stream of fields and a stream of points have the same name.")
    files = [some.file.replace("{stream}", name) for name, some in streams.items()]
    for file in files:
        if files.count(file) > 1:
            raise UserError(
                f"Two output streams write to '{file}'. Give each a file of its own, for example"
                " with {stream} in its name."
            )


def output_volume(
    options: OutputOptions, grid: Grid, spectral: SpectralGrid, clock: Clock
) -> dict[str, int]:
    """Bytes that each stream will write, without headers and before compression."""
    volume = {}
    for name, fields in options.fields.items():
        count = fields.alarm(clock).count(clock.time, clock.end)
        size = 4 if fields.precision == "float32" else 8
        volume[name] = count * (8 + len(fields.variables) * grid.mask.size * size)
    for name, points in options.points.items():
        count = points.alarm(clock).count(clock.time, clock.end)
        size = 4 if points.precision == "float32" else 8
        volume[name] = count * (8 + len(points.points) * (16 + (3 + spectral.components) * size))
    return volume
