"""Restart files: all that a run needs to go on, in global order, for any number of ranks.

One file per date (`restart_layout`). Every rank assembles and writes some of its ranges, with a
checksum each; it appears under its name only when complete and on disk, and it is verified on
reading. The bytes are the same for any number of ranks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from halocline.core.clock import Date, date
from halocline.core.errors import UserError
from halocline.runtime.assembly import Table, assemble
from halocline.runtime.checksums import DamagedFile, crc32c
from halocline.runtime.classic_files import unwritable
from halocline.runtime.communicator import Communicator
from halocline.runtime.disk import File, disk
from halocline.runtime.fields import Field
from halocline.runtime.restart_layout import (
    Layout,
    damage,
    make_layout,
    map_entry,
    read_checksums,
    read_layout,
)

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


def restart_path(folder: Path, time: Date) -> Path:
    """Name of the restart file of a date."""
    return folder / f"restart_{time.strftime('%Y%m%dT%H%M%S')}{suffix}"


def restart_stamp(path: Path) -> str:
    """The date in the name of a restart file, or nothing where the name is another.

    >>> restart_stamp(Path("results/restart_20110115T180000.safetensors"))
    '20110115T180000'
    """
    found = re.fullmatch(rf"restart_(\d{{8}}T\d{{6}}){re.escape(suffix)}", path.name)
    return found[1] if found else ""


def find_restarts(folder: Path) -> list[Path]:
    """The restart files in a folder, newest first, by the date in their names."""
    return sorted(filter(restart_stamp, folder.glob("restart_*")), reverse=True)


def fields_in(path: Path) -> set[str]:
    """Names of the fields that a restart file holds."""
    return set(read_layout(path).entries)


def write_restart(path: Path, fields: Sequence[Field], time: Date, facts: Facts) -> None:
    """Write the fields at `time`; a call for all ranks.

    `facts` say what a run must share with this one (grid, spectrum, ...); they are compared when
    the file is read.
    """
    assert len({field.name for field in fields}) == len(fields)
    communicator = fields[0].decomposition.communicator
    layout = _layout(fields, time, facts)
    part = path.with_name(path.name + ".part")
    on_first_rank(communicator, lambda: _create(part, path, layout))
    checksums, failure = _write_ranges(part, fields, layout)
    everyone = communicator.gather((checksums, failure))

    def finish() -> None:
        assert everyone is not None
        merged = {n: value for numbers, _ in everyone for n, value in numbers.items()}
        try:
            for rank, (_, problem) in enumerate(everyone):
                if problem is not None:
                    raise problem if rank == 0 else OSError(None, f"{problem} (rank {rank})")
            _finish(part, path, layout, merged)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise unwritable(path, error, " Earlier restart files are as they were.") from None

    on_first_rank(communicator, finish)


def _layout(fields: Sequence[Field], time: Date, facts: Facts) -> Layout:
    texts = {
        "time": time.isoformat(),
        "calendar": str(time.calendar),
        "facts": json.dumps(dict(facts), sort_keys=True),
        "units": json.dumps({field.name: field.units for field in fields}),
    }
    return make_layout([(f.name, f.dtype, _global_shape(f)) for f in fields], texts)


def _create(part: Path, path: Path, layout: Layout) -> None:
    """On rank 0: the file in its full length, with its header."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with disk().open(part, create=True) as file:
            file.truncate(layout.size)
            file.write(layout.header, 0)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise unwritable(path, error) from None


def _write_ranges(
    part: Path, fields: Sequence[Field], layout: Layout
) -> tuple[dict[int, int], OSError | None]:
    """Write this rank's ranges; their checksums by number, and what went wrong.

    A rank that cannot write goes on to send, so that no other waits for it.
    """
    communicator = fields[0].decomposition.communicator
    tables = [Table(field, layout.entries[field.name].offset) for field in fields]
    ranges = list(layout.ranges())[1:]
    checksums: dict[int, int] = {}
    failure: OSError | None = None
    file: File | None = None
    try:
        file = disk().open(part)
    except OSError as error:
        failure = error
    for number, data in assemble(tables, ranges, communicator):
        checksums[number + 1] = crc32c(data)
        try:
            if file is not None and failure is None:
                file.write(data, ranges[number][0])
        except OSError as error:
            failure = error
        del data
    try:
        if file is not None:
            with file:
                if failure is None:
                    file.sync()
    except OSError as error:
        failure = failure or error
    return checksums, failure


def _finish(part: Path, path: Path, layout: Layout, checksums: Mapping[int, int]) -> None:
    """On rank 0, when all ranges are on disk: the table of checksums, then the name."""
    count = layout.table.shape[0]
    table = np.zeros(count, layout.table.dtype)
    table[0] = crc32c(layout.header)
    for number, value in checksums.items():
        table[number] = value
    assert len(checksums) == count - 2, "every range has a writer"
    table[-1] = crc32c(table[:-1])
    with disk().open(part) as file:
        file.write(table, layout.table.offset)
    disk().publish(part, path)


def verified(path: Path, communicator: Communicator) -> Layout:
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


def _global_shape(field: Field) -> tuple[int, ...]:
    world = field.decomposition.world
    horizontal = {"points": (world.sea_points,), "cells": world.mask.shape, "none": ()}
    return (*field.outer, *horizontal[field.on])


def _check(path: Path, layout: Layout, field: Field) -> None:
    """Refuse a file without this field, or with another shape or precision of it."""
    if field.name not in layout.entries:
        raise UserError(
            f"The restart file '{path}' has no field '{field.name}', which this run needs."
            " Use the options of the run that wrote it."
        )
    entry, shape = layout.entries[field.name], _global_shape(field)
    if entry.shape != shape or entry.dtype.newbyteorder("=") != field.dtype:
        raise UserError(
            f"The field '{field.name}' of the restart file '{path}' is"
            f" {entry.dtype.name} {entry.shape}, but this run needs {field.dtype.name}"
            f" {shape}. Use the grid, spectrum and precision that wrote it."
        )


def _compare(path: Path, theirs: Facts, ours: Facts) -> None:
    for name, value in ours.items():
        if theirs.get(name) != value:
            raise UserError(
                f"The restart file '{path}' was written with {name} = {theirs.get(name)}, this run"
                f" has {name} = {value}. Use the same, or start without a restart."
            )
