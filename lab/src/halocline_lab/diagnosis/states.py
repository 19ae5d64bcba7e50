"""Busy, overhead, idle: what each rank does at each time, and how many do it (P-07 to P-09).

A rank is *idle* while it is blocked waiting for another (see `matching`), in *overhead* while it
is active in MPI or fills halos or sums by other means, and *busy* otherwise. Overhead and idle
together are the time in MPI. A region whose tracing would perturb it can be given a state as a
whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from halocline.core.errors import UserError
from halocline.runtime.record.run_record import Table
from halocline_lab.diagnosis.matching import Matching
from halocline_lab.diagnosis.timeline import Floats, Integers, Timeline, communicating_kinds

states = ("busy", "overhead", "idle")

state_type = np.dtype(
    [
        ("begin", "<i8"),  # [ns]
        ("end", "<i8"),
        ("rank", "<u4"),
        ("region", "<u4"),  # place in the timeline's regions: the last one is time without a name
        ("state", "<u4"),  # place in `states`
    ]
)


@dataclass(frozen=True)
class StateShares:
    """Seconds of each rank in each state within the spans, and the same as shares of all time."""

    busy: list[float]
    overhead: list[float]
    idle: list[float]
    busy_share: float
    overhead_share: float
    idle_share: float


@dataclass(frozen=True)
class Utilisation:
    """The utilisation count: how many ranks are in each state from each time on, until the next.

    `begin` are seconds since the zero of the record; the last one ends the picture. Where
    `averaged` the counts are means of equal stretches of time, otherwise they are exact.
    """

    begin: list[float]
    busy: list[float]
    overhead: list[float]
    idle: list[float]
    averaged: bool


def states_of_regions(timeline: Timeline, assigned: Mapping[str, str] | None = None) -> Integers:
    """The state of each region's own time; -1 where it is overhead unless its rank waits.

    `assigned` gives regions a state by their names, with the wildcards of file names (P-09).
    """
    found = np.zeros(len(timeline.regions), np.int64)
    for at, region in enumerate(timeline.regions):
        found[at] = -1 if region.kind in communicating_kinds else states.index("busy")
        for pattern, state in (assigned or {}).items():
            if state not in states:
                raise UserError(
                    f"There is no state '{state}' (given to '{pattern}'). States are"
                    f" {', '.join(states)}."
                )
            if fnmatchcase(region.name, pattern):
                found[at] = states.index(state)
    return found


def state_segments(matching: Matching, assigned: Mapping[str, str] | None = None) -> Table:
    """What each rank is doing from when to when, by rank and begin; rows of `state_type`."""
    segments = matching.timeline.segments
    of_region = states_of_regions(matching.timeline, assigned)
    until = np.append(matching.idle_until, np.iinfo(np.int64).min)[segments["event"]]
    split = np.clip(until, segments["begin"], segments["end"])
    state = of_region[segments["region"]]
    waits = (state < 0) & (split > segments["begin"])
    works = (state >= 0) | (split < segments["end"])
    rows = np.zeros(int(waits.sum() + works.sum()), state_type)
    for name in ("begin", "end", "rank", "region"):
        rows[name] = np.concatenate([segments[name][waits], segments[name][works]])
    first = int(waits.sum())
    rows["end"][:first] = split[waits]
    rows["begin"][first:] = np.where(state[works] < 0, split[works], segments["begin"][works])
    rows["state"][:first] = states.index("idle")
    rows["state"][first:] = np.where(state[works] < 0, states.index("overhead"), state[works])
    return rows[np.lexsort((rows["begin"], rows["rank"]))]


def shares(segments: Table, size: int) -> StateShares:
    """Seconds of each of `size` ranks in each state."""
    seconds = seconds_by_rank(segments, size)
    whole = max(float(seconds.sum()), 1e-300)
    parts = [float(row.sum()) / whole for row in seconds]
    return StateShares(*(row.tolist() for row in seconds), *parts)


def seconds_by_rank(segments: Table, size: int) -> Floats:
    """Seconds [state, rank] of state segments."""
    found = np.zeros((len(states), size))
    lengths = (segments["end"] - segments["begin"]) / 1e9
    np.add.at(found, (segments["state"], segments["rank"]), lengths)
    return found


def utilisation(
    segments: Table, begin: int | None = None, end: int | None = None, points: int = 2000
) -> Utilisation:
    """The utilisation count between two times [ns] (of all segments), of at most `points` times."""
    first = int(segments["begin"].min()) if segments.size else 0
    low = first if begin is None else begin
    high = int(segments["end"].max(initial=0)) if end is None else end
    some = segments[(segments["end"] > low) & (segments["begin"] < high)]
    first, last = np.maximum(some["begin"], low), np.minimum(some["end"], high)
    times = np.unique(np.concatenate([first, last, [low, high]]))
    counts = np.zeros((len(states), len(times)))
    np.add.at(counts, (some["state"], np.searchsorted(times, first)), 1.0)
    np.add.at(counts, (some["state"], np.searchsorted(times, last)), -1.0)
    counts = np.cumsum(counts, axis=1)
    changed = np.ones(len(times), np.bool_)
    changed[1:-1] = (counts[:, 1:-1] != counts[:, :-2]).any(axis=0)
    times, counts = times[changed], counts[:, changed]
    averaged = len(times) > points
    if averaged:
        times, counts = _averages(times, counts, points)
    busy, overhead, idle = (row.tolist() for row in counts)
    return Utilisation((times / 1e9).tolist(), busy, overhead, idle, averaged)


def _averages(times: Integers, counts: Floats, points: int) -> tuple[Floats, Floats]:
    """Means of step functions over equal stretches of time; the last column is the end."""
    edges = np.linspace(float(times[0]), float(times[-1]), points)
    found = np.zeros((len(counts), points))
    for row, count in zip(found, counts, strict=True):
        integral = np.concatenate([[0.0], np.cumsum(count[:-1] * np.diff(times))])
        row[:-1] = np.diff(np.interp(edges, times, integral)) / np.diff(edges)
    return edges, found
