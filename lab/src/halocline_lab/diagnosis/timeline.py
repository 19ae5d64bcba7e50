"""Events of a record in the order of their nesting, and what each moment of a rank belongs to.

The main thread of a rank is looked at; what happens between its calls is computation without a
name. All arrays are NumPy; a million events take about a second.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.record.run_record import Region, RunRecord, Table, mpi_kinds, periods

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

communicating_kinds = (*mpi_kinds, "halo", "sum", "transpose")
"""Kinds whose own time is communication; `halo`, `sum` and `transpose` by whatever means."""

file_kinds = ("output", "input", "file")
"""Kinds whose own time is spent on files."""

unnamed = Region("computation", "kernel")
"""What a rank does outside all regions."""

segment_type = np.dtype(
    [("begin", "<i8"), ("end", "<i8"), ("rank", "<u4"), ("region", "<u4"), ("event", "<i8")]
)


@dataclass(frozen=True)
class Timeline:
    """The events of all main threads, in order of rank and begin, enclosing ones first.

    `regions` has one more than the record: `unnamed`, the region of the time between all others.
    """

    record: RunRecord
    events: Table
    regions: list[Region]

    @cached_property
    def kind(self) -> NDArray[np.str_]:
        """The kind of each event."""
        return np.array([region.kind for region in self.regions])[self.events["region"]]

    def is_kind(self, *kinds: str) -> Flags:
        """Which events are of one of these kinds."""
        wanted = np.array([region.kind in kinds for region in self.regions])
        return np.asarray(wanted[self.events["region"]], np.bool_)

    @cached_property
    def parents(self) -> Integers:
        """The event that each lies directly in, by place; -1: none."""
        return nest(self.events)

    @cached_property
    def own_seconds(self) -> Floats:
        """Time of each event without that of the events inside [s]."""
        seconds = (self.events["end"] - self.events["begin"]) / 1e9
        inner = self.parents >= 0
        inside = np.bincount(self.parents[inner], seconds[inner], minlength=len(seconds))
        return np.asarray(seconds - inside, np.float64)

    @cached_property
    def spans(self) -> Table:
        """Spans that all ranks have alike, by rank and begin."""
        return self.record.spans

    @cached_property
    def span_of(self) -> Integers:
        """A number alike on all ranks for the span that each event begins in; -1: in none.

        It is the first step of the span where steps are known, otherwise its place among the spans
        of its rank.
        """
        found = np.full(len(self.events), -1, np.int64)
        for rank in range(self.record.size):
            first, last = np.searchsorted(self.events["rank"], [rank, rank + 1])
            own = self.spans[self.spans["rank"] == rank]
            if not own.size or first == last:
                continue
            begins = self.events["begin"][first:last]
            at = np.searchsorted(own["begin"], begins, side="right") - 1
            inside = (at >= 0) & (begins <= own["end"][np.maximum(at, 0)])
            numbers = np.where(own["step"] >= 0, own["step"], np.arange(own.size))
            found[first:last] = np.where(inside, numbers[np.maximum(at, 0)], -1)
        return found

    @cached_property
    def segments(self) -> Table:
        """What each moment within the spans belongs to: the innermost event, or -1 (unnamed).

        Rows are by rank and begin, and follow each other without gap within a span.
        """
        return segments_of(self.events, self.spans, len(self.regions) - 1)

    def seconds_of_spans(self) -> Floats:
        """Length of the spans of each rank [s]."""
        lengths = (self.spans["end"] - self.spans["begin"]) / 1e9
        return sums(self.spans["rank"], lengths, self.record.size)


def timeline(record: RunRecord) -> Timeline:
    """The events of the main threads of a record, in order; its spans are `aligned`."""
    record = replace(record, spans=aligned(record))
    events = record.events[record.events["thread"] == 0]
    order = np.lexsort((-events["end"], events["begin"], events["rank"]))
    return Timeline(record, events[order], [*record.regions, unnamed])


def steady_part(record: RunRecord) -> RunRecord:
    """The record with its spans cut to the steady period of each rank."""
    spans = record.spans.copy()
    of_rank = record.ranks[spans["rank"]]
    spans["begin"] = np.maximum(spans["begin"], of_rank["steady_begin"])
    spans["end"] = np.minimum(spans["end"], of_rank["steady_end"])
    return replace(record, spans=spans[spans["end"] > spans["begin"]])


def aligned(record: RunRecord) -> Table:
    """Spans that all ranks have alike: of the same steps, or else of the same time.

    Rows are by rank and begin, equally many of each rank that has any. Spans that touch on all
    ranks are one. Where some ranks know their steps, those that do not (servers) are left out.
    """
    spans = record.spans
    if (spans["step"] >= 0).any():
        spans = spans[spans["step"] >= 0]
        _, place, count = np.unique(
            spans[["step", "steps"]], return_inverse=True, return_counts=True
        )
        shared = count == len(np.unique(spans["rank"]))
        if shared.any():
            return _united(spans[shared[place.reshape(-1)]])
    ranks = np.unique(spans["rank"])
    if spans.size <= len(ranks):
        return spans
    renumbered = spans.copy()
    renumbered["rank"] = np.searchsorted(ranks, spans["rank"])
    some = replace(record, ranks=record.ranks[ranks], spans=renumbered)
    common = np.array(some.common_spans(), np.int64).reshape(-1, 2)
    rows = np.zeros(len(common) * len(ranks), spans.dtype)
    rows["rank"] = np.repeat(ranks, len(common))
    rows["begin"], rows["end"] = np.tile(common, (len(ranks), 1)).T
    rows["step"] = -1
    return rows


def _united(spans: Table) -> Table:
    """Spans of which each rank has equally many; those that touch on all ranks are one."""
    number = max(1, len(np.unique(spans["rank"])))
    rows = spans[np.lexsort((spans["begin"], spans["rank"]))].reshape(number, -1)
    apart = (rows["begin"][:, 1:] > rows["end"][:, :-1]).any(axis=0)
    first = np.concatenate([[True], apart])
    last = np.concatenate([apart, [True]])
    found = rows[:, first].copy()
    found["end"] = rows["end"][:, last]
    found["steps"] = np.add.reduceat(rows["steps"], np.flatnonzero(first), axis=1)
    return found.reshape(-1)


def nest(events: Table) -> Integers:
    """The event that each lies directly in, by place, or -1; events are in order.

    An event without length lies in none: it may stand at the border of two.
    """
    parents = np.full(len(events), -1, np.int64)
    rows = zip(
        events["rank"].tolist(), events["begin"].tolist(), events["end"].tolist(), strict=True
    )
    stack: list[int] = []
    ends: list[int] = []
    current = -1
    for at, (rank, begin, end) in enumerate(rows):
        if rank != current:
            stack, ends, current = [], [], rank
        if begin == end:
            continue
        while ends and end > ends[-1]:
            stack.pop()
            ends.pop()
        if stack:
            parents[at] = stack[-1]
        stack.append(at)
        ends.append(end)
    return parents


def segments_of(events: Table, spans: Table, unnamed_region: int) -> Table:
    """The innermost event of each moment of the spans; see `Timeline.segments`."""
    ranks = np.unique(spans["rank"])
    rows = np.zeros(len(ranks) + len(events), events.dtype)
    rows["rank"][: len(ranks)] = ranks
    rows["region"][: len(ranks)] = unnamed_region
    rows["begin"][: len(ranks)] = min(events["begin"].min(initial=0), spans["begin"].min(initial=0))
    rows["end"][: len(ranks)] = max(events["end"].max(initial=0), spans["end"].max(initial=0))
    rows[len(ranks) :] = events
    number = np.concatenate([np.full(len(ranks), -1, np.int64), np.arange(len(events))])
    lasting = rows["end"] > rows["begin"]
    rows, number = rows[lasting], number[lasting]
    order = np.lexsort((number >= 0, -rows["end"], rows["begin"], rows["rank"]))
    rows, number = rows[order], number[order]
    return _clipped(_own_intervals(rows, number, nest(rows)), spans)


def _own_intervals(rows: Table, number: Integers, parents: Integers) -> Table:
    """What is left of each row between the rows inside it."""
    children = np.flatnonzero(parents >= 0)
    children = children[np.argsort(parents[children], kind="stable")]
    parent = parents[children]
    first = np.ones(len(children), np.bool_)
    first[1:] = parent[1:] != parent[:-1]
    last = np.roll(first, -1)
    before = rows["begin"][parent]
    before[~first] = rows["end"][children[np.flatnonzero(~first) - 1]]
    tail = rows["begin"].copy()
    tail[parent[last]] = rows["end"][children[last]]
    owner = np.concatenate([parent, np.arange(len(rows))])
    begin = np.concatenate([before, tail])
    end = np.concatenate([rows["begin"][children], rows["end"]])
    some = end > begin
    found = np.zeros(int(some.sum()), segment_type)
    found["begin"], found["end"] = begin[some], end[some]
    found["rank"], found["region"] = rows["rank"][owner[some]], rows["region"][owner[some]]
    found["event"] = number[owner[some]]
    return found[np.lexsort((found["begin"], found["rank"]))]


def _clipped(segments: Table, spans: Table) -> Table:
    """What of the segments lies within the spans."""
    parts = [segments[:0]]
    for span in spans:
        first, last = np.searchsorted(segments["rank"], [span["rank"], span["rank"] + 1])
        own = segments[first:last]
        first = int(np.searchsorted(own["end"], span["begin"], side="right"))
        last = int(np.searchsorted(own["begin"], span["end"], side="left"))
        part = own[first:last].copy()
        part["begin"] = np.maximum(part["begin"], span["begin"])
        part["end"] = np.minimum(part["end"], span["end"])
        parts.append(part)
    return np.concatenate(parts)


def sums(places: Any, values: Any, size: int) -> Floats:
    """Sums of values by their places, of which there are `size`.

    >>> sums([0, 2, 2], [1.0, 2.0, 3.0], 4).tolist()
    [1.0, 0.0, 5.0, 0.0]
    """
    return np.asarray(np.bincount(places, values, minlength=size), np.float64)


def compute_ranks(record: RunRecord) -> Integers:
    """Ranks that compute the model: all but servers of output."""
    roles: list[Any] = record.about.get("roles") or []
    serving = [at for at, word in enumerate(roles) if str(word).startswith("output server")]
    return np.flatnonzero(~np.isin(record.ranks["role"], serving)).astype(np.int64)


def seconds_of_threads(record: RunRecord) -> Floats:
    """Useful time of all but the main threads of each rank, in the steady period [s].

    Waiting at the end of a parallel region is not part of a thread's own time in it.
    """
    rows, steady = record.statistics, periods.index("steady")
    wanted = np.array([region.kind == "threads" for region in record.regions] or [False])
    rows = rows[(rows["thread"] > 0) & wanted[rows["region"]] & (rows["period"] == steady)]
    return sums(rows["rank"], rows["own_seconds"], record.size)
