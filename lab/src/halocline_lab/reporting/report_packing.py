"""The events of a record for a page: as many as fit, in few characters.

Integers are written in seven-bit groups, least first (the highest bit: more follow), deflated, and
put into base64. What does not fit in full is drawn coarser: events below a length are put together,
with their times right and their order not; windows of the run stay in full.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.record.run_record import anybody, nobody
from halocline_lab.reporting.report_coarse import Coarse, coarsened, windows_of
from halocline_lab.reporting.report_drawn import Drawn

Integers = NDArray[np.int64]

sample = 50_000
"""Events whose packed length tells that of all."""


def pack(values: Sequence[int] | NDArray[Any]) -> str:
    """Integers, not negative, as characters.

    >>> unpack(pack([0, 127, 128, 70_000_000_000])).tolist()
    [0, 127, 128, 70000000000]
    """
    left = np.asarray(values, np.int64).astype(np.uint64)
    bytes_of = np.empty((10, left.size), np.uint8)
    used = np.zeros((10, left.size), np.bool_)
    more = np.ones(left.size, np.bool_)
    for place in range(10):
        used[place] = more
        low = (left & np.uint64(127)).astype(np.uint8)
        left = left >> np.uint64(7)
        more = more & (left > 0)
        bytes_of[place] = low | np.where(more, 128, 0).astype(np.uint8)
    written = bytes_of.T[used.T].tobytes()
    return base64.b64encode(zlib.compress(written, 6)).decode("ascii")


def unpack(text: str) -> Integers:
    """The integers of `pack`."""
    written = np.frombuffer(zlib.decompress(base64.b64decode(text)), np.uint8)
    last = np.flatnonzero(written < 128)
    starts = np.concatenate([[0], last[:-1] + 1]).astype(np.int64)
    number = np.repeat(np.arange(last.size), np.diff(np.concatenate([starts, [written.size]])))
    place = np.arange(written.size) - starts[number]
    parts = (written & 127).astype(np.int64) << (7 * place)
    found = np.zeros(last.size, np.int64)
    np.add.at(found, number, parts)
    return found


def folded(values: NDArray[Any]) -> Integers:
    """Signed integers as others that are not negative: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...

    >>> folded(np.array([0, -1, 1, -2])).tolist()
    [0, 1, 2, 3]
    """
    wide = np.asarray(values, np.int64)
    return np.asarray((wide << 1) ^ (wide >> 63), np.int64)


def unfolded(values: Integers) -> Integers:
    """What was `folded`."""
    return np.asarray((values >> 1) ^ -(values & 1), np.int64)


@dataclass(frozen=True)
class PackedTimeline:
    """What the page holds of the events; `shortest` is 0 where all are there, else [ns]."""

    data: dict[str, Any]
    shortest: int
    windows: list[tuple[int, int]]
    events: int
    drawn: int

    @property
    def length(self) -> int:
        """Characters of the packed columns."""
        return _length(self.data)


def packed_timeline(drawn: Drawn, budget: int) -> PackedTimeline:
    """All events, or as much detail of them as fits into `budget` characters."""
    count = len(drawn.events)
    if _expected_length(drawn) < 1.3 * budget:
        data = _columns(drawn)
        if _length(data) <= budget:
            return PackedTimeline(data, 0, [], count, count)
    most = max(1000, int(0.9 * count * budget / max(1, _expected_length(drawn))))
    while True:
        coarse = _coarse(drawn, most)
        data = _columns(coarse.drawn)
        if _length(data) <= budget or most < 200:
            found = len(coarse.drawn.events)
            return PackedTimeline(data, coarse.shortest, coarse.windows, count, found)
        most = int(0.9 * most * budget / _length(data))


def _coarse(drawn: Drawn, most: int) -> Coarse:
    """About half of `most` events in windows in full, half for all the rest.

    How short events must be to be put together is found on some of the rows.
    """
    windows = windows_of(drawn, most // 2)
    some = drawn.some_rows(sample)
    enough = most * len(some.events) / len(drawn.events)
    low, high = 6, 50
    while low < high:
        middle = (low + high) // 2
        if len(coarsened(some, windows, 2**middle).drawn.events) <= enough:
            high = middle
        else:
            low = middle + 1
    return coarsened(drawn, windows, 2**low)


def _expected_length(drawn: Drawn) -> int:
    count = len(drawn.events)
    if count <= sample:
        return _length(_columns(drawn))
    part = drawn.first(sample)
    return int(_length(_columns(part)) * count / sample)


def _length(data: dict[str, Any]) -> int:
    return sum(len(text) for text in data.values() if isinstance(text, str))


def _columns(drawn: Drawn) -> dict[str, Any]:
    """The columns of the page; `unpacked` is the way back, and report_timeline.js has it too."""
    events = drawn.events
    before = np.concatenate([[0], events["begin"][:-1]]) if events.size else events["begin"]
    first = np.ones(len(events), np.bool_)
    first[1:] = events["row"][1:] != events["row"][:-1]
    rank = drawn.rows["rank"][events["row"]].astype(np.int64)
    distance = 2 + folded(events["partner"] - rank)
    partner = np.select(
        [events["partner"] == nobody, events["partner"] == anybody], [0, 1], distance
    )
    order = np.argsort(drawn.senders, kind="stable")
    senders, receivers = drawn.senders[order], drawn.receivers[order]
    return {
        "counts": pack(np.bincount(events["row"], minlength=len(drawn.rows))),
        "begin": pack(np.where(first, events["begin"] - drawn.zero, events["begin"] - before)),
        "length": pack(events["end"] - events["begin"]),
        "region": pack(events["region"]),
        "partner": pack(partner),
        "bytes": pack(events["bytes"]),
        "idle": pack(events["idle"]),
        "count": pack(events["count"] - 1),
        "senders": pack(np.diff(senders, prepend=0)),
        "receivers": pack(folded(receivers - senders)),
        "spanCounts": pack(np.bincount(drawn.spans["row"], minlength=len(drawn.rows))),
        "spanBegin": pack(drawn.spans["begin"] - drawn.zero),
        "spanLength": pack(drawn.spans["end"] - drawn.spans["begin"]),
        "rank": pack(drawn.rows["rank"]),
        "thread": pack(drawn.rows["thread"]),
    }


def unpacked(data: dict[str, str], zero: int) -> dict[str, Integers]:
    """The events of a page again, column by column, as the tests want to see them."""
    columns = {name: unpack(text) for name, text in data.items()}
    row = np.repeat(np.arange(len(columns["counts"])), columns["counts"])
    rank = columns["rank"][row]
    begin = np.empty(len(row), np.int64)
    for one in range(len(columns["counts"])):
        begin[row == one] = zero + np.cumsum(columns["begin"][row == one])
    code = columns["partner"]
    partner = np.select([code == 0, code == 1], [nobody, anybody], unfolded(code - 2) + rank)
    senders = np.cumsum(columns["senders"])
    return {
        "rank": rank,
        "thread": columns["thread"][row],
        "begin": begin,
        "end": begin + columns["length"],
        "region": columns["region"],
        "partner": partner,
        "bytes": columns["bytes"],
        "idle": columns["idle"],
        "count": columns["count"] + 1,
        "senders": senders,
        "receivers": senders + unfolded(columns["receivers"]),
    }
