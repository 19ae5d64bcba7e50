"""A record timed anew: how long the run would have taken, had some of its parts been shorter.

Each rank does again what it did, call by call: it computes before the call, waits for those that it
depends on, and spends on the call what the call cost without waiting. What changes (a computation,
the cost of a call, when a message is sent) moves all that depends on it, on all ranks. No network
is modelled: the record's own costs are used. Unchanged, the times are those of the record again,
which `Retiming.error` tells.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from halocline.runtime.record.run_record import RunRecord, mpi_kinds
from halocline_lab.diagnosis.matching import Matching, collective_groups, dependence
from halocline_lab.diagnosis.timeline import Flags, Floats, Integers, Timeline

most_calls = 150_000
"""Calls that are timed anew; of longer records the first spans that have so many."""


@dataclass(frozen=True)
class Retiming:
    """Calls of all ranks, rank after rank, in the order of each rank; times in seconds.

    Those of rank r are `first[r]` to `first[r + 1]`; `event` are their places in the timeline.
    `before` is what a rank computes before a call, `cost` what the call takes without waiting;
    `start` and `rest` are what each rank waits before its first call and computes after its last.
    A call waits for the calls in `needs`, each to have begun `lag` before; calls of one `group`
    (-1: none) wait for all of it, or as `role` says: "all", "give" (waits for nobody).
    """

    timeline: Timeline
    event: Integers
    first: Integers
    before: Floats
    cost: Floats
    start: Floats
    rest: Floats
    needs: list[list[tuple[int, float]] | None]
    group: Integers
    waits_for_group: Flags
    call_of: Integers
    """The call that each event of the timeline is or lies in; -1: none."""
    recorded_seconds: float

    @cached_property
    def rank(self) -> Integers:
        """The rank of each call."""
        return self.timeline.events["rank"][self.event].astype(np.int64)

    @cached_property
    def region(self) -> Integers:
        """The region of each call."""
        return self.timeline.events["region"][self.event].astype(np.int64)

    @cached_property
    def unchanged(self) -> float:
        """Seconds of the spans, timed anew without change."""
        return self.seconds()

    @property
    def error(self) -> float:
        """By how much that differs from the record, as a share."""
        return abs(self.unchanged / max(self.recorded_seconds, 1e-300) - 1.0)

    def seconds(
        self,
        before: Floats | None = None,
        cost: Floats | None = None,
        lead: Floats | None = None,
        free: Flags | None = None,
    ) -> float:
        """Until the last rank has ended, with other computations, costs, and sends `lead` earlier.

        A send cannot begin before the call that its rank did before it has ended. Calls that are
        `free` wait for nobody.
        """
        return _run(
            self,
            self.before if before is None else before,
            self.cost if cost is None else cost,
            lead,
            np.zeros(len(self.before), np.bool_) if free is None else free,
        )

    def busy(self, before: Floats | None = None) -> Floats:
        """What each rank computes [s]."""
        values = self.before if before is None else before
        return np.bincount(self.rank, values, minlength=len(self.rest)) + self.rest


def limited(record: RunRecord, most: int = most_calls) -> RunRecord:
    """The record with the spans of its first events only, where it has more than `most`."""
    events = record.events
    if len(events) <= most:
        return record
    until = int(np.partition(events["begin"], most)[most])
    spans = record.spans[record.spans["begin"] < until].copy()
    spans["end"] = np.minimum(spans["end"], until)
    return replace(record, events=events[events["begin"] < until], spans=spans)


def retiming(matching: Matching) -> Retiming:
    """Make a timing of the calls in the spans of a record."""
    timeline = matching.timeline
    call_of, event = _calls(matching)
    rank = timeline.events["rank"][event].astype(np.int64)
    size = timeline.record.size
    first = np.searchsorted(rank, np.arange(size + 1)).astype(np.int64)
    clock = _SpanClock(timeline)
    begin = clock.seconds(rank, timeline.events["begin"][event])
    end = clock.seconds(rank, timeline.events["end"][event])
    until = clock.seconds(
        rank, np.minimum(matching.idle_until[event], timeline.events["end"][event])
    )
    inner = _inner_waits(matching, call_of, event)
    before = begin.copy()
    before[1:] -= end[:-1]
    starts = first[:-1][first[:-1] < first[1:]]
    before[starts] = begin[starts]
    rest = clock.length.copy()
    some = first[1:] > first[:-1]
    rest[some] -= end[first[1:][some] - 1]
    idle = np.maximum(np.maximum(until - begin, 0.0), inner)
    group, waits_for_group, single = _groups(timeline, call_of, len(event))
    return Retiming(
        timeline=timeline,
        event=event,
        first=first,
        before=np.maximum(before, 0.0),
        cost=np.maximum(end - begin - idle, 0.0),
        start=clock.start,
        rest=np.maximum(rest, 0.0),
        needs=_needs(matching, call_of, event, single),
        group=group,
        waits_for_group=waits_for_group,
        call_of=call_of,
        recorded_seconds=float((clock.start + clock.length).max(initial=0.0)),
    )


class _SpanClock:
    """Time that runs within the spans of a rank only [s]."""

    def __init__(self, timeline: Timeline) -> None:
        self.spans = timeline.spans
        size = timeline.record.size
        self.length = timeline.seconds_of_spans()
        earliest = int(self.spans["begin"].min(initial=np.iinfo(np.int64).max))
        self.start = np.zeros(size)
        for rank in range(size):
            own = self.spans[self.spans["rank"] == rank]
            if own.size:
                self.start[rank] = (int(own["begin"][0]) - earliest) / 1e9

    def seconds(self, rank: Integers, time: Integers) -> Floats:
        """Time within spans before each time [ns] of its rank."""
        found = np.zeros(len(time))
        for span in self.spans:
            low, high = np.searchsorted(rank, [span["rank"], span["rank"] + 1])
            inside = np.clip(time[low:high], span["begin"], span["end"]) - span["begin"]
            found[low:high] += inside / 1e9
        return found


def _calls(matching: Matching) -> tuple[Integers, Integers]:
    """Which call each event belongs to, and the events that are calls, by rank and time."""
    timeline = matching.timeline
    events = timeline.events
    kinds = tuple(kind for kind in mpi_kinds if kind != "completion") + ("sum",)
    owner = matching.completed_in
    is_call = timeline.is_kind(*kinds)
    is_call[owner[owner >= 0]] = True
    is_call &= timeline.span_of >= 0
    outer = np.where(is_call, np.arange(len(events)), -1)
    upward = timeline.parents
    above = upward.copy()
    while (above >= 0).any():
        at = np.maximum(above, 0)
        outer = np.where((above >= 0) & is_call[at], above, outer)
        above = np.where(above >= 0, upward[at], -1)
    inside = (owner >= 0) & is_call & (events["begin"] >= events["begin"][np.maximum(owner, 0)])
    outer[inside] = owner[inside]
    calls = np.flatnonzero(outer == np.arange(len(events)))
    order = np.lexsort((events["begin"][calls], events["end"][calls], events["rank"][calls]))
    calls = calls[order]
    number = np.full(len(events) + 1, -1, np.int64)
    number[calls] = np.arange(len(calls))
    return number[outer], calls


def _inner_waits(matching: Matching, call_of: Integers, event: Integers) -> Floats:
    """The waiting of calls that lie in each call [s]."""
    waits = matching.waits
    call = call_of[waits["event"]]
    inner = (call >= 0) & (event[np.maximum(call, 0)] != waits["event"])
    seconds = (waits["until"] - waits["begin"]) / 1e9
    return np.asarray(np.bincount(call[inner], seconds[inner], minlength=len(event)), np.float64)


def _needs(
    matching: Matching, call_of: Integers, event: Integers, single: list[tuple[int, int]]
) -> list[list[tuple[int, float]] | None]:
    """For each call the calls that must have begun, and how long after their begin it counts."""
    timeline, begin = matching.timeline, matching.timeline.events["begin"]
    blocking = timeline.is_kind("receive")[matching.receives]
    waiting = np.where(blocking, matching.receives, matching.completed_in[matching.receives])
    some = waiting >= 0
    pairs = [(waiting[some], matching.sends[some])]
    late = matching.waits[matching.waits["cause"] == 1]
    pairs.append((late["event"], late["culprit_event"]))
    if single:
        pairs.append((np.array([a for a, _ in single]), np.array([b for _, b in single])))
    needs: list[list[tuple[int, float]] | None] = [None] * len(event)
    for waits, comes in pairs:
        who, whom = call_of[waits], call_of[comes]
        lag = (begin[comes] - begin[event[np.maximum(whom, 0)]]) / 1e9
        for a, b, c in zip(who.tolist(), whom.tolist(), lag.tolist(), strict=True):
            if a < 0 or b < 0 or a == b:
                continue
            known = needs[a]
            if known is None:
                needs[a] = [(b, c)]
            else:
                known.append((b, c))
    return needs


def _groups(
    timeline: Timeline, call_of: Integers, size: int
) -> tuple[Integers, Flags, list[tuple[int, int]]]:
    """The collective of each call, whether it waits for all, and who waits for one other only."""
    events, group = collective_groups(timeline)
    of_call, waits_for_all = np.full(size, -1, np.int64), np.zeros(size, np.bool_)
    rows = timeline.events[events]
    single: list[tuple[int, int]] = []
    words = [dependence(region.name) for region in timeline.regions]
    words = [
        "all" if region.kind == "sum" else word
        for region, word in zip(timeline.regions, words, strict=True)
    ]
    roots = {
        int(g): int(event)
        for g, event, rank, root in zip(group, events, rows["rank"], rows["partner"], strict=True)
        if rank == root
    }
    for at, (event, number) in enumerate(zip(events.tolist(), group.tolist(), strict=True)):
        call, word = int(call_of[event]), words[rows["region"][at]]
        rooted = rows["partner"][at] >= 0 and number in roots
        if call < 0:
            continue
        if word == "all" or (word in ("root", "to root") and not rooted):
            of_call[call], waits_for_all[call] = number, True
        elif word == "to root":
            of_call[call] = number
            waits_for_all[call] = roots[number] == event
        elif word == "root" and roots[number] != event:
            single.append((event, roots[number]))
    return of_call, waits_for_all, single


def _run(model: Retiming, before: Floats, cost: Floats, lead: Floats | None, free: Flags) -> float:
    """Do all calls in an order in which each finds what it waits for."""
    early = np.zeros(len(before)) if lead is None else np.minimum(lead, before)
    pre, own, ahead = before.tolist(), cost.tolist(), early.tolist()
    alone = free.tolist()
    group, for_all = model.group.tolist(), (model.waits_for_group & ~free).tolist()
    missing = np.bincount(model.group[model.group >= 0], minlength=1).tolist()
    latest = [0.0] * len(missing)
    begun: list[float | None] = [None] * len(pre)
    sleepers: dict[int, list[int]] = {}
    group_sleepers: dict[int, list[int]] = {}
    at, last = model.first[:-1].tolist(), model.first[1:].tolist()
    clock = model.start.tolist()
    ready = deque(range(len(at)))
    forced = False
    while True:
        while ready:
            rank = ready.popleft()
            while at[rank] < last[rank]:
                call = at[rank]
                time = begun[call]
                if time is None:
                    time = begun[call] = clock[rank] + pre[call]
                    ready.extend(sleepers.pop(call, ()))
                    if group[call] >= 0:
                        number = group[call]
                        missing[number] -= 1
                        latest[number] = max(latest[number], time)
                        if missing[number] == 0:
                            ready.extend(group_sleepers.pop(number, ()))
                release, blocked = time, False
                for other, lag in (None if alone[call] else model.needs[call]) or ():
                    comes = begun[other]
                    if comes is None:
                        if forced:
                            continue
                        sleepers.setdefault(other, []).append(rank)
                        blocked = True
                        break
                    release = max(release, comes + lag - ahead[other])
                if blocked:
                    break
                if for_all[call]:
                    number = group[call]
                    if missing[number] > 0 and not forced:
                        group_sleepers.setdefault(number, []).append(rank)
                        break
                    release = max(release, latest[number])
                forced = False
                clock[rank] = release + own[call]
                at[rank] += 1
        left = [rank for rank in range(len(at)) if at[rank] < last[rank]]
        if not left:
            break
        # Only where a record contradicts itself: the rank that is furthest behind goes on.
        forced = True
        ready.append(min(left, key=lambda rank: clock[rank]))
    rest = model.rest.tolist()
    return max((clock[rank] + rest[rank] for rank in range(len(at))), default=0.0)
