"""Fewer events for a page: short ones put together, windows of the run in full."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.record.run_record import Table, nobody
from halocline_lab.diagnosis.matching import group_numbers
from halocline_lab.reporting.report_drawn import Drawn, drawn_type

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Coarse:
    """Events of which those shorter than `shortest` [ns], outside `windows` [ns], are merged."""

    drawn: Drawn
    shortest: int
    windows: list[tuple[int, int]]


def windows_of(drawn: Drawn, most: int) -> list[tuple[int, int]]:
    """Up to three windows, at the begin, middle and end of what is kept, with `most` events."""
    begins = np.sort(drawn.events["begin"])
    count = len(begins)
    if count <= most:
        return [(drawn.zero, drawn.end)]
    third = max(1, most // 3)
    found = []
    for first in (0, (count - third) // 2, count - third):
        found.append((int(begins[first]), int(begins[min(first + third, count - 1)])))
    return found


def coarsened(drawn: Drawn, windows: list[tuple[int, int]], shortest: int) -> Coarse:
    """Merge events shorter than `shortest` that begin outside the windows.

    Neighbours within `shortest` and within the same event become up to three pieces: what of them
    was busy, overhead, and waiting, each called by the region that took most of it.
    """
    events = drawn.events
    parents = drawn.parents
    borders = np.array([edge for window in windows for edge in window], np.int64)
    part = np.searchsorted(borders, events["begin"], side="right")
    merged = (events["end"] - events["begin"] < shortest) & (part % 2 == 0)
    roots = _roots(merged, parents)
    pieces = _pieces(drawn, merged, parents, roots, part, shortest)
    kept = ~merged
    place = np.cumsum(kept) - 1
    lines = kept[drawn.senders] & kept[drawn.receivers]
    found = np.concatenate([events[kept], pieces])
    order = np.lexsort((-found["end"], found["begin"], found["row"]))
    now_at = np.empty(len(order), np.int64)
    now_at[order] = np.arange(len(order))
    few = replace(
        drawn,
        events=found[order],
        senders=now_at[place[drawn.senders[lines]]],
        receivers=now_at[place[drawn.receivers[lines]]],
    )
    return Coarse(few, shortest, windows)


def _roots(merged: Flags, parents: Integers) -> Integers:
    """The outermost merged event around each merged one."""
    inner = merged & (parents >= 0) & merged[parents]
    roots = np.where(inner, parents, np.arange(len(parents)))
    while True:
        further = roots[roots]
        if np.array_equal(further, roots):
            return roots
        roots = further


def _pieces(
    drawn: Drawn, merged: Flags, parents: Integers, roots: Integers, part: Integers, shortest: int
) -> Table:
    events = drawn.events
    some = np.flatnonzero(merged)
    if not some.size:
        return np.zeros(0, drawn_type)
    root = roots[some]
    keys = (events["row"], parents, part, events["begin"] // shortest)
    group = group_numbers([key[root].astype(np.int64) for key in keys])
    count = int(group.max()) + 1
    begin = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(begin, group, events["begin"][some])
    stands_for = np.bincount(group, roots[some] == some, minlength=count).astype(np.int64)
    own = drawn.own[some]
    idle = np.minimum(events["idle"][some], own)
    row = np.zeros(count, np.int64)
    row[group] = events["row"][some]
    in_mpi = drawn.in_mpi[events["region"][some]]
    active = own - idle
    times = (("busy", active * ~in_mpi), ("overhead", active * in_mpi), ("idle", idle))
    pieces = []
    for state, time in times:
        length = np.bincount(group, time, minlength=count).astype(np.int64)
        piece = np.zeros(count, drawn_type)
        piece["row"], piece["begin"], piece["end"] = row, begin, begin + length
        piece["region"] = _dominant(group, events["region"][some], time, count)
        piece["partner"], piece["count"] = nobody, stands_for
        piece["idle"] = length if state == "idle" else 0
        pieces.append(piece[length > 0])
        begin = begin + length
    return np.concatenate(pieces)


def _dominant(group: Integers, region: Table, time: Integers, count: int) -> Integers:
    """The region that took most time of each group."""
    most = int(region.max()) + 1
    keys, place = np.unique(group * most + region.astype(np.int64), return_inverse=True)
    sums = np.bincount(place.reshape(-1), time)
    order = np.lexsort((sums, keys // most))
    found = np.zeros(count, np.int64)
    found[(keys // most)[order]] = (keys % most)[order]
    return found
