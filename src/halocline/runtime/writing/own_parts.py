"""Writing where every rank's own values lie in the file, run by run.

By the ranks themselves ('parts'; 'mpiio' and 'pnetcdf' through libraries), or by rank 0 as their
local arrays arrive ('striped'). All bytes are right only where the file system keeps the writes of
several processes apart; the checksums, made of the values themselves, show where it does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from halocline.runtime import _native
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.writing.direct_writing import (
    Job,
    OpenTarget,
    complete_behind,
    complete_from_all,
)
from halocline.runtime.writing.frame_writing import HeldRuns, Sums
from halocline.runtime.writing.frames import Cut, Frame, Table, TableArea
from halocline.runtime.writing.mail import Bytes, Mail, wait
from halocline.runtime.writing.pen import Pen
from halocline.runtime.writing.sharing import Index, OwnedRuns

_whole_start = np.zeros(1, np.int64)


class OwnParts:
    """Every rank writes its own runs of a frame, with plain writes."""

    name = "parts"

    def __init__(self, communicator: Communicator, mail: Mail, pen: Pen) -> None:
        self.communicator, self.mail, self.pen = communicator, mail, pen

    def clerk(self, order: int) -> int:
        """The rank that keeps the files of an output."""
        return 0

    def write(self, job: Job) -> None:
        """Write a frame; a call for all ranks."""
        target, clerk = job.target, self.mail.rank == 0
        if job.begins:
            if clerk:
                self.pen.do(target.begin)
                self.pen.drain()
            self.communicator.broadcast(None)
        sums: Sums = np.zeros(len(job.frame.range_ends), np.uint32)
        self.write_runs(job, sums, target if clerk else OpenTarget(target))
        complete_from_all(self.communicator, self.pen, sums, job)

    def write_runs(self, job: Job, sums: Sums, sink: OpenTarget | object) -> None:
        """Write this rank's runs, which are on the disk afterwards."""
        offsets, lengths, data = own_runs(job.frame, self.mail.rank, job.held, sums)
        base = job.target.base
        part = sink if isinstance(sink, OpenTarget) else None

        def task() -> None:
            try:
                file = part.file() if part else job.target.file()
                file.write_runs(data, offsets + base, lengths)
            except OSError as error:
                raise job.target.failure(error) from None
            if part:
                part.finish()

        self.pen.do(task)
        self.pen.drain()


class Striped:
    """Rank 0 writes every rank's local array as it arrives, run by run (Tolman 2003, 5.2)."""

    name = "striped"

    def __init__(self, mail: Mail, pen: Pen) -> None:
        self.mail, self.pen = mail, pen

    def clerk(self, order: int) -> int:
        """The rank that keeps the files of an output."""
        return 0

    def write(self, job: Job) -> None:
        """Write a frame; a call for all ranks."""
        frame, sums = job.frame, np.zeros(len(job.frame.range_ends), np.uint32)
        if self.mail.rank != 0:
            _, _, data = own_runs(frame, self.mail.rank, job.held, sums)
            wait(self.mail.send(0, data))
            return
        if job.begins:
            self.pen.do(job.target.begin)
        for rank in range(self.mail.size):
            offsets, lengths = places_of(frame, rank)
            if rank == 0:
                _, _, data = own_runs(frame, 0, job.held, sums)
            else:
                data = np.empty(int(lengths.sum()), np.uint8)
                wait(self.mail.receive(rank, data))
                add_run_sums(frame, rank, data, sums)
            self._write(job, data, offsets, lengths)
        complete_behind(self.pen, job.target, sums, job)
        self.pen.drain()

    def _write(self, job: Job, data: Bytes, offsets: Index, lengths: Index) -> None:
        def task() -> None:
            try:
                job.target.file().write_runs(data, offsets + job.target.base, lengths)
            except OSError as error:
                raise job.target.failure(error) from None

        self.pen.do(task)
        self.pen.drain()


