"""Every rank writes its own runs of bytes of one shared file through MPI-IO.

The library sees them as a view of the file. Independent: every rank writes its runs by itself, one
after the other. Collective: the library gathers them on some ranks, which write longer ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halocline.runtime import _native
from halocline.runtime.files.disk import File, disk
from halocline.runtime.ranks.communicator import Communicator, Ranks

Bytes: TypeAlias = NDArray[np.uint8]
Index: TypeAlias = NDArray[np.int64]

_at_once = 1 << 30
"""Bytes per call [byte]: counts of MPI 3 have 31 bits."""
_hints = {"romio_ds_write": "disable"}


def write_runs(
    communicator: Communicator,
    path: Path,
    offsets: Index,
    lengths: Index,
    data: Bytes,
    *,
    collective: bool,
) -> None:
    """Write this rank's runs, which are on disk when the call ends; a call for all ranks.

    `offsets` and `lengths` [byte] say where `data` belongs in the file, which exists, run after
    run. No byte of the file has two writers. Any rank's failure is raised on all of them, as the
    same OSError.
    """
    offsets, lengths, data = in_file_order(offsets, lengths, data)
    failure: OSError | None = None
    with ExitStack() as opened:
        try:
            file = opened.enter_context(disk().open(path))
        except OSError as error:
            failure = error
        agree(communicator, failure)
        agree(communicator, reserve(communicator, file, offsets, lengths))
        try:
            if isinstance(communicator, Ranks):
                _write(communicator, path, offsets, lengths, data, collective)
            else:
                for offset, part in zip(offsets, _split(lengths, data), strict=True):
                    file.write(part, int(offset))
            file.sync()
        except OSError as error:
            failure = error
        agree(communicator, failure)


def in_file_order(offsets: Index, lengths: Index, data: Bytes) -> tuple[Index, Index, Bytes]:
    """Runs by rising offset, those without bytes dropped and neighbours joined.

    >>> runs = np.array([8, 0, 4]), np.array([2, 4, 4]), np.arange(10, dtype=np.uint8)
    >>> in_file_order(*runs)
    (array([0]), array([10]), array([2, 3, 4, 5, 6, 7, 8, 9, 0, 1], dtype=uint8))
    """
    offsets, lengths = np.asarray(offsets, np.int64), np.asarray(lengths, np.int64)
    assert lengths.sum() == data.size, "the runs have as many bytes as the data"
    if (np.diff(offsets) < 0).any():
        order = np.argsort(offsets, kind="stable")
        places, offsets, lengths = np.cumsum(lengths) - lengths, offsets[order], lengths[order]
        ordered = np.empty_like(data)
        _native.pack_runs(data[np.newaxis], places[order], lengths, 0, data.size, ordered)
        data = ordered
    some = lengths > 0
    offsets, lengths = offsets[some], lengths[some]
    ends = offsets + lengths
    assert (offsets[1:] >= ends[:-1]).all(), "no byte has two values"
    first = np.append(True, offsets[1:] > ends[:-1])[: offsets.size]
    last = np.append(first[1:], True)[: offsets.size]
    return offsets[first], ends[last] - offsets[first], data


def _split(lengths: Index, data: Bytes) -> list[Bytes]:
    return np.split(data, np.cumsum(lengths)[:-1]) if lengths.size else []


def reserve(
    communicator: Communicator, file: File, offsets: Index, lengths: Index
) -> OSError | None:
    """Take the room of all runs on disk before they are written; a call for all ranks.

    A full disk is found here, by one rank that knows the reason. In a collective write one rank's
    failure leaves others waiting, or goes unnoticed.
    """
    begin = float(offsets[0]) if offsets.size else np.inf
    end = float(offsets[-1] + lengths[-1]) if offsets.size else -np.inf
    low, high = communicator.maximum(np.array([-begin, end]))
    if communicator.rank or high <= -low:
        return None
    try:
        file.reserve(int(-low), int(high + low))
    except OSError as error:
        return error
    return None


def agree(communicator: Communicator, failure: OSError | None) -> None:
    """Raise the first failure of any rank on all of them; a call for all ranks."""
    failures = communicator.broadcast(communicator.gather(failure))
    for rank, error in enumerate(failures):
        if error is not None:
            reason = error.strerror or str(error)
            raise OSError(None, f"{reason} (rank {rank})" if communicator.size > 1 else reason)


def _write(
    ranks: Ranks, path: Path, offsets: Index, lengths: Index, data: Bytes, collective: bool
) -> None:
    from mpi4py import MPI

    rounds = list(_rounds(offsets, lengths, data))
    most = int(ranks.maximum(np.array([float(len(rounds))]))[0])
    nothing = np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.uint8)
    failure: OSError | None = None
    try:
        info = MPI.Info.Create(_hints)
        file = MPI.File.Open(ranks.comm, str(path), MPI.MODE_WRONLY, info)
        file.Set_info(info)  # Open MPI forgets those given to Open
        for number in range(most):
            part = rounds[number] if number < len(rounds) and failure is None else nothing
            failure = _write_round(file, *part, collective) or failure
        file.Close()
        info.Free()
    except MPI.Exception as error:
        raise OSError(None, error.Get_error_string()) from None
    if failure is not None:
        raise failure


def _rounds(offsets: Index, lengths: Index, data: Bytes) -> Iterator[tuple[Index, Index, Bytes]]:
    """The runs in parts of at most `_at_once` bytes; long runs are cut."""
    ends = np.cumsum(lengths)
    for begin in range(0, data.size, _at_once):
        end = min(begin + _at_once, data.size)
        first, last = np.searchsorted(ends, begin, "right"), np.searchsorted(ends, end) + 1
        cut_ends = np.minimum(ends[first:last], end)
        cut_starts = np.maximum((ends - lengths)[first:last], begin)
        starts = offsets[first:last] + cut_starts - (ends - lengths)[first:last]
        yield starts, cut_ends - cut_starts, data[begin:end]


def _write_round(
    file: Any, offsets: Index, lengths: Index, data: Bytes, collective: bool
) -> OSError | None:
    """Write some runs; what went wrong is returned, for others wait in the rounds to come."""
    from mpi4py import MPI

    # arrays of C's int and MPI_Aint are taken without a loop in Python
    runs: Any = lengths.astype(np.intc), offsets
    # ROMIO of Open MPI 4 breaks its memory with a view of nothing
    view = MPI.BYTE.Create_hindexed(*runs).Commit() if data.size else MPI.BYTE
    status = MPI.Status()
    try:
        file.Set_view(0, MPI.BYTE, view)
        (file.Write_all if collective else file.Write)([data, MPI.BYTE], status)
    except MPI.Exception as error:
        return OSError(None, error.Get_error_string())
    finally:
        if data.size:
            view.Free()
    written = status.Get_count(MPI.BYTE)
    if written != data.size:
        return OSError(None, f"{written} of {data.size} bytes were written")
    return None
