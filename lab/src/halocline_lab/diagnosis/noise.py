"""Operating-system noise: equal work that takes longer now and then (paper 4, P-23).

Work that is the same each time, a quantum, takes its typical time, or longer where something else
ran on the core. The *excess* is the time above the typical one. Ranks that meet after each quantum
lose the largest excess of all each time, others only their own: synchronisation amplifies noise
(Petrini, Kerbyson & Pakin 2003, "The case of the missing supercomputer performance").
"""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from halocline.core.errors import UserError
from halocline.runtime.record.run_record import RunRecord
from halocline_lab.diagnosis.balance import busy_per_step
from halocline_lab.diagnosis.phases import kind_mask
from halocline_lab.diagnosis.timeline import Floats, compute_ranks


@dataclass(frozen=True)
class Quanta:
    """Times of equal pieces of work of all ranks.

    `typical` is the median [s], `lost_alone` what a rank loses by its own noise, the mean excess,
    and `lost_together` what all lose if they meet after each piece, as shares of the typical time;
    `amplification` is their ratio. `limit` and `count` are a histogram: pieces of up to `limit`
    times the typical time. `period` is that of regular disturbances [s], or None.
    """

    pieces: int
    ranks: int
    typical: float
    lost_alone: float
    lost_together: float
    amplification: float
    limit: list[float]
    count: list[int]
    period: float | None


@dataclass(frozen=True)
class KernelNoise:
    """Noise of a kernel's calls, from its statistics: mean over shortest call, longest, scatter."""

    name: str
    calls: int
    shortest: float
    mean: float
    longest: float
    variation: float


@dataclass(frozen=True)
class Noise:
    """Noise of a record: of its steps (None without), of its kernels, and words on it."""

    steps: Quanta | None
    kernels: list[KernelNoise]
    words: str


ends = ("begin", "end")

other_work = 0.7
"""Steps whose times on different ranks are correlated more than this differ in their work."""

histogram_limits = (0.9, 0.97, 1.0, 1.01, 1.03, 1.1, 1.3, 2.0, 5.0, 10.0, float("inf"))


def quanta(times: Floats, begin: Floats | None = None) -> Quanta:
    """What times [piece, rank] of equal work tell [s]; `begin` is when each piece began [s]."""
    typical = np.median(times, axis=0)
    excess = np.maximum(times - typical, 0.0)
    one = max(float(typical.mean()), 1e-300)
    alone = float(excess.mean()) / one
    together = float((times.max(axis=1) - typical.max()).clip(0.0).mean()) / one
    relative = (times / np.maximum(typical, 1e-300)).reshape(-1)
    places = np.searchsorted(np.array(histogram_limits), relative)
    period = None if begin is None else _common_period(times, typical, begin)
    return Quanta(
        pieces=int(times.size),
        ranks=int(times.shape[1]),
        typical=one,
        lost_alone=alone,
        lost_together=together,
        amplification=together / alone if alone > 0.0 else 1.0,
        limit=list(histogram_limits),
        count=np.bincount(places, minlength=len(histogram_limits)).tolist(),
        period=period,
    )


def _common_period(times: Floats, typical: Floats, begin: Floats) -> float | None:
    """The period of disturbances that some rank has, the median of those found."""
    found = [
        period_of(begin[:, rank], np.maximum(times[:, rank] - typical[rank], 0.0))
        for rank in range(times.shape[1])
    ]
    periods = [period for period in found if period is not None]
    return float(np.median(periods)) if periods else None


def period_of(begin: Floats, excess: Floats, bins: int = 4096) -> float | None:
    """The period of what disturbs a rank [s], or None: no regular one.

    The excess on an even grid of time is searched for a line in its spectrum that stands out: 40
    times the mean of all; at least five periods must lie within the time.
    """
    duration = float(begin[-1] - begin[0]) if len(begin) > 16 else 0.0
    if duration <= 0.0 or not excess.any():
        return None
    bins = min(bins, len(begin))
    place = np.minimum(((begin - begin[0]) / duration * bins).astype(np.int64), bins - 1)
    marked = np.minimum(excess, 10.0 * max(float(excess.mean()), 1e-300))
    series = np.bincount(place, marked, minlength=bins)
    power = np.abs(np.fft.rfft(series - series.mean())) ** 2
    if len(power) < 8:
        return None
    power = power[5:]
    strong = np.flatnonzero(power > 0.5 * power.max())
    if power.max() < 40.0 * max(float(power.mean()), 1e-300):
        return None
    return duration / (int(strong[0]) + 5)


def noise(record: RunRecord) -> Noise:
    """Noise of a record, where it has steps or kernels of known calls."""
    ranks = compute_ranks(record)
    busy = busy_per_step(record, ranks)
    of_steps = quanta(busy) if len(busy) >= 8 else None
    kernels = _kernels(record)
    return Noise(of_steps, kernels, _words(of_steps, kernels, busy))


