"""Output streams: a schedule, and a record of values at each of its times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
from numpy.typing import NDArray

from halocline.core.clock import Clock, Date, time_units, to_number
from halocline.runtime.files.classic_files import (
    StoredVariable,
    checksum_name,
    checksum_size,
    define_checksum,
    make_head,
)
from halocline.runtime.writing.record_files import FilePlan
from halocline.runtime.writing.sources import TableSource, of_first_rank
from halocline.runtime.writing.stream_options import StreamOptions, in_stream
from halocline.runtime.writing.writers import Writers

Content = Callable[[netCDF4.Dataset], None]
missing_value = 9.969209968386869e36
"""What stands for no value in files (the default of netCDF)."""


class Stream:
    """Files of one schedule; calls are for all ranks.

    `counter` names the variable whose dates say which records a run that goes on has passed;
    `records` is their number where that does not follow from the schedule.
    """

    def __init__(
        self,
        name: str,
        options: StreamOptions,
        clock: Clock,
        folder: Path,
        content: Content,
        *,
        resumed: bool = False,
        counter: str = "time",
        records: int | None = None,
    ) -> None:
        self.name, self.options = name, options
        with in_stream(name):
            self.alarm = options.alarm(clock)
            self.plan = FilePlan(
                name,
                options,
                folder,
                make_head(content),
                clock.start,
                clock.time,
                self.alarm,
                options.records(clock) if records is None else records,
                counter,
                resumed,
            )
            self.number = self.plan.number_of(clock.time)
            self.plan.path(self.number)
        self._growing = self.plan.header.growing
        self._writers: Writers | None = None

    def open(self, writers: Writers) -> None:
        """Open the first file."""
        self._writers = writers
        writers.open(self.plan, self.number)

    def due(self, time: Date) -> bool:
        """Whether a record belongs to `time`."""
        some = time > self.alarm.start or not self.options.cumulative
        return some and self.alarm.rings(time)

    def append(self, time: Date, values: Mapping[str, TableSource | NDArray[Any]]) -> None:
        """Add the record of `time`: sources, or arrays, which only rank 0 has."""
        assert self._writers is not None, "the stream is open"
        self.number = self.plan.number_of(time)
        given = {"time": np.array(to_number(time)), **values}
        places = {name: place for name, place in self._growing.items() if name != checksum_name}
        assert set(given) <= set(places), "the file has these variables"
        sources = {name: _source(given.get(name), place) for name, place in places.items()}
        self._writers.record(self.name, self.number, sources)

    def close(self) -> None:
        """Finish the file."""
        assert self._writers is not None, "the stream is open"
        self._writers.finish(self.name)

    @property
    def final_path(self) -> Path:
        """Name of the file when it is finished."""
        return self.plan.final_path(self.number)


def _source(value: TableSource | NDArray[Any] | None, place: StoredVariable) -> TableSource:
    """Values of a variable; where only rank 0 has them, others know their number."""
    if isinstance(value, TableSource):
        return value
    kind, width = place.dtype.newbyteorder("="), prod(place.shape)
    if value is None:
        return of_first_rank(np.broadcast_to(np.zeros((), kind), (1, width)))
    assert np.shape(value) == place.shape, f"{np.shape(value)} is not {place.shape}"
    return of_first_rank(np.asarray(value, kind).reshape(1, width))


def define_time(file: netCDF4.Dataset, calendar: str, *, bounds: bool = False) -> None:
    """The unlimited axis of time, as CF has it, and the checksums of its records.

    With `bounds`, also those of the interval of each record.
    """
    file.createDimension("time", None)
    variable = file.createVariable("time", "f8", ("time",))
    units, calendar = time_units(calendar)
    variable.setncatts(
        {
            "standard_name": "time",
            "long_name": "time",
            "units": units,
            "calendar": calendar,
            "axis": "T",
        }
    )
    define_checksum(file)
    if bounds:
        variable.bounds = "time_bounds"
        file.createDimension("two", 2)
        file.createVariable("time_bounds", "f8", ("time", "two"))


def bytes_of_time(*, bounds: bool = False) -> int:
    """Bytes of what `define_time` puts into each record."""
    return 8 + checksum_size + 16 * bounds


def define_values(
    file: netCDF4.Dataset,
    name: str,
    dtype: str,
    dimensions: tuple[str, ...],
    attributes: Mapping[str, Any],
) -> None:
    """A variable with missing values."""
    fill = np.dtype(dtype).type(missing_value)
    variable = file.createVariable(name, dtype, dimensions, fill_value=fill)
    variable.setncatts(dict(attributes))