def own_runs(
    frame: Frame, rank: int, held: Sequence[HeldRuns], sums: Sums
) -> tuple[Index, Index, Bytes]:
    """Offsets in the frame and lengths [byte] of a rank's runs, and their bytes as in the file.

    Rank 0 also has the columns that nobody owns. Adds to the checksums of the ranges.
    """
    parts = []
    for table, runs, values in _owned_runs(frame, rank, held):
        packed = np.empty(table.rows_of(runs) * int(runs.ends[-1]) * table.held.itemsize, np.uint8)
        rows = (0, table.rows_of(runs))
        whole = TableArea(0, rows, (0, table.columns), 0)
        cut = Cut(whole, runs, rows, 0, int(runs.ends[-1]), packed.size)
        if values is None:
            item = np.array(table.fill or 0, table.stored).tobytes()
            data = np.empty(packed.size // table.held.itemsize * table.stored.itemsize, np.uint8)
            _native.fill_items(data, np.frombuffer(item, np.uint8))
        else:
            values.pack(cut, packed)
            data = _as_stored(table, packed)
        parts.append(data)
    data = np.concatenate(parts) if parts else np.empty(0, np.uint8)
    add_run_sums(frame, rank, data, sums)
    return (*places_of(frame, rank), data)


def places_of(frame: Frame, rank: int) -> tuple[Index, Index]:
    """Offsets in the frame and lengths [byte] of a rank's runs, in the order of `own_runs`."""
    offsets, lengths = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for table, runs, _ in _owned_runs(frame, rank, None):
        size = table.stored.itemsize
        rows = np.arange(table.rows) if runs.rows is None else runs.rows
        begin = table.offset + rows[:, np.newaxis] * (table.columns * size) + runs.starts * size
        offsets.append(begin.ravel())
        lengths.append(np.tile(runs.lengths * size, rows.size))
    return np.concatenate(offsets), np.concatenate(lengths)


def add_run_sums(frame: Frame, rank: int, data: Bytes, sums: Sums) -> None:
    """Add what a rank's runs give to the linear checksums of the ranges."""
    bounds = np.array([0, *frame.range_ends], np.int64)
    at = 0
    for table, runs, _ in _owned_runs(frame, rank, None):
        size, row_bytes = table.stored.itemsize, table.columns * table.stored.itemsize
        rows = np.arange(table.rows) if runs.rows is None else runs.rows
        count = int(runs.ends[-1])
        groups = [(0, rows.size)] if runs.rows is None else [(n, n + 1) for n in range(rows.size)]
        for first, last in groups:
            part = data[at : at + (last - first) * count * size]
            at += part.size
            offset = table.offset + int(rows[first]) * row_bytes
            _native.crc32c_runs(
                part, runs.starts, runs.lengths, 0, count, size, offset, row_bytes, bounds,
                frame.hole, sums,
            )  # fmt: skip


def _owned_runs(
    frame: Frame, rank: int, held: Sequence[HeldRuns] | None
) -> Iterator[tuple[Table, OwnedRuns, HeldRuns | None]]:
    """A rank's runs of all tables; on rank 0 also the columns that nobody owns."""
    for number, table in enumerate(frame.tables):
        for runs in table.sharing.owned:
            if runs.rank == rank:
                yield table, runs, held[number] if held is not None else None
        starts, lengths = table.sharing.unowned
        if rank == 0 and starts.size:
            yield table, OwnedRuns(0, -1, starts, lengths), None


def _as_stored(table: Table, packed: Bytes) -> Bytes:
    """Packed values in the type and byte order of the file."""
    count = packed.size // table.held.itemsize
    data = np.empty(count * table.stored.itemsize, np.uint8)
    _native.unpack_runs(
        packed, _whole_start, np.array([count]), 0, count, 0, data, count,
        table.held.str, table.stored.str, table.fill,
    )  # fmt: skip
    return data