def _kernels(record: RunRecord) -> list[KernelNoise]:
    rows = record.statistics
    rows = rows[(rows["thread"] == 0) & kind_mask(record, ("kernel",), rows)]
    found = []
    for number in np.unique(rows["region"]):
        mine = rows[(rows["region"] == number) & (rows["calls"] > 1)]
        if not mine.size:
            continue
        calls, seconds = int(mine["calls"].sum()), float(mine["seconds"].sum())
        mean = seconds / calls
        variance = max(float(mine["squares"].sum()) / calls - mean**2, 0.0)
        found.append(
            KernelNoise(
                name=record.regions[number].name,
                calls=calls,
                shortest=float(mine["shortest"].min()),
                mean=mean,
                longest=float(mine["longest"].max()),
                variation=float(np.sqrt(variance)) / max(mean, 1e-300),
            )
        )
    return sorted(found, key=lambda one: -one.mean * one.calls)[:20]


def alike(busy: Floats) -> float:
    """How much the steps' times [step, rank] change together: mean correlation between ranks.

    >>> alike(np.array([[1.0, 2.0], [2.0, 4.0], [1.0, 2.0], [3.0, 6.0]]))
    1.0
    """
    if busy.ndim != 2 or busy.shape[1] < 2 or len(busy) < 3 or (busy.std(axis=0) == 0.0).any():
        return 0.0
    ranks = busy.shape[1]
    found = np.asarray(np.corrcoef(busy.T), np.float64)
    return round(float((found.sum() - ranks) / (ranks * (ranks - 1))), 12)


def _words(steps: Quanta | None, kernels: list[KernelNoise], busy: Floats) -> str:
    if steps is None:
        if not kernels:
            return "the record has neither steps nor kernels whose equal calls could be compared"
        return "the record has too few steps to tell noise; its kernels' longest calls are listed"
    together = alike(busy)
    if together > other_work:
        return (
            f"steps differ by {100 * steps.lost_alone:.2f} % on average, but on all ranks alike"
            f" (correlation {together:.2f}): they have other work, which is no noise"
        )
    return (
        f"a rank loses {100 * steps.lost_alone:.2f} % to what steps take above the median, and"
        f" {100 * steps.lost_together:.2f} % where all ranks meet after each step"
    )


@dataclass(frozen=True)
class NoiseBenchmark:
    """Fixed work quanta: each rank by itself, and all meeting before each piece."""

    alone: Quanta
    together: Quanta
    advice: str


def measure(
    ranks: int, quantum: float = 1e-3, seconds: float = 2.0, launch: Any = None
) -> NoiseBenchmark:
    """Run quanta of about `quantum` seconds on ranks, for about `seconds` alone and together."""
    from halocline_lab.benchmarks.rank_programs import answer_of

    settings = {"quantum": quantum, "pieces": max(16, int(seconds / quantum))}
    found = json.loads((launch or answer_of)("halocline_lab.diagnosis.noise_run", settings, ranks))
    parts = []
    for name in ("alone", "together"):
        begin, end = (np.array(found[f"{name}_{what}"], np.float64) / 1e9 for what in ends)
        parts.append(quanta(end - begin, begin))
    alone, together = parts
    return NoiseBenchmark(alone, together, noise_advice(alone, together))


def noise_advice(alone: Quanta, together: Quanta) -> str:
    """What would help, by what was measured."""
    if together.lost_together < 0.01:
        return "ranks that meet after each piece lose less than 1 % to noise: nothing to mend"
    words = f"ranks that meet after each piece lose {100 * together.lost_together:.1f} % to noise"
    if alone.period is not None:
        words += (
            f", which comes about every {1e3 * alone.period:.3g} ms: look for a timer or daemon of"
            " that period, and let it run on all nodes at the same time or on a core of its own"
        )
    else:
        words += (
            ": leave a core of each node to the system, bind ranks to cores, and let ranks meet"
            " less often"
        )
    return words


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab noise`."""
    parser.add_argument("-n", "--ranks", type=int, help="number of ranks; all cores")
    parser.add_argument(
        "--quantum", type=float, default=1e-3, help="length of a piece of work [s] (0.001)"
    )
    parser.add_argument("--seconds", type=float, default=2.0, help="length of each part [s] (2)")
    parser.add_argument("--json", metavar="FILE", help="write all numbers")


def main(options: Any) -> int:
    """Run the command."""
    if options.quantum <= 0.0 or options.seconds <= 0.0:
        raise UserError("--quantum and --seconds take positive numbers of seconds.")
    ranks = options.ranks or len(os.sched_getaffinity(0))
    found = measure(ranks, options.quantum, options.seconds)
    for name, one in (("each by itself", found.alone), ("all meeting", found.together)):
        print(f"{name}: {one.pieces} pieces of {1e3 * one.typical:.3f} ms on {one.ranks} ranks")
        for limit, count in zip(one.limit, one.count, strict=True):
            if count:
                print(f"  up to {limit:>5.2f} times the typical time: {count}")
        period = "" if one.period is None else f"; about every {1e3 * one.period:.3g} ms"
        print(
            f"  a rank loses {100 * one.lost_alone:.2f} %, all together"
            f" {100 * one.lost_together:.2f} %{period}"
        )
    print(found.advice)
    if options.json:
        Path(options.json).write_text(json.dumps(asdict(found), indent=1), encoding="utf-8")
    return 0
