"""What all advice starts from: the steady period of a record, timed anew, and what is uncertain."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from halocline.runtime.record.run_record import RunRecord
from halocline_lab.diagnosis.balance import Balance, balance, busy_per_step
from halocline_lab.diagnosis.findings import Gain, gain
from halocline_lab.diagnosis.matching import Matching, group_numbers, match, order_within
from halocline_lab.diagnosis.retime import Retiming, limited, retiming
from halocline_lab.diagnosis.timeline import Floats, Integers, steady_part, timeline

run_to_run = 0.01
"""By what share of their time two runs differ at least, whatever is mended."""

frequent = 0.4
"""What takes longer more often than this is no noise but work that varies."""


@dataclass(frozen=True)
class AdviceCase:
    """A record, its steady period timed anew, and `scale`: run seconds per second timed anew."""

    record: RunRecord
    matching: Matching
    timing: Retiming
    balance: Balance
    scale: float

    @cached_property
    def typical(self) -> Floats:
        """What each rank computes before each call, without excess that comes now and then [s]."""
        return _without_excess(self.timing)

    @cached_property
    def noise_seconds(self) -> float:
        """What excess costs in the spans [s]."""
        return max(0.0, self.timing.unchanged - self.timing.seconds(before=self.typical))

    @cached_property
    def even(self) -> Floats:
        """What each rank computes before each call, had all ranks equal work and no noise [s]."""
        busy = self.timing.busy(self.typical)
        mean = float(busy[self.balance.ranks].mean()) if self.balance.ranks else 0.0
        factor = np.where(busy > 0.0, mean / np.where(busy > 0.0, busy, 1.0), 1.0)
        factor[~np.isin(np.arange(len(busy)), self.balance.ranks)] = 1.0
        return np.asarray(self.typical * factor[self.timing.rank], np.float64)

    def gain(self, seconds: float, low: float, high: float, *, of_noise: bool = False) -> Gain:
        """A gain of the run, from seconds saved in the spans.

        Bounds are widened by what runs differ by anyway, by half the noise (unless the gain is that
        `of_noise`), and by how well the record is timed anew.
        """
        doubt = self.timing.unchanged * (run_to_run + self.timing.error)
        doubt += 0.0 if of_noise else 0.5 * self.noise_seconds
        whole = self.record.seconds
        return gain(
            self.scale * seconds, self.scale * (low - doubt), self.scale * (high + doubt), whole
        )

    def whole_gain(self, seconds: float, low: float, high: float) -> Gain:
        """A gain given for the whole run; bounds are widened by what runs differ by anyway."""
        doubt = run_to_run * self.record.seconds
        return gain(seconds, low - doubt, high + doubt, self.record.seconds)


def advice_case(record: RunRecord) -> AdviceCase:
    """Time the steady period of a record anew."""
    steady = limited(steady_part(record))
    matching = match(timeline(steady))
    timing = retiming(matching)
    whole = record.steady_seconds
    scale = whole / timing.recorded_seconds if timing.recorded_seconds > 0.0 else 0.0
    return AdviceCase(record, matching, timing, balance(matching), max(scale, 0.0))


def equal_work(timing: Retiming) -> Integers:
    """A number alike for computations of one rank between the same two calls of the source.

    Calls with other partners are others: ranks of a butterfly come by the same lines with other
    work.
    """
    partner = timing.timeline.events["partner"][timing.event].astype(np.int64)
    return group_numbers([timing.rank, *_between(timing), partner])


def _between(timing: Retiming) -> tuple[Integers, Integers]:
    """The regions of the calls before and after each computation."""
    previous = np.roll(timing.region, 1)
    starts = timing.first[:-1][timing.first[:-1] < timing.first[1:]]
    previous[starts] = -1
    return previous, timing.region


def _without_excess(timing: Retiming) -> Floats:
    """Computations of at most the median of their kind and rank, where few take longer.

    What all ranks take longer at the same time is work, and stays.
    """
    before = timing.before
    if not len(before):
        return before
    group = equal_work(timing)
    median = _medians(group, before)
    excess = np.maximum(before - median, 0.0)
    excess -= _common(timing, excess)
    large = excess > 0.1 * median
    share = np.bincount(group, large) / np.maximum(np.bincount(group), 1)
    count = np.bincount(group)
    noisy = ((share < frequent) & (count >= 8))[group]
    return np.asarray(before - np.where(noisy, excess, 0.0), np.float64)


def _medians(group: Integers, values: Floats) -> Floats:
    """The median of each value's group."""
    order = np.lexsort((values, group))
    counts = np.bincount(group)
    starts = np.cumsum(counts) - counts
    ordered = values[order]
    low, high = ordered[starts + (counts - 1) // 2], ordered[starts + counts // 2]
    return np.asarray((0.5 * (low + high))[group], np.float64)


@dataclass(frozen=True)
class StepNoise:
    """Noise of all steps of a run: seconds lost by a rank on average, by all, and where.

    `excess` [step, rank] is what steps take above their typical time [s].
    """

    excess: Floats
    lost_alone: float
    lost_together: float
    steps: int


def step_noise(case: AdviceCase) -> StepNoise | None:
    """The noise of the steps' computation, as far as all steps are on record; None without."""
    record = case.record
    rows = record.steps[record.steps["count"] == 1]
    busy = busy_per_step(replace(record, steps=rows), np.array(case.balance.ranks, np.int64))
    if len(busy) < 8:
        return None
    median = np.median(busy, axis=0)
    excess = np.maximum(busy - median, 0.0)
    excess = np.maximum(excess - excess.min(axis=1, keepdims=True) * (busy.shape[1] > 1), 0.0)
    rare = (excess > 0.1 * median).mean(axis=0) < frequent
    excess = np.where(rare, excess, 0.0)
    whole = float(rows["count"].sum()) / max(1, len(case.balance.ranks))
    together = float((busy.max(axis=1) - (busy - excess).max(axis=1)).sum())
    alone = float(excess.sum(axis=0).mean())
    scale = _all_steps(record) / max(whole, 1.0)
    return StepNoise(excess, scale * alone, scale * together, len(busy))


def _all_steps(record: RunRecord) -> float:
    """Steps of a rank."""
    return float(record.steps["count"].sum()) / max(1, len(np.unique(record.steps["rank"])))


def _common(timing: Retiming, excess: Floats) -> Floats:
    """The excess that all ranks have at the same turn of the same work."""
    between = _between(timing)
    turn = group_numbers([*between, order_within(group_numbers([timing.rank, *between]))])
    count = np.bincount(turn)
    least = np.full(len(count), np.inf)
    np.minimum.at(least, turn, excess)
    ranks = len(np.unique(timing.rank))
    return np.asarray(np.where((count == ranks) & (ranks > 1), least, 0.0)[turn], np.float64)
