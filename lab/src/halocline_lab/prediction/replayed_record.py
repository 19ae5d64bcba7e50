"""The record of a simulated run: every report reads predictions as it reads measurements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.record.run_record import Region, RunRecord, Table, empty, nobody
from halocline.runtime.record.run_record_tables import record_of_events
from halocline_lab.prediction.programs import OperationKind, Program, kind_number

_called: tuple[OperationKind, ...] = (
    "send",
    "receive",
    "start send",
    "start receive",
    "collective",
    "start collective",
)


def record_of_times(
    program: Program,
    begins: NDArray[np.float64],
    ends: NDArray[np.float64],
    platform: str,
    node_of_rank: NDArray[np.int32],
    hosts: Sequence[str],
) -> RunRecord:
    """A record from the times of all operations [s], repetition after repetition."""
    regions = [*program.regions, Region("completion", "completion")]  # of waits for all
    parts = []
    count = len(program.operations)
    rank = program.rank
    requests = _requests(program, rank)
    for repeat in range(program.repeats):
        mine = slice(repeat * count, (repeat + 1) * count)
        begin, end = _nanoseconds(begins[mine]), _nanoseconds(ends[mine])
        parts.append(_events(program, rank, begin, end, repeat, requests))
    about = {
        "program": f"replay on {platform}",
        "hosts": list(hosts),
        "communicators": [members.tolist() for members in program.communicators],
        "notes": ["This run was simulated.", *(f"Assumed: {a}." for a in program.assumptions)],
    }
    events = np.concatenate([empty("events"), *parts])
    names = {region.name for region in regions if region.kind == "phase"}
    step = "step" if "step" in names else ""
    record = record_of_events(about, regions, events, program.size, step=step)
    record.ranks["host"] = node_of_rank
    return record


def _nanoseconds(seconds: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.rint(seconds * 1e9).astype(np.int64)


def _events(
    program: Program,
    rank: NDArray[np.int64],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    repeat: int,
    requests: _Requests,
) -> Table:
    """Events of one repetition."""
    operations = program.operations
    calls = np.isin(operations["kind"], [kind_number(kind) for kind in _called])
    waits = program.of_kind("wait")
    kinds = np.array([region.kind for region in program.regions] or [""])
    named = waits & (kinds[operations["region"]] == "wait")
    enters, leaves = _brackets(program, rank)
    found = [
        _rows(operations, rank, calls, begin, end),
        _rows(operations, rank, np.flatnonzero(named), begin, end),
        _rows(operations, rank, enters, begin, end[leaves], at_end=True),
        _completions(program, rank, begin, end, repeat, requests),
    ]
    number = requests.number[calls]
    found[0]["request"] = np.where(number > 0, number + repeat * requests.each[rank[calls]], 0)
    return np.concatenate(found)


def _rows(
    operations: Table,
    rank: NDArray[np.int64],
    chosen: NDArray[np.bool_] | NDArray[np.int64],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    *,
    at_end: bool = False,
) -> Table:
    """Events of some operations; `end` is that of the chosen ones alone with `at_end`."""
    some = operations[chosen]
    rows = empty("events", len(some))
    rows["begin"], rows["end"] = begin[chosen], end if at_end else end[chosen]
    for name in ("bytes", "region", "partner", "tag", "communicator"):
        rows[name] = some[name]
    rows["rank"] = rank[chosen]
    collective = np.isin(some["kind"], [kind_number("collective"), kind_number("start collective")])
    rows["tag"][collective] = 0
    return rows


@dataclass(frozen=True)
class _Requests:
    """Non-blocking operations of one repetition, and which of them each wait completes.

    `number[operation]` counts the ones that a rank starts from 1; `each[rank]` is how many there
    are. Row by row, the wait `at` completes `completed`, begun so many repetitions `ago`.
    """

    number: NDArray[np.int64]
    each: NDArray[np.int64]
    at: NDArray[np.int64]
    completed: NDArray[np.int64]
    ago: NDArray[np.int64]


def _requests(program: Program, rank: NDArray[np.int64]) -> _Requests:
    started: tuple[OperationKind, ...] = ("start send", "start receive", "start collective")
    asked = program.operations["request"].astype(np.int64)
    kinds = [kind_number(kind) for kind in started]
    starts = np.flatnonzero(np.isin(program.operations["kind"], kinds) & (asked > 0))
    each = np.bincount(rank[starts], minlength=program.size)
    number = np.zeros(len(asked), np.int64)
    number[starts] = np.arange(len(starts)) - (np.cumsum(each) - each)[rank[starts]] + 1
    waits = program.of_kind("wait")
    single = np.flatnonzero(waits & (asked > 0))
    single, named, ago = _named(single, starts, rank * 2**32 + asked, len(asked))
    free = starts[~np.isin(starts, named)]
    every = np.flatnonzero(waits & (asked == 0))
    place = np.searchsorted(every, free)  # the wait for all that comes next
    free, place = free[place < len(every)], place[place < len(every)]
    same = rank[every[place]] == rank[free]
    free, place = free[same], place[same]
    return _Requests(
        number,
        each,
        np.concatenate([single, every[place]]),
        np.concatenate([named, free]),
        np.concatenate([ago, np.zeros(len(free), np.int64)]),
    )


def _named(
    waits: NDArray[np.int64], starts: NDArray[np.int64], keys: NDArray[np.int64], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Waits for a request by its number, its latest start, and how many repetitions ago."""
    order = np.lexsort((starts, keys[starts]))
    ordered = starts[order]
    places = {key: place for place, key in enumerate(np.unique(keys[starts]).tolist())}
    dense = np.array([places.get(key, -1) for key in keys[waits].tolist()], np.int64)
    waits, dense = waits[dense >= 0], dense[dense >= 0]
    groups = np.array([places[key] for key in keys[ordered].tolist()], np.int64)
    before = np.searchsorted(groups * count + ordered, dense * count + waits) - 1
    there = before >= 0
    there[there] = groups[before[there]] == dense[there]
    last = np.searchsorted(groups, dense, side="right") - 1
    return waits, ordered[np.where(there, before, last)], (~there).astype(np.int64)


def _brackets(
    program: Program, rank: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places of the operations that enter regions, and of those that leave the same."""
    enter, leave = program.of_kind("enter"), program.of_kind("leave")
    depth = np.cumsum(enter.astype(np.int64) - leave)
    enters, leaves = np.flatnonzero(enter), np.flatnonzero(leave)
    # A region is left at the first leave that is one less deep: in order of depth they alternate.
    by_depth = np.argsort(depth[enters], kind="stable")
    left = np.argsort(depth[leaves] + 1, kind="stable")
    assert len(enters) == len(leaves)
    assert (rank[enters[by_depth]] == rank[leaves[left]]).all()
    return enters[by_depth], leaves[left]


def _completions(
    program: Program,
    rank: NDArray[np.int64],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    repeat: int,
    requests: _Requests,
) -> Table:
    """What the waits of a repetition completed."""
    there = requests.ago <= repeat
    at, completed, ago = (a[there] for a in (requests.at, requests.completed, requests.ago))
    rows = empty("events", len(at))
    # A moment before the end of the wait, so that it stays inside at the precision of records.
    rows["begin"] = rows["end"] = np.maximum(end[at] - 1, begin[at])
    rows["rank"] = rank[at]
    regions = program.operations["region"][at]
    is_completion = np.array([region.kind == "completion" for region in program.regions] or [False])
    rows["region"] = np.where(is_completion[regions], regions, len(program.regions))
    rows["partner"] = nobody
    rows["request"] = requests.number[completed] + (repeat - ago) * requests.each[rank[at]]
    return rows
