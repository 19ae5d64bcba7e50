"""Laws of scaling: the time of a phase against ranks and points, chosen by what they predict.

A law is a sum of a few terms with positive factors: c0 (serial work, latency), points / ranks
(divided work), the square root of that (borders of blocks), the logarithm of ranks (collectives),
powers of ranks (all to one), points (work that is not divided). Of all sums of up to three terms
that is taken which errs least on measurements that were left out; its bounds come from the
bootstrap, the choice made anew each time, so that laws that the measurements cannot tell apart
widen them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Term:
    """A term of a law: a function of ranks and points, and its name."""

    name: str
    value: Callable[[Floats, Floats], Floats]
    sizes: bool = False  # means something only where several numbers of points were measured


terms: tuple[Term, ...] = (
    Term("1", lambda n, points: np.ones_like(n)),
    Term("points/n", lambda n, points: points / n),
    Term("sqrt(points/n)", lambda n, points: np.sqrt(points / n)),
    Term("log2 n", lambda n, points: np.log2(n)),
    Term("n^(1/2)", lambda n, points: np.sqrt(n)),
    Term("n", lambda n, points: n),
    Term("points", lambda n, points: points, sizes=True),
)

most_terms = 3
most_condition = 1e11
"""Of the normal equations: worse ones cannot tell the terms apart."""

simpler_is_better = 0.8
"""A law with one term more must err less than this share of the best simpler one's error."""

resamples = 200
most_in_contest = 12
"""Laws among which resampled measurements choose."""


@dataclass(frozen=True)
class Measurement:
    """Seconds of a phase on so many ranks, with so many points."""

    ranks: int
    seconds: float
    points: float = 1.0


@dataclass(frozen=True)
class Law:
    """The factors of a law by the names of its terms, and how it erred.

    `error` is the median of the relative errors on measurements left out; nan where there were too
    few to leave one out. `others` are factors of laws from resampled measurements.
    """

    factors: dict[str, float]
    error: float
    largest_error: float
    others: tuple[dict[str, float], ...]
    ranks: tuple[int, ...]
    points: tuple[float, ...]

    def seconds(self, ranks: float, points: float = 1.0) -> float:
        """Seconds of the phase there."""
        return _value(self.factors, ranks, points)

    def bounds(self, ranks: float, points: float = 1.0) -> tuple[float, float]:
        """What encloses it with about 95 % confidence, if one of the laws that are tried holds."""
        values = [_value(factors, ranks, points) for factors in self.others]
        middle = self.seconds(ranks, points)
        low, high = np.quantile([*values, middle], [0.025, 0.975])
        return min(float(low), middle), max(float(high), middle)

    @property
    def words(self) -> str:
        """The law as a formula.

        >>> Law({"1": 0.5, "log2 n": 0.02}, 0.01, 0.02, (), (1, 2), (1.0,)).words
        '0.5 + 0.02 log2 n'
        """
        parts = [
            f"{factor:.3g}" if name == "1" else f"{factor:.3g} {name}"
            for name, factor in self.factors.items()
        ]
        words = " + ".join(parts) or "0"
        return words if max(self.points) != 1.0 else words.replace("points/n", "/n")


def fit_law(measurements: Sequence[Measurement], *, resampled: int = resamples) -> Law:
    """The law of some measurements; one number of ranks gives only a constant."""
    n, points, seconds = _columns(measurements)
    candidates = _candidates(n, points)
    random = np.random.default_rng(len(measurements))
    factors, error, largest = _choose(candidates, n, points, seconds)
    if len(_places(n, points)) < 2:
        error = largest = math.nan
    others = []
    fitted = np.array([_value(factors, *at) for at in zip(n, points, strict=True)])
    residuals = _residuals(fitted, seconds, len(factors))
    shortlist = _shortlist(candidates, n, points, seconds) if resampled else []
    for _ in range(resampled if len(residuals) > 1 else 0):
        again = fitted * np.exp(random.choice(residuals, residuals.size))
        others.append(_choose(shortlist, n, points, again)[0])
    ranks, sizes = sorted({int(v) for v in n}), sorted({float(v) for v in points})
    return Law(factors, error, largest, tuple(others), tuple(ranks), tuple(sizes))


