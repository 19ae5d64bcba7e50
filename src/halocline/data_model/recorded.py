"""What exchanges of an earlier run gave, read back as it was: no interpolation, the same bits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import netCDF4
import numpy as np
from numpy.typing import NDArray

from halocline.component.streams.conventions import axis_names
from halocline.component.streams.region import cut_region
from halocline.core.clock import Date, from_number, text, to_number
from halocline.core.errors import UserError
from halocline.core.netcdf_lock import netcdf_lock
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.sides import put_values, side_of
from halocline.runtime.transfer.side import in_order
from halocline.runtime.transfer.transfer import Transfer
from halocline.runtime.writing.restart import on_first_rank
from halocline.runtime.writing.streams import missing_value

Array = NDArray[Any]
Index = NDArray[np.int64]
places = (Place.center, Place.x_face, Place.y_face, Place.corner)


class RecordedVariable(NamedTuple):
    """A field of a record."""

    name: str
    units: str
    dtype: str
    dimensions: tuple[str, ...]
    shape: tuple[int, ...]


@dataclass(frozen=True)
class ExchangeFile:
    """A file that an exchange of an earlier run was written to."""

    path: str
    variables: tuple[RecordedVariable, ...]
    times: tuple[float, ...]  # [s]
    calendar: str

    def place_of(self, name: str, grid: Grid) -> Place:
        """Where the values of a field lie; refused where the grid has not as many places."""
        facts = next(some for some in self.variables if some.name == name)
        region = cut_region(grid, [])
        for place in places:
            if facts.dimensions == ("time", *axis_names(grid, place)):
                wanted = tuple(line.size for line in region.lines(place))
                if facts.shape[1:] == wanted:
                    return place
        raise UserError(
            f"'{name}' in {self.path} has the dimensions {facts.dimensions[1:]} and"
            f" {facts.shape[1:]} values, but the grid of the data model has {grid.shape} cells."
            " Give it the [grid] of the member that took what is recorded."
        )

    def refuse_other_places(self, grid: Grid) -> None:
        """Refuse a grid whose cells lie elsewhere."""
        with _opened(self.path) as file:
            for name in ("longitude", "latitude", "x", "y"):
                some, plane = file.variables.get(name), getattr(grid, name, None)
                lines = {"longitude": grid.x, "latitude": grid.y}.get(name)
                wanted = plane if plane is not None else lines
                if some is None or wanted is None or some.shape != np.shape(wanted):
                    continue
                if np.abs(np.asarray(some[:]) - wanted).max() > 1e-9 * np.abs(wanted).max():
                    raise UserError(
                        f"Cells of {self.path} lie at another {name} than those of the data model."
                        " Give it the [grid] of the member that took what is recorded."
                    )


@contextmanager
def _opened(path: str) -> Iterator[netCDF4.Dataset]:
    with netcdf_lock:
        try:
            file = netCDF4.Dataset(path)
        except OSError as error:
            raise UserError(
                f"The record {path} cannot be read ({error}). A coupled run with schedule.recorded"
                " writes such files to its folder of results."
            ) from None
        with file:
            file.set_auto_maskandscale(False)
            yield file


@lru_cache(maxsize=32)
def read_facts(path: str) -> ExchangeFile:
    """What a record holds."""
    with _opened(path) as file:
        time = file.variables.get("time")
        if time is None or not time.size:
            raise UserError(f"{path} holds no records of exchanges: it has no times.")
        found = [
            RecordedVariable(name, str(some.units), some.dtype.str[1:], some.dimensions, some.shape)
            for name, some in file.variables.items()
            if some.dimensions[:1] == ("time",) and some.ndim == 3
        ]
        return ExchangeFile(path, tuple(found), tuple(map(float, time[:])), str(time.calendar))


class RecordedFields:
    """The fields of a record, each at its place and in its precision.

    To make it is a call for all ranks, and so is each update.
    """

    def __init__(self, path: str, grid: Grid, cut: Decomposition) -> None:
        self.communicator = cut.communicator
        self.record = on_first_rank(self.communicator, lambda: read_facts(path))
        self.fields: dict[str, Field] = {}
        self.ways: dict[Place, tuple[Index, Transfer]] = {}
        for some in self.record.variables:
            place = self.record.place_of(some.name, grid)
            field = Field(some.name, some.units, cut, place=place, dtype=np.dtype(some.dtype))
            self.fields[some.name] = field
            if place not in self.ways:
                numbers, chosen = _points(grid, place)
                whole = numbers if self.communicator.rank == 0 else numbers[:0]
                way = Transfer(
                    in_order(whole), side_of(field), self.communicator, name="recorded fields"
                )
                self.ways[place] = chosen, way
        on_first_rank(self.communicator, lambda: self.record.refuse_other_places(grid))

    def update(self, time: Date, *, first: bool = False) -> None:
        """Hold what was recorded at a time; at the `first` one nothing need be there."""
        found: dict[str, Array] = {}

        def read() -> bool:
            number = self._find(time, first=first)
            if number is not None:
                found.update(self._read(number))
            return number is not None

        if not on_first_rank(self.communicator, read):
            for field in self.fields.values():
                field.fill(np.nan)
            return
        for name, field in self.fields.items():
            put_values(self.ways[field.place][1], [[found[name]]] if found else None, field)

    def _find(self, time: Date, *, first: bool) -> int | None:
        """The number of the record of a time."""
        wanted, times = to_number(time), np.array(self.record.times)
        number = int(np.argmin(np.abs(times - wanted)))
        if abs(times[number] - wanted) < 1e-3:
            return number
        if first:
            return None
        begin, end = (text(from_number(times[n], self.record.calendar)) for n in (0, -1))
        apart = f", {times[1] - times[0]:g} s apart" if times.size > 1 else ""
        raise UserError(
            f"{self.record.path} has no record of {text(time)}: there are those from {begin} to"
            f" {end}{apart}. Let the data model step as they are apart (time.step), within that"
            " time."
        )

    def _read(self, number: int) -> dict[str, Array]:
        """All fields at their points, NaN where nothing was."""
        found = {}
        with _opened(self.record.path) as file:
            for name, field in self.fields.items():
                values = np.asarray(file.variables[name][number]).astype(field.dtype)
                values[values == np.asarray(missing_value, field.dtype)] = np.nan
                found[name] = values.ravel()[self.ways[field.place][0]][None]
        return found


def _points(grid: Grid, place: Place) -> tuple[Index, Index]:
    """Numbers of the points of a place that files hold, and where in their planes."""
    rows, columns = cut_region(grid, []).lines(place)
    numbers = rows[:, None] * grid.topology.shape(place)[1] + columns
    return np.unique(numbers.ravel(), return_index=True)
