"""The table of phases: computation, MPI, total, and how they scale (paper 5, B-06, B-09).

The first rows are the periods of the run, start-up apart from the steady one (R-15); their numbers
are exact. The rows of phases (and of input and output) include what lies inside them; their totals
are exact, and what of them is MPI is that of the events within the spans, scaled to the whole run.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from halocline.runtime.record.run_record import RunRecord, Table, periods
from halocline_lab.diagnosis.quantities import Spread, spread
from halocline_lab.diagnosis.timeline import (
    Flags,
    Floats,
    Integers,
    Timeline,
    communicating_kinds,
    compute_ranks,
    sums,
)

phase_kinds = ("phase", "input", "output", "transpose")
"""Kinds that are rows of the table."""

waits_for_a_member = "*exchange *: wait"
"""Regions in which ranks wait for values of another member; no call of MPI is on record there."""


@dataclass(frozen=True)
class PhaseRow:
    """A phase over the ranks that compute; times in seconds per rank.

    `computation_share` and `mpi_share` are shares of the phase, `share` is its share of the run.
    `iterations` are calls of a rank, of a period its steps. `depth` is 0 for periods, 1 for phases
    in them, more for phases within phases. `measured` is the share of the phase's time whose events
    are known, from which its MPI is reckoned (1 for periods).
    """

    name: str
    kind: str
    period: str
    depth: int
    iterations: float
    computation: Spread
    mpi: Spread
    total: Spread
    computation_share: float
    mpi_share: float
    share: float
    measured: float


@dataclass(frozen=True)
class PhaseRatio:
    """How a phase took in another run: `ratio` = other / this (t64/t32), `inverse` in percent."""

    name: str
    period: str
    seconds: float
    other_seconds: float
    ratio: float
    inverse_percent: float


def phase_table(timeline: Timeline) -> list[PhaseRow]:
    """Rows of all periods and phases, phases after the period that they are of."""
    record = timeline.record
    ranks = compute_ranks(record)
    whole = max(float(rank_seconds(record)[ranks].mean()), 1e-300)
    shares = _shares_of_phases(timeline)
    rows: list[PhaseRow] = []
    for number, period in enumerate(periods):
        seconds = period_seconds(record)[number]
        if not seconds.any():
            continue
        mpi = communication_seconds(record, period)
        steps = float(record.steps["count"].sum()) / max(1, len(np.unique(record.steps["rank"])))
        iterations = steps if period == "steady" and len(record.steps) else 1.0
        row = (period, "period", period, 0, iterations)
        rows.append(_row(row, (seconds - mpi)[ranks], mpi[ranks], seconds[ranks], whole, 1.0))
        rows += _phases_of(timeline, number, shares, ranks, whole)
    return rows


def period_seconds(record: RunRecord) -> Floats:
    """Length [period, rank] of each period of each rank [s]."""
    ranks = record.ranks
    ends = [ranks["begin"], ranks["steady_begin"], ranks["steady_end"], ranks["end"]]
    return np.diff(np.array(ends, np.float64), axis=0) / 1e9


def rank_seconds(record: RunRecord) -> Floats:
    """From begin to end of each rank [s]."""
    return np.asarray((record.ranks["end"] - record.ranks["begin"]) / 1e9, np.float64)


def kind_mask(record: RunRecord, kinds: tuple[str, ...], rows: Table) -> Flags:
    """Which rows of a table with a column `region` are of these kinds."""
    wanted = np.array([region.kind in kinds for region in record.regions] or [False])
    return np.asarray(wanted[rows["region"]], np.bool_)


def own_seconds_of(record: RunRecord, kinds: tuple[str, ...], period: str | None = None) -> Floats:
    """Own time of each rank's main thread in regions of some kinds [s], from the statistics."""
    rows = record.statistics
    return _own_seconds(record, kind_mask(record, kinds, rows), period)


def member_wait_seconds(record: RunRecord, period: str | None = None) -> Floats:
    """Own time of each rank in `waits_for_a_member` [s]."""
    named = [fnmatchcase(one.name, waits_for_a_member) for one in record.regions]
    return _own_seconds(record, np.array(named or [False])[record.statistics["region"]], period)


def _own_seconds(record: RunRecord, some: Flags, period: str | None) -> Floats:
    rows = record.statistics
    some = some & (rows["thread"] == 0)
    if period is not None:
        some &= rows["period"] == periods.index(period)
    rows = rows[some]
    return sums(rows["rank"], rows["own_seconds"], record.size)


def communication_seconds(record: RunRecord, period: str | None = None) -> Floats:
    """Time of each rank in MPI, in halos and in sums [s]."""
    return own_seconds_of(record, communicating_kinds, period)


def ratios(rows: list[PhaseRow], others: list[PhaseRow]) -> list[PhaseRatio]:
    """Scalability coefficients of the phases that both runs have, from mean totals."""
    found = {(row.name, row.period): row for row in others}
    result = []
    for row in rows:
        other = found.get((row.name, row.period))
        if other is None or not row.total.mean or not other.total.mean:
            continue
        here, there = row.total.mean, other.total.mean
        result.append(
            PhaseRatio(row.name, row.period, here, there, there / here, 100.0 * here / there)
        )
    return result


