"""The call graph of a record in the Callgrind format, for KCachegrind and callgrind_annotate.

A region is a function, named with its place in the source where that is known; its rank stands for
the source file and its kind for the ELF object, since KCachegrind groups by these and
callgrind_annotate tells functions of several files apart. Own times and calls are those of the
statistics, exact and of the whole run. Who called is known of the events that were kept: a region's
calls and time are shared out among its callers as those of its events are. A region without events
is called by the thread that it is in. The ends of non-blocking messages are no calls and are left
out. The format: "Callgrind Format Specification", a chapter of Valgrind's manual.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from halocline.runtime.record.run_record import Region, RunRecord, Table, beside_thread
from halocline_lab.diagnosis.timeline import Floats, Integers, nest, sums

nobody_above = -1
"""The caller of what lies in no other region: the thread."""


def write_callgrind(path: Path, record: RunRecord) -> None:
    """Write one profile of all ranks and threads; costs are nanoseconds."""
    command = " ".join(map(str, record.about.get("command", [])))
    lines = [
        "# callgrind format",
        "version: 1",
        "creator: halocline lab export",
        f"cmd: {command or record.about.get('program', '')}",
        "positions: line",
        "event: ns : Nanoseconds",
        "events: ns",
    ]
    total = 0
    for thread in _threads(record):
        lines += thread.lines()
        total += thread.total
    path.write_text("\n".join([*lines, "", f"totals: {total}"]) + "\n", encoding="utf-8")


class _Thread:
    """What one thread of one rank did: regions, and who called whom.

    `callers`, `callees` are the pairs that call, `calls` and `nanoseconds` what they share; `rest`
    is what a main thread does outside all regions.
    """

    def __init__(self, record: RunRecord, rank: int, thread: int, rows: Table) -> None:
        self.regions, self.rank, self.thread = record.regions, rank, thread
        number = len(record.regions)
        self.own = _whole(sums(rows["region"], 1e9 * rows["own_seconds"], number))
        calls = sums(rows["region"], rows["calls"], number)
        inclusive = sums(rows["region"], 1e9 * rows["seconds"], number)
        events = record.of_rank(rank)
        mine = (events["thread"] == thread) & (record.kinds_of(events["region"]) != "completion")
        callers, callees, shares = _callers(events[mine], calls, inclusive)
        self.callers, self.callees = callers, callees
        self.calls = _whole(shares[0] * calls[callees])
        self.nanoseconds = _whole(shares[1] * inclusive[callees])
        length = int(record.ranks["end"][rank] - record.ranks["begin"][rank])
        self.rest = max(0, length - int(self.own.sum())) if thread == 0 else 0

    @property
    def total(self) -> int:
        """The sum of all own times [ns]."""
        return self.rest + int(self.own.sum())

    def lines(self) -> Iterator[str]:
        """The thread itself, then each region: what it took, and the calls from it."""
        yield from ("", f"fl=rank {self.rank}", "ob=thread", f"fn={self._name}", f"0 {self.rest}")
        yield from self._calls_from(nobody_above)
        for region in np.union1d(np.flatnonzero(self.own), self.callees).tolist():
            one = self.regions[region]
            yield from ("", f"ob={one.kind}", f"fn={_title(one)}", f"0 {self.own[region]}")
            yield from self._calls_from(region)

    def _calls_from(self, caller: int) -> Iterator[str]:
        for at in np.flatnonzero(self.callers == caller).tolist():
            one = self.regions[self.callees[at]]
            yield from (f"cob={one.kind}", f"cfn={_title(one)}")
            yield from (f"calls={self.calls[at]} 0", f"0 {self.nanoseconds[at]}")

    @property
    def _name(self) -> str:
        if self.thread >= beside_thread:
            return f"beside: {self.regions[self.thread - beside_thread].name}"
        return f"thread {self.thread}"


def _threads(record: RunRecord) -> Iterator[_Thread]:
    """All threads that did something, by rank."""
    lasts = record.kinds_of(record.statistics["region"]) != "completion"
    rows = record.statistics[lasts]
    for rank in range(record.size):
        mine = rows[rows["rank"] == rank]
        for thread in sorted({0, *mine["thread"].tolist()}):
            yield _Thread(record, rank, thread, mine[mine["thread"] == thread])


def _callers(
    events: Table, calls: Floats, inclusive: Floats
) -> tuple[Integers, Integers, tuple[Floats, Floats]]:
    """Callers and callees of a thread, and of the callee's calls and time the share of each.

    `events` are those of the thread, `calls` and `inclusive` what each region has in the whole run.
    """
    number = len(calls)
    ordered = events[np.lexsort((-events["end"], events["begin"]))]
    parents = nest(ordered)
    above = np.where(parents >= 0, ordered["region"][parents].astype(np.int64), nobody_above)
    pair = (above + 1) * number + ordered["region"]
    lengths = (ordered["end"] - ordered["begin"]).astype(np.float64)
    size = (number + 1) * number
    count, time = sums(pair, np.ones(len(pair)), size), sums(pair, lengths, size)
    unseen = np.flatnonzero((calls > 0) & (count.reshape(-1, number).sum(axis=0) == 0))
    count[unseen] = 1.0
    pairs = np.flatnonzero(count)
    callees = pairs % number
    of_all = sums(callees, count[pairs], number), sums(callees, time[pairs], number)
    by_count = count[pairs] / of_all[0][callees]
    lasting = of_all[1][callees] > 0.0
    by_time = np.where(lasting, time[pairs] / np.where(lasting, of_all[1][callees], 1.0), by_count)
    return pairs // number + nobody_above, callees, (by_count, by_time)


def _title(region: Region) -> str:
    """The name of a region, with its place in the source."""
    return f"{region.name} ({region.site})" if region.site else region.name


def _whole(values: Floats) -> Integers:
    return np.rint(values).astype(np.int64)
