"""The files of an output stream: opened, counted record by record, and finished.

They are kept by the clerk of the stream: the rank that says when a record is complete. What earlier
runs left is moved aside, or gone on with.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from halocline.core.clock import Alarm, Date, duration, from_number, text
from halocline.core.errors import UserError
from halocline.runtime.files.classic_files import (
    GrowingFile,
    Header,
    create,
    parse_header,
    unwritable,
)
from halocline.runtime.files.compressed_files import from_netcdf4, is_netcdf4, to_netcdf4
from halocline.runtime.files.file_names import (
    dates,
    filled,
    names_in_use,
    refuse_links,
    refuse_strange,
)
from halocline.runtime.files.room import Need, check_room, nearest, size_words
from halocline.runtime.writing.stream_options import StreamOptions

stamp = "%Y%m%dT%H%M%S"
_any_date = "ANYDATE"


@dataclass(frozen=True)
class FilePlan:
    """Which files a stream writes, and how they begin (`head`: header and fixed variables).

    A run that begins at `begin` has passed the records up to then, by their `counter`; it goes on
    with the files of a broken run if `resumed`. It writes about `expected` records.
    """

    name: str
    options: StreamOptions
    folder: Path
    head: bytes
    start: Date
    begin: Date
    alarm: Alarm
    expected: int
    counter: str = "time"
    resumed: bool = False

    @cached_property
    def header(self) -> Header:
        """What all files of the stream have in common."""
        return parse_header(self.head)

    def number_of(self, time: Date) -> int:
        """Number of the file that a record of `time` belongs to."""
        if not self.options.split:
            return 0
        moment = min(time, self.alarm.end) if self.alarm.end else time
        length, passed = duration(self.options.split), moment - self.alarm.start
        if self.options.cumulative:
            return max(0, -(-passed // length) - 1)
        return max(0, passed // length)

    def path(self, number: int) -> Path:
        """Where the file of that number grows."""
        split = self.options.split
        first = self.alarm.start + number * duration(split) if split else self.alarm.start
        name = filled(self._pattern, {**self._words, "date": first.strftime(stamp)})
        refuse_strange(name, self.options.file)
        return self._growing(self.folder / name)

    def final_path(self, number: int) -> Path:
        """Name of the file when it is finished."""
        path = self.path(number)
        return path.with_suffix(".zarr") if self.options.format == "zarr" else path

    @property
    def first_paths(self) -> list[Path]:
        """The names of the first file, growing and finished."""
        number = self.number_of(self.begin)
        return [self.path(number), self.final_path(number)]

    @property
    def patterns(self) -> list[str]:
        """All names that the files may have, relative to the folder, as regular expressions."""
        name = Path(filled(self._pattern, {**self._words, "date": _any_date}))
        names = [self._growing(name)]
        names += [name.with_suffix(".zarr")] if self.options.format == "zarr" else []
        return [re.escape(str(some)).replace(_any_date, dates) for some in names]

    @property
    def _words(self) -> dict[str, str]:
        """What stands for the words in names, but for the date."""
        return {"stream": self.name, "start": self.start.strftime(stamp)}

    @property
    def _pattern(self) -> str:
        """The option, with the date where the stream has several files."""
        pattern = self.options.file
        if self.options.split and "{date}" not in pattern:
            before, slash, last = pattern.rpartition("/")
            name = Path(last)
            pattern = f"{before}{slash}{name.stem}_{{date}}{name.suffix}" if last else pattern
        return pattern

    def _growing(self, path: Path) -> Path:
        return path.with_suffix(".nc") if self.options.format == "zarr" else path


class RecordFiles:
    """The files of a plan, one after the other: the clerk's calls.

    Records are complete on disk, or not in the file at all.
    """

    def __init__(self, plan: FilePlan) -> None:
        self.plan = plan
        self.file: GrowingFile | None = None
        self.number = -1

    def open(self, number: int) -> int:
        """Open the file of that number, the one before being finished; how many records it has."""
        if number != self.number:
            self.finish()
            self.number = number
            self._open(self.plan.path(number))
        assert self.file is not None
        return self.file.records

    def go_on(self, number: int) -> None:
        """Take over a file that another process has opened."""
        self.number = number
        self.file = GrowingFile(self.plan.path(number))

    def hand_over(self) -> None:
        """Close the file as it is, for another process."""
        if self.file is not None:
            self.file.close()
            self.file = None

    def finish(self) -> None:
        """Close the file; turn it into the wanted format."""
        if self.file is None:
            return
        self.hand_over()
        options, path = self.plan.options, self.plan.path(self.number)
        if options.format == "netcdf4":
            to_netcdf4(path, options.compression)
        if options.format == "zarr":
            from halocline.runtime.files.zarr_files import to_zarr  # slow

            to_zarr(path, self.plan.final_path(self.number), options.compression, options.shard)

    def _open(self, path: Path) -> None:
        """Make the file, or go on with that of the run that wrote the restart."""
        plan, fresh = self.plan, path.with_name(path.name + ".new")
        _refuse_links(plan, self.number)
        if not plan.folder.is_dir():
            gone = f"the folder of results '{plan.folder}' is no longer there"
            raise unwritable(path, OSError(errno.ENOENT, gone))
        _make_folder(path)
        goes_on = plan.resumed and self._goes_on(path)
        if not goes_on:
            create(fresh, plan.head)
            for existing in {path, plan.final_path(self.number)}:
                if existing.exists():
                    self._make_way(existing, fresh)
            fresh.replace(path)
        self.file = GrowingFile(path)
        if goes_on:
            self.file.recount()
            self.file.cut(self._records_until(plan.begin))

    def _goes_on(self, path: Path) -> bool:
        """Whether the existing file has the same contents, so that records can be added to it."""
        head, final = self.plan.head, self.plan.final_path(self.number)
        if final != path and final.exists() and not path.exists():
            from halocline.runtime.files.zarr_files import from_zarr  # slow

            if not from_zarr(final, path, head):
                return False
        if not path.exists():
            return False
        if is_netcdf4(path) and not from_netcdf4(path, head):
            return False
        with path.open("rb") as file:
            # Magic, number of records, then header and fixed variables.
            old = file.read(len(head))
        return old[:4] == head[:4] and old[12:] == head[12:]

    def _make_way(self, existing: Path, fresh: Path) -> None:
        options = self.plan.options
        if options.existing == "refuse":
            fresh.unlink()
            if self.plan.resumed:
                raise _of_other_contents(self.plan, existing)
            raise _refusal(self.plan, existing)
        if options.existing == "move":
            number = 1
            while os.path.lexists(aside := _numbered(existing, number)):
                number += 1
            existing.rename(aside)
        elif existing.is_dir():
            from halocline.runtime.files.zarr_files import remove_folder  # slow

            remove_folder(existing)

    def _records_until(self, time: Date) -> int:
        assert self.file is not None
        file, calendar = self.file, time.calendar
        times = [
            from_number(float(file.read(self.plan.counter, n)), calendar)
            for n in range(file.records)
        ]
        kept = [moment for moment in times if moment <= time]
        if kept and self.plan.counter == "time":
            self._refuse_gap(kept[-1])
        return len(kept)

    def _refuse_gap(self, last: Date) -> None:
        """Refuse to go on with a file that has lost its last records before the restart."""
        plan = self.plan
        lost = plan.alarm.count(last + plan.alarm.interval, plan.begin)
        if last >= plan.alarm.start and lost:
            self.hand_over()
            raise UserError(
                f"The file '{plan.path(self.number)}' is damaged: after {text(last)} it lacks"
                f" {lost} records up to {text(plan.begin)}, where the run goes on. Move it away,"
                " then resume again: its output goes on in a new file."
            )


def check(
    plans: Sequence[FilePlan], more: Sequence[Need] = (), *, make_folders: bool = True
) -> None:
    """Refuse what cannot be written before any file is touched; on rank 0.

    `more` is what needs room beside the files of the plans. The folders are made, or else looked
    for as far as they are there.
    """
    check_places(plans, make_folders=make_folders)
    check_room([*map(need_of, plans), *more])


def check_places(plans: Sequence[FilePlan], *, make_folders: bool = True) -> None:
    """The same, but for room."""
    for plan in plans:
        path = plan.path(plan.number_of(plan.begin))
        _refuse_links(plan, plan.number_of(plan.begin))
        if make_folders:
            _make_folder(path)
        if not os.access(nearest(path), os.W_OK):
            raise UserError(
                f"Cannot write '{path}': the folder is not writable. Choose another folder."
            )
        final = plan.final_path(plan.number_of(plan.begin))
        if plan.options.existing == "refuse" and not plan.resumed:
            for existing in {path, final}:
                if existing.exists():
                    raise _refusal(plan, existing)


def need_of(plan: FilePlan) -> Need:
    """The room that a stream needs for what it has still to write."""
    each = plan.header.record_size
    size = plan.expected * each
    what = f"The output stream '{plan.name}' needs {size_words(size)} for {plan.expected} records"
    largest = each if plan.options.split else size
    return Need(plan.name, what, plan.path(plan.number_of(plan.begin)), size, largest)


def _refuse_links(plan: FilePlan, number: int) -> None:
    """Refuse to write a file, or to make it again, through a link."""
    for path in (plan.path(number), plan.final_path(number)):
        refuse_links(plan.folder, names_in_use(path))


def _numbered(path: Path, number: int) -> Path:
    """The name of an earlier file that is kept: x.1.nc of x.nc."""
    return path.with_name(f"{path.stem}.{number}{path.suffix}")


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(path, error) from None


def _of_other_contents(plan: FilePlan, existing: Path) -> UserError:
    return UserError(
        f"The run cannot go on with the file '{existing}' of output stream '{plan.name}': it was"
        " begun with other options or by another version of Halocline, and has other variables,"
        " places or attributes. Move it away, then resume again: its output goes on in a new file."
    )


def _refusal(plan: FilePlan, existing: Path) -> UserError:
    return UserError(
        f"The file '{existing}' exists. Choose another folder or name, or set existing ="
        f" 'move' or 'replace' in output stream '{plan.name}'."
    )
