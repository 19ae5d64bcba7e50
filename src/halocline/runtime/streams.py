"""Output streams: a schedule, a file that grows by records, and what happens to earlier files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
from numpy.typing import NDArray

from halocline.core.clock import (
    Alarm,
    Clock,
    Date,
    date,
    duration,
    duration_text,
    from_number,
    time_units,
    to_number,
)
from halocline.core.errors import UserError
from halocline.core.options import Options, option
from halocline.runtime.classic_files import (
    GrowingFile,
    define,
    define_checksum,
    read_header,
    unwritable,
)
from halocline.runtime.communicator import Communicator
from halocline.runtime.compressed_files import from_netcdf4, is_netcdf4, to_netcdf4
from halocline.runtime.restart import on_first_rank
from halocline.runtime.writing_options import inherited_meaning, inherited_way
from halocline.runtime.zarr_files import from_zarr, remove_folder, to_zarr

Content = Callable[[netCDF4.Dataset], None]
missing_value = 9.969209968386869e36
"""What stands for no value in files (the default of netCDF)."""


@dataclass(frozen=True, kw_only=True)
class StreamOptions(Options):
    """When a stream writes, and into what file."""

    interval: str | float = option("1h", "s", "time between records, as '1h' or in seconds")
    start: str = option(
        "", "", "date of the first record, or time after the start as '12h'; the start if empty"
    )
    end: str = option("", "", "date of the last record, or time after the start; the end if empty")
    file: str = option(
        "{stream}.nc",
        "",
        "name of the file; {stream}, {start} (of the run) and {date} (of the file's first record)"
        " are replaced",
    )
    split: str | float = option(
        "",
        "s",
        "a new file after this time, as '1d' or in seconds, counted from the stream's start; its"
        " {date} is appended to the name where that lacks it; empty: one file",
    )
    precision: str = option(
        "float32", "", "precision of the values in the file", choices=("float32", "float64")
    )
    format: str = option(
        "cdf5",
        "",
        "cdf5: netCDF classic with 64-bit data; netcdf4, zarr: written as cdf5, which is valid at"
        " every record, and turned into netCDF-4 or a Zarr 3 folder when the file is finished",
        choices=("cdf5", "netcdf4", "zarr"),
    )
    compression: int = option(
        0,
        "1",
        "level of zlib (netcdf4) or Zstandard (zarr); 0 is none",
        at_least=0,
        at_most=9,
    )
    shard: int = option(
        1,
        "1",
        "records of a variable in one file of a Zarr folder; chunks are one record",
        at_least=1,
    )
    existing: str = option(
        "move",
        "",
        "an earlier file of that name is moved aside (x.nc to x.1.nc), refused, or replaced; a run"
        " that goes on from a restart appends to it",
        choices=("move", "refuse", "replace"),
    )
    way: str = option("", "", inherited_meaning, choices=inherited_way)
    group: int = option(
        -1,
        "1",
        "group of servers that writes this stream, counted from 0; -1: dealt in turn",
        at_least=-1,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.format == "cdf5" and self.compression:
            raise UserError(
                "CDF-5 files cannot be compressed. Set format = 'netcdf4' or 'zarr', or"
                " compression = 0."
            )

        if self.format != "zarr" and self.shard > 1:
            raise UserError("Only Zarr folders have shards. Set format = 'zarr', or shard = 1.")

    @property
    def cumulative(self) -> bool:
        """Whether a record stands for the interval that ends at its time."""
        return False

    def alarm(self, clock: Clock) -> Alarm:
        """When the stream writes in a run with that clock."""
        interval = duration(self.interval)
        if interval <= timedelta(0) or interval % clock.step != timedelta(0):
            raise UserError(
                f"interval = {duration_text(interval)} is no multiple of the model's step of"
                f" {duration_text(clock.step)}, at the end of which output is written."
            )
        if self.split and duration(self.split) < interval:
            raise UserError(
                f"split = {duration_text(duration(self.split))} is shorter than interval ="
                f" {duration_text(interval)}. A file holds one record at least."
            )
        start = _moment(self.start, clock) if self.start else clock.start
        return Alarm(start, interval, _moment(self.end, clock) if self.end else None)

    def records(self, clock: Clock) -> int:
        """How many records a run with that clock writes from now on."""
        alarm = self.alarm(clock)
        first = alarm.start + alarm.interval if self.cumulative else alarm.start
        return alarm.count(max(clock.time, first), clock.end)


def _moment(value: str, clock: Clock) -> Date:
    """A date, or a time after the start of the run."""
    if "-" in value:
        return date(value, clock.calendar)
    return clock.start + duration(value)


class Stream:
    """Files of one schedule that rank 0 writes; calls are for all ranks.

    Records are complete on disk, or not in the file at all. `counter` names the variable whose
    dates say which records a run that goes on has passed; `records` is their number where that
    does not follow from the schedule.
    """

    def __init__(
        self,
        name: str,
        options: StreamOptions,
        clock: Clock,
        folder: Path,
        communicator: Communicator,
        content: Content,
        *,
        resumed: bool = False,
        counter: str = "time",
        records: int | None = None,
    ) -> None:
        self.name, self.options, self.clock, self.communicator = name, options, clock, communicator
        self._content, self._resumed, self._counter = content, resumed, counter
        self._begin, self._records = clock.time, records
        self._folder = folder
        try:
            self.alarm = options.alarm(clock)
            self._number = self._number_of(clock.time)
            self.path = self._path(self._number)
        except (KeyError, IndexError, ValueError):
            raise UserError(
                f"file = '{options.file}': only {{stream}}, {{start}} and {{date}} can be replaced."
            ) from None
        except UserError as error:
            raise UserError(f"In output stream '{name}': {error}") from None
        self._file: GrowingFile | None = None
        on_first_rank(communicator, self._open)

    def due(self, time: Date) -> bool:
        """Whether a record belongs to `time`."""
        some = time > self.alarm.start or not self.options.cumulative
        return some and self.alarm.rings(time)

    def append(self, time: Date, values: Mapping[str, NDArray[Any]]) -> None:
        """Add the record of `time`; `values` matter on rank 0 only."""
        number = self._number_of(time)
        ahead = number != self._number
        self._number = number

        def write() -> None:
            if ahead:
                self._finish()
                self.path = self._path(number)
                self._open()
            assert self._file is not None
            self._file.append({"time": np.array(to_number(time)), **values})

        on_first_rank(self.communicator, write)
        self.path = self._path(number)

    def close(self) -> None:
        """Finish the file; compress it if wanted."""
        on_first_rank(self.communicator, self._finish)

    @property
    def final_path(self) -> Path:
        """Name of the file when it is finished."""
        return self.path.with_suffix(".zarr") if self.options.format == "zarr" else self.path

    def _number_of(self, time: Date) -> int:
        """Number of the file that a record of `time` belongs to."""
        if not self.options.split:
            return 0
        moment = min(time, self.alarm.end) if self.alarm.end else time
        length, passed = duration(self.options.split), moment - self.alarm.start
        if self.options.cumulative:
            return max(0, -(-passed // length) - 1)
        return max(0, passed // length)

    def _path(self, number: int) -> Path:
        """Where the file of that number grows."""
        pattern, split = self.options.file, self.options.split
        if split and "{date}" not in pattern:
            name = Path(pattern)
            pattern = str(name.with_name(f"{name.stem}_{{date}}{name.suffix}"))
        first = self.alarm.start + number * duration(split) if split else self.alarm.start
        stamp = "%Y%m%dT%H%M%S"
        dates = {"start": self.clock.start.strftime(stamp), "date": first.strftime(stamp)}
        path = self._folder / pattern.format(stream=self.name, **dates)
        return path.with_suffix(".nc") if self.options.format == "zarr" else path

    def _finish(self) -> None:
        if self._file is None:
            return
        self._file.close()
        self._file = None
        if self.options.format == "netcdf4":
            to_netcdf4(self.path, self.options.compression)
        if self.options.format == "zarr":
            to_zarr(self.path, self.final_path, self.options.compression, self.options.shard)

    def _open(self) -> None:
        """On rank 0: make the file, or go on with that of the run that wrote the restart."""
        fresh = self.path.with_name(self.path.name + ".new")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(self.path, error) from None
        if not os.access(self.path.parent, os.W_OK):
            raise UserError(
                f"Cannot write '{self.path}': the folder is not writable. Choose another folder."
            )
        define(fresh, self._content)
        goes_on = self._resumed and self._goes_on(fresh)
        if goes_on:
            fresh.unlink()
        else:
            for existing in {self.path, self.final_path}:
                if existing.exists():
                    self._make_way(existing, fresh)
            fresh.replace(self.path)
        self._file = GrowingFile(self.path)
        if goes_on:
            self._file.cut(self._records_until(self._begin))
        self._check_room()

    def _goes_on(self, fresh: Path) -> bool:
        """Whether the existing file has the same contents, so that records can be added to it."""
        content = self._content
        if self.final_path != self.path and self.final_path.exists() and not self.path.exists():
            if not from_zarr(self.final_path, self.path, content):
                return False
        if not self.path.exists():
            return False
        if is_netcdf4(self.path) and not from_netcdf4(self.path, content):
            return False
        try:
            start = read_header(fresh).record_start
        except UserError:
            return False
        with fresh.open("rb") as new, self.path.open("rb") as old:
            # Magic, number of records, then header and fixed variables.
            first, second = new.read(start), old.read(start)
        return first[:4] == second[:4] and first[12:] == second[12:]

    def _make_way(self, existing: Path, fresh: Path) -> None:
        if self.options.existing == "refuse":
            fresh.unlink()
            raise UserError(
                f"The file '{existing}' exists. Choose another folder or name, or set existing ="
                f" 'move' or 'replace' in output stream '{self.name}'."
            )
        if self.options.existing == "move":
            number = 1
            while (aside := existing.with_suffix(f".{number}{existing.suffix}")).exists():
                number += 1
            existing.rename(aside)
        elif existing.is_dir():
            remove_folder(existing)

    def _records_until(self, time: Date) -> int:
        assert self._file is not None
        file, calendar = self._file, time.calendar
        times = [
            from_number(float(file.read(self._counter, n)), calendar) for n in range(file.records)
        ]
        return sum(moment <= time for moment in times)

    def _check_room(self) -> None:
        """Refuse to start a run whose output does not fit on the disk."""
        assert self._file is not None
        count = self.options.records(self.clock) if self._records is None else self._records
        needed = count * self._file.header.record_size
        free = shutil.disk_usage(self.path.parent).free
        if needed > free:
            self._file.close()
            raise UserError(
                f"The output stream '{self.name}' needs {needed / 1e6:.0f} MB for {count} records"
                f" in '{self.path}', but the disk has {free / 1e6:.0f} MB left. Free some space,"
                " choose another folder, or write less."
            )


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
