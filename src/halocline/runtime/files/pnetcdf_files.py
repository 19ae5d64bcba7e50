"""Every rank writes its own runs of bytes of a growing file through PnetCDF.

PnetCDF keeps a count of records of its own and writes it into the header when a record beyond it
was written: collectively at once, independently when the file is closed. The count is our commit,
to be raised when the data are on disk and checksummed. So a file that is written collectively is
opened with a count that no record exceeds, and gets its own back at once; after closing, a count
that PnetCDF has raised is set back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.runtime.files.classic_files import Header, StoredVariable, read_header
from halocline.runtime.files.disk import File, disk
from halocline.runtime.files.mpi_files import agree, in_file_order, reserve
from halocline.runtime.files.pnetcdf_library import Pnetcdf, load
from halocline.runtime.ranks.communicator import Ranks

Bytes: TypeAlias = NDArray[np.uint8]
Index: TypeAlias = NDArray[np.int64]

_count_at = 4  # of the number of records in a CDF-5 file
_more_than_any = 1 << 30
_at_once = 1 << 30
"""Bytes per call [byte]: PnetCDF counts them with 31 bits."""
_hints = {"romio_ds_write": "disable", "nc_in_place_swap": "enable"}


def usable(ranks: Ranks) -> Pnetcdf:
    """PnetCDF, or what is wrong with it on any rank as a mistake of all; a call for all ranks."""
    library, problem = None, ""
    try:
        library = load()
    except UserError as error:
        problem = str(error)
    problems = [words for words in ranks.broadcast(ranks.gather(problem)) if words]
    if problems:
        raise UserError(problems[0])
    assert library is not None
    return library


class PnetcdfFile:
    """A growing CDF-5 file that PnetCDF has open on all ranks; all calls are for all ranks."""

    def __init__(self, ranks: Ranks, path: Path, *, collective: bool) -> None:
        self.ranks, self.path, self.collective = ranks, path, collective
        self._pnetcdf = usable(ranks)
        failure: OSError | None = None
        try:
            self.header = read_header(path)
            self._plain = disk().open(path)
        except OSError as error:
            failure = error
        agree(ranks, failure)
        try:
            self._file = self._open()
        except OSError as error:
            self._plain.close()
            failure = error
        agree(ranks, failure)
        self._numbers = {name: self._pnetcdf.find(self._file, name) for name in self.header.growing}

    def write_runs(self, offsets: Index, lengths: Index, data: Bytes) -> None:
        """Write this rank's runs of a record, which are on disk when the call ends.

        `offsets` and `lengths` [byte] say where `data` (big-endian) belongs in the file, run after
        run. The count of records stays as it is. Any rank's failure is raised on all of them, as
        the same OSError.
        """
        offsets, lengths, data = in_file_order(offsets, lengths, data)
        failure = reserve(self.ranks, self._plain, offsets, lengths)
        agree(self.ranks, failure)
        try:
            self._write(list(selections(self.header, offsets, lengths, data)))
            self._plain.sync()
        except OSError as error:
            failure = error
        agree(self.ranks, failure)

    def close(self) -> None:
        """Close the file; its count of records stays as it is."""
        failure: OSError | None = None
        count = self._plain.read(8, _count_at)
        try:
            self._pnetcdf.close(self._file)
        except OSError as error:
            failure = error
        self.ranks.gather(None)
        try:
            if self.ranks.rank == 0 and self._plain.read(8, _count_at) != count:
                _set_count(self._plain, count)
        except OSError as error:
            failure = error
        self._plain.close()
        agree(self.ranks, failure)

    def _open(self) -> int:
        from mpi4py import MPI

        info = MPI.Info.Create(_hints)
        try:
            if not self.collective:
                file = self._pnetcdf.open(self.ranks.comm, self.path, info)
                self._pnetcdf.begin_independent(file)
                return file
            count = self._plain.read(8, _count_at)
            try:
                if self.ranks.rank == 0:
                    self._plain.write(_more_than_any.to_bytes(8, "big"), _count_at)
                self.ranks.broadcast(None)
                return self._pnetcdf.open(self.ranks.comm, self.path, info)
            finally:
                self.ranks.gather(None)
                if self.ranks.rank == 0:
                    _set_count(self._plain, count)
        finally:
            info.Free()

    def _write(self, parts: list[Selection]) -> None:
        rounds = [*_rounds(parts)]
        most = int(self.ranks.maximum(np.array([float(len(rounds))]))[0])
        failure: OSError | None = None
        for number in range(most):
            try:
                for part in rounds[number] if number < len(rounds) else []:
                    at = self._numbers[part.name]
                    self._pnetcdf.post(self._file, at, part.starts, part.counts, part.values)
            except OSError as error:
                failure = failure or error
            try:
                self._pnetcdf.write(self._file, collective=self.collective)
            except OSError as error:
                failure = failure or error
        if failure is not None:
            raise failure


def _set_count(file: File, count: bytes) -> None:
    file.write(count, _count_at)
    file.sync()


@dataclass(frozen=True)
class Selection:
    """Parts of a variable: where each starts, its counts (part, dimension), all their values."""

    name: str
    starts: Index
    counts: Index
    values: NDArray[Any]


def selections(header: Header, offsets: Index, lengths: Index, data: Bytes) -> Iterator[Selection]:
    """What runs of bytes in file order, all of one record, are of its variables."""
    if not offsets.size:
        return
    record, first = divmod(int(offsets[0]) - header.record_start, header.record_size)
    starts = offsets - header.record_start - record * header.record_size
    assert first >= 0 and starts[-1] + lengths[-1] <= header.record_size, "runs of one record"
    ends, places = starts + lengths, np.cumsum(lengths) - lengths
    for name, place in header.growing.items():
        begin = place.offset - header.record_start
        end = begin + prod(place.shape) * place.dtype.itemsize
        low, high = np.searchsorted(ends, begin, "right"), np.searchsorted(starts, end)
        if low == high:
            continue
        lows, highs = np.maximum(starts[low:high], begin), np.minimum(ends[low:high], end)
        at = int(places[low] + lows[0] - starts[low])
        mine = data[at : at + int((highs - lows).sum())]
        values = mine.view(place.dtype).astype(place.dtype.newbyteorder("="))
        yield _select(name, place, record, lows - begin, highs - begin, values)


def _select(
    name: str, place: StoredVariable, record: int, lows: Index, highs: Index, values: NDArray[Any]
) -> Selection:
    """Runs [low, high) of the bytes of a variable's record, cut where its last dimension ends."""
    shape = (1, *place.shape)
    width = shape[-1]
    lows, highs = lows // place.dtype.itemsize, highs // place.dtype.itemsize
    first, last = lows // width, (highs - 1) // width
    run = np.repeat(np.arange(lows.size), last - first + 1)
    row = first[run] + np.arange(run.size) - np.searchsorted(run, run)
    begin = np.maximum(lows[run], row * width)
    starts = np.stack(np.unravel_index(begin, shape), axis=1).astype(np.int64)
    starts[:, 0] = record
    counts = np.ones_like(starts)
    counts[:, -1] = np.minimum(highs[run], (row + 1) * width) - begin
    return Selection(name, starts, counts, values)


def _rounds(selected: list[Selection]) -> Iterator[list[Selection]]:
    """The same parts, about `_at_once` bytes at a time."""
    rounds: dict[int, list[Selection]] = {}
    before = 0
    for part in selected:
        ends = np.cumsum(part.counts[:, -1])
        numbers = (before + (ends - 1) * part.values.itemsize) // _at_once
        for number in np.unique(numbers):
            low, high = np.searchsorted(numbers, [number, number + 1])
            values = part.values[ends[low - 1] if low else 0 : ends[high - 1]]
            some = Selection(part.name, part.starts[low:high], part.counts[low:high], values)
            rounds.setdefault(int(number), []).append(some)
        before += part.values.nbytes
    yield from rounds.values()
