"""Two ways to do the same: which is faster, by how much, or whether one cannot tell.

Times that were taken in turns are compared pair by pair: the median of the ratios, bounded by order
statistics (`paired.cost` of their logarithms), wider where rounds depend on each other. Times of
runs that have nothing to do with each other are compared by the ratio of their medians (or means),
bounded by the bootstrap. A verdict is "faster" or "slower" only where the bounds leave out a ratio
of 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halocline.core.errors import UserError
from halocline_lab.statistics.correlation import Dependence
from halocline_lab.statistics.paired import Cost, cost, fewest, number

Statistic = Callable[..., Any]


@dataclass(frozen=True)
class Comparison:
    """Time of B over that of A, bounded with about 95 % confidence; runs of each.

    `dependence` is that of pairs on the pairs before.
    """

    ratio: float
    low: float
    high: float
    runs_a: int
    runs_b: int
    paired: bool
    dependence: Dependence | None = None

    @property
    def verdict(self) -> str:
        """What one can say of B: "faster", "slower" or "cannot tell"."""
        if min(self.runs_a, self.runs_b) < fewest or self.low <= 1.0 <= self.high:
            return "cannot tell"
        return "slower" if self.low > 1.0 else "faster"

    @property
    def words(self) -> str:
        """The verdict with its numbers.

        >>> Comparison(1.031, 1.02, 1.042, 20, 20, True).words
        'slower by 3.1 % (2.0 to 4.2)'
        >>> Comparison(0.9, 0.8, 0.95, 20, 20, True).words
        'faster by 10 % (5.0 to 20)'
        >>> Comparison(1.01, 0.98, 1.04, 20, 20, True).words
        'cannot tell (1.0 %, -2.0 to 4.0)'
        """
        value, low, high = (100.0 * (v - 1.0) for v in (self.ratio, self.low, self.high))
        if self.verdict == "faster":
            return f"faster by {number(-value)} % ({number(-high)} to {number(-low)})"
        if self.verdict == "slower":
            return f"slower by {number(value)} % ({number(low)} to {number(high)})"
        return f"cannot tell ({number(value)} %, {number(low)} to {number(high)})"

    @property
    def as_cost(self) -> Cost:
        """The logarithm of the ratio as a cost, for numbers of runs."""
        value, low, high = (math.log(v) for v in (self.ratio, self.low, self.high))
        return Cost(value, low, high, value, high, min(self.runs_a, self.runs_b))

    def runs_needed(self, difference: float, chance: float = 0.9) -> int | None:
        """Runs of each that would find a difference of such a share with such a chance.

        None where nobody makes so many. Bounds lie on whole ranks of the ordered ratios, which
        takes about a rank and a half more than a continuous distribution would; and to allow for
        rounds that depend on each other, where they do not, takes a fifth more.
        """
        runs = self.as_cost.runs_needed(math.log1p(difference), chance)
        return None if runs is None else math.ceil(1.2 * runs + 1.5 * math.sqrt(runs))


def compare_pairs(a: ArrayLike, b: ArrayLike) -> Comparison:
    """Compare times that were taken in turns: b[i] soon after or before a[i].

    >>> compare_pairs([1.0] * 8, [1.1, 1.2, 1.1, 1.1, 1.1, 1.1, 1.3, 1.1]).verdict
    'slower'
    """
    first, second = _times(a), _times(b)
    if first.size != second.size:
        raise UserError(f"{first.size} and {second.size} times are no pairs.")
    found = cost(np.log(second / first))
    return Comparison(
        math.exp(found.value),
        math.exp(found.low),
        math.exp(found.high),
        first.size,
        second.size,
        True,
        found.dependence,
    )


def compare_sets(
    a: ArrayLike, b: ArrayLike, statistic: Statistic = np.median, resamples: int = 4000
) -> Comparison:
    """Compare two sets of times that were not taken in turns, by a statistic of each.

    >>> compare_sets([1.0, 1.1, 1.2, 1.0, 1.1, 1.2], [1.1, 1.2, 1.0, 1.1, 1.2, 1.0]).verdict
    'cannot tell'
    """
    first, second = _times(a), _times(b)
    low, high = bootstrap_ratio(first, second, statistic, resamples)
    ratio = float(statistic(second) / statistic(first))
    return Comparison(ratio, low, high, first.size, second.size, False)


def bootstrap_ratio(
    a: ArrayLike, b: ArrayLike, statistic: Statistic = np.median, resamples: int = 4000
) -> tuple[float, float]:
    """Bounds of statistic(b) / statistic(a) with about 95 % confidence, by resampling each set.

    Small sets are resampled too narrowly and too evenly: the spread of the logarithms is widened
    by sqrt(n / (n - 1)) and Student's factor, and its wider side taken for both. The same numbers
    give the same bounds.
    """
    first, second = _times(a), _times(b)
    random = np.random.default_rng(first.size * 1_000_003 + second.size)
    spread = [
        np.log(statistic(random.choice(values, (resamples, values.size)), axis=1))
        for values in (first, second)
    ]
    found = np.quantile(spread[1] - spread[0], [0.025, 0.975])
    middle = math.log(float(statistic(second) / statistic(first)))
    width = widening(min(first.size, second.size)) * float(np.abs(found - middle).max())
    return math.exp(middle - width), math.exp(middle + width)


def widening(count: int) -> float:
    """How much wider bounds of few numbers must be than those of the bootstrap.

    Student's factor by its expansion in 1 / degrees of freedom (Abramowitz & Stegun, 26.7.5).

    >>> round(widening(6), 2), round(widening(100), 2)
    (1.42, 1.02)
    """
    if count < 2:
        return math.inf
    z, freedom = 1.96, count - 1
    student = z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    return student / z * math.sqrt(count / freedom)


def outliers(values: ArrayLike) -> list[int]:
    """Places of values far outside: more than three interquartile ranges beyond the quartiles.

    They are shown, not dropped.

    >>> outliers([1.0, 1.1, 0.9, 1.0, 1.05, 3.0])
    [5]
    """
    given = np.asarray(values, np.float64)
    if given.size < 4:
        return []
    low, high = np.quantile(given, [0.25, 0.75])
    room = 3.0 * (high - low)
    return [int(at) for at in np.flatnonzero((given < low - room) | (given > high + room))]


def _times(values: ArrayLike | Sequence[float]) -> NDArray[np.float64]:
    given = np.asarray(values, np.float64)
    if given.ndim != 1 or not given.size or not (given > 0.0).all():
        raise UserError(f"Times are positive numbers, at least one; there are {given.tolist()}.")
    return given
