"""Ways to do the same thing over all ranks, timed in turns: a change of pace meets all of them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.running.contest import Trial, clear_ratio, median_bounds

sample_seconds = 5e-4  # a sample repeats the trial until it lasts about this long
fewest_repeats, most_repeats = 2, 100
fewest_rounds = 3


@dataclass(frozen=True)
class Bounded:
    """A value and what encloses it."""

    value: float
    low: float
    high: float


class Turns:
    """Times of all trials: `seconds[round, trial]` of the slowest rank.

    Values are medians, enclosed by order statistics with about 95 % confidence; ratios are taken
    round by round. With `least`, for machines that others use too, they are the least of all
    rounds, enclosed by the lower quartile: what a trial takes when nobody comes between.
    """

    def __init__(self, seconds: NDArray[np.float64], *, least: bool = False) -> None:
        self.seconds, self.least = seconds, least

    def time(self, at: int) -> Bounded:
        """Time of one trial [s]."""
        times = self.seconds[:, at]
        if self.least:
            return Bounded(float(times.min()), float(times.min()), _lower_quartile(times))
        return _median(times)

    def ratio(self, at: int, other: int) -> Bounded:
        """Time of one trial over that of another."""
        if at == other:
            return Bounded(1.0, 1.0, 1.0)
        if self.least:
            a, b = self.time(at), self.time(other)
            return Bounded(a.value / b.value, a.low / b.high, a.high / b.low)
        return _median(self.seconds[:, at] / self.seconds[:, other])

    def first(self, count: int) -> Turns:
        """The turns of the first `count` trials."""
        return Turns(self.seconds[:, :count], least=self.least)

    @property
    def fastest(self) -> int:
        return min(range(self.seconds.shape[1]), key=lambda at: self.time(at).value)

    def tied(self, best: int | None = None) -> list[int]:
        """Trials that cannot be told apart from the fastest (or from `best`), it among them."""
        best = self.fastest if best is None else best
        ratios = [self.ratio(at, best) for at in range(self.seconds.shape[1])]
        return [at for at, r in enumerate(ratios) if r.low <= 1.0 and r.value <= clear_ratio]


def _median(values: NDArray[np.float64]) -> Bounded:
    return Bounded(float(np.median(values)), *median_bounds(values))


def _lower_quartile(values: NDArray[np.float64]) -> float:
    return float(np.quantile(values, 0.25))


def take_turns(
    communicator: Communicator,
    trials: Sequence[Trial],
    rounds: int,
    seconds: float,
    *,
    least: bool = False,
) -> Turns:
    """Time all `trials` in turns, forward and backward; for all ranks.

    Each is done a few times before it counts. There are at most `rounds`, fewer where they take
    longer than `seconds`, but three at least.
    """
    firsts = []
    for trial in trials:
        trial()
        firsts.append([_sample(communicator, trial, 2) for _ in range(3)])
    once = communicator.maximum(np.array(firsts).reshape(-1)).reshape(-1, 3).min(axis=1).tolist()
    repeats = [int(np.clip(sample_seconds / one, fewest_repeats, most_repeats)) for one in once]
    found: list[list[float]] = []
    begin, elapsed = time.perf_counter(), 0.0
    while len(found) < fewest_rounds or len(found) < rounds and elapsed < seconds:
        own = [0.0] * len(trials)
        order = range(len(trials)) if len(found) % 2 == 0 else reversed(range(len(trials)))
        for at in order:
            own[at] = _sample(communicator, trials[at], repeats[at])
        spent = time.perf_counter() - begin
        *slowest, elapsed = communicator.maximum(np.array([*own, spent])).tolist()
        found.append(slowest)
    return Turns(np.array(found), least=least)


def _sample(communicator: Communicator, trial: Trial, repeats: int) -> float:
    """Seconds of one trial, from a common start."""
    communicator.sum(np.zeros(1))
    begin = time.perf_counter()
    for _ in range(repeats):
        trial()
    return (time.perf_counter() - begin) / repeats
