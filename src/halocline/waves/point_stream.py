"""Streams of spectra and of fields at points, at moments or means over intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
from numpy.typing import NDArray

from halocline.component.streams.conventions import conventions
from halocline.component.streams.interval_values import (
    IntervalOptions,
    IntervalValues,
    OneBlock,
)
from halocline.component.streams.shared_places import SharedPlaces
from halocline.component.streams.stations import Stations
from halocline.component.streams.stations_in_files import define_stations
from halocline.component.streams.stream import OutputStream
from halocline.core.clock import Clock, Date
from halocline.core.errors import UserError
from halocline.core.names import Quantity, quantity
from halocline.core.options import option
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.writing.picking import Picker
from halocline.runtime.writing.stream_options import StreamOptions
from halocline.runtime.writing.streams import (
    Stream,
    define_time,
    define_values,
    missing_value,
)
from halocline.waves.output_names import listing
from halocline.waves.spectrum import SpectralGrid

Array = NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class PointStreamOptions(IntervalOptions):
    """Spectra at some points, as WAVEWATCH III's files have them (wavespectra reads them).

    Values of fields may be added, or stand alone.
    """

    points: dict[str, tuple[float, float]] = option(
        {}, "", "name = [longitude, latitude] of each point (or [x, y] in metres)"
    )
    spectra: bool = option(True, "", "write the spectra, with depth and wind")
    variables: list[str] = option(
        [],
        "",
        "names of fields whose values at the points are written besides; 'halocline explain"
        " variables' lists them",
        more=listing,
    )
    interpolation: str = option(
        "bilinear",
        "",
        "from the sea points among the four around, or that of the nearest sea point",
        choices=("bilinear", "nearest"),
    )
    processing: str = option(
        "instantaneous",
        "",
        "what a record holds: values of its moment, or means over the interval that ends there",
        choices=("instantaneous", "mean"),
    )


class PointStream(OutputStream):
    """Spectra and fields at points, interpolated from the four sea points around each."""

    def __init__(
        self,
        name: str,
        options: StreamOptions,
        grid: Grid,
        spectral: SpectralGrid,
        clock: Clock,
        folder: Path,
        *,
        decomposition: Decomposition,
        title: str = "",
        resumed: bool = False,
        points: Mapping[str, tuple[float, float]] | None = None,
    ) -> None:
        self.grid, self.spectral, self.options, self.title = grid, spectral, options, title
        self.calendar = clock.calendar
        self.variables: Sequence[str] = ()
        self.spectra = True
        if isinstance(options, PointStreamOptions):
            self.variables = tuple(dict.fromkeys(options.variables))
            self.spectra = options.spectra
        if not self.spectra and not self.variables:
            raise UserError(f"The output stream '{name}' has neither spectra nor variables.")
        if "wave_spectrum" in self.variables:
            raise UserError(f"Output stream '{name}': set spectra = true for the wave_spectrum.")
        picked_first = spectra_names if self.spectra else ()
        self.names: Sequence[str] = tuple(dict.fromkeys([*picked_first, *self.variables]))
        self.stations = self._stations(name, points)
        self.places = SharedPlaces(Picker(decomposition), *self.stations.in_order())
        self.depth = self.places.at(grid.at_points(grid.depth)[self.places.sea_numbers])
        if isinstance(options, IntervalOptions) and options.cumulative:
            try:
                self.samples = options.samples(clock)
            except UserError as error:
                raise UserError(f"In output stream '{name}': {error}") from None
            axes = {
                short: tuple(Axis("", size) for size in shape)
                for short, (_, shape) in self._written().items()
            }
            self.interval = IntervalValues(
                name,
                options.processing,
                {short: facts for short, (facts, _) in self._written().items()},
                axes,
                decomposition,
                place=Place.none,
                dtype=np.float64,
                most=options.most(clock),
                dealt=self.places.dealt,
            )
        self.stream = Stream(name, options, clock, folder, self._define, resumed=resumed)

    def _written(self) -> dict[str, tuple[Quantity, tuple[int, ...]]]:
        """What changes in time: for each variable of the file, its meaning and shape."""
        each = (len(self.stations.names),)
        result: dict[str, tuple[Quantity, tuple[int, ...]]] = {}
        if self.spectra:
            result["wnd"] = quantity("wind_speed"), each
            result["wnddir"] = quantity("wind_direction"), each
            result["efth"] = quantity("wave_spectrum"), (*each, *self.spectral.shape)
        return result | {name: (quantity(name), each) for name in self.variables}

    def _stations(self, name: str, points: Mapping[str, tuple[float, float]] | None) -> Stations:
        assert isinstance(self.options, PointStreamOptions)
        if not self.options.points:
            raise UserError(f"The output stream '{name}' has no points. Name at least one.")
        kind = self.options.interpolation
        return Stations(self.options.points, self.grid, interpolation=kind)

    def write(self, time: Date, fields: Mapping[str, Field]) -> None:
        """Append the record of `time` from the fields in `names`, or count them into a mean."""
        record = self._record(self.places.pick([fields[name] for name in self.names]))
        if self.interval is not None:
            found = self.counted(time, {name: OneBlock(a) for name, a in record.items()})
            if found is None:
                return
            record = {name: field.read()[0] for name, field in found.items()}
        if self.spectra:
            record["dpt"] = self.depth
        precision = self.options.precision
        sources = {name: self.places.source(a, precision) for name, a in record.items()}
        self.stream.append(time, {**sources, **self.time_bounds(time)})

    def _record(self, values: Sequence[Array]) -> dict[str, Array]:
        """Values at this rank's stations, by their names in the file."""
        picked = dict(zip(self.names, values, strict=True))
        result = {
            name: self.places.value_at(picked[name], direction=quantity(name).is_direction)
            for name in self.variables
        }
        if self.spectra:
            spectrum, u, v = (self.places.at(picked[name]) for name in spectra_names)
            result["efth"] = spectrum.reshape(-1, *self.spectral.shape)
            result["wnd"] = np.hypot(u, v)
            result["wnddir"] = np.rad2deg(np.arctan2(-u, -v)) % 360.0
        return result

    def _define(self, file: netCDF4.Dataset) -> None:
        kind = {"float32": "f4", "float64": "f8"}[self.options.precision]
        file.setncatts(conventions(self.title))
        if self.grid.spherical:
            file.featureType = "timeSeries"
        define_time(file, self.calendar, bounds=self.interval is not None)
        self._define_stations(file)
        self._define_weights(file)
        places = {"coordinates": f"{' '.join(place_names(self.grid))} station_name"}
        dimensions = ("time", "station")
        if self.spectra:
            define_bands(file, self.spectral)
            define_values(file, "dpt", kind, dimensions, quantity("depth").attributes() | places)
        if self.interval is not None:
            assert isinstance(self.options, IntervalOptions)
            places["cell_methods"] = self.options.cell_methods(self.samples)
        for name, (facts, shape) in self._written().items():
            bands = ("frequency", "direction") if len(shape) == 3 else ()
            define_values(file, name, kind, (*dimensions, *bands), facts.attributes() | places)

    def _define_stations(self, file: netCDF4.Dataset) -> None:
        both = zip(place_names(self.grid), (self.stations.x, self.stations.y), strict=True)
        places = {name: (place_quantity(name), values) for name, values in both}
        define_stations(file, self.stations.names, places)

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


spectra_names = ("wave_spectrum", "wind_u", "wind_v")
"""Fields that the spectra at a point are made of."""


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
