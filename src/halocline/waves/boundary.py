"""Spectra given on the active boundary of a nest, from files that a run around it has written."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.component.forcing.file_series import Share
from halocline.component.streams.stations import words
from halocline.core.clock import Date, from_number, in_calendar, text, to_number
from halocline.core.errors import UserError
from halocline.core.options import Options, option
from halocline.core.paths import is_there
from halocline.core.plausible import refuse_implausible
from halocline.grids.files.parts import read_slabs
from halocline.grids.files.sources import open_source
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.files.read_ahead import ReadAhead
from halocline.waves.spectra import to_cartesian, turned
from halocline.waves.spectrum import SpectralGrid
from halocline.waves.spectrum_files import bands, interpolate

Array = NDArray[Any]
places = (("lon", "lat"), ("longitude", "latitude"), ("x", "y"))
"""Names of the places of stations."""

reach = 5.0
"""How far from a boundary point the nearest spectrum may be [cells of the nest]."""


@dataclass(frozen=True, kw_only=True)
class BoundaryOptions(Options):
    """Spectra on the active boundary (grid.boundary), as a stream output.boundary writes them."""

    file: str | list[str] = option(
        [], "", "point-spectrum file, or several that follow each other; none if not given"
    )


class _File:
    """One file of spectra at points: its times, places, bands and records."""

    def __init__(self, path: Path, calendar: str) -> None:
        self.path = path
        if not is_there(path):
            raise UserError(f"There is no boundary file '{path}' (option boundary.file).")
        self._data = open_source(path)
        found = self._data.variables
        needed = ("time", "frequency", "direction", "efth")
        missing = [name for name in needed if name not in found]
        names = next((pair for pair in places if pair[0] in found), None)
        if missing or names is None:
            raise UserError(
                f"The boundary file '{path}' has no variable"
                f" {', '.join(missing or ['lon'])}. Use a file that"
                " a stream [output.boundary.NAME] or [output.points.NAME] wrote."
            )
        if self._data["time"].shape == (0,):
            raise UserError(f"The boundary file '{path}' has no record.")
        dates = self._data["time"].times(f"the boundary file '{path}'")
        self.times = [to_number(in_calendar(moment, calendar)) for moment in dates]
        # WAVEWATCH III has a place for each record.
        self.x, self.y = (self._data[name].read(time=0) for name in names)
        self.frequency, direction = bands(self._data, path, "frequency", "direction")
        self.direction = to_cartesian(turned(direction))
        self._refuse_other_shapes()
        self.values_read = 0  # of spectra, so far

    def _refuse_other_shapes(self) -> None:
        """Refuse spectra that are not those of the file's times, places and bands."""
        efth, count = self._data["efth"], self.x.size
        expected = (len(self.times), count, self.frequency.size, self.direction.size)
        places = (self.x.shape, self.y.shape) == ((count,), (count,)) and count
        if not places or efth.shape != expected or efth.dims[:1] != self._data["time"].dims:
            raise UserError(
                f"The boundary file '{self.path}' has spectra of shape {efth.shape}; its times,"
                f" places, frequencies and directions need {expected}. Use a file that a stream"
                " [output.boundary.NAME] or [output.points.NAME] wrote."
            )
        for name, values in (("x", self.x), ("y", self.y)):
            if not np.isfinite(values).all():
                raise UserError(f"The boundary file '{self.path}' has a place without its {name}.")

    def spectra(self, record: int, stations: NDArray[np.int64]) -> Array:
        """Variance density (station, frequency, direction) [m2 Hz-1 rad-1] of some stations."""
        density = self._data["efth"]
        dim = next(name for name in density.dims if name != "time")
        total = density.shape[density.dims.index(dim)]

        def some_stations(some: slice) -> Array:
            index: dict[str, int | slice] = {"time": record, dim: some}
            return density.read(**index)

        values, count = read_slabs(some_stations, stations, total, axis=0)
        self.values_read += count
        if not np.isfinite(values).all():
            raise UserError(
                f"Record {record + 1} of the boundary file '{self.path}' has missing spectra."
            )
        refuse_implausible(
            values,
            "wave_spectrum",
            f"The spectrum 'efth' of record {record + 1} of '{self.path}'",
            lambda at: f" at {self.x[stations[at[0]]]:g}, {self.y[stations[at[0]]]:g}",
        )
        return values

    def close(self) -> None:
        self._data.close()