def _columns(measurements: Sequence[Measurement]) -> tuple[Floats, Floats, Floats]:
    if not measurements:
        raise UserError("A law of scaling needs measurements; there are none.")
    if any(m.ranks < 1 or m.points <= 0.0 or m.seconds < 0.0 for m in measurements):
        raise UserError("Ranks are 1 or more, points positive, and seconds not negative.")
    n = np.array([float(m.ranks) for m in measurements])
    points = np.array([float(m.points) for m in measurements])
    return n, points, np.maximum([m.seconds for m in measurements], 1e-12)


def _places(n: Floats, points: Floats) -> list[tuple[float, float]]:
    """Different ranks and points that were measured."""
    return sorted(set(zip(n.tolist(), points.tolist(), strict=True)))


def _candidates(n: Floats, points: Floats) -> list[tuple[Term, ...]]:
    """Laws that the measurements could tell: with fewer terms than there are different places."""
    places = len(_places(n, points))
    sizes, counts = len(set(points.tolist())), len(set(n.tolist()))
    usable = [t for t in terms if (sizes > 1 or not t.sizes) and (counts > 1 or _still(t))]
    most = min(most_terms, max(1, places - 2))
    return [law for count in range(1, most + 1) for law in combinations(usable, count)]


def _shortlist(
    candidates: Sequence[tuple[Term, ...]], n: Floats, points: Floats, seconds: Floats
) -> list[tuple[Term, ...]]:
    """The candidates that predict best, for resampled measurements."""
    errors = []
    for place, law in enumerate(candidates):
        found = _tried(law, n, points, seconds)
        if found is not None:
            errors.append((found[1], found[2], place))
    return [candidates[place] for _, _, place in sorted(errors)[:most_in_contest]]


def _still(term: Term) -> bool:
    """Whether a term can be told with one number of ranks."""
    return term.name in ("1", "points/n", "points")


def _choose(
    candidates: Sequence[tuple[Term, ...]], n: Floats, points: Floats, seconds: Floats
) -> tuple[dict[str, float], float, float]:
    """Factors of the best candidate, its median and its largest error where left out."""
    best: tuple[dict[str, float], float, float] | None = None
    for count in range(1, most_terms + 1):
        level = [_tried(law, n, points, seconds) for law in candidates if len(law) == count]
        fits = [one for one in level if one is not None]
        if not fits:
            continue
        better = min(fits, key=lambda one: (one[1], one[2]))
        if best is None or better[1] < simpler_is_better * best[1]:
            best = better
    if best is None:
        return {"1": float(np.exp(np.mean(np.log(seconds))))}, math.nan, math.nan
    return best


def _tried(
    law: Sequence[Term], n: Floats, points: Floats, seconds: Floats
) -> tuple[dict[str, float], float, float] | None:
    """A candidate fitted with relative errors; None where a factor is negative."""
    columns = np.stack([term.value(n, points) for term in law], axis=1) / seconds[:, None]
    norms = np.sqrt((columns**2).sum(axis=0))
    if not norms.all():
        return None
    columns = columns / norms
    places = _places(n, points)
    here = np.array([(n == ranks) & (points == size) for ranks, size in places], np.float64)
    # Normal equations of all measurements, and of those of each place.
    squares = np.einsum("pm,mi,mj->pij", here, columns, columns)
    sides = here @ columns
    whole, side = squares.sum(axis=0), sides.sum(axis=0)
    left_out = whole - squares if len(places) > 1 else squares
    if not (np.linalg.cond(np.concatenate([whole[None], left_out])) < most_condition).all():
        return None
    factors = np.linalg.solve(whole, side)
    if (factors < 0.0).any():
        return None
    named = {term.name: float(f) for term, f in zip(law, factors / norms, strict=True)}
    if len(places) < 2:
        return named, 0.0, 0.0
    without = np.linalg.solve(left_out, (side - sides)[:, :, None])[:, :, 0]
    predicted = (here.T @ without * columns).sum(axis=1)
    errors = np.abs(predicted - 1.0)
    return named, float(np.median(errors)), float(errors.max())


def _residuals(fitted: Floats, seconds: Floats, terms_used: int) -> Floats:
    """Logarithms of measured over fitted, centred, widened for the terms that were fitted."""
    values = np.log(seconds / np.maximum(fitted, 1e-300))
    freedom = max(1, values.size - terms_used)
    found: Floats = (values - values.mean()) * math.sqrt(values.size / freedom)
    return found


def _value(factors: dict[str, float], ranks: float, points: float) -> float:
    n, size = np.array([float(ranks)]), np.array([float(points)])
    return float(sum(factors.get(term.name, 0.0) * term.value(n, size)[0] for term in terms))
