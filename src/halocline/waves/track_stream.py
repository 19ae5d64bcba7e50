"""Streams of spectra along a path in space and time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from math import prod
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
from numpy.typing import NDArray

from halocline.component.streams.conventions import conventions
from halocline.component.streams.positions import Positions, read_positions
from halocline.component.streams.shared_places import SharedPlaces
from halocline.component.streams.stations import around, inside, nearest_sea, words
from halocline.component.streams.stream import OutputStream
from halocline.core.clock import (
    Alarm,
    Clock,
    Date,
    from_number,
    text,
    time_units,
    to_number,
)
from halocline.core.errors import UserError
from halocline.core.names import quantity
from halocline.core.options import option
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.writing.picking import Picker
from halocline.runtime.writing.restart import on_first_rank
from halocline.runtime.writing.sharing import of_one_rank
from halocline.runtime.writing.sources import TableSource, of_columns
from halocline.runtime.writing.stream_options import StreamOptions
from halocline.runtime.writing.streams import Stream, define_time, define_values, missing_value
from halocline.waves.point_stream import define_bands, place_names, place_quantity
from halocline.waves.spectrum import SpectralGrid

Array = NDArray[Any]
name_length = 32


@dataclass(frozen=True, kw_only=True)
class TrackStreamOptions(StreamOptions):
    """Spectra along the path of a ship or a satellite."""

    positions: str = option(
        "",
        "",
        "file of time, longitude, latitude (x, y): CSV with a line of names, or netCDF",
    )
    outside: str = option(
        "refuse",
        "",
        "positions on land, outside the grid or outside the time of the stream: end the run before"
        " it starts, or leave them out",
        choices=("refuse", "leave_out"),
    )
    interpolation: str = option(
        "bilinear",
        "",
        "from the sea points among the four around, or that of the nearest sea point",
        choices=("bilinear", "nearest"),
    )
    interval: str | float = option(
        "",
        "s",
        "time between the moments of the model of which each position takes the nearest; every step"
        " if empty",
    )

    def alarm(self, clock: Clock) -> Alarm:
        """The moments of the model whose spectra are used."""
        if self.interval == "":
            return replace(self, interval=clock.step.total_seconds()).alarm(clock)
        return super().alarm(clock)

    def records_in_words(self, clock: Clock) -> str:
        """How many records there will be."""
        return "one record for each position"


class TrackStream(OutputStream):
    """One record for each position: the spectrum there, at the nearest moment of the model."""

    names: Sequence[str] = ("wave_spectrum", "wind_u", "wind_v")

    def __init__(
        self,
        name: str,
        options: TrackStreamOptions,
        grid: Grid,
        spectral: SpectralGrid,
        clock: Clock,
        folder: Path,
        communicator: Communicator,
        *,
        decomposition: Decomposition,
        positions: Path,
        title: str = "",
        resumed: bool = False,
    ) -> None:
        self.name, self.grid, self.spectral = name, grid, spectral
        self.options, self.title, self.calendar = options, title, clock.calendar
        try:
            found = on_first_rank(communicator, lambda: read_positions(positions, self.calendar))
            self.track = self._usable(found, options.alarm(clock), clock)
        except UserError as error:
            raise UserError(f"In output stream '{name}': {error}") from None
        track = self.track
        self._numbers, self._weights = around(track.x, track.y, grid)
        dry = self._weights.sum(axis=1) == 0.0
        for row in np.flatnonzero(dry | (options.interpolation == "nearest")):
            self._numbers[row] = nearest_sea(track.x[row], track.y[row], grid)
            self._weights[row] = (1.0, 0.0, 0.0, 0.0)
        self._picker = Picker(decomposition)
        self._depth = grid.at_points(grid.depth)
        self.stream = Stream(
            name,
            options,
            clock,
            folder,
            self._define,
            resumed=resumed,
            counter="model_time",
            records=track.seconds.size,
        )

    def due(self, time: Date) -> bool:
        """Whether any position takes the spectra of `time`."""
        return self.stream.due(time) and self._at(time).size > 0

    def write(self, time: Date, fields: Mapping[str, Field]) -> None:
        """Append the records of the positions whose nearest moment of the model is `time`."""
        rows = self._at(time)
        places = SharedPlaces(self._picker, self._numbers[rows], self._weights[rows])
        picked = places.pick([fields[name] for name in self.names])
        mixed = [places.at(values) for values in (*picked, self._depth[places.sea_numbers])]
        ranks = places.dealt.ranks
        mine = (ranks == self._picker.rank).astype(np.int64)
        ends = np.cumsum(mine)
        for row, owner, begin, end in zip(rows, ranks, ends - mine, ends, strict=True):
            values = self._values(*(array[begin:end] for array in mixed))
            sources = {name: self._source(array, int(owner)) for name, array in values.items()}
            self.stream.append(time, {**self._place(row, time), **sources})

    def _at(self, time: Date) -> NDArray[np.int64]:
        """Positions nearer to `time` than to other moments; of two equally near, the earlier."""
        half = 0.5 * self.stream.alarm.interval.total_seconds()
        away = self.track.seconds - to_number(time)
        return np.flatnonzero((away > -half) & (away <= half))

    def _place(self, row: int, time: Date) -> dict[str, Array]:
        """When and where a record is, which all ranks know."""
        x, y = place_names(self.grid)
        return {
            "time": self.track.seconds[row],
            "model_time": np.array(to_number(time)),
            x: self.track.x[row],
            y: self.track.y[row],
        }

    def _values(self, spectrum: Array, u: Array, v: Array, depth: Array) -> dict[str, Array]:
        """What the owner of a position, or nobody, has of its record."""
        return {
            "efth": spectrum,
            "dpt": depth,
            "wnd": np.hypot(u, v),
            "wnddir": np.rad2deg(np.arctan2(-u, -v)) % 360.0,
        }

    def _source(self, values: Array, owner: int) -> TableSource:
        """Values (1, ...) of the owner of a position, or (0, ...) of another rank."""
        sharing = of_one_rank(prod(values.shape[1:]), owner)
        row = values.reshape(1, -1).astype(self.options.precision)
        return of_columns(row, sharing, self._picker.rank, fill=missing_value)

    def _usable(self, track: Positions, alarm: Alarm, clock: Clock) -> Positions:
        """The positions at sea within the time of the stream; others are refused or left out."""
        grid = self.grid
        last = min(alarm.end, clock.end) if alarm.end else clock.end
        last -= (last - alarm.start) % alarm.interval if last > alarm.start else timedelta(0)
        first = to_number(max(alarm.start, clock.start))
        in_time = (track.seconds >= first) & (track.seconds <= to_number(last))
        in_grid = inside(track.x, track.y, grid)
        at_sea = in_grid.copy()
        weights = around(track.x[in_grid], track.y[in_grid], grid)[1]
        at_sea[in_grid] = weights.sum(axis=1) > 0.0
        period = f"{text(max(alarm.start, clock.start))} to {text(last)}"
        faults = (
            (in_time, f"lie outside the time of the stream, {period}"),
            (in_grid, "lie outside the model grid"),
            (at_sea, "lie on land: none of the four grid points around is sea"),
        )
        for good, what in faults:
            if not good.all() and self.options.outside == "refuse":
                self._refuse(track, good, what)
        chosen = in_time & at_sea
        if not chosen.any():
            raise UserError(
                f"None of the {chosen.size} positions lies at sea within {period}. Check the dates"
                " and places in the file."
            )
        return track.some(chosen)

    def _refuse(self, track: Positions, good: NDArray[np.bool_], what: str) -> None:
        first = int(np.argmin(good))
        when = text(from_number(float(track.seconds[first]), self.calendar))
        where = words((float(track.x[first]), float(track.y[first])), self.grid)
        raise UserError(
            f"{int((~good).sum())} of {good.size} positions {what}; the first is {where} at {when}."
            " Remove them, or set outside = 'leave_out'."
        )

    def _define(self, file: netCDF4.Dataset) -> None:
        kind = {"float32": "f4", "float64": "f8"}[self.options.precision]
        file.setncatts(conventions(self.title))
        if self.grid.spherical:
            file.featureType = "trajectory"
        define_time(file, self.calendar)
        file.createDimension(f"string{name_length}", name_length)
        label = file.createVariable("trajectory", "S1", (f"string{name_length}",))
        label.setncatts({"long_name": "name of the path", "cf_role": "trajectory_id"})
        text_of_name = self.name.encode()[:name_length]
        label[:] = np.array([text_of_name], f"S{name_length}").view("S1")
        x, y = place_names(self.grid)
        for name, letter in ((x, "X"), (y, "Y")):
            attributes = place_quantity(name).attributes() | {"axis": letter}
            file.createVariable(name, "f8", ("time",)).setncatts(attributes)
        units, calendar = time_units(self.calendar)
        model_time = file.createVariable("model_time", "f8", ("time",))
        model_time.setncatts(
            {
                "long_name": "moment of the model that the spectrum is of",
                "units": units,
                "calendar": calendar,
            }
        )
        define_bands(file, self.spectral)
        places = {"coordinates": f"time {x} {y} trajectory"}
        for name, short_name in (("dpt", "depth"), ("wnd", "wind_speed"),
                                 ("wnddir", "wind_direction")):  # fmt: skip
            define_values(file, name, kind, ("time",), quantity(short_name).attributes() | places)
        attributes = quantity("wave_spectrum").attributes() | places
        define_values(file, "efth", kind, ("time", "frequency", "direction"), attributes)
