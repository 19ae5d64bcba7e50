"""The program of a record: what its ranks did in the spans whose events are complete.

Computation is the time between events of MPI, each rank's own, on the machine of the record. What
ranks waited for is not in a program: the replay finds it anew. Calls whose insides a record does
not know (files, one-sided) take the time that they took.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.record.run_record import Region, RunRecord, Table, nobody
from halocline_lab.prediction.programs import (
    OperationKind,
    Program,
    collective_kinds,
    joined,
    kind_number,
    operation_type,
)

containers = ("wait", "test", "send receive")
"""Calls whose own time is waiting: what they complete is inside them."""

as_measured = ("file", "one-sided", "other mpi")
messages = ("send", "receive", "start send", "start receive")

_collective_words = (
    ("allreduce", "all reduce"),
    ("reducescatter", "reduce scatter"),
    ("allgather", "all gather"),
    ("alltoall", "all to all"),
    ("barrier", "barrier"),
    ("bcast", "broadcast"),
    ("broadcast", "broadcast"),
    ("gather", "gather"),
    ("scatter", "scatter"),
    ("reduce", "reduce"),
    ("scan", "scan"),
    ("maximum", "all reduce"),
    ("sum", "all reduce"),
)


def collective_of(name: str) -> str:
    """Which collective a region is, by its name; a barrier where nothing tells.

    >>> collective_of("MPI_Iallreduce"), collective_of("MPI_Reduce_scatter_block")
    ('all reduce', 'reduce scatter')
    >>> collective_of("MPI_Neighbor_alltoallv"), collective_of("MPI_Comm_dup")
    ('all to all', 'barrier')
    """
    plain = re.sub("[^a-z]", "", name.lower())
    for word, kind in _collective_words:
        if word in plain:
            return kind
    return "barrier"


def program_of_record(record: RunRecord) -> Program:
    """What the ranks of a record did in its spans, one after the other."""
    return joined(programs_of_spans(record))


def programs_of_spans(record: RunRecord, *, skew: bool = True) -> list[Program]:
    """What the ranks did in each span; with `skew`, ranks begin the first as late as they did."""
    spans = _spans(record)
    packing = _least_packing(record)
    parts = [
        _of_span(record, begins, ends, packing, skew=skew and number == 0)
        for number, (begins, ends) in enumerate(spans)
    ]
    nothing = np.zeros(record.size, np.int64)
    return parts or [_of_span(record, nothing, nothing, packing, skew=False)]


def replayed_spans(record: RunRecord) -> list[tuple[float, float]]:
    """From the first rank's begin to the last one's end of each span that is replayed [s]."""
    return [(float(b.min()) / 1e9, float(e.max()) / 1e9) for b, e in _spans(record)]


Spans = list[tuple[NDArray[np.int64], NDArray[np.int64]]]


def _spans(record: RunRecord) -> Spans:
    """Begins and ends of spans of each rank [ns]: of the same steps, or else of the same time."""
    by_step: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
    for row in record.spans.tolist():
        rank, begin, end, step, steps = row
        by_step.setdefault((step, steps), []).append((rank, begin, end))
    known = [key for key in sorted(by_step) if key[0] >= 0]
    whole = [by_step[key] for key in known if len({row[0] for row in by_step[key]}) == record.size]
    if whole and len(whole) == len(known):
        rows = [np.array(sorted(one), np.int64) for one in whole]
        return [(one[:, 1], one[:, 2]) for one in rows]
    return [
        (np.full(record.size, begin), np.full(record.size, end))
        for begin, end in record.common_spans()
    ]


@dataclass
class _Writer:
    """Operations of one rank, as rows of `operation_type`."""

    rows: list[tuple[float, int, int, int, int, int, int, int]] = field(default_factory=list)

    def add(
        self,
        kind: OperationKind,
        region: int,
        seconds: float = 0.0,
        size: int = 0,
        partner: int = nobody,
        tag: int = 0,
        request: int = 0,
        communicator: int = 0,
    ) -> None:
        number = kind_number(kind)
        self.rows.append((seconds, size, partner, tag, request, region, communicator, number))

    def wait(self, region: int, request: int) -> None:
        """Wait for a request, together with the waits just before: one call completed them."""
        if self.rows and self.rows[-1][-1] == kind_number("wait"):
            self.rows[-1] = (*self.rows[-1][:3], 1, *self.rows[-1][4:])
        self.add("wait", region, request=request)

    def table(self) -> Table:
        table = np.zeros(len(self.rows), operation_type)
        names = operation_type.names or ()
        for name, column in zip(names, zip(*self.rows, strict=True), strict=False):
            table[name] = column
        return table


def _of_span(
    record: RunRecord,
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    packing: Packing,
    *,
    skew: bool,
) -> Program:
    regions = [*record.regions, Region("between", "phase")]
    kinds = [region.kind for region in regions]
    collectives = [collective_kinds.index(collective_of(region.name)) for region in regions]
    start = int(begins.min()) if skew else None
    tables, seen = [], set()
    for rank in range(record.size):
        writer = _Writer()
        begin, end = int(begins[rank]), int(ends[rank])
        if start is not None and begin > start:
            writer.add("compute", len(regions) - 1, (begin - start) / 1e9)
        events = record.of_rank(rank)
        chosen = events["begin"] < end
        chosen &= (events["end"] > begin) | (events["begin"] >= begin)
        chosen &= events["thread"] == _main_thread(events[chosen], kinds)
        seen |= set(_write(writer, events[chosen], kinds, collectives, packing, begin, end))
        tables.append(writer.table())
    tables, words = _matched(tables, _communicators(record))
    first = np.concatenate([[0], np.cumsum([len(table) for table in tables])]).astype(np.int64)
    assumptions = [f"calls of the kind '{kind}' take the time that they took" for kind in seen]
    if packing:
        assumptions.append(
            "packing and unpacking a halo take what the fastest exchange of the same size took"
        )
    operations = np.concatenate(tables)
    return Program(
        operations, first, regions, _communicators(record), 1, (*sorted(assumptions), *words)
    )


beside = 2**15
"""Threads that only write have numbers from here up."""


def _main_thread(events: Table, kinds: Sequence[str]) -> int:
    """The thread that calls MPI and kernels: of those that record anything else than their share
    of a parallel region, the one that records most."""
    shares = [number for number, kind in enumerate(kinds) if kind in ("threads", "thread wait")]
    some = events["thread"][(events["thread"] < beside) & ~np.isin(events["region"], shares)]
    return int(np.bincount(some).argmax()) if some.size else 0


Packing = dict[tuple[int, int], int]
"""The least time before a completion outside of a wait [ns], by its region and bytes."""


def _least_packing(record: RunRecord) -> Packing:
    """What exchanges take at least, from start to end, whose waiting is not on record."""
    kinds = record.kinds_of(record.events["region"])
    done, other = kinds == "completion", ~np.isin(kinds, ["phase", *containers])
    before = np.flatnonzero(other)
    ends = np.flatnonzero(done)
    if not ends.size or (kinds == "wait").any():
        return {}
    place = before[np.searchsorted(before, ends) - 1]
    events = record.events
    gaps = events["begin"][ends] - events["end"][place]
    some = (events["rank"][place] == events["rank"][ends]) & (gaps > 0) & (place < ends)
    found: Packing = {}
    keys = zip(events["region"][ends].tolist(), events["bytes"][ends].tolist(), strict=True)
    for key, gap, counts in zip(keys, gaps.tolist(), some.tolist(), strict=True):
        if counts:
            found[key] = min(gap, found.get(key, gap))
    return found


def _communicators(record: RunRecord) -> list[NDArray[np.int32]]:
    world = np.arange(record.size, dtype=np.int32)
    kinds = record.kinds_of(record.events["region"])
    everywhere = np.isin(kinds, ["collective", "start collective"])
    everywhere &= record.events["communicator"] == 0
    some = np.unique(record.events["rank"][everywhere]).astype(np.int32)
    known = record.about.get("communicators") or []
    given = dict(enumerate(known)) if not isinstance(known, dict) else known
    most = int(record.events["communicator"].max(initial=0))
    # Servers take no part in the sums of a model: these are recorded as of the world all the same.
    found = [some if some.size else world]
    for number in range(1, most + 1):
        members = given.get(number, given.get(str(number)))
        found.append(np.asarray(members, np.int32) if members is not None else world)
    return found


def _write(
    writer: _Writer,
    events: Table,
    kinds: Sequence[str],
    collectives: Sequence[int],
    packing: Packing,
    begin: int,
    end: int,
) -> Iterator[str]:
    """Write the operations of one rank in [begin, end); the kinds taken as measured."""
    open_events: list[tuple[int, int, bool]] = []  # end, region, whether its own time is waiting
    now, idle = begin, False
    nobodys: set[int] = set()  # requests of messages that do not exist

    def pass_time(until: int, waiting: bool) -> None:
        nonlocal now
        region = open_events[-1][1] if open_events else len(kinds) - 1
        if until > now:
            if not waiting:
                writer.add("compute", region, (until - now) / 1e9)
            now = until

    def close(until: int) -> None:
        while open_events and open_events[-1][0] <= until:
            last, region, waiting = open_events[-1]
            pass_time(min(last, end), waiting)
            open_events.pop()
            writer.add("leave", region)

    columns = ("begin", "end", "bytes", "region", "partner", "tag", "request", "communicator")
    rows = zip(*(events[name].tolist() for name in columns), strict=True)
    for at, last, size, region, partner, tag, request, communicator in rows:
        close(at)
        kind = kinds[region]
        inside_wait = bool(open_events) and open_events[-1][2]
        if kind == "completion" and not inside_wait and at > now:
            # The wait itself is not on record: what is more than packing takes was waiting.
            least = packing.get((region, size), 0)
            writer.add("compute", region, min(at - now, least) / 1e9)
            now = at
        pass_time(at, inside_wait or (idle and kind == "test"))
        idle = False
        if kind == "completion":
            if request not in nobodys:
                writer.wait(region, request)
            continue
        if kind in messages and partner == nobody:  # to or from MPI_PROC_NULL, or cancelled
            nobodys.add(request)
            now = max(now, min(last, end)) if not inside_wait else now
            continue
        if kind in (*messages, "collective", "start collective"):
            if at >= begin:
                tag = collectives[region] if "collective" in kind else tag
                writer.add(kind, region, 0.0, size, partner, tag, request, communicator)
            now = max(now, min(last, end)) if not inside_wait else now
            continue
        writer.add("enter", region)
        open_events.append((last, region, kind in containers))
        idle = kind == "test"
        if kind in as_measured:
            yield kind
    close(end)
    pass_time(end, bool(open_events) and open_events[-1][2])
    while open_events:
        writer.add("leave", open_events.pop()[1])


def _matched(
    tables: list[Table], communicators: Sequence[NDArray[np.int32]]
) -> tuple[list[Table], list[str]]:
    """Without messages and collectives whose other side lies outside the span."""
    counts = np.array([len(table) for table in tables])
    rank = np.repeat(np.arange(len(tables)), counts)
    whole = np.concatenate(tables)
    keep = np.ones(len(whole), bool)
    dropped = _drop_lonely_messages(whole, rank, keep) + _drop_lonely_collectives(
        whole, rank, keep, communicators
    )
    words = [f"{dropped} calls whose other side lies outside the spans are left out"]
    parts = [whole[(rank == r) & keep] for r in range(len(tables))] if dropped else tables
    return parts, words if dropped else []


def _drop_lonely_messages(whole: Table, rank: NDArray[np.int64], keep: NDArray[np.bool_]) -> int:
    """Sends without a receive at the end go, receives without a send at the beginning."""
    numbers = {kind: kind_number(kind) for kind in messages}  # type: ignore[arg-type]
    sends = np.isin(whole["kind"], [numbers["send"], numbers["start send"]])
    receives = np.isin(whole["kind"], [numbers["receive"], numbers["start receive"]])
    some = np.flatnonzero((sends | receives) & (whole["partner"] != nobody))
    wild = whole["partner"][some] < nobody
    if wild.any():
        return 0
    is_send = sends[some]
    partner = whole["partner"][some].astype(np.int64)
    source, target = np.where(is_send, rank[some], partner), np.where(is_send, partner, rank[some])
    keys = np.stack([source, target, whole["tag"][some], whole["communicator"][some]], axis=1)
    _, key = np.unique(keys, axis=0, return_inverse=True)
    key = key.reshape(-1)
    kinds = max(1, int(key.max(initial=-1)) + 1)
    sent = np.bincount(key[is_send], minlength=kinds)
    received = np.bincount(key[~is_send], minlength=kinds)
    place = _place_in_group(np.stack([key, is_send], axis=1))
    late = is_send & (place >= np.minimum(sent, received)[key])
    early = ~is_send & (place < (received - np.minimum(sent, received))[key])
    keep[some[late | early]] = False
    return int((late | early).sum())


def _place_in_group(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many rows before a row have the same key."""
    _, group = np.unique(keys, axis=0, return_inverse=True)
    group = group.reshape(-1)
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    begins = np.searchsorted(ordered, ordered)
    place = np.empty(len(group), np.int64)
    place[order] = np.arange(len(group)) - begins
    return place


def _drop_lonely_collectives(
    whole: Table,
    rank: NDArray[np.int64],
    keep: NDArray[np.bool_],
    communicators: Sequence[NDArray[np.int32]],
) -> int:
    """Members of a communicator keep as many collectives as the one that has the fewest."""
    kinds = [kind_number("collective"), kind_number("start collective")]
    some = np.flatnonzero(np.isin(whole["kind"], kinds))
    dropped = 0
    for number, members in enumerate(communicators):
        mine = some[whole["communicator"][some] == number]
        if not mine.size:
            continue
        held = {int(r): mine[rank[mine] == r] for r in members}
        fewest = min(held.values(), key=len)
        wanted = whole[["tag", "partner"]][fewest].tolist()
        for own in held.values():
            excess = len(own) - len(fewest)
            front = whole[["tag", "partner"]][own[excess:]].tolist() == wanted
            lonely = own[:excess] if front else own[len(fewest) :]
            keep[lonely] = False
            dropped += excess
    return dropped
