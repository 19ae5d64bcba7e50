"""Runs of a benchmark that go at once and know nothing of each other: what they reach together is
more than as many ranks of one run can, as they share cores, caches and memory as ranks do."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from halocline_lab.benchmarks.rank_programs import answer_of

key = (
    "speed-up of as many independent runs of one rank at once, together, against one"
    " alone; null where there are not as many cores, or the first of --on is not one rank"
)
"""What it means in a file of results."""

caption = "at most: speed-up of as many independent runs of one rank at once"
"""What it means in a table."""

of_shares = "each of a rank's share of the cells"
"""What is added to both where a run of one rank has as much to do as a rank of many."""


def run_at_once(
    module: str, settings: Mapping[str, Any], ranks: int, threads: int, copies: int = 1
) -> dict[str, Any]:
    """What the first of so many runs at once tells, with the mean time of their steps."""

    def one(_: int) -> dict[str, Any]:
        return dict(json.loads(answer_of(module, settings, ranks, threads)))

    with ThreadPoolExecutor(copies) as pool:
        found = list(pool.map(one, range(copies)))
    return {**found[0], "seconds": statistics.mean(some["seconds"] for some in found)}


def bound_of(
    work: float, alone: Sequence[Mapping[str, Any]], apart: Sequence[Mapping[str, Any]]
) -> float:
    """Speed-up of independent runs at once against one alone, median of the rounds.

    `work` is what they do together in the time of one, in units of what the one does: as many as
    they are where each does the same, 1 where each has a share of it.

    >>> bound_of(2, [{"seconds": 0.9}], [{"seconds": 1.0}])
    1.8
    >>> bound_of(1, [{"seconds": 0.9}], [{"seconds": 0.5}])
    1.8
    """
    pairs = zip(alone, apart, strict=True)
    return statistics.median(work * one["seconds"] / each["seconds"] for one, each in pairs)
