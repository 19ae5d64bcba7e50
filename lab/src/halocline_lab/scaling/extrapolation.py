"""Runs of another length, size or number of ranks, put together from phases, never from totals.

The shares of phases change with the length of a run (Cheptsov et al., 2009): what is done once, in
every step, or at every output is extrapolated each by itself. Each phase has a law of scaling
(`scaling_law`), if it was measured on several numbers of ranks or points.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from halocline.core.errors import UserError
from halocline_lab.scaling.scaling_law import Floats, Law, Measurement, fit_law, resamples

pers = ("run", "step", "frame")
"""What a phase is done once in: the run, a step, an output."""


@dataclass(frozen=True)
class PhaseTime:
    """Seconds of a phase once: in the run, in a step or at an output, on so many ranks.

    `noise` is the relative standard error of the seconds, where one measurement tells it; `threads`
    are those of a rank, 0 where that is not known.
    """

    phase: str
    per: str
    seconds: float
    ranks: int
    points: float = 1.0
    noise: float = 0.0
    threads: int = 0


@dataclass(frozen=True)
class Wanted:
    """The run to be predicted; `points` None: as many as were measured."""

    steps: float
    frames: float
    ranks: int
    points: float | None = None

    def times(self, per: str) -> float:
        """How often something is done."""
        return {"run": 1.0, "step": self.steps, "frame": self.frames}[per]


@dataclass(frozen=True)
class Prediction:
    """A phase of the run that is predicted [s], with bounds of about 95 %, and from what."""

    phase: str
    per: str
    times: float
    seconds: float
    low: float
    high: float
    law: str
    error: float  # median relative error where the law had to predict; nan: never tried


@dataclass(frozen=True)
class Forecast:
    """All phases of a run, and the run [s]."""

    phases: tuple[Prediction, ...]
    seconds: float
    low: float
    high: float
    notes: tuple[str, ...]

    def share(self, phase: str) -> float:
        """Share of a phase in the run."""
        return sum(p.seconds for p in self.phases if p.phase == phase) / self.seconds


def forecast(times: Sequence[PhaseTime], wanted: Wanted, *, perfect: bool = False) -> Forecast:
    """Predict a run from measured phases.

    A phase that was measured on one number of ranks only says nothing about others: they are
    refused, unless `perfect`, which divides it by the ranks as if it scaled perfectly.

    >>> measured = [PhaseTime("step", "step", 2.14, 1024), PhaseTime("output", "frame", 26.0, 1024)]
    >>> hour = forecast(measured, Wanted(steps=200, frames=1, ranks=1024))
    >>> round(hour.phases[0].seconds), round(100 * 26.0 / 428.0, 1)
    (428, 6.1)
    """
    points = _points(times, wanted)
    found, samples = [], []
    for phase, per in dict.fromkeys((time.phase, time.per) for time in times):
        mine = [time for time in times if (time.phase, time.per) == (phase, per)]
        law = _law(mine, wanted, points, perfect=perfect)
        count, one = wanted.times(per), law.seconds(wanted.ranks, points)
        sample = count * _sampled(mine, law, wanted.ranks, points)
        low, high = _enclosing(sample, count * one)
        samples.append(sample)
        words = _law_words(mine, law, wanted, perfect=perfect)
        found.append(Prediction(phase, per, count, count * one, low, high, words, law.error))
    whole = sum(prediction.seconds for prediction in found)
    low, high = _enclosing(np.sum(samples, axis=0), whole)
    return Forecast(tuple(found), whole, low, high, tuple(_notes(times, wanted, high > low)))


def _enclosing(sample: Floats, middle: float) -> tuple[float, float]:
    """What holds 95 % of a sample, and the middle [s]."""
    low, high = (float(value) for value in np.quantile(sample, [0.025, 0.975]))
    return min(low, middle), max(high, middle)


def _notes(times: Sequence[PhaseTime], wanted: Wanted, bounded: bool) -> list[str]:
    """What to know of a forecast."""
    notes = []
    most = max(time.ranks for time in times)
    if wanted.ranks > most and len({time.ranks for time in times}) > 1:
        more = wanted.ranks / most
        notes.append(
            f"{wanted.ranks} ranks are {more:.3g} times as many as were measured ({most})."
        )
    if not bounded:
        notes.append("Each phase was measured once, so there are no bounds.")
    return notes


def held_out(times: Sequence[PhaseTime]) -> tuple[int, float, float] | None:
    """The most ranks predicted from all others: ranks, predicted and measured seconds of a step.

    None where fewer than four numbers of ranks were measured.
    """
    counts = sorted({time.ranks for time in times})
    stepping = [time for time in times if time.per == "step"]
    if len(counts) < 4 or not stepping or len({time.points for time in times}) > 1:
        return None
    most = counts[-1]
    kept = [time for time in stepping if time.ranks != most]
    left = [time for time in stepping if time.ranks == most]
    names = {time.phase for time in kept} & {time.phase for time in left}
    kept = [time for time in kept if time.phase in names]
    measured = sum(
        float(np.mean([time.seconds for time in left if time.phase == name])) for name in names
    )
    found = forecast(kept, Wanted(1.0, 0.0, most))
    return most, found.seconds, measured


def _points(times: Sequence[PhaseTime], wanted: Wanted) -> float:
    if not times:
        raise UserError("There are no phases to predict from.")
    sizes = sorted({time.points for time in times})
    if wanted.points is None:
        if len(sizes) > 1:
            raise UserError(
                f"Runs of several sizes were measured ({', '.join(f'{s:g}' for s in sizes)}"
                " points). Say which is wanted (--points)."
            )
        return sizes[0]
    if len(sizes) < 2 and wanted.points != sizes[0]:
        raise UserError(
            f"All runs measured have {sizes[0]:g} points, which says nothing about"
            f" {wanted.points:g}. Measure a second size."
        )
    return wanted.points


def _law(mine: Sequence[PhaseTime], wanted: Wanted, points: float, *, perfect: bool) -> Law:
    """The law of a phase; what was measured there is taken as it is."""
    counts = sorted({time.ranks for time in mine})
    there = [time for time in mine if (time.ranks, time.points) == (wanted.ranks, points)]
    if not there and len(counts) == 1 and wanted.ranks != counts[0]:
        if not perfect:
            raise UserError(
                f"The phase '{mine[0].phase}' was measured on {counts[0]} ranks only, which says"
                f" nothing about {wanted.ranks}. Measure more numbers of ranks, or say --perfect"
                " to divide its work perfectly."
            )
        mine = [
            replace(time, ranks=wanted.ranks, seconds=time.seconds * time.ranks / wanted.ranks)
            for time in mine
        ]
    chosen = there or mine
    return fit_law([Measurement(time.ranks, time.seconds, time.points) for time in chosen])


def _law_words(mine: Sequence[PhaseTime], law: Law, wanted: Wanted, *, perfect: bool) -> str:
    """What the seconds come from."""
    if len(law.ranks) > 1 or len(law.points) > 1:
        error = "" if math.isnan(law.error) else f"; errs {100.0 * law.error:.3g} %"
        return f"{law.words}{error}"
    measured = [time for time in mine if time.ranks in law.ranks] or mine
    mean = float(np.mean([time.seconds for time in measured]))
    words = f"measured on {measured[0].ranks} ranks: {mean:.4g} s"
    divided = perfect and measured[0].ranks != wanted.ranks
    return f"{words}, divided perfectly" if divided else words


def _sampled(mine: Sequence[PhaseTime], law: Law, ranks: int, points: float) -> Floats:
    """Seconds by laws of resampled measurements, or within the noise of a single one."""
    middle = law.seconds(ranks, points)
    if law.others:
        values = [replace(law, factors=other).seconds(ranks, points) for other in law.others]
        # Phases are independent: each has an order of its own.
        return np.random.default_rng(zlib.crc32(mine[0].phase.encode())).permutation(values)
    # The noise of single measurements is that of the steps, so it is the same for all phases.
    noise = max(time.noise for time in mine)
    return middle * np.exp(noise * np.random.default_rng(0).standard_normal(resamples))


def text(found: Forecast, wanted: Wanted) -> str:
    """The forecast as a table."""
    lines = [
        f"{wanted.steps:g} steps, {wanted.frames:g} outputs, {wanted.ranks} ranks",
        f"{'phase':<28}{'times':>9}{'seconds':>11}{'(bounds)':>25}{'share':>8}  law of one",
    ]
    for p in found.phases:
        bounds = f"({p.low:.4g} to {p.high:.4g})" if p.high > p.low else ""
        share = f"{100 * p.seconds / found.seconds:.1f} %" if found.seconds > 0.0 else ""
        lines.append(f"{p.phase:<28}{p.times:>9g}{p.seconds:>11.4g}{bounds:>25}{share:>8}  {p.law}")
    bounds = f"({found.low:.4g} to {found.high:.4g})" if found.high > found.low else ""
    lines.append(f"{'all':<37}{found.seconds:>11.4g}{bounds:>25}  {duration(found.seconds)}")
    return "\n".join([*lines, *found.notes])


def duration(seconds: float) -> str:
    """Minutes or hours beside seconds.

    >>> duration(6742.0), duration(75.0)
    ('= 112 min', '')
    """
    return f"= {seconds / 60.0:.0f} min" if seconds >= 600.0 else ""
