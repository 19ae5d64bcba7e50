"""A history as series of points, and what changed between them: the code or the system.

A batch ran some versions in turns on one system. Between versions of a batch only the code changed;
between batches, for one and the same version, only the system (Worley & Levesque 2004, figures 9.1
to 9.5). Where the newest version of one batch ran again in the next, the whole change between the
newest of both is the product of the two.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from halocline.runtime.running.contest import clear_ratio, median_bounds
from halocline_lab.evolution.remembered import Measurement, Result, matches
from halocline_lab.statistics.change_points import ChangePoint, change_points, fewest_values
from halocline_lab.statistics.comparison import Comparison, compare_pairs, compare_sets
from halocline_lab.statistics.paired import fewest

false_alarms = 0.05
"""Chance of a false change point in all series together."""


@dataclass(frozen=True)
class Point:
    """One version in one batch; `values` by turn, `version` with + where files were changed."""

    version: str
    committed: str
    batch: str
    date: str
    values: Mapping[int, float]
    low: float
    high: float
    system: Mapping[str, Any]
    build: Mapping[str, Any]

    @property
    def value(self) -> float:
        """The median of all turns."""
        return float(np.median(list(self.values.values())))


@dataclass(frozen=True)
class Series:
    """All points of one quantity of one command on one machine, by batch and version."""

    machine: Mapping[str, Any]
    command: str
    name: str
    units: str
    ratio: bool
    better: str
    points: Sequence[Point]

    @property
    def comparable(self) -> bool:
        """Whether all values are positive: differences of times may not be, and have no ratios."""
        return all(value > 0.0 for point in self.points for value in point.values.values())

    @property
    def batches(self) -> list[list[Point]]:
        """Points by batch, oldest batch first, oldest version first."""
        found: dict[str, list[Point]] = defaultdict(list)
        for point in self.points:
            found[point.batch].append(point)
        return list(found.values())


@dataclass(frozen=True)
class Change:
    """From one point to another: of the code, of the system, or of both."""

    kind: str
    before: Point
    after: Point
    comparison: Comparison

    @property
    def words(self) -> str:
        """What one can say of it."""
        found = self.comparison
        same = found.low == found.ratio == found.high == 1.0
        return "the same" if same else found.words

    @property
    def regression(self) -> bool:
        """Whether it is slower beyond noise, and by more than 5 %."""
        return self.comparison.verdict == "slower" and self.comparison.ratio > clear_ratio


def series_of(
    results: Iterable[Result], only: Sequence[str] = (), *, ratios: bool = False
) -> list[Series]:
    """All series, or those with one of some words in command or name; or those of `ratios`."""
    groups: dict[tuple[str, str, str], list[tuple[Result, Measurement]]] = defaultdict(list)
    for result in results:
        for row in result.measurements:
            if matches(result, row, only) and (row.ratio or not ratios):
                key = str(result.machine.get("name")), result.command, row.name
                groups[key].append((result, row))
    found = []
    for (_, command, name), rows in groups.items():
        machine, last = max((r.machine for r, _ in rows), key=bandwidth), rows[-1][1]
        found.append(
            Series(machine, command, name, last.units, last.ratio, last.better, _points(rows))
        )
    return found


def bandwidth(machine: Mapping[str, Any]) -> float:
    """Bandwidth of a machine by the copy of STREAM, 0 where it was not measured [byte s-1]."""
    found = machine.get("stream", {})
    copies = [one["copy"] for one in found.values() if isinstance(one, dict)]
    return float(max([*copies, found.get("copy", 0.0)]))


def _points(rows: Sequence[tuple[Result, Measurement]]) -> list[Point]:
    groups: dict[tuple[str, str], list[tuple[Result, Measurement]]] = defaultdict(list)
    for result, row in rows:
        groups[result.batch, result.version].append((result, row))
    begun: dict[str, str] = {}
    for result, _ in rows:
        begun[result.batch] = min(result.date, begun.get(result.batch, result.date))
    points = [_point(group) for group in groups.values()]
    return sorted(
        points, key=lambda p: (begun[p.batch], p.committed, p.version.endswith("+"), p.date)
    )


def _point(rows: Sequence[tuple[Result, Measurement]]) -> Point:
    first, row = rows[0]
    values = {result.turn: one.value for result, one in rows}
    low, high = min(values.values()), max(values.values())
    if len(values) >= fewest:
        low, high = median_bounds(np.array(list(values.values())))
    elif len(values) == 1 and row.low is not None and row.high is not None:
        low, high = row.low, row.high
    return Point(
        first.version,
        str(first.code.get("commit_date", first.date)),
        first.batch,
        first.date,
        values,
        low,
        high,
        first.system,
        first.build,
    )


def code_changes(series: Series) -> list[Change]:
    """From version to version within each batch, turn by turn."""
    batches = series.batches if series.comparable else []
    pairs = [pair for batch in batches for pair in pairwise(batch)]
    found = [_paired(series, before, after) for before, after in pairs]
    return [change for change in found if change]


def system_changes(series: Series) -> list[Change]:
    """From batch to batch for every version that ran in several."""
    by_version: dict[str, list[Point]] = defaultdict(list)
    for point in series.points if series.comparable else ():
        if not point.version.endswith("+"):
            by_version[point.version].append(point)
    return [
        Change("system", before, after, _sets(series, before, after))
        for points in by_version.values()
        for before, after in pairwise(points)
    ]


@dataclass(frozen=True)
class Split:
    """The change between the newest versions of two batches, into what code and system did."""

    whole: Change
    code: Change
    system: Change


def splits(series: Series) -> list[Split]:
    """Changes from batch to batch where the older version ran again in the newer batch."""
    found = []
    for earlier, later in pairwise(series.batches if series.comparable else []):
        old, new = earlier[-1], later[-1]
        again = next((point for point in later[:-1] if point.version == old.version), None)
        code = again and _paired(series, again, new)
        if again and code:
            whole = Change("both", old, new, _sets(series, old, new))
            found.append(
                Split(whole, code, Change("system", old, again, _sets(series, old, again)))
            )
    return found


def _paired(series: Series, before: Point, after: Point) -> Change | None:
    """What the code changed within a batch, turn by turn; None without a common turn."""
    turns = sorted(before.values.keys() & after.values.keys())
    if not turns:
        return None
    old, new = ([_cost(series, p.values[t]) for t in turns] for p in (before, after))
    return Change("code", before, after, compare_pairs(old, new))


def _sets(series: Series, before: Point, after: Point) -> Comparison:
    old, new = ([_cost(series, v) for v in p.values.values()] for p in (before, after))
    return compare_sets(old, new)


def _cost(series: Series, value: float) -> float:
    """A number that is better when it is lower."""
    return value if series.better == "lower" else 1.0 / value


def level_changes(all_series: Sequence[Series]) -> list[tuple[Series, Point, ChangePoint]]:
    """Change points of all long series, with the first point of the new level.

    A series of its own is the newest version of each batch.
    """
    newest = [(series, [batch[-1] for batch in series.batches]) for series in all_series]
    long = [(series, points) for series, points in newest if len(points) >= fewest_values]
    return [
        (series, points[found.at], found)
        for series, points in long
        for found in change_points([p.value for p in points], false_alarms / len(long))
    ]
