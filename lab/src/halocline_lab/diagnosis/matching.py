"""Sends matched to receives and calls of collectives to each other: who waited for whom.

A rank waits in a receive (or in the wait that completes it) until the partner's send began: a *late
sender*. It waits in a send that cannot end before the partner receives until that receive began: a
*late receiver*. In a collective it waits until the last rank that it depends on entered: *wait at a
collective* (Scalasca's wait states; Geimer et al. 2010, "The Scalasca performance toolset
architecture"). Waits within the spans of the record are found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from halocline.runtime.record.run_record import Table, anybody
from halocline_lab.diagnosis.timeline import (
    Flags,
    Floats,
    Integers,
    Timeline,
    communicating_kinds,
    sums,
)

causes = ("late sender", "late receiver", "wait at a collective")
"""Why a rank waits."""

wait_type = np.dtype(
    [
        ("event", "<i8"),  # that waited: place in the timeline's events
        ("rank", "<u4"),
        ("begin", "<i8"),  # [ns]
        ("until", "<i8"),  # when what it waited for came, or the end of the event
        ("cause", "<u4"),  # place in `causes`
        ("culprit", "<u4"),  # rank that was waited for
        ("culprit_event", "<i8"),  # its send, receive or collective
    ]
)


@dataclass(frozen=True)
class Wait:
    """Waiting of one cause, at one region, for one rank that was busy with one region.

    `seconds` is the sum over the ranks that waited, within the spans of the record; `longest` that
    of the rank that waited longest.
    """

    cause: str
    region: str
    site: str
    culprit: int
    culprit_region: str
    seconds: float
    longest: float
    times: int
    ranks: int


@dataclass(frozen=True)
class Matching:
    """What belongs together in a timeline; numbers are places in the timeline's events."""

    timeline: Timeline
    sends: Integers
    receives: Integers
    """Matched sends and receives (or their starts), pair by pair."""

    @cached_property
    def completed_in(self) -> Integers:
        """The wait or test in which each event's request completed; -1: none."""
        return completions(self.timeline)

    @cached_property
    def waits(self) -> Table:
        """All waits of positive length, one per event that waited: the longest."""
        parts = [late_senders(self), _late_receivers(self), collective_waits(self.timeline)]
        waits = np.concatenate(parts)
        waits = waits[waits["until"] > waits["begin"]]
        order = np.lexsort((-waits["until"], waits["event"]))
        waits = waits[order]
        first = np.ones(len(waits), np.bool_)
        first[1:] = waits["event"][1:] != waits["event"][:-1]
        return waits[first]

    @cached_property
    def idle_until(self) -> Integers:
        """Until when each event waited [ns]; its begin where it did not."""
        until = self.timeline.events["begin"].copy()
        until[self.waits["event"]] = self.waits["until"]
        return until

    @cached_property
    def idle_seconds(self) -> Floats:
        """How long each event waited, of its own time within the spans [s]."""
        segments = self.timeline.segments
        segments = segments[segments["event"] >= 0]
        until = self.idle_until[segments["event"]]
        waited = np.clip(until, segments["begin"], segments["end"]) - segments["begin"]
        return sums(segments["event"], waited / 1e9, len(self.timeline.events))

    def culprit_regions(self) -> Integers:
        """What each culprit was busy with last before it came: region, by number."""
        segments = self.timeline.segments
        kinds = [region.kind for region in self.timeline.regions]
        busy = np.array([kind not in communicating_kinds for kind in kinds])
        segments = segments[busy[segments["region"]]]
        fallback = len(self.timeline.regions) - 1
        if not segments.size:
            return np.full(len(self.waits), fallback, np.int64)
        keys = _by_rank(segments["rank"], segments["begin"], self.timeline)
        wanted = _by_rank(self.waits["culprit"], self.waits["until"], self.timeline)
        at = np.searchsorted(keys, wanted, side="left") - 1
        found = segments[np.maximum(at, 0)]
        known = (at >= 0) & (found["rank"] == self.waits["culprit"])
        return np.where(known, found["region"], fallback).astype(np.int64)

    def summary(self, most: int = 30, some: Flags | None = None) -> list[Wait]:
        """Where most was waited, longest first; of all waits, or of some."""
        wanted = np.ones(len(self.waits), np.bool_) if some is None else some
        waits, regions = self.waits[wanted], self.timeline.regions
        if not waits.size:
            return []
        where = self.timeline.events["region"][waits["event"]].astype(np.int64)
        columns = (waits["cause"], where, waits["culprit"], self.culprit_regions()[wanted])
        keys = np.stack([column.astype(np.int64) for column in columns], axis=1)
        found, place = np.unique(keys, axis=0, return_inverse=True)
        place = place.reshape(-1)
        seconds = self.idle_seconds[waits["event"]]
        by_rank = np.zeros((len(found), self.timeline.record.size))
        np.add.at(by_rank, (place, waits["rank"]), seconds)
        times = np.bincount(place, minlength=len(found))
        order = np.argsort(-by_rank.sum(axis=1), kind="stable")[:most]
        return [
            Wait(
                cause=causes[found[at, 0]],
                region=regions[found[at, 1]].name,
                site=regions[found[at, 1]].site,
                culprit=int(found[at, 2]),
                culprit_region=regions[found[at, 3]].name,
                seconds=float(by_rank[at].sum()),
                longest=float(by_rank[at].max()),
                times=int(times[at]),
                ranks=int((by_rank[at] > 0.0).sum()),
            )
            for at in order
        ]


