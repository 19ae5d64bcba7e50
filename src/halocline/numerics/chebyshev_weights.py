"""Coefficients of the Chebyshev iteration for an operator with known extreme eigenvalues."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Bounds:
    """The least and the greatest eigenvalue of the preconditioned operator [1]."""

    least: float
    greatest: float

    @property
    def rate(self) -> float:
        """By how much the logarithm of the residual falls in an iteration, in the end [1]."""
        root = math.sqrt(self.greatest / self.least)
        return math.log((root + 1.0) / (root - 1.0)) if root > 1.0 else math.inf


def weights_without_end(bounds: Bounds) -> Iterator[tuple[float, float]]:
    """Weight of the preconditioned residual and of the last correction, for every iteration.

    Stiefel's iteration as in P-CSI (Hu et al. 2015, Geosci. Model Dev. Discuss. 8; gamma and
    omega of that paper, 1 / alpha half the span).
    """
    span = bounds.greatest - bounds.least
    gamma = 0.5 * (bounds.greatest + bounds.least)
    omega = 1.0 / gamma
    yield omega, 0.0
    omega = 2.0 / gamma
    while True:
        omega = 1.0 / (gamma - omega * span * span / 16.0)
        yield omega, gamma * omega - 1.0


def weights(bounds: Bounds, count: int) -> list[tuple[float, float]]:
    """The first `count` of them.

    >>> weights(Bounds(1.0, 3.0), 2)
    [(0.5, 0.0), (0.5714285714285714, 0.1428571428571428)]
    >>> weights(Bounds(1.0, 1.0), 2)
    [(1.0, 0.0), (1.0, 0.0)]
    """
    source = weights_without_end(bounds)
    return [next(source) for _ in range(count)]
