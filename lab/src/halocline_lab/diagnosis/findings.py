"""What is wrong with a run, how one knows, and what mending it would bring."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Gain:
    """Seconds of the run that a change would save: expected, and the interval it should lie in.

    `percent` are of the whole run.
    """

    seconds: float
    low: float
    high: float
    percent: float
    low_percent: float
    high_percent: float


@dataclass(frozen=True)
class Finding:
    """One fault, named.

    `fault` is one of `faults`; `what` one sentence that names it with its
    place; `evidence` numbers of this record; `sure` "certain", "likely" or "possible"; `advice`
    what to do exactly, for our models (with options) and for other programs (in the words of MPI).
    """

    fault: str
    what: str
    evidence: list[str]
    gain: Gain
    sure: str
    advice: list[str]


faults = {
    "imbalanced decomposition": "some ranks have more work than others",
    "slow rank": "a rank takes longer than others for equal work",
    "noise": "equal work takes longer now and then, and the others wait for it",
    "late sender": "ranks wait for messages whose sender computes first and sends then",
    "per-variable messages": "many small messages to the same rank where one would do",
    "derived types": "messages of data with gaps are slower than contiguous ones of equal size",
    "blocking all-to-one": "all ranks send to one that takes their messages one after the other",
    "many small collectives": "collectives follow each other where one would do",
    "barriers in every step": "all ranks wait for each other where nothing needs it",
    "input by every rank": "every rank reads the same data from files",
    "output in the way": "ranks that compute wait while output is written",
    "unequal members": "members of a run wait for one that has too few ranks for its work",
}
"""The faults of programs that are recognised, each with a planted one on which its advice was
tested."""


def limited_gain(found: Gain, most: float) -> Gain:
    """A gain of no more than so many seconds."""
    whole = 100.0 * found.seconds / found.percent if found.percent > 0.0 else 0.0
    return gain(min(found.seconds, most), min(found.low, most), min(found.high, most), whole)


def gain(seconds: float, low: float, high: float, whole: float) -> Gain:
    """A gain of a run of `whole` seconds; bounds are kept within nothing and everything.

    >>> gain(2.0, -1.0, 3.0, 10.0)
    Gain(seconds=2.0, low=0.0, high=3.0, percent=20.0, low_percent=0.0, high_percent=30.0)
    """
    bounds = [float(min(max(value, 0.0), whole)) for value in (seconds, low, high)]
    percent = [100.0 * value / whole if whole > 0.0 else 0.0 for value in bounds]
    return Gain(*bounds, *percent)
