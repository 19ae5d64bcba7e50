"""A contest: ways to do the same thing, measured in turns until the best is known or time is up."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.ranks.communicator import Communicator

Trial = Callable[[], None]

sample_seconds = 3e-4  # a sample repeats the trial until it lasts this long
most_repeats = 50
most_rounds = 300
clear_ratio = 1.05  # slower than this, beyond noise, is clearly slower
tie_ratio = 1.02  # who is not slower than this and within noise is tied with the fastest
settled_width = 0.02  # of the bounds of a ratio: more rounds would not tell more
hopeless_ratio = 2.0  # who was slower than this three times is not tried again
share_for_trying_out = 0.6  # of the budget, for the first try of all


@dataclass(frozen=True)
class Score:
    """How one candidate did: ratios of its time to the winner's, round by round.

    `low` and `high` bound the median ratio with about 95 % confidence, whatever the distribution
    (order statistics of the rounds that both took part in).
    """

    seconds: float  # median of one trial, of the slowest rank
    ratio: float
    low: float
    high: float
    rounds: int


@dataclass(frozen=True)
class Standing:
    """How a contest ended: candidates by their places in the list that was given."""

    winner: int
    tied: tuple[int, ...]  # not told apart from the fastest, the winner among them
    scores: dict[int, Score]
    rounds: int
    seconds: float


def contest(communicator: Communicator, trials: Sequence[Trial], budget: float = 1.0) -> Standing:
    """Find the fastest of `trials`, simplest first, in about `budget` seconds; for all ranks.

    A trial's time is that of its slowest rank. Trials take turns, forward and backward; the clearly
    slower ones are left out after three rounds or when the bounds of their ratio say so, until one
    is left or the ratios of the others are known well. Of those that cannot be told apart from the
    fastest the simplest wins. All ranks come to one answer, since they judge the same numbers.
    """
    table = _Table(communicator, trials)
    table.try_out(budget * share_for_trying_out)
    while not table.settled and table.rounds < most_rounds and table.elapsed < budget:
        table.play_round()
        table.drop_losers()
    return table.standing()


class _Table:
    """Times of all rounds, and who is still in."""

    def __init__(self, communicator: Communicator, trials: Sequence[Trial]) -> None:
        self.communicator, self.trials = communicator, trials
        self.begin = time.perf_counter()
        self.elapsed = 0.0  # of the slowest rank, as of the last round
        self.times: dict[int, list[float]] = {}
        self.first: dict[int, float] = {}
        self.alive: list[int] = []
        self.rounds = 0
        self.repeats = 1

    def try_out(self, budget: float) -> None:
        """Do every trial twice, once to make it ready and once for a first time."""
        for at, trial in enumerate(self.trials):
            if self.alive and self.elapsed > budget:
                break
            trial()
            own = self._sample(at, 1)
            slowest, self.elapsed = self._slowest([own, time.perf_counter() - self.begin])
            self.first[at], self.times[at] = float(slowest), []
            self.alive.append(at)
        fastest = min(self.first.values())
        for at in self.alive:
            # One that looks hopeless may have been disturbed.
            if self.first[at] >= 10 * fastest and self.elapsed < budget:
                own = self._sample(at, 1)
                again, self.elapsed = self._slowest([own, time.perf_counter() - self.begin])
                self.first[at] = min(self.first[at], float(again))
        fastest = min(self.first.values())
        self.alive = [at for at in self.alive if self.first[at] < 10 * fastest]
        self.repeats = min(most_repeats, max(1, math.ceil(sample_seconds / max(fastest, 1e-9))))

    def play_round(self) -> None:
        """One sample of each that is in, in an order that turns round."""
        order = self.alive if self.rounds % 2 == 0 else self.alive[::-1]
        own = [self._sample(at, self.repeats) for at in order]
        *slowest, self.elapsed = self._slowest([*own, time.perf_counter() - self.begin])
        for at, seconds in zip(order, slowest, strict=True):
            self.times[at].append(float(seconds))
        self.rounds += 1

    @property
    def settled(self) -> bool:
        """Whether more rounds would tell no more."""
        best = self._fastest()
        if self.rounds < 8:
            return len(self.alive) == 1
        bounds = [median_bounds(self._ratios(at, best)) for at in self.alive if at != best]
        return all(high - low < settled_width for low, high in bounds)

    def drop_losers(self) -> None:
        if self.rounds < 3:
            return
        best = self._fastest()
        kept = []
        for at in self.alive:
            ratios = self._ratios(at, best)
            hopeless = ratios.min() > hopeless_ratio
            clear = median_bounds(ratios)[0] > 1 and np.median(ratios) > tie_ratio
            beaten = self.rounds >= 6 and clear
            if at == best or not (hopeless or beaten):
                kept.append(at)
        self.alive = kept

    def standing(self) -> Standing:
        best = self._fastest()
        scores = {at: self._score(at, best) for at in self.first}
        tied = [
            at
            for at in self.alive
            if at == best or (scores[at].ratio <= tie_ratio and scores[at].low <= 1.0)
        ]
        winner = min(tied)
        return Standing(winner, tuple(sorted(tied)), scores, self.rounds, self.elapsed)

    def _fastest(self) -> int:
        if not self.rounds:
            return min(self.alive, key=lambda at: self.first[at])
        return min(self.alive, key=lambda at: float(np.median(self.times[at])))

    def _ratios(self, at: int, best: int) -> NDArray[np.float64]:
        """Ratios of the rounds in which both took part."""
        count = len(self.times[at])
        if not count:
            return np.array([self.first[at] / self.first[best]])
        return np.array(self.times[at]) / np.array(self.times[best][:count])

    def _score(self, at: int, best: int) -> Score:
        ratios = self._ratios(at, best)
        low, high = median_bounds(ratios)
        seconds = float(np.median(self.times[at] or [self.first[at]]))
        return Score(seconds, float(np.median(ratios)), low, high, len(self.times[at]))

    def _sample(self, at: int, repeats: int) -> float:
        """Seconds of one trial, from a common start."""
        trial = self.trials[at]
        self.communicator.sum(np.zeros(1))
        begin = time.perf_counter()
        for _ in range(repeats):
            trial()
        return (time.perf_counter() - begin) / repeats

    def _slowest(self, values: list[float]) -> NDArray[np.float64]:
        return self.communicator.maximum(np.array(values))


def median_bounds(ratios: NDArray[np.float64]) -> tuple[float, float]:
    """Order statistics that enclose the median with about 95 % confidence."""
    count = ratios.size
    below = max(0, math.floor((count + 1) / 2 - 0.98 * math.sqrt(count)) - 1)
    ordered = np.sort(ratios)
    return float(ordered[below]), float(ordered[count - 1 - below])