class BoundarySpectra:
    """Spectra on the active boundary at any time of a run.

    In time they go linearly from record to record. In space a point takes the spectrum of its own
    place, or, where the file has none there, the mean of the two nearest, weighed by the inverse of
    their distances. Spectra on other frequencies and directions are interpolated to those of the
    run.
    """

    def __init__(
        self,
        options: BoundaryOptions,
        grid: Grid,
        spectral: SpectralGrid,
        start: Date,
        end: Date,
        share: Share | None = None,
    ) -> None:
        names = [options.file] if isinstance(options.file, str) else options.file
        self.given = bool(names and names[0])
        self.numbers: NDArray[np.int64] = np.zeros(0, np.int64)
        if not self.given:
            return
        if grid.boundary is None or not grid.boundary.any():
            raise UserError(
                "boundary.file is given, but the grid has no active boundary. Set grid.boundary ="
                " ['west', 'east', 'south', 'north'], or some of them."
            )
        self.spectral, self._start, self._end = spectral, to_number(start), to_number(end)
        share = share or Share.whole(grid)
        everywhere = np.flatnonzero(grid.boundary[grid.mask])
        own = np.isin(everywhere, share.numbers)
        self.numbers = everywhere[own]
        self._files = [_File(Path(name), str(start.calendar)) for name in names]
        self._records = sorted(
            (time, file, record)
            for file, some in enumerate(self._files)
            for record, time in enumerate(some.times)
        )
        self._times = np.array([time for time, *_ in self._records])
        self._check_times(start, end)
        near = [self._neighbours(file, grid, everywhere) for file in self._files]
        self._near = [(nearest[own], weights[own]) for nearest, weights in near]
        self._kept: dict[int, Array] = {}
        self._reader: ReadAhead[Array] = ReadAhead(self._read, share.communicator, share.recorder)

    def at(self, moment: Date) -> Array:
        """Spectra (component, boundary point) [m2 Hz-1 rad-1]; points as in `numbers`.

        A call for all ranks.
        """
        now = to_number(moment)
        after = int(np.searchsorted(self._times, now))
        exact = bool(self._times[after] == now)
        before = after if exact else after - 1
        first, second = self._record(before), self._record(after)
        for old in [number for number in self._kept if number < before]:
            del self._kept[old]
        if after + 1 < len(self._times) and self._times[after] < self._end:
            self._reader.prepare(after + 1)
        if exact:
            return second
        weight = (now - self._times[before]) / (self._times[after] - self._times[before])
        return (1.0 - weight) * first + weight * second

    def _record(self, number: int) -> Array:
        """One record at the boundary points; those around the present are kept."""
        if number not in self._kept:
            self._kept[number] = self._reader.take(number)
        return self._kept[number]

    def _read(self, number: int) -> Array:
        """One record at the boundary points, from the file."""
        _, at, record = self._records[number]
        nearest, weights = self._near[at]
        if not nearest.size:
            return np.zeros((self.spectral.components, 0))
        file, stations = self._files[at], np.unique(nearest)
        try:
            spectra = self._on_our_bands(file, file.spectra(record, stations))
        except (OSError, RuntimeError) as error:
            raise UserError(
                f"Cannot read record {record + 1} of the boundary file '{file.path}': {error}."
            ) from None
        first, second = (spectra[np.searchsorted(stations, nearest[:, n])] for n in (0, 1))
        mixed = weights[:, :1] * first + weights[:, 1:] * second
        return np.ascontiguousarray(mixed.T)

    def _on_our_bands(self, file: _File, spectra: Array) -> Array:
        """Spectra (station, component) of the run's spectral grid."""
        ours, theirs = self.spectral, file
        same = theirs.frequency.shape == ours.frequency.shape and np.allclose(
            theirs.frequency, ours.frequency, rtol=1e-5
        )
        if same and theirs.direction.shape == ours.direction.shape:
            away = (theirs.direction - ours.direction + np.pi) % (2.0 * np.pi) - np.pi
            if np.abs(away).max() < 1e-4:
                return spectra.reshape(len(spectra), -1)
        rows = [interpolate(one, file.frequency, file.direction, ours) for one in spectra]
        return np.array(rows).reshape(len(spectra), -1)

    def _check_times(self, start: Date, end: Date) -> None:
        first, last = self._times[0], self._times[-1]
        if first > to_number(start) or last < to_number(end):
            dates = [text(from_number(float(some), str(start.calendar))) for some in (first, last)]
            raise UserError(
                f"The boundary spectra reach from {dates[0]} to {dates[1]}, the run"
                f" from {text(start)} to {text(end)}. Write them for the whole time of the nest, or"
                " shorten the run."
            )
        if np.any(np.diff(self._times) == 0.0):
            raise UserError("Two records of the boundary files have the same time.")

    def _neighbours(self, file: _File, grid: Grid, numbers: Array) -> tuple[Array, Array]:
        """Two stations for each of some points and their weights, shape (points, 2) each."""
        x, y = grid.point_x[numbers], grid.point_y[numbers]
        away_x = file.x[None, :] - x[:, None]
        if grid.spherical:
            away_x = (np.mod(away_x + 180.0, 360.0) - 180.0) * np.cos(np.deg2rad(y))[:, None]
        distance = np.hypot(away_x, file.y[None, :] - y[:, None])
        nearest = np.argsort(distance, axis=1, kind="stable")[:, :2]
        if nearest.shape[1] == 1:
            nearest = np.repeat(nearest, 2, axis=1)
        near = np.take_along_axis(distance, nearest, axis=1)
        cell = max(grid.step_x, grid.step_y)
        far = near[:, 0] > reach * cell
        if far.any():
            worst = int(np.argmax(near[:, 0]))
            place = words((float(x[worst]), float(y[worst])), grid)
            raise UserError(
                f"The boundary file '{file.path}' has no spectra near {int(far.sum())} of"
                f" {far.size} boundary points, the worst at {place}. Write it with"
                " [output.boundary.NAME] case = (this case), or choose fewer sides in"
                " grid.boundary."
            )
        here = near[:, 0] < 1e-3 * cell
        inverse = 1.0 / np.where(here[:, None], 1.0, near)
        weights = inverse / inverse.sum(axis=1, keepdims=True)
        return nearest, np.where(here[:, None], np.array([1.0, 0.0]), weights)

    def look_through(self, deadline: float) -> tuple[int, int]:
        """Read all records that a run needs, until the `deadline`; how many of how many."""
        if not self.given:
            return 0, 0
        last = int(np.searchsorted(self._times, self._end))
        first = max(int(np.searchsorted(self._times, self._start, "right")) - 1, 0)
        for number in range(first, last + 1):
            if time.monotonic() > deadline:
                return number - first, last + 1 - first
            self._read(number)
        return last + 1 - first, last + 1 - first

    def close(self) -> None:
        """Let a reading end and close the files."""
        if not self.given:
            return
        self._reader.wait()
        for file in self._files:
            file.close()
