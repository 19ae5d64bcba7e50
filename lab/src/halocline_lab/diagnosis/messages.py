"""Who sends how much to whom, in messages of which sizes, from which calls of the source.

All numbers are of the whole run, from the table of messages, which is exact however long the run.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halocline.runtime.record.run_record import RunRecord, Table, beside_thread, of_derived_type
from halocline_lab.diagnosis.matching import Matching
from halocline_lab.diagnosis.patterns import Pattern, recognise
from halocline_lab.diagnosis.phases import kind_mask
from halocline_lab.diagnosis.quantities import Spread, spread
from halocline_lab.diagnosis.timeline import Floats, communicating_kinds, compute_ranks, sums

sending = ("send", "start send")
receiving = ("receive", "start receive")
collecting = ("collective", "start collective")


@dataclass(frozen=True)
class Matrix:
    """Messages from rank `sender[n]` to `receiver[n]`: `count[n]`, together `bytes[n]`."""

    sender: list[int]
    receiver: list[int]
    count: list[int]
    bytes: list[int]


@dataclass(frozen=True)
class Histogram:
    """Messages sent by size: up to `limit[n]` bytes, more than half of that: count and bytes.

    `seconds` is the time inside the sending calls.
    """

    limit: list[int]
    count: list[int]
    bytes: list[int]
    seconds: list[float]


@dataclass(frozen=True)
class CallSite:
    """A call of MPI at one place of the source, or a halo exchange or sum by whatever means.

    Over all ranks and the whole run: `seconds` is the own time of each rank in it, `share` what it
    is of the time of all threads that call MPI, `waiting` what all ranks together waited in it [s],
    by the events of the spans (None: none are known).
    """

    name: str
    kind: str
    site: str
    calls: int
    bytes: int
    mean_bytes: float
    seconds: Spread
    share: float
    waiting: float | None
    pattern: Pattern | None


@dataclass(frozen=True)
class Messages:
    """All about messages; `pattern` is that among the ranks that compute the model."""

    count: int
    bytes: int
    matrix: Matrix
    histogram: Histogram
    pattern: Pattern
    sites: list[CallSite]


def messages(matching: Matching, most_sites: int = 60) -> Messages:
    """Matrix, histogram, call sites (those of most time first) and patterns."""
    record = matching.timeline.record
    sent = sent_messages(record)
    model = compute_ranks(record)
    inside = sent[np.isin(sent["rank"], model) & np.isin(sent["partner"], model)]
    sender, receiver = (np.searchsorted(model, inside[name]) for name in ("rank", "partner"))
    return Messages(
        count=int(sent["count"].sum()),
        bytes=int(sent["bytes"].sum()),
        matrix=_matrix(sent, record.size),
        histogram=_histogram(sent),
        pattern=recognise(sender, receiver, inside["count"], len(model)),
        sites=_sites(matching)[:most_sites],
    )


def sent_messages(record: RunRecord) -> Table:
    """The rows of messages that were sent from one rank to another."""
    rows = record.messages
    return rows[kind_mask(record, sending, rows) & (rows["partner"] >= 0)]


def _matrix(sent: Table, size: int) -> Matrix:
    pair = sent["rank"].astype(np.int64) * max(size, 1) + sent["partner"]
    found, place = np.unique(pair, return_inverse=True)
    count, total = np.zeros(len(found), np.int64), np.zeros(len(found), np.int64)
    np.add.at(count, place.reshape(-1), sent["count"])
    np.add.at(total, place.reshape(-1), sent["bytes"])
    sender, receiver = np.divmod(found, max(size, 1))
    return Matrix(sender.tolist(), receiver.tolist(), count.tolist(), total.tolist())


def _histogram(sent: Table) -> Histogram:
    if not sent.size:
        return Histogram([], [], [], [])
    classes = np.arange(int(sent["size_class"].min()), int(sent["size_class"].max()) + 1)
    at = sent["size_class"].astype(np.int64) - classes[0]
    count, total = np.zeros(len(classes), np.int64), np.zeros(len(classes), np.int64)
    np.add.at(count, at, sent["count"])
    np.add.at(total, at, sent["bytes"])
    seconds = np.bincount(at, sent["seconds"], minlength=len(classes))
    limits = [2 ** int(c) for c in classes]
    return Histogram(limits, count.tolist(), total.tolist(), seconds.tolist())


def _sites(matching: Matching) -> list[CallSite]:
    record = matching.timeline.record
    rows = record.statistics[kind_mask(record, communicating_kinds, record.statistics)]
    whole = _calling_seconds(record, rows)
    waiting = waiting_shares(matching)
    inner = _inner_regions(record)
    found = []
    for number in np.unique(rows["region"]):
        region = record.regions[number]
        mine = rows[rows["region"] == number]
        if region.kind == "completion" or number in inner:
            continue
        own = sums(mine["rank"], mine["own_seconds"], record.size)
        calls, size = int(mine["calls"].sum()), int(mine["bytes"].sum())
        share = waiting[number]
        found.append(
            CallSite(
                name=region.name,
                kind=region.kind,
                site=region.site,
                calls=calls,
                bytes=size,
                mean_bytes=size / calls if calls else 0.0,
                seconds=spread(own),
                share=float(own.sum()) / max(whole, 1e-300),
                waiting=None if np.isnan(share) else float(share * own.sum()),
                pattern=_pattern_of(record, int(number), region.kind),
            )
        )
    return sorted(found, key=lambda site: -site.seconds.mean)


def _calling_seconds(record: RunRecord, rows: Table) -> float:
    """The time of all threads that call MPI: of each rank its length for each of them [s]."""
    calling = np.unique(rows[rows["thread"] < beside_thread][["rank", "thread"]])
    threads = np.maximum(np.bincount(calling["rank"], minlength=record.size), 1)
    return float(((record.ranks["end"] - record.ranks["begin"]) * threads).sum()) / 1e9


def _inner_regions(record: RunRecord) -> dict[int, int]:
    """The sends and receives that are parts of a send-receive, and its region."""
    around = {
        (region.name, region.site): number
        for number, region in enumerate(record.regions)
        if region.kind == "send receive"
    }
    found = {}
    for number, region in enumerate(record.regions):
        key = (region.name.removesuffix(of_derived_type), region.site)
        whole = around.get((region.name, region.site), around.get(key))
        if whole is not None and region.kind in ("start send", "start receive"):
            found[number] = whole
    return found


def _pattern_of_both(record: RunRecord, region: int) -> Pattern:
    """The pattern of what a send-receive sends."""
    sends = [
        number
        for number, whole in _inner_regions(record).items()
        if whole == region and record.regions[number].kind == "start send"
    ]
    rows = record.messages[np.isin(record.messages["region"], sends)]
    rows = rows[rows["partner"] >= 0]
    return recognise(rows["rank"], rows["partner"], rows["count"], record.size)


def waiting_shares(matching: Matching) -> Floats:
    """What share of each region's own time was waiting, by its events; NaN without events."""
    events, segments = matching.timeline.events, matching.timeline.segments
    number = len(matching.timeline.regions)
    waited = np.bincount(events["region"], matching.idle_seconds, minlength=number)
    lengths = (segments["end"] - segments["begin"]) / 1e9
    seconds = np.bincount(segments["region"], lengths, minlength=number)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(waited / seconds, np.float64)


def _pattern_of(record: RunRecord, region: int, kind: str) -> Pattern | None:
    """The pattern of the messages of one call site, or of its collective."""
    if kind == "send receive":
        return _pattern_of_both(record, region)
    rows = record.messages[record.messages["region"] == region]
    name = record.regions[region].name
    if kind in collecting:
        return Pattern("collective", name, [], "")
    rows = rows[rows["partner"] >= 0]
    if kind in sending:
        return recognise(rows["rank"], rows["partner"], rows["count"], record.size)
    if kind in receiving:
        return recognise(rows["partner"], rows["rank"], rows["count"], record.size)
    return None