def _row(
    words: tuple[str, str, str, int, float],
    computation: Floats,
    mpi: Floats,
    total: Floats,
    whole: float,
    measured: float,
) -> PhaseRow:
    sums = float(computation.sum()), float(mpi.sum()), max(float(total.sum()), 1e-300)
    return PhaseRow(
        *words,
        computation=spread(computation),
        mpi=spread(mpi),
        total=spread(total),
        computation_share=sums[0] / sums[2],
        mpi_share=sums[1] / sums[2],
        share=float(total.mean()) / whole,
        measured=measured,
    )


@dataclass(frozen=True)
class _Shares:
    """Of each phase region: seconds [region, period, rank] of events, of them in MPI.

    `depth` is the deepest one of its events, `parent` the region that this one lies in; -1: none.
    """

    seconds: Floats
    mpi: Floats
    depth: Integers
    parent: Integers


def _phases_of(
    timeline: Timeline, period: int, shares: _Shares, ranks: Integers, whole: float
) -> list[PhaseRow]:
    """Rows of the phases within a period, longest first, each followed by those within it."""
    record = timeline.record
    rows = record.statistics
    rows = rows[(rows["thread"] == 0) & (rows["period"] == period)]
    found: dict[int, PhaseRow] = {}
    for number, region in enumerate(record.regions):
        mine = rows[rows["region"] == number]
        if region.kind not in phase_kinds or not mine.size:
            continue
        total = sums(mine["rank"], mine["seconds"], record.size)
        calls = sums(mine["rank"], mine["calls"], record.size)
        known, mpi = shares.seconds[number, period], shares.mpi[number, period]
        part = mpi.sum() / known.sum() if known.sum() > 0.0 else 0.0
        share = np.where(known > 0.0, mpi / np.where(known > 0.0, known, 1.0), part)
        in_mpi = (share * total)[ranks]
        words = (
            region.name,
            region.kind,
            periods[period],
            1 + int(shares.depth[number]),
            float(calls[ranks].mean()),
        )
        measured = min(1.0, float(known.sum() / max(total.sum(), 1e-300)))
        rest = total[ranks] - in_mpi
        found[number] = _row(words, rest, in_mpi, total[ranks], whole, measured)
    return _nested(found, shares.parent)


def _nested(rows: dict[int, PhaseRow], parent: Integers) -> list[PhaseRow]:
    """Rows by region, longest first, each followed by those that lie in it."""
    order = sorted(rows, key=lambda number: -rows[number].total.mean)
    found: dict[int, PhaseRow] = {}

    def walk(around: int) -> None:
        for number in order:
            if number not in found and (int(parent[number]) == around):
                found[number] = rows[number]
                walk(number)

    walk(-1)
    for number in order:
        if number not in found:
            found[number] = rows[number]
            walk(number)
    return list(found.values())


def _shares_of_phases(timeline: Timeline) -> _Shares:
    """What of each phase is MPI, by its events."""
    record, events = timeline.record, timeline.events
    is_phase = timeline.is_kind(*phase_kinds)
    around = _enclosing(timeline.parents, is_phase)
    own = np.where(timeline.is_kind(*communicating_kinds), timeline.own_seconds, 0.0)
    place = np.where(is_phase, np.arange(len(events)), around)
    inside = place >= 0
    mpi = sums(place[inside], own[inside], len(events))
    depth = np.zeros(len(events), np.int64)
    phases = np.flatnonzero(is_phase)
    upward = around[phases]
    while (upward >= 0).any():
        depth[phases] += upward >= 0
        upward = np.where(upward >= 0, around[np.maximum(upward, 0)], -1)
    for level in range(int(depth.max(initial=0)), 0, -1):
        here = phases[depth[phases] == level]
        np.add.at(mpi, around[here], mpi[here])
    shape = (len(record.regions), len(periods), max(1, record.size))
    regions = np.zeros(shape[0], np.int64)
    found = _Shares(np.zeros(shape), np.zeros(shape), regions, regions - 1)
    rank = events["rank"][phases]
    begin = events["begin"][phases]
    steady = record.ranks[rank]
    period = (begin >= steady["steady_begin"]).astype(np.int64)
    period += (begin >= np.maximum(steady["steady_end"], steady["steady_begin"] + 1)).astype(
        np.int64
    )
    at = (events["region"][phases], period, rank)
    np.add.at(found.seconds, at, (events["end"][phases] - begin) / 1e9)
    np.add.at(found.mpi, at, mpi[phases])
    region = events["region"][phases]
    np.maximum.at(found.depth, region, depth[phases])
    deepest = depth[phases] == found.depth[region]
    outer = around[phases[deepest]]
    found.parent[region[deepest]] = np.where(outer >= 0, events["region"][outer], -1)
    return found


def _enclosing(parents: Integers, wanted: Flags) -> Integers:
    """The innermost wanted event around each; -1 where there is none."""
    found = parents.copy()
    while True:
        go_on = (found >= 0) & ~wanted[np.maximum(found, 0)]
        if not go_on.any():
            return found
        found[go_on] = parents[found[go_on]]
