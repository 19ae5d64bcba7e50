"""When an output stream writes, and into what files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from halocline.core.clock import Alarm, Clock, Date, date, duration, duration_text, later
from halocline.core.errors import UserError
from halocline.core.options import Options, option
from halocline.runtime.writing.writing_options import inherited_meaning, inherited_way


@contextmanager
def in_stream(name: str) -> Iterator[None]:
    """Say of a mistake that it is one of an output stream."""
    try:
        yield
    except UserError as error:
        raise UserError(f"In output stream '{name}': {error}") from None


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

    def records_in_words(self, clock: Clock) -> str:
        """How many records that is."""
        return f"{self.records(clock)} records"


def _moment(value: str, clock: Clock) -> Date:
    """A date, or a time after the start of the run."""
    if "-" in value:
        return date(value, clock.calendar)
    return later(clock.start, duration(value))