def match(timeline: Timeline) -> Matching:
    """Match the sends and receives of a timeline: in order, by tag and communicator."""
    events, span = timeline.events, timeline.span_of
    partner, tag = _known_partners(timeline)
    recorded = (span >= 0) & (partner >= 0)
    sends = np.flatnonzero(timeline.is_kind("send", "start send") & recorded)
    receives = np.flatnonzero(timeline.is_kind("receive", "start receive") & recorded)
    rank = events["rank"].astype(np.int64)
    common = [tag, events["communicator"].astype(np.int64), span]
    first, second = pairs(
        [rank[sends], partner[sends], *(column[sends] for column in common)],
        [partner[receives], rank[receives], *(column[receives] for column in common)],
    )
    return Matching(timeline, sends[first], receives[second])


def pairs(first: Sequence[Integers], second: Sequence[Integers]) -> tuple[Integers, Integers]:
    """Places of rows with equal keys, the n-th of `first` with the n-th of `second`.

    >>> a, b = pairs([np.array([7, 8, 7])], [np.array([7, 7, 9])])
    >>> a.tolist(), b.tolist()
    ([0, 2], [0, 1])
    """
    count = len(first[0])
    groups = group_numbers([np.concatenate(both) for both in zip(first, second, strict=True)])
    most = len(groups) + 1
    here, there = groups[:count], groups[count:]
    _, places, others = np.intersect1d(
        here * most + order_within(here),
        there * most + order_within(there),
        assume_unique=True,
        return_indices=True,
    )
    order = np.argsort(places)
    return places[order], others[order]


def group_numbers(columns: Sequence[Integers]) -> Integers:
    """A number for each row, equal where all columns are."""
    order = np.lexsort(tuple(columns))
    changed = np.zeros(len(order), np.bool_)
    for column in columns:
        ordered = column[order]
        changed[1:] |= ordered[1:] != ordered[:-1]
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.cumsum(changed)
    return numbers


