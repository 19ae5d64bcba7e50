"""Restart files: all that a run needs to go on, in global order, for any number of ranks.

One file per date (`restart_layout`). It appears under its name only when complete and on disk, and
it is verified on reading. The bytes are the same for any number of ranks, but on land: a block of
it that a cut leaves out is zero, and land that is computed along with the sea what was made there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from halocline.core.clock import Date, date
from halocline.core.errors import UserError
from halocline.runtime.fields.field import Field
from halocline.runtime.files.checksums import DamagedFile, crc32c, extend_by_parts
from halocline.runtime.files.classic_files import unwritable
from halocline.runtime.files.disk import File, disk
from halocline.runtime.files.restart_layout import (
    RestartLayout,
    damage,
    make_layout,
    map_entry,
    read_checksums,
    read_layout,
)
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.writing.frames import Frame, Table
from halocline.runtime.writing.sources import TableSource

Facts = Mapping[str, str | int | float]
Result = TypeVar("Result")
suffix = ".safetensors"


def on_first_rank(communicator: Communicator, action: Callable[[], Result]) -> Result:
    """Do something on rank 0 and hand its result, or its mistake, to all ranks alike."""
    result: Any = None
    if communicator.rank == 0:
        try:
            result = action(), None
        except UserError as error:
            result = None, (type(error), str(error))
    value, failure = communicator.broadcast(result)
    if failure is not None:
        kind, words = failure
        raise kind(words)
    return value


def restart_path(folder: Path, time: Date, member: str = "") -> Path:
    """Name of the restart file of a date, of one member where a run has several."""
    stamp = time.strftime("%Y%m%dT%H%M%S")
    return folder / f"restart_{stamp}{_of(member)}{suffix}"


def restart_stamp(path: Path, member: str = "") -> str:
    """The date in the name of a restart file, or nothing where the name is another.

    >>> restart_stamp(Path("results/restart_20110115T180000.safetensors"))
    '20110115T180000'
    >>> restart_stamp(Path("restart_20110115T180000.waves.safetensors"), "waves")
    '20110115T180000'
    """
    ending = re.escape(f"{_of(member)}{suffix}")
    found = re.fullmatch(rf"restart_(\d{{8}}T\d{{6}}){ending}", path.name)
    return found[1] if found else ""


def _of(member: str) -> str:
    return f".{member}" if member else ""


def find_restarts(folder: Path, member: str = "") -> list[Path]:
    """The restart files in a folder (of a member), newest first, by the date in their names."""
    found = [path for path in folder.glob("restart_*") if restart_stamp(path, member)]
    return sorted(found, reverse=True)


def restarts_of_all(folder: Path) -> list[Path]:
    """The restart files in a folder, whatever member they are of."""
    name = re.compile(rf"restart_\d{{8}}T\d{{6}}(\.[\w-]+)?{re.escape(suffix)}")
    return sorted(path for path in folder.glob("restart_*") if name.fullmatch(path.name))


def fields_in(path: Path) -> set[str]:
    """Names of the fields that a restart file holds."""
    return set(read_layout(path).entries)


def restart_target(
    path: Path, fields: Sequence[Field], time: Date, facts: Facts, keep: int = 0
) -> RestartTarget:
    """The file that holds the fields at `time`.

    `facts` say what a run must share with this one (grid, precision, ...); they are compared when
    the file is read. Of the restarts up to this one the newest `keep` stay (0: all).
    """
    assert len({field.name for field in fields}) == len(fields)
    texts = {
        "time": time.isoformat(),
        "calendar": str(time.calendar),
        "facts": json.dumps(dict(facts), sort_keys=True),
        "units": json.dumps({field.name: field.units for field in fields}),
    }
    arrays = [(field.name, field.dtype, field.shape) for field in fields]
    return RestartTarget(path, make_layout(arrays, texts), keep)


@dataclass
class RestartTarget:
    """A restart file that is being written, under another name until it is complete."""

    path: Path
    layout: RestartLayout
    keep: int = 0
    _file: File | None = None

    @property
    def written(self) -> Path:
        """The name of the file until then."""
        return self.path.with_name(self.path.name + ".part")

    @property
    def base(self) -> int:
        """Where the frame begins in the file."""
        return len(self.layout.header)

    def begin(self) -> None:
        """Make the file in its full length, with its header."""
        try:
            self._file = disk().open(self.written, create=True)
            self._file.truncate(self.layout.size)
            self._file.write(self.layout.header, 0)
        except OSError as error:
            self.give_up()
            raise unwritable(self.path, error) from None

    def file(self) -> File:
        """The file, open."""
        assert self._file is not None, "the file is there"
        return self._file

    def complete(self, sums: NDArray[np.uint32]) -> None:
        """When all ranges are on disk: the table of checksums, then the name."""
        layout, ends = self.layout, [end for _, end in self.layout.ranges()]
        table = np.zeros(layout.table.shape[0], layout.table.dtype)
        table[0] = crc32c(layout.header)
        for number, (begin, end) in enumerate(zip(ends, ends[1:], strict=False), 1):
            table[number] = extend_by_parts(0, end - begin, int(sums[number - 1]))
        table[-1] = crc32c(table[:-1])
        self.file().write(table, layout.table.offset)
        self.file().sync()
        self.file().close()
        self._file = None
        disk().replace(self.written, self.path)
        disk().sync_folder(self.path.parent)
        self._remove_old()

    def give_up(self) -> None:
        """Leave nothing behind of a file that cannot be completed."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self.written.unlink(missing_ok=True)

    def failure(self, error: OSError) -> UserError:
        """What to say where it cannot be written."""
        return unwritable(self.path, error, " Earlier restart files are as they were.")

    def _remove_old(self) -> None:
        if self.keep:
            found = [p for p in find_restarts(self.path.parent) if p.name <= self.path.name]
            for path in found[self.keep :]:
                path.unlink()


