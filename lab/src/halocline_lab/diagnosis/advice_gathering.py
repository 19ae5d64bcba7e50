"""Advice on one rank that serves all: blocking messages to one, and input that all read."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from halocline.runtime.record.run_record import RunRecord, periods
from halocline_lab.diagnosis.advice_case import AdviceCase
from halocline_lab.diagnosis.bursts import Sent, bursts, memory_rates, message_cost, sent
from halocline_lab.diagnosis.findings import Finding
from halocline_lab.diagnosis.phases import kind_mask
from halocline_lab.diagnosis.timeline import Flags, compute_ranks, sums


def find_all_to_one(case: AdviceCase) -> Finding | None:
    """All ranks send blocking messages to one, that takes them one by one (B-12, R-22)."""
    found = sent(case.timing, case.matching)
    found = found.only((found.call >= 0) & (found.received_by >= 0))
    kinds = [region.kind for region in case.timing.timeline.regions]
    blocking = np.array([kind in ("send", "receive") for kind in kinds])[case.timing.region]
    found = found.only(blocking[found.call] & blocking[found.received_by])
    root = _root(found, case.record.size)
    if root is None:
        return None
    mine = _gatherable(case, found.only(found.receiver == root))
    if not len(mine.call):
        return None
    saved, gathers = _gathered(case, mine)
    size = float(np.mean(mine.bytes))
    root_cost = float(case.timing.cost[np.unique(mine.received_by)].sum())
    return Finding(
        fault="blocking all-to-one",
        what=f"Blocking all-to-one: all ranks send to rank {root}, which receives their messages"
        " one after the other while they wait.",
        evidence=[
            f"{len(mine.call)} messages of {size:.0f} bytes on average, in {gathers} bursts",
            f"rank {root} spends {root_cost:.3g} s in these receives without its waiting, and"
            f" {100 * saved / max(case.timing.unchanged, 1e-300):.1f} % of the time goes with them",
        ],
        gain=case.gain(saved, 0.7 * saved, 1.1 * saved),
        sure="certain",
        advice=[
            "Use one collective for all of it: MPI_Gatherv (MPI_Igatherv to go on meanwhile), of"
            " all variables packed; or let ranks that do nothing else take and write the data.",
            "Halocline: output.writing.way = 'auto' chooses; 'servers' with output.servers.count"
            " takes output off the computing ranks, 'parts' and 'mpiio' write without a root.",
        ],
    )


def _root(found: Sent, size: int) -> int | None:
    """The rank that all others send to and that sends hardly anything back."""
    if size < 3:
        return None
    for rank in range(size):
        to, back = found.receiver == rank, found.sender == rank
        senders = len(np.unique(found.sender[to]))
        if senders == size - 1 and back.sum() < 0.2 * to.sum() and to.sum() >= 2 * size:
            return rank
    return None


def _gatherable(case: AdviceCase, mine: Sent) -> Sent:
    """Messages that the root takes in one burst from most others, of which each sends in one.

    Workers that send a result whenever they have one are no such; nothing could collect those.
    """
    together = bursts(case.matching, case.timing)
    sent_in, received_in = together.of_call[mine.call], together.of_call[mine.received_by]
    found = np.zeros(len(mine.call), np.bool_)
    for burst in np.unique(received_in[received_in >= 0]):
        here = received_in == burst
        senders, sendings = (len(np.unique(one[here])) for one in (mine.sender, sent_in))
        if 2 * senders >= case.record.size - 1 and sendings <= max(senders, here.sum() / 3):
            found |= here
    return mine.only(found)


def _gathered(case: AdviceCase, mine: Sent) -> tuple[float, int]:
    """Seconds saved if each burst of messages to the root is one gather; bursts of the root.

    A gather costs the root the bytes of all and a message per level of a tree, others one message.
    """
    timing = case.timing
    together = bursts(case.matching, timing)
    sending, receiving = _flags(timing.cost, mine.call), _flags(timing.cost, mine.received_by)
    cost = message_cost(timing, mine.call, mine.bytes)
    before, costs = case.typical.copy(), timing.cost.copy()
    levels = max(1, math.ceil(math.log2(max(case.record.size, 2))))
    gathers = 0
    for flags, calls, messages in ((sending, mine.call, 1), (receiving, mine.received_by, levels)):
        _, first_of = np.unique(np.where(flags, together.of_call, -1), return_index=True)
        first = flags & _flags(timing.cost, first_of)
        moved = sums(together.of_call[calls], mine.bytes, together.count)[together.of_call[first]]
        costs[flags] = 0.0
        costs[first] = messages * cost.each + moved * cost.per_byte
        costs = np.minimum(costs, np.where(first, np.inf, timing.cost))
        before[flags & ~first] = 0.0
        gathers = int(first.sum())
    then = timing.seconds(before=before, cost=costs, free=sending)
    return timing.seconds(before=case.typical) - then, gathers


def _flags(values: object, places: object) -> Flags:
    found = np.zeros(len(np.asarray(values)), np.bool_)
    found[np.asarray(places)] = True
    return found


@dataclass(frozen=True)
class _Reading:
    """Reading of one region in one period: bytes of each rank, and how long it took [s]."""

    region: int
    period: str
    bytes: int
    slowest: float
    quickest_call: float
    calls: float


def find_input(case: AdviceCase) -> Finding | None:
    """Every rank reads the same bytes (B-13): one could read and broadcast them, or each its part.

    With P ranks at one disk, one alone needs 1/P of the time if the disk is the limit, or what the
    quickest read of all took; a broadcast in parts moves all bytes once.
    """
    record = case.record
    ranks = compute_ranks(record)
    readings = [one for one in _readings(record) if one.bytes > 0]
    if len(ranks) < 2 or not readings:
        return None
    spent = sum(one.slowest for one in readings)
    size = sum(one.bytes for one in readings)
    share = 1.0 / len(ranks)
    alone = sum(max(one.slowest * share, 0.0) for one in readings)
    quickest = sum(min(one.quickest_call * one.calls, one.slowest) for one in readings)
    spread = [size / rate for rate in memory_rates]
    expected = spent - alone - spread[1]
    low = spent - max(quickest, alone) - spread[0]
    high = spent - alone - spread[2]
    names = sorted({record.regions[one.region].name for one in readings})
    return Finding(
        fault="input by every rank",
        what=f"Every rank reads the same {size / 1e6:.4g} MB ({', '.join(names)}), for"
        f" {spent:.3g} s.",
        evidence=[
            f"all {len(ranks)} ranks read equally many bytes, {size * len(ranks) / 1e6:.4g} MB"
            " together: the time grows with their number",
            f"the quickest of these reads would need {quickest:.3g} s for all of it",
        ],
        gain=case.whole_gain(expected, 0.9 * min(low, expected), 1.05 * max(high, expected)),
        sure="likely",
        advice=[
            "Let one rank read and MPI_Bcast, or each rank read its own part only"
            " (MPI_File_read_at_all with a file view, parallel netCDF).",
            "Halocline reads each record once and sends every rank its part.",
        ],
    )


def _readings(record: RunRecord) -> list[_Reading]:
    """Regions that read, where all ranks read equally many bytes, more than a few."""
    rows = record.statistics
    rows = rows[(rows["thread"] == 0) & kind_mask(record, ("input", "file"), rows)]
    ranks = compute_ranks(record)
    found = []
    for region in np.unique(rows["region"]):
        kind, name = record.regions[region].kind, record.regions[region].name.lower()
        if kind == "file" and ("read" not in name or "_all" in name):
            continue
        for number, period in enumerate(periods):
            mine = rows[(rows["region"] == region) & (rows["period"] == number)]
            size = sums(mine["rank"], mine["bytes"], record.size)[ranks]
            if not mine.size or size.min() != size.max() or size.max() < 65536:
                continue
            seconds = sums(mine["rank"], mine["seconds"], record.size)[ranks]
            quickest = float(mine["shortest"].min())
            calls = float(mine["calls"].mean())
            found.append(
                _Reading(int(region), period, int(size.max()), seconds.max(), quickest, calls)
            )
    return found
