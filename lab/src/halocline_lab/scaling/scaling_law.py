"""Laws of scaling: the time of a phase against ranks and points, chosen by what they predict.

A law is a sum of a few terms with positive factors: c0 (serial work, latency), points / ranks
(divided work), the square root of that (borders of blocks), the logarithm of ranks (collectives),
powers of ranks (all to one), points (work that is not divided); borders and latency also without
those of a single rank, which has no neighbours. Of all sums of up to three terms that is taken
which errs least, on average, on measurements that were left out; its bounds come from the
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
    one_count: bool = False  # means something where one number of ranks was measured


terms: tuple[Term, ...] = (
    Term("1", lambda n, points: np.ones_like(n), one_count=True),
    Term("points/n", lambda n, points: points / n, one_count=True),
    Term("sqrt(points/n)", lambda n, points: np.sqrt(points / n)),
    Term("(n > 1)", lambda n, points: np.where(n > 1.0, 1.0, 0.0)),
    Term("sqrt(points/n) (n > 1)", lambda n, points: np.where(n > 1.0, np.sqrt(points / n), 0.0)),
    Term("log2 n", lambda n, points: np.log2(n)),
    Term("n^(1/2)", lambda n, points: np.sqrt(n)),
    Term("n", lambda n, points: n),
    Term("points", lambda n, points: points, sizes=True, one_count=True),
)

most_terms = 3
most_condition = 1e11
"""Of the normal equations: worse ones cannot tell the terms apart."""

simpler_is_better = 0.8
"""A law with one term more must err less than this share of the best simpler one's error."""

next_to_nothing = 1e-6
"""Laws with smaller errors than this are as good as each other."""

least_share = 1e-3
"""Resampled times are no less than this share of what was measured."""

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
    fitting = _Fitting(measurements)
    best = fitting.choose(fitting.candidates(), fitting.seconds)
    places = fitting.places
    fitted = fitting.values(best.factors)
    freedom = max(1, fitted.size - len(best.factors))
    residuals = (fitting.seconds - fitted) / fitting.scale * math.sqrt(fitted.size / freedom)
    random = np.random.default_rng(len(measurements))
    shortlist = fitting.shortlist() if resampled else []
    others = []
    for _ in range(resampled if residuals.size > 1 else 0):
        drawn = fitted + fitting.scale * random.choice(residuals, residuals.size)
        again = np.maximum(drawn, least_share * fitting.scale)
        others.append(fitting.choose(shortlist, again).factors)
    tested = len(places) > 1
    return Law(
        best.factors,
        best.error if tested else math.nan,
        best.largest if tested else math.nan,
        tuple(others),
        tuple(sorted({int(ranks) for ranks, _ in places})),
        tuple(sorted({points for _, points in places})),
    )


@dataclass(frozen=True)
class _Tried:
    """A law that was fitted; median, largest and mean of its relative errors where left out."""

    factors: dict[str, float]
    error: float
    largest: float
    mean: float


class _Fitting:
    """Measurements of a phase, and laws fitted to them by least squares of relative errors.

    Errors are relative to the seconds, but to no less than a tenth of the median, so that times
    that are next to nothing (a sum over one rank) do not rule the fit.
    """

    def __init__(self, measurements: Sequence[Measurement]) -> None:
        if not measurements:
            raise UserError("A law of scaling needs measurements; there are none.")
        if any(m.ranks < 1 or m.points <= 0.0 or m.seconds < 0.0 for m in measurements):
            raise UserError("Ranks are 1 or more, points positive, and seconds not negative.")
        self.n = np.array([float(m.ranks) for m in measurements])
        self.points = np.array([float(m.points) for m in measurements])
        self.seconds = np.array([m.seconds for m in measurements])
        self.scale = np.maximum(self.seconds, max(0.1 * float(np.median(self.seconds)), 1e-12))
        pairs = list(zip(self.n.tolist(), self.points.tolist(), strict=True))
        self.places = sorted(set(pairs))
        self.here = np.array([[float(pair == place) for pair in pairs] for place in self.places])
        self.columns = {t.name: t.value(self.n, self.points) / self.scale for t in terms}

    def values(self, factors: dict[str, float]) -> Floats:
        """Seconds by a law at all measurements."""
        none = np.zeros(self.n.size)
        return self.scale * sum((f * self.columns[name] for name, f in factors.items()), none)

    def candidates(self) -> list[tuple[str, ...]]:
        """Laws that the measurements could tell: with fewer terms than there are places."""
        sizes, counts = len({p for _, p in self.places}), len({n for n, _ in self.places})
        usable = [
            term.name
            for term in terms
            if (sizes > 1 or not term.sizes) and (counts > 1 or term.one_count)
        ]
        most = min(most_terms, max(1, len(self.places) - 2))
        return [law for count in range(1, most + 1) for law in combinations(usable, count)]

    def shortlist(self) -> list[tuple[str, ...]]:
        """The candidates that predict best, for resampled measurements."""
        tried = [(law, self.tried(law, self.seconds)) for law in self.candidates()]
        found = [(one.mean, law) for law, one in tried if one is not None]
        return [law for _, law in sorted(found)[:most_in_contest]]

    def choose(self, candidates: Sequence[tuple[str, ...]], seconds: Floats) -> _Tried:
        """The simplest candidate that predicts about as well as any; else a constant."""
        best: _Tried | None = None
        for count in range(1, most_terms + 1):
            level = [self.tried(law, seconds) for law in candidates if len(law) == count]
            fits = [one for one in level if one is not None]
            if not fits:
                continue
            better = min(fits, key=lambda one: max(one.mean, next_to_nothing))
            if best is None or better.mean < simpler_is_better * best.mean:
                best = better
        return best or _Tried({"1": float(np.median(seconds))}, math.nan, math.nan, math.nan)

    def tried(self, law: Sequence[str], seconds: Floats) -> _Tried | None:
        """A law fitted; None where a factor is negative, or its terms cannot be told apart."""
        columns, wanted = np.stack([self.columns[n] for n in law], axis=1), seconds / self.scale
        norms = np.sqrt((columns**2).sum(axis=0))
        if not norms.all():
            return None
        columns = columns / norms
        # Normal equations of each place, of all, and of all but one.
        squares = np.einsum("pm,mi,mj->pij", self.here, columns, columns)
        sides = self.here @ (columns * wanted[:, None])
        whole, side = squares.sum(axis=0), sides.sum(axis=0)
        left_out = whole - squares if len(self.places) > 1 else squares
        if not (np.linalg.cond(np.concatenate([whole[None], left_out])) < most_condition).all():
            return None
        factors = np.linalg.solve(whole, side)
        if (factors < 0.0).any():
            return None
        named = dict(zip(law, (factors / norms).tolist(), strict=True))
        if len(self.places) < 2:
            return _Tried(named, 0.0, 0.0, 0.0)
        without = np.linalg.solve(left_out, (side - sides)[:, :, None])[:, :, 0]
        errors = np.abs((self.here.T @ without * columns).sum(axis=1) - wanted)
        return _Tried(named, float(np.median(errors)), float(errors.max()), float(errors.mean()))


def _value(factors: dict[str, float], ranks: float, points: float) -> float:
    n, size = np.array([float(ranks)]), np.array([float(points)])
    return float(sum(factors.get(term.name, 0.0) * term.value(n, size)[0] for term in terms))