def restart_frame(layout: RestartLayout, sources: Mapping[str, TableSource]) -> Frame:
    """The frame of a restart file: tables of these sources, in their order."""
    base = len(layout.header)
    tables = tuple(
        Table(
            name, layout.entries[name].offset - base, source.rows, source.sharing,
            source.dtype, source.dtype.newbyteorder("<"),
        )
        for name, source in sources.items()
    )  # fmt: skip
    ends = tuple(end - base for _, end in layout.ranges())[1:]
    return Frame(tables, layout.table.offset - base, ends)


def verified(path: Path, communicator: Communicator) -> RestartLayout:
    """The layout of a file all of whose checksums are right; every rank reads some of it."""
    layout = on_first_rank(communicator, lambda: read_layout(path))
    count = layout.table.shape[0] - 1
    numbers = range(communicator.rank, count, communicator.size)
    found = communicator.gather(damage(path, layout, read_checksums(path, layout), numbers))
    problems = [problem for problem in communicator.broadcast(found) if problem is not None]
    if problems:
        raise DamagedFile(min(problems)[1])
    return layout


def read_restart(path: Path, fields: Sequence[Field], facts: Facts, calendar: str) -> Date:
    """Set the fields from a file and return its date; a call for all ranks.

    Every rank reads the part that it owns. A damaged file raises `DamagedFile`; one of another
    grid or a newer version, or without a field, is refused.
    """
    layout = verified(path, fields[0].decomposition.communicator)
    _compare(path, json.loads(layout.texts["facts"]), facts)
    for field in fields:
        _check(path, layout, field)
    for field in fields:
        field.set_global(map_entry(path, layout.entries[field.name]))
    return date(layout.texts["time"], calendar)


def _check(path: Path, layout: RestartLayout, field: Field) -> None:
    """Refuse a file without this field, or with another shape or precision of it."""
    if field.name not in layout.entries:
        raise UserError(
            f"The restart file '{path}' has no field '{field.name}', which this run needs."
            " Use the options, and the version of Halocline, of the run that wrote it."
        )
    entry, shape = layout.entries[field.name], field.shape
    if entry.shape != shape or entry.dtype.newbyteorder("=") != field.dtype:
        raise UserError(
            f"The field '{field.name}' of the restart file '{path}' is"
            f" {entry.dtype.name} {entry.shape}, but this run needs {field.dtype.name}"
            f" {shape}. Use the grid, options, precision and version of Halocline that wrote it."
        )


def _compare(path: Path, theirs: Facts, ours: Facts) -> None:
    for name, value in ours.items():
        if theirs.get(name) != value:
            raise UserError(
                f"The restart file '{path}' was written with {name} = {theirs.get(name)}, this run"
                f" has {name} = {value}. Use the same, or start without a restart."
            )
