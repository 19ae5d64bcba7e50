"""Where the start of a run ends: at its first step, or where it becomes like its second half."""

from __future__ import annotations

import numpy as np

from halocline.runtime.record.run_record import RunRecord
from halocline_lab.diagnosis.timeline import Floats, Timeline, communicating_kinds, timeline

slices = 200
"""Pieces of time that are compared."""

alike = 0.5
"""Two pieces are alike that spend so much of their time in and before the same calls."""


def end_of_start(record: RunRecord) -> int | None:
    """When the start is over on all ranks [ns]; None where there is no start of its own."""
    if record.steps.size:
        begins = record.ranks["steady_begin"][np.unique(record.steps["rank"])]
        return int(begins.max())
    begin, end = int(record.ranks["steady_begin"].max()), int(record.ranks["steady_end"].min())
    if end <= begin:
        return None
    edges = np.linspace(begin, end, slices + 1)
    times = _times_before_calls(timeline(record), edges)
    known = times.sum(axis=1) > 0.0
    shares = times / np.maximum(times.sum(axis=1, keepdims=True), 1e-300)
    late = known & (np.arange(slices) >= slices // 2)
    if not late.any():
        return None
    usual = shares[late].mean(axis=0)
    likeness = np.where(known, np.minimum(shares, usual).sum(axis=1), alike)
    gains = np.concatenate([[0.0], np.cumsum(alike - likeness)])
    cut = int(np.argmax(gains))
    if cut == 0 or gains[cut] < 1.0:
        return None
    return int(edges[cut])


def _times_before_calls(lines: Timeline, edges: Floats) -> Floats:
    """Time [slice, region] of all ranks in and before the calls of each region, between `edges`.

    What is computed before a call belongs to it: computation itself has no name.
    """
    events = lines.events
    calls = np.flatnonzero(lines.is_kind(*communicating_kinds) & (events["end"] > events["begin"]))
    calls = calls[lines.parents[calls] < 0] if (lines.parents[calls] < 0).any() else calls
    calls = calls[lines.span_of[calls] >= 0]
    rank, span = events["rank"][calls], lines.span_of[calls]
    first = np.ones(len(calls), np.bool_)
    first[1:] = (rank[1:] != rank[:-1]) | (span[1:] != span[:-1])
    begin = np.where(first, events["begin"][calls], np.roll(events["end"][calls], 1))
    end = np.maximum(events["end"][calls], begin)
    region = events["region"][calls].astype(np.int64)
    found = np.zeros((len(edges) - 1, len(lines.regions)))
    for number in np.unique(region):
        mine = region == number
        passed = _passed(begin[mine], edges) - _passed(end[mine], edges)
        found[:, number] = np.diff(passed)
    return found


def _passed(times: Floats, edges: Floats) -> Floats:
    """How long, in all, it has been since those of some times that lie before each edge."""
    ordered = np.sort(times).astype(np.float64)
    before = np.searchsorted(ordered, edges)
    total = np.concatenate([[0.0], np.cumsum(ordered)])
    return np.asarray(edges * before - total[before], np.float64)
