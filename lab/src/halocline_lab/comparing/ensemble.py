"""Whether a difference is one that round-off alone could have made: held against an ensemble.

The members are runs that differ by tiny perturbations only. At every point and time the output is
measured by its distance from the mean of the members in their standard deviations; the root mean
square of these is its RMSZ (Baker et al. 2014, HPDC, doi:10.1145/2600212.2600217). Each member has
one too, against all others: what is normal. As in the consistency tests of CESM (Baker et al. 2015,
Geosci. Model Dev. 8, 2829-2840; 2016, 9, 2391-2406), the output passes where its score is no higher
than those of members can be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from halocline.core.errors import UserError
from halocline_lab.comparing.differences import less
from halocline_lab.comparing.outputs import Numbers, Output

fewest_members = 6
"""With fewer, standard deviations of a point say little."""

false_alarms = 0.01
"""Chance that an output that is like the members fails in any of its variables."""


@dataclass(frozen=True)
class Score:
    """How far an output lies from an ensemble, in one variable.

    `rmsz` of the output and of A, the `members` of theirs, and the `bound` that counts; `rank` is
    how many members lie farther out than the output. `missing` values differ from all members'.
    """

    name: str
    rmsz: float
    rmsz_of_a: float
    members: tuple[float, ...]
    bound: float
    missing: int

    @property
    def within(self) -> bool:
        """Whether the output is like the members."""
        return self.rmsz <= self.bound and not self.missing

    @property
    def rank(self) -> int:
        """How many members lie farther out."""
        return sum(member >= self.rmsz for member in self.members)


def score(a: Output, b: Output, members: Sequence[Output], name: str, variables: int = 1) -> Score:
    """The score of B, and of A, in a variable; so many `variables` are judged together."""
    if len(members) < fewest_members:
        raise UserError(
            f"The ensemble has {len(members)} members; {fewest_members} or more are needed. Make"
            " more with --make-ensemble."
        )
    squares, counts, missing = np.zeros(len(members) + 2), 0, 0
    for at in range(a.records(name)):
        some, lacks = _values((*members, a, b), name, at)
        others = lacks[: len(members)]
        missing += int((lacks[-1] & ~others.any(axis=0)).sum())
        missing += int((~lacks[-1] & others.all(axis=0)).sum())
        known = ~lacks.any(axis=0)
        if known.any():
            resolution = _resolution(b, name, at)[known]
            squares += _squares(some[:, known], resolution, cyclic=a.cyclic(name))
            counts += int(known.sum())
    rmsz = np.sqrt(squares / max(counts, 1))
    of_members = tuple(float(value) for value in rmsz[: len(members)])
    bound = upper_bound(of_members, false_alarms / variables)
    return Score(name, float(rmsz[-1]), float(rmsz[-2]), of_members, bound, missing)


def _values(
    outputs: Sequence[Output], name: str, at: int
) -> tuple[Numbers, np.ndarray[tuple[int, ...], np.dtype[np.bool_]]]:
    """Values of one record in all outputs, and where they lack them; one row for each."""
    raw = [output.record(name, at) for output in outputs]
    values = [o.unpacked(name, r).reshape(-1) for o, r in zip(outputs, raw, strict=True)]
    lacks = [o.missing(name, r).reshape(-1) for o, r in zip(outputs, raw, strict=True)]
    return np.stack(values), np.stack(lacks)


def _resolution(output: Output, name: str, at: int) -> Numbers:
    """Distance of the numbers that the file can hold, at each value."""
    raw = output.record(name, at).reshape(-1)
    if raw.dtype.kind == "f" and not output.packed(name):
        with np.errstate(invalid="ignore"):
            return np.spacing(np.abs(raw)).astype(np.float64)
    scale = abs(float(output.raw.variables[name].attrs.get("scale_factor", 1.0)))
    return np.full(raw.size, scale)


def _squares(values: Numbers, resolution: Numbers, *, cyclic: bool) -> Numbers:
    """Sums of squared scores: of each member, of A, and of B, in the last two rows.

    Each member is left out once; it is held against the others, and so are A and B, whose scores
    are means over all these. Standard deviations are no less than the file resolves.
    """
    members = values[:-2]
    count = members.shape[0]
    # Directions are turned to lie around those of A.
    away = less(values, values[-2], cyclic=cyclic)
    found = np.zeros(values.shape[0])
    for out in range(count):
        rest = np.delete(away[:-2], out, axis=0)
        mean = rest.mean(axis=0)
        deviation = np.maximum(rest.std(axis=0, ddof=1), resolution)
        for row, weight in ((out, 1.0), (count, 1.0 / count), (count + 1, 1.0 / count)):
            found[row] += weight * float((((away[row] - mean) / deviation) ** 2).sum())
    return found


def upper_bound(scores: Sequence[float], chance: float) -> float:
    """What one more score like these exceeds with this chance, if their logarithms are normal.

    The prediction bound of a normal sample: mean + t s sqrt(1 + 1 / n).
    """
    logarithms = np.log(np.maximum(scores, 1e-300))
    count = logarithms.size
    spread = float(logarithms.std(ddof=1)) * math.sqrt(1.0 + 1.0 / count)
    return math.exp(float(logarithms.mean()) + student(1.0 - chance, count - 1) * spread)


def student(probability: float, freedom: int) -> float:
    """Quantile of Student's distribution (expansion of Abramowitz & Stegun, 26.7.5).

    >>> round(student(0.99, 10), 2), round(student(0.975, 7), 2)
    (2.76, 2.36)
    """
    z = NormalDist().inv_cdf(probability)
    terms = (
        (z**3 + z) / 4.0,
        (5.0 * z**5 + 16.0 * z**3 + 3.0 * z) / 96.0,
        (3.0 * z**7 + 19.0 * z**5 + 17.0 * z**3 - 15.0 * z) / 384.0,
        (79.0 * z**9 + 776.0 * z**7 + 1482.0 * z**5 - 1920.0 * z**3 - 945.0 * z) / 92160.0,
    )
    return z + sum(term / freedom**power for power, term in enumerate(terms, 1))
