"""The record of a simulated run: every report reads predictions as it reads measurements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halocline.lab.programs import Program, kind_number
from halocline.runtime.run_record import Region, RunRecord, Table, empty
from halocline.runtime.run_record_tables import record_of_events

_called = ("send", "receive", "start send", "start receive", "collective", "start collective")


def record_of_times(
    program: Program,
    begins: NDArray[np.float64],
    ends: NDArray[np.float64],
    platform: str,
    node_of_rank: NDArray[np.int32],
    hosts: Sequence[str],
) -> RunRecord:
    """A record from the times of all operations [s], repetition after repetition."""
    regions = [*program.regions, Region("completion", "completion")]
    parts = []
    count = len(program.operations)
    rank = program.rank
    for repeat in range(program.repeats):
        mine = slice(repeat * count, (repeat + 1) * count)
        begin, end = _nanoseconds(begins[mine]), _nanoseconds(ends[mine])
        parts.append(_events(program, rank, begin, end, repeat, len(regions) - 1))
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
    completion: int,
) -> Table:
    """Events of one repetition."""
    operations = program.operations
    calls = np.isin(operations["kind"], [kind_number(kind) for kind in _called])  # type: ignore[arg-type]
    waits = program.of_kind("wait")
    kinds = np.array([region.kind for region in program.regions] or [""])
    named = waits & (kinds[operations["region"]] == "wait")
    enters, leaves = _brackets(program, rank)
    found = [
        _rows(operations, rank, calls, begin, end, repeat),
        _rows(operations, rank, np.flatnonzero(named), begin, end, repeat),
        _rows(operations, rank, enters, begin, end[leaves], repeat, at_end=True),
        _completions(program, rank, end, repeat, completion),
    ]
    found[1]["request"] = 0
    return np.concatenate(found)


def _rows(
    operations: Table,
    rank: NDArray[np.int64],
    chosen: NDArray[np.bool_] | NDArray[np.int64],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    repeat: int,
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
    rows["request"] = _requests(some["request"], repeat)
    collective = np.isin(some["kind"], [kind_number("collective"), kind_number("start collective")])
    rows["tag"][collective] = 0
    return rows


def _requests(numbers: NDArray[np.uint32], repeat: int) -> NDArray[np.uint32]:
    """Numbers of requests that are new in each repetition."""
    each = 2**16
    return np.where(numbers > 0, numbers + np.uint32(repeat * each), 0).astype(np.uint32)


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
    end: NDArray[np.int64],
    repeat: int,
    completion: int,
) -> Table:
    """What each wait completed: the request it names, or all that were open.

    Repetitions begin without open requests, but for those that a wait before their start names.
    """
    waits, regions = program.of_kind("wait"), program.operations["region"]
    numbers = program.operations["request"]
    single = np.flatnonzero(waits & (numbers > 0))
    starts = np.isin(
        program.operations["kind"],
        [kind_number(kind) for kind in ("start send", "start receive", "start collective")],  # type: ignore[arg-type]
    )
    every = np.flatnonzero(waits & (numbers == 0))
    begun = np.flatnonzero(starts & (numbers > 0))
    place = np.searchsorted(every, begun)  # the wait for all that comes next
    inside = place < len(every)
    begun, place = begun[inside], place[inside]
    same = rank[every[place]] == rank[begun]
    begun, place = begun[same], place[same]
    named = set(zip(rank[single].tolist(), numbers[single].tolist(), strict=True))
    free = np.array(
        [key not in named for key in zip(rank[begun].tolist(), numbers[begun].tolist(), strict=True)],
        bool,
    )
    begun, place = begun[free], place[free]
    rows = empty("events", len(single) + len(begun))
    at = np.concatenate([single, every[place]])
    rows["begin"] = rows["end"] = end[at]
    rows["rank"] = rank[at]
    is_completion = np.array([region.kind == "completion" for region in program.regions] or [False])
    own = is_completion[regions[at]]
    rows["region"] = np.where(own, regions[at], completion)
    rows["partner"] = -1
    asked = np.concatenate([numbers[single], numbers[begun]])
    rows["request"] = _requests(asked, repeat)
    return rows
