"""Measurements that depend on those just before: how much, and how much less they tell.

A machine that is slow for a while is so in several rounds, which then look like proof where each is
not. Of a row of values in which each depends on the one before with a correlation r (AR(1)), the
mean scatters sqrt((1 + r) / (1 - r)) times as much as that of independent ones (Bartlett 1946, "On
the theoretical specification and sampling properties of autocorrelated time-series", J. R. Stat.
Soc. Suppl. 8, 27-41); bounds must be as much wider.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from halocline_lab.statistics.change_points import mean_ranks

fewest_to_see = 16
"""Fewer values in a row hardly show whether they depend on each other."""

seen = 1.3
"""Standard errors above nothing from which on a correlation is taken as seen: one of ten rows of
independent values goes beyond."""

allowance, allowance_seen = 1.1, 10.0
"""What is added to a correlation, over the number of values, since few show it badly: to one that
is not seen, and to one that is. With these, of 20 values and more whose correlation is up to 0.9,
one row in twenty leaves its median outside of the bounds, as simulations say
(tests/lab/test_correlation.py)."""

largest = 0.98


@dataclass(frozen=True)
class Dependence:
    """The correlation of neighbours in a row of values, by their ranks, without its bias.

    `widening` is by how much bounds of independent values must be wider; `runs` their number.
    """

    correlation: float
    widening: float
    runs: int

    @property
    def is_seen(self) -> bool:
        """Whether the values clearly depend on each other."""
        return self.runs > 3 and self.correlation > seen / math.sqrt(self.runs)

    @property
    def words(self) -> str:
        """What a reader should know; nothing of values that look independent."""
        if self.is_seen:
            return (
                f"rounds depend on those before (correlation {self.correlation:.2f}), so that"
                f" bounds are {self.widening:.1f} times as wide: {self.runs} rounds tell as much as"
                f" {max(1, round(self.runs / self.widening**2))} independent ones"
            )
        if self.runs < fewest_to_see:
            return (
                f"fewer than {fewest_to_see} rounds do not show whether they depend on each other;"
                " bounds are those of independent ones"
            )
        return ""


def dependence(values: ArrayLike) -> Dependence:
    """How much the values of a row depend on the one before, at the most to be expected.

    >>> dependence([1.0, 1.0, 1.0, 1.0]).widening
    1.0
    """
    given = np.asarray(values, np.float64)
    ranks = mean_ranks(given) if given.size else given
    power = float((ranks * ranks).sum())
    if given.size < 6 or power <= 0.0:
        return Dependence(0.0, 1.0, given.size)
    raw = float((ranks[1:] * ranks[:-1]).sum()) / power
    found = raw + 1.0 / given.size
    error = 1.0 / math.sqrt(given.size)
    more = allowance_seen if found > seen * error else allowance
    r = min(max((found / (1.0 - 3.0 / given.size)) + more / given.size, 0.0), largest)
    return Dependence(found, math.sqrt((1.0 + r) / (1.0 - r)), given.size)
