"""What something costs, from paired runs that took turns: with bounds, and whether one can tell.

A difference is that of a run with it and a run without it, both from the same state and one soon
after the other, so that a change of the machine's pace meets both. Of many differences the median
is what it costs typically; order statistics bound it whatever the distribution, and bounds are
wider where a difference depends on the one before (`correlation`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.running.contest import median_bounds
from halocline_lab.statistics.correlation import Dependence, dependence

fewest = 6
"""The least and the largest of fewer numbers enclose their median with less than 95 %."""

beyond_noise = "other things differ too, or it is the one verdict of twenty that errs"

most_runs = 100_000
"""More runs than this nobody makes to tell a difference."""

two_sided = 1.96
"""Standard deviations that leave out 5 % of a normal distribution."""

Measured = Callable[[], Sequence[float]]


@dataclass(frozen=True)
class Cost:
    """What something costs: the median of paired differences, its bounds, and what they hide.

    `mean` is that of all differences, `worst` the largest; `runs` is their number. Any unit.
    `dependence` is that of differences on those before, where they are known.
    """

    value: float
    low: float
    high: float
    mean: float
    worst: float
    runs: int
    dependence: Dependence | None = None

    @property
    def clear(self) -> bool:
        """Whether it differs from nothing beyond noise."""
        return self.runs >= fewest and (self.low > 0.0 or self.high < 0.0)

    @property
    def width(self) -> float:
        """Half the distance of the bounds."""
        return (self.high - self.low) / 2.0

    def over(self, whole: float) -> Cost:
        """The same as a share of something."""
        low, high = sorted((self.low / whole, self.high / whole))
        worst, mean = self.worst / whole, self.mean / whole
        return Cost(self.value / whole, low, high, mean, worst, self.runs)

    def runs_needed(self, precision: float | None = None, chance: float = 0.5) -> int | None:
        """Runs after which the bounds lie within `precision` of the median.

        Without a precision: after which one could tell the median from nothing, if it stays what
        it is. Half of such runs would tell so much, half not, since what they find varies; a
        greater `chance` needs more. None where no number of runs that anybody makes would do.
        """
        wanted = abs(self.value) if precision is None else precision
        if wanted <= 0.0:
            return None
        room = 1.0 + NormalDist().inv_cdf(chance) / two_sided
        runs = max(fewest, math.ceil(self.runs * (room * self.width / wanted) ** 2))
        return runs if runs <= most_runs else None


def cost(differences: Iterable[float] | NDArray[np.float64]) -> Cost:
    """The cost that some paired differences tell, in the order in which they were measured.

    >>> cost([1.0, 1.2, 0.9, 1.1, 1.3, 1.0, 7.0]).value
    1.1
    """
    values = np.asarray(list(differences), np.float64)
    low, high = median_bounds(values)
    middle, found = float(np.median(values)), dependence(values)
    return Cost(
        middle,
        middle - found.widening * (middle - low),
        middle + found.widening * (high - middle),
        float(values.mean()),
        float(values.max()),
        values.size,
        found,
    )


def cost_of_mean(mean: float, deviation: float, runs: int) -> Cost:
    """The cost that a printed mean of so many differences and their standard deviation tell.

    Bounds are those of the mean; the worst is not known.

    >>> found = cost_of_mean(-0.6, 3.7, 99)
    >>> round(found.low, 2), round(found.high, 2), found.clear
    (-1.33, 0.13, False)
    """
    width = two_sided * deviation / math.sqrt(runs)
    return Cost(mean, mean - width, mean + width, mean, math.nan, runs)


def together(parts: Sequence[tuple[float, Cost]]) -> Cost:
    """Several costs, each so many times: of a whole run from those of its steps.

    The bounds are added, which is wider than need be: noise of different steps cancels in part.
    """
    assert all(times >= 0.0 for times, _ in parts)
    return Cost(
        sum(times * part.value for times, part in parts),
        sum(times * part.low for times, part in parts),
        sum(times * part.high for times, part in parts),
        sum(times * part.mean for times, part in parts),
        sum(times * part.worst for times, part in parts),
        min(part.runs for _, part in parts),
    )


def number(value: float, digits: int = 2) -> str:
    """A number with some significant digits and its sign, for people.

    >>> number(-0.6142), number(12.34), number(0.0999), number(0.0)
    ('-0.61', '12', '0.10', '0')
    """
    if value == 0.0 or not math.isfinite(value):
        return f"{value:g}"
    places = digits - 1 - int(f"{value:.{digits - 1}e}".partition("e")[2])
    rounded = round(value, places)
    return f"{rounded:.{max(0, places)}f}"


def verdict(found: Cost, units: str = "s", scale: float = 1.0) -> str:
    """What one can say of a cost; `scale` turns its numbers into `units`.

    >>> verdict(Cost(1.8, 1.2, 2.4, 1.9, 3.0, 12))
    'costs 1.8 s (1.2 to 2.4)'
    >>> verdict(Cost(-0.6, -2.1, 0.9, -0.5, 3.0, 12))
    'cannot tell (-0.60 s, -2.1 to 0.90)'
    >>> verdict(Cost(-0.6, -0.7, -0.5, -0.6, -0.1, 12))
    'saves 0.60 s (0.50 to 0.70)'
    """
    value, low, high = (number(scale * v) for v in (found.value, found.low, found.high))
    if not found.clear:
        return f"cannot tell ({value} {units}, {low} to {high})"
    if found.value < 0.0:
        less, more = number(-scale * found.high), number(-scale * found.low)
        return f"saves {number(-scale * found.value)} {units} ({less} to {more})"
    return f"costs {value} {units} ({low} to {high})"


def negative_words(found: Cost) -> str:
    """What to say of a negative cost of work that cannot save time; nothing where it is positive.

    >>> negative_words(Cost(-0.6, -2.1, 0.9, -0.5, 3.0, 12))
    'negative: noise'
    >>> negative_words(Cost(-0.8, -1.5, -0.1, -0.8, 3.0, 99))
    'negative beyond noise: other things differ too, or it is the one verdict of twenty that errs'
    """
    if found.value >= 0.0:
        return ""
    if not found.clear:
        return "negative: noise"
    return f"negative beyond noise: {beyond_noise}"


def how_many(found: Cost) -> str:
    """How many runs would tell, where these do not.

    >>> how_many(Cost(-0.6, -2.1, 0.9, -0.5, 3.0, 12))
    '75 runs would tell'
    """
    if found.clear:
        return ""
    runs = found.runs_needed()
    return f"{runs} runs would tell" if runs else f"{most_runs:,} runs would not tell"


def in_turns(
    communicator: Communicator,
    trials: Sequence[Measured],
    rounds: int,
    *,
    before_round: Callable[[int], None] | None = None,
    rehearse: bool = True,
) -> NDArray[np.float64]:
    """Measure all trials in turns; a call for all ranks.

    A trial returns numbers, of which the largest over all ranks counts. The order of the trials
    turns round by round, and its beginning moves. Returns [round, trial, number]. Each is done
    once before it counts, unless there is nothing to `rehearse`.
    """
    for trial in trials if rehearse else ():
        trial()
    found: list[Any] = []
    for turn in range(rounds):
        if before_round is not None:
            before_round(turn)
        first = turn // 2 % len(trials)
        order = [*range(first, len(trials)), *range(first)]
        row: dict[int, NDArray[np.float64]] = {}
        for at in order if turn % 2 == 0 else order[::-1]:
            communicator.sum(np.zeros(1))
            row[at] = communicator.maximum(np.asarray(trials[at](), np.float64))
        found.append([row[at] for at in range(len(trials))])
    return np.array(found)


class Stopwatch:
    """Seconds since it was made, or since the last lap."""

    def __init__(self) -> None:
        self.begin = self._last = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Since the beginning [s]."""
        return time.perf_counter() - self.begin

    def lap(self) -> float:
        """Since the last lap [s]."""
        now = time.perf_counter()
        passed, self._last = now - self._last, now
        return passed