def order_within(groups: Integers) -> Integers:
    """How many rows of the same group stand before each row.

    >>> order_within(np.array([5, 3, 5, 5])).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    first = np.ones(len(groups), np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    starts = np.maximum.accumulate(np.where(first, np.arange(len(groups)), 0))
    found = np.empty(len(groups), np.int64)
    found[order] = np.arange(len(groups)) - starts
    return found


def completions(timeline: Timeline) -> Integers:
    """The event in which the request of each event completed; -1 where none is known.

    It is the wait, test or send-receive that ends when the request does, or else the halo exchange
    or transpose around it.
    """
    events = timeline.events
    found = np.full(len(events), -1, np.int64)
    starts = np.flatnonzero((events["request"] > 0) & ~timeline.is_kind("completion"))
    ends = np.flatnonzero((events["request"] > 0) & timeline.is_kind("completion"))
    if not (starts.size and ends.size):
        return found
    columns = (events["rank"].astype(np.int64), events["request"].astype(np.int64))
    a, b = pairs([c[starts] for c in columns], [c[ends] for c in columns])
    found[starts[a]] = _owners(timeline, ends)[b]
    return found


def _owners(timeline: Timeline, ends: Integers) -> Integers:
    """The event that each completion belongs to."""
    events = timeline.events
    time = _by_rank(events["rank"], events["end"], timeline)
    begin = _by_rank(events["rank"], events["begin"], timeline)
    found = np.full(len(ends), -1, np.int64)
    around = np.flatnonzero(timeline.is_kind("halo", "transpose"))
    if around.size:
        at = np.searchsorted(begin[around], begin[ends], side="right") - 1
        inside = (at >= 0) & (time[around[np.maximum(at, 0)]] >= time[ends])
        found = np.where(inside, around[np.maximum(at, 0)], -1)
    waits = np.flatnonzero(timeline.is_kind("wait", "test", "send receive"))
    if waits.size:
        waits = waits[np.argsort(time[waits], kind="stable")]
        at = np.minimum(np.searchsorted(time[waits], time[ends]), len(waits) - 1)
        found = np.where(time[waits[at]] == time[ends], waits[at], found)
    return found


def _known_partners(timeline: Timeline) -> tuple[Integers, Integers]:
    """Partner and tag of each event; those of receives from anybody as their completion says."""
    events = timeline.events
    partner, tag = events["partner"].astype(np.int64), events["tag"].astype(np.int64)
    open_ = np.flatnonzero(
        timeline.is_kind("start receive")
        & ((partner == anybody) | (tag < 0))
        & (events["request"] > 0)
    )
    ends = np.flatnonzero(timeline.is_kind("completion"))
    if open_.size and ends.size:
        columns = (events["rank"].astype(np.int64), events["request"].astype(np.int64))
        a, b = pairs([c[open_] for c in columns], [c[ends] for c in columns])
        said = partner[ends[b]] >= 0
        partner[open_[a[said]]] = partner[ends[b[said]]]
        tag[open_[a[said]]] = tag[ends[b[said]]]
    return partner, tag


def _by_rank(rank: Table, time: Table, timeline: Timeline) -> Integers:
    """One number that orders by rank, then by time."""
    events, spans = timeline.events, timeline.spans
    low = min(events["begin"].min(initial=0), spans["begin"].min(initial=0))
    high = max(events["end"].max(initial=0), spans["end"].max(initial=0))
    return np.asarray(rank).astype(np.int64) * (high - low + 2) + (np.asarray(time) - low)


def _waits(
    timeline: Timeline, waiting: Integers, comes: Integers, cause: str, culprit_event: Integers
) -> Table:
    """Rows of waits: `waiting` events until `comes` [ns], at most to their own ends."""
    events = timeline.events
    rows = np.zeros(len(waiting), wait_type)
    rows["event"], rows["rank"] = waiting, events["rank"][waiting]
    rows["begin"] = events["begin"][waiting]
    rows["until"] = np.minimum(comes, events["end"][waiting])
    rows["cause"] = causes.index(cause)
    rows["culprit_event"] = culprit_event
    rows["culprit"] = events["rank"][culprit_event]
    return rows


def late_senders(matching: Matching) -> Table:
    """Waiting of each matched receive for its send; `until` is not after `begin` where none was."""
    timeline = matching.timeline
    begin = timeline.events["begin"]
    blocking = timeline.is_kind("receive")[matching.receives]
    waiting = np.where(blocking, matching.receives, matching.completed_in[matching.receives])
    some = waiting >= 0
    sends = matching.sends[some]
    return _waits(timeline, waiting[some], begin[sends], "late sender", sends)


def _late_receivers(matching: Matching) -> Table:
    """Sends that did not end before their receive began.

    A wait that completed receives as well is explained by those.
    """
    timeline = matching.timeline
    events = timeline.events
    blocking = timeline.is_kind("send")[matching.sends]
    waiting = np.where(blocking, matching.sends, matching.completed_in[matching.sends])
    receiving = np.zeros(len(events) + 1, np.bool_)
    receiving[matching.completed_in[timeline.is_kind("start receive")]] = True
    some = (waiting >= 0) & ~receiving[waiting]
    waiting, receives = waiting[some], matching.receives[some]
    comes = events["begin"][receives]
    some = comes <= events["end"][waiting]
    return _waits(timeline, waiting[some], comes[some], "late receiver", receives[some])


def dependence(name: str) -> str:
    """Whom a rank waits for in a collective: "all", "root", "none", "lower", by its name.

    "to root" is said of those where the root waits for all and nobody else waits.

    >>> [dependence(n) for n in ("MPI_Iallreduce", "MPI_Bcast", "MPI_Gatherv", "MPI_Exscan")]
    ['all', 'root', 'to root', 'lower']
    """
    word = name.lower()
    if "neighbo" in word:
        return "none"
    if "scan" in word:
        return "lower"
    if any(part in word for part in ("all", "barrier", "reduce_scatter")):
        return "all"
    if any(part in word for part in ("bcast", "broadcast", "scatter")):
        return "root"
    if any(part in word for part in ("gather", "reduce")):
        return "to root"
    return "all"


def collective_groups(timeline: Timeline) -> tuple[Integers, Integers]:
    """Events of collectives, and a number alike for those that are one operation.

    Global sums count, of whatever means: all ranks of a communicator take part in each; and
    fences, where all ranks come to equally many.
    """
    of_all, fence = timeline.is_kind("sum"), _fences(timeline)
    events = np.flatnonzero(
        (timeline.is_kind("collective", "start collective") | of_all | fence)
        & (timeline.span_of >= 0)
    )
    means = np.where(fence[events], 2, of_all[events].astype(np.int64))
    communicator = timeline.events["communicator"][events].astype(np.int64)
    rank = timeline.events["rank"][events].astype(np.int64)
    alike = [means, communicator, timeline.span_of[events]]
    turn = order_within(group_numbers([rank, *alike]))
    return events, group_numbers([*alike, turn])


def _fences(timeline: Timeline) -> Flags:
    """Fences of windows; none where some ranks come to more of them than others."""
    fence = np.array([one.name == "MPI_Win_fence" for one in timeline.regions])
    found = np.asarray(fence[timeline.events["region"]], np.bool_)
    some = found & (timeline.span_of >= 0)
    ranks = timeline.record.size
    counts = np.bincount(timeline.events["rank"][some], minlength=ranks)
    return found & bool(len(set(counts.tolist())) == 1)


def collective_waits(timeline: Timeline) -> Table:
    """Waiting of each rank in each collective for the last one that it depends on."""
    events, group = collective_groups(timeline)
    if not events.size:
        return np.zeros(0, wait_type)
    rows = timeline.events[events]
    words = np.array([dependence(region.name) for region in timeline.regions])
    word = words[rows["region"]]
    word[timeline.is_kind("sum")[events]] = "all"
    no_root = rows["partner"] < 0
    word[np.isin(word, ["root", "to root"]) & no_root] = "all"
    order = np.lexsort((rows["begin"], group))
    last_of = _last_in_group(group, order)
    root_of = _last_in_group(group, order[(rows["partner"] == rows["rank"])[order]])
    is_root = rows["partner"] == rows["rank"]
    last = last_of[group]
    target = np.where(word == "all", last, np.where(word == "root", root_of[group], -1))
    target = np.where((word == "to root") & is_root, last, target)
    lower = word == "lower"
    target[lower] = _last_of_lower(rows, group, order)[lower]
    waiting = _completing(timeline, events)
    some = (target >= 0) & (waiting >= 0)
    comes = rows["begin"][target[some]]
    return _waits(timeline, waiting[some], comes, "wait at a collective", events[target[some]])


def _completing(timeline: Timeline, events: Integers) -> Integers:
    """Where each collective is waited for: in itself, or where its request completes."""
    started: Flags = timeline.is_kind("start collective")[events]
    if not started.any():
        return events
    return np.where(started, completions(timeline)[events], events)


def _last_in_group(group: Integers, order: Integers) -> Integers:
    """The last row of each group in an order; -1 where it has none."""
    found = np.full(int(group.max()) + 1, -1, np.int64)
    found[group[order]] = order
    return found


def _last_of_lower(rows: Table, group: Integers, order: Integers) -> Integers:
    """For prefix operations: the row that came last among the ranks up to each."""
    by_rank = np.lexsort((rows["rank"], group))
    found = np.empty(len(rows), np.int64)
    begin = rows["begin"]
    best, current = -1, -1
    for at in by_rank.tolist():
        if group[at] != current:
            current, best = int(group[at]), at
        if begin[at] > begin[best]:
            best = at
        found[at] = best
    return found
