"""Streams of spectra at points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
from numpy.typing import NDArray

from halocline.core.clock import Clock, Date
from halocline.core.errors import UserError
from halocline.core.names import Quantity, quantity
from halocline.core.options import option
from halocline.experiment.conventions import conventions
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
class PointStreamOptions(StreamOptions):
    """Spectra at some points, as WAVEWATCH III's files have them (wavespectra reads them)."""

    points: dict[str, tuple[float, float]] = option(
        {}, "", "name = [longitude, latitude] of each point (or [x, y] in metres)"
    )
    interpolation: str = option(
        "bilinear",
        "",
        "from the sea points among the four around, or that of the nearest sea point",
        choices=("bilinear", "nearest"),
    )


class PointStream:
    """Spectra at points, interpolated from the four sea points around each."""

    names: Sequence[str] = ("wave_spectrum", "wind_u", "wind_v")
    restart_fields: Sequence[Field] = ()

    def __init__(
        self,
        name: str,
        options: StreamOptions,
        grid: Grid,
        spectral: SpectralGrid,
        clock: Clock,
        folder: Path,
        communicator: Communicator,
        *,
        title: str = "",
        resumed: bool = False,
        points: Mapping[str, tuple[float, float]] | None = None,
    ) -> None:
        self.grid, self.spectral, self.options, self.title = grid, spectral, options, title
        self.calendar = clock.calendar
        self.stations = self._stations(name, points)
        self.depth = self.stations.at(grid.at_points(grid.depth)[self.stations.sea_numbers])
        self.stream = Stream(
            name, options, clock, folder, communicator, self._define, resumed=resumed
        )

    def _stations(self, name: str, points: Mapping[str, tuple[float, float]] | None) -> Stations:
        assert isinstance(self.options, PointStreamOptions)
        if not self.options.points:
            raise UserError(f"The output stream '{name}' has no points. Name at least one.")
        kind = self.options.interpolation
        return Stations(self.options.points, self.grid, interpolation=kind)

    @property
    def path(self) -> Path:
        """The file, under the name that it has when it is finished."""
        return self.stream.final_path

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
        }

    def _define(self, file: netCDF4.Dataset) -> None:
        kind = {"float32": "f4", "float64": "f8"}[self.options.precision]
        file.setncatts(conventions(self.title))
        if self.grid.spherical:
            file.featureType = "timeSeries"
        define_time(file, self.calendar)
        self._define_stations(file)
        self._define_weights(file)
        define_bands(file, self.spectral)
        per_station = ("time", "station")
        places = {"coordinates": f"{' '.join(place_names(self.grid))} station_name"}
        for name, short_name in (("dpt", "depth"), ("wnd", "wind_speed"),
                                 ("wnddir", "wind_direction")):  # fmt: skip
            define_values(file, name, kind, per_station, quantity(short_name).attributes() | places)
        dimensions = (*per_station, "frequency", "direction")
        attributes = quantity("wave_spectrum").attributes() | places
        define_values(file, "efth", kind, dimensions, attributes)

    def _define_stations(self, file: netCDF4.Dataset) -> None:
        names = self.stations.names
        length = max(16, max(len(name.encode()) for name in names))
        file.createDimension("station", len(names))
        file.createDimension(f"string{length}", length)
        station = file.createVariable("station", "i4", ("station",))
        station.long_name = "station number"
        station[:] = np.arange(1, len(names) + 1)
        both = zip(place_names(self.grid), (self.stations.x, self.stations.y), strict=True)
        for name, values in both:
            variable = file.createVariable(name, "f8", ("station",))
            variable.setncatts(place_quantity(name).attributes())
            variable[:] = values
        station_name = file.createVariable("station_name", "S1", ("station", f"string{length}"))
        station_name.setncatts({"long_name": "station name", "cf_role": "timeseries_id"})
        texts = np.array([name.encode() for name in names], f"S{length}")
        station_name[:] = texts.view("S1").reshape(len(names), length)

    def _define_weights(self, file: netCDF4.Dataset) -> None:
        """Which sea points make up each station's spectrum, and how much of it."""
        stations, grid = self.stations, self.grid
        file.createDimension("corner", 4)
        weight = file.createVariable("corner_weight", "f8", ("station", "corner"))
        weight.setncatts({"long_name": "share of a grid point in the spectrum", "units": "1"})
        weight[:] = stations.corner_weights
        used = stations.corner_weights > 0.0
        both = zip(place_names(grid), (grid.point_x, grid.point_y), strict=True)
        for name, values in both:
            facts = place_quantity(name)
            variable = file.createVariable(f"corner_{name}", "f8", ("station", "corner"))
            # Not degrees_east: these are no coordinates.
            units = "degree" if grid.spherical else facts.units
            variable.setncatts({"long_name": f"{facts.long_name} of a grid point", "units": units})
            variable.missing_value = missing_value
            variable[:] = np.where(used, values[stations.corner_numbers], missing_value)


def place_names(grid: Grid) -> tuple[str, str]:
    """Names of the variables that hold the place of a spectrum, as wavespectra knows them."""
    return ("lon", "lat") if grid.spherical else ("x", "y")


def place_quantity(name: str) -> Quantity:
    """What the variable of a place holds."""
    return quantity({"lon": "longitude", "lat": "latitude"}.get(name, name))


def define_bands(file: netCDF4.Dataset, spectral: SpectralGrid) -> None:
    """The axes of frequency and of direction (towards) of spectra in a file."""
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
    # Coordinates are monotonic by CF; some are below zero.
    direction[:] = 90.0 - np.rad2deg(spectral.direction)
