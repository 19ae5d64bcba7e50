"""The effective parallel fraction fitted to measured times, and how well it predicts the others.

Tolman (2003) found that p_e rises with the number of processes, and that it is larger where every
node has a processor left for communication. So p_e is a level, to which may come b / n, and a bonus
where processors are free. A law is judged by leaving out each number of processes in turn and
predicting it from the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline_lab.scaling.placement import Cluster, alpha, largest_load, predicted

rounding = 1e-9
"""Relative errors below this are rounding: no law is better by them."""

simpler_is_better = 0.9
"""A law with one term more must err less than this share of the simpler one's error."""


@dataclass(frozen=True)
class Timing:
    """A measured time of so many processes, m per node."""

    processes: int
    per_node: int
    seconds: float


def _terms(timing: Timing, cluster: Cluster) -> dict[str, float]:
    """What p_e may consist of."""
    free = largest_load(timing.processes, timing.per_node, cluster) < cluster.room
    return {"level": 1.0, "rise": 1.0 / timing.processes, "bonus": float(free)}


@dataclass(frozen=True)
class Fit:
    """A law p_e = level + rise / n + bonus where processors are free; some may be missing.

    `errors` are predicted over measured less 1, of every timing but those of one process, in the
    order given; each comes from a fit without any timing of that number of processes.
    """

    factors: dict[str, float]
    errors: tuple[float, ...]
    cluster: Cluster

    def fraction(self, processes: int, per_node: int) -> float:
        """The effective parallel fraction of so many processes."""
        terms = _terms(Timing(processes, per_node, 0.0), self.cluster)
        return min(1.0, sum(factor * terms[name] for name, factor in self.factors.items()))

    def predict(self, first: float, processes: int, per_node: int) -> float:
        """Time of so many processes, from that of one."""
        parallel = self.fraction(processes, per_node)
        return predicted(first, processes, parallel, per_node, self.cluster)

    @property
    def typical_error(self) -> float:
        """Median of the absolute errors."""
        return float(np.median(np.abs(self.errors))) if self.errors else 0.0

    @property
    def largest_error(self) -> float:
        return max((abs(error) for error in self.errors), default=0.0)

    @property
    def words(self) -> str:
        """The law and its errors."""
        law = f"p_e = {self.factors['level']:.4f}"
        for name, after in (("rise", " / n"), ("bonus", " where processors are free")):
            if name in self.factors:
                factor = self.factors[name]
                law += f" {'+' if factor > 0 else '-'} {abs(factor):.3g}{after}"
        return (
            f"{law}; error where it had to predict: median {100 * self.typical_error:.1f} %,"
            f" largest {100 * self.largest_error:.1f} %"
        )


def first_time(timings: Sequence[Timing]) -> float:
    """Mean time of one process, t_1."""
    alone = [timing.seconds for timing in timings if timing.processes == 1]
    if not alone:
        raise UserError(
            "There is no time of one process (n = 1), which all others are set against."
        )
    return float(np.mean(alone))


def fit(timings: Sequence[Timing], cluster: Cluster) -> Fit:
    """The simplest law that predicts what was left out about as well as any.

    Needs the time of one process, and of two numbers of processes more.
    """
    first = first_time(timings)
    many = [timing for timing in timings if timing.processes > 1]
    counts = sorted({timing.processes for timing in many})
    if len(counts) < 2:
        raise UserError(
            "A parallel fraction cannot be fitted and tested with fewer than two numbers of"
            f" processes besides 1; there are {counts}."
        )
    best = _tested(("level",), many, first, cluster)
    for count in (1, 2):
        if len(counts) < count + 3:
            break
        laws = [
            _tested(("level", *extra), many, first, cluster)
            for extra in combinations(("rise", "bonus"), count)
        ]
        better = min(laws, key=lambda law: law.typical_error)
        if better.typical_error + rounding < simpler_is_better * best.typical_error:
            best = better
    return best


def given(parallel: float, timings: Sequence[Timing], cluster: Cluster) -> Fit:
    """One parallel fraction that is not fitted, and its errors on all times."""
    law, first = Fit({"level": parallel}, (), cluster), first_time(timings)
    errors = [
        law.predict(first, timing.processes, timing.per_node) / timing.seconds - 1.0
        for timing in timings
        if timing.processes > 1
    ]
    return Fit(law.factors, tuple(errors), cluster)


def _tested(names: Sequence[str], many: Sequence[Timing], first: float, cluster: Cluster) -> Fit:
    errors = []
    for left in many:
        others = [timing for timing in many if timing.processes != left.processes]
        law = Fit(_least_squares(names, others, first, cluster), (), cluster)
        errors.append(law.predict(first, left.processes, left.per_node) / left.seconds - 1.0)
    return Fit(_least_squares(names, many, first, cluster), tuple(errors), cluster)


def _least_squares(
    names: Sequence[str], timings: Sequence[Timing], first: float, cluster: Cluster
) -> dict[str, float]:
    """Factors with the least relative error of times: (3.7) is linear in all of them."""
    shared = np.array([alpha(t.processes, t.per_node, cluster) for t in timings])
    scale = first * shared / np.array([timing.seconds for timing in timings])
    n = np.array([float(timing.processes) for timing in timings])
    terms = [_terms(timing, cluster) for timing in timings]
    columns: NDArray[np.float64] = np.array([[term[name] for name in names] for term in terms])
    columns *= (scale * (n - 1.0) / n)[:, None]
    found = np.linalg.lstsq(columns, scale - 1.0, rcond=None)[0]
    return dict(zip(names, found.tolist(), strict=True))
