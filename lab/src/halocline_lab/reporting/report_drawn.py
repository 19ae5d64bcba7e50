"""What of a record is drawn: a row for each thread of each rank, events, and lines of messages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.record.run_record import RunRecord, Table
from halocline_lab.diagnosis.matching import Matching
from halocline_lab.diagnosis.timeline import communicating_kinds, nest

Integers = NDArray[np.int64]

row_type = np.dtype([("rank", "<u4"), ("thread", "<u4")])
drawn_type = np.dtype(
    [
        ("row", "<u4"),
        ("begin", "<i8"),  # [ns]
        ("end", "<i8"),
        ("region", "<u4"),
        ("partner", "<i8"),
        ("bytes", "<i8"),
        ("idle", "<i8"),  # of it, from its begin, waiting for other ranks [ns]
        ("count", "<i8"),  # of events that it stands for
    ]
)
span_type = np.dtype([("row", "<u4"), ("begin", "<i8"), ("end", "<i8")])


@dataclass(frozen=True)
class Drawn:
    """Events by row and begin, those that enclose others first; lines are pairs of their places.

    A line leads from a send to the event in which its receiver got it. `in_mpi` tells of each
    region whether its own time is overhead.
    """

    zero: int
    end: int
    rows: Table
    spans: Table
    events: Table
    senders: Integers
    receivers: Integers
    in_mpi: NDArray[np.bool_]

    def first(self, count: int) -> Drawn:
        """Only the first events."""
        lines = (self.senders < count) & (self.receivers < count)
        return replace(
            self,
            events=self.events[:count],
            senders=self.senders[lines],
            receivers=self.receivers[lines],
        )

    def some_rows(self, count: int) -> Drawn:
        """Every n-th row, so that about `count` events are left; without lines."""
        every = max(1, -(-len(self.events) // max(count, 1)))
        none = np.zeros(0, np.int64)
        events = self.events[self.events["row"] % every == 0]
        return replace(self, events=events, senders=none, receivers=none)

    @cached_property
    def parents(self) -> Integers:
        """The event that each lies directly in, by place; -1: none."""
        rows = np.zeros(len(self.events), [("rank", "<u4"), ("begin", "<i8"), ("end", "<i8")])
        rows["rank"] = self.events["row"]
        rows["begin"], rows["end"] = self.events["begin"], self.events["end"]
        return nest(rows)

    @cached_property
    def own(self) -> Integers:
        """Time of each event without that of the events inside [ns]."""
        length = self.events["end"] - self.events["begin"]
        inner = self.parents >= 0
        inside = np.bincount(self.parents[inner], length[inner], minlength=len(length))
        return np.asarray(np.maximum(length - inside.astype(np.int64), 0), np.int64)


def drawn_events(record: RunRecord, matching: Matching) -> Drawn:
    """The events of all threads; completions are told by the lines of messages."""
    timeline = matching.timeline
    table = record.events
    order = np.lexsort((-table["end"], table["begin"], table["thread"], table["rank"]))
    events = table[order]
    main = np.flatnonzero(events["thread"] == 0)
    idle_until = events["begin"].copy()
    idle_until[main] = matching.idle_until
    kinds = np.array([region.kind for region in record.regions] or [""])
    in_mpi = np.isin(kinds, communicating_kinds)
    kept = kinds[events["region"]] != "completion" if events.size else np.zeros(0, np.bool_)
    place = np.cumsum(kept) - 1
    rows = _rows(record.ranks["rank"], events)
    found = np.zeros(int(kept.sum()), drawn_type)
    for name in ("begin", "end", "region", "partner", "bytes"):
        found[name] = events[name][kept]
    found["row"] = np.searchsorted(_row_key(rows), _row_key(events[kept]))
    found["idle"] = np.maximum(idle_until - events["begin"], 0)[kept]
    found["count"] = 1
    into = np.where(
        matching.completed_in[matching.receives] >= 0,
        matching.completed_in[matching.receives],
        matching.receives,
    )
    assert len(timeline.events) == len(main)
    zero, end = int(record.ranks["begin"].min()), int(record.ranks["end"].max())
    if events.size:
        zero, end = min(zero, int(events["begin"].min())), max(end, int(events["end"].max()))
    spans = _spans(rows, record.spans)
    senders, receivers = place[main[matching.sends]], place[main[into]]
    return Drawn(zero, end, rows, spans, found, senders, receivers, in_mpi)


def _row_key(rows: Table) -> Integers:
    return rows["rank"].astype(np.int64) * 65_536 + rows["thread"]


def _rows(ranks: Table, events: Table) -> Table:
    """The main thread of each rank, and all others that have events."""
    keys = np.unique(np.concatenate([ranks.astype(np.int64) * 65_536, _row_key(events)]))
    rows = np.zeros(len(keys), row_type)
    rows["rank"], rows["thread"] = keys // 65_536, keys % 65_536
    return rows


def _spans(rows: Table, spans: Table) -> Table:
    """The spans of each row, by begin."""
    parts = [np.zeros(0, span_type)]
    for number, rank in enumerate(rows["rank"]):
        own = np.sort(spans[spans["rank"] == rank], order="begin")
        part = np.zeros(len(own), span_type)
        part["row"], part["begin"], part["end"] = number, own["begin"], own["end"]
        parts.append(part)
    return np.concatenate(parts)
