"""A number with its unit and meaning, or the reason why it is not known."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Quantity:
    """A named number; without a value `because` says why."""

    name: str
    value: float | None
    unit: str
    meaning: str
    because: str = ""

    def words(self, digits: int = 3) -> str:
        """For people.

        >>> Quantity("SYPD", 12.3456, "years per day", "").words()
        '12.3 years per day'
        >>> Quantity("JPSY", None, "J", "", because="no joules are readable here").words()
        'unknown, because no joules are readable here'
        """
        if self.value is None:
            return f"unknown, because {self.because}"
        return f"{self.value:.{digits}g} {self.unit}".strip()


def known(name: str, value: float, unit: str, meaning: str) -> Quantity:
    """A quantity with a value; a value that is not finite becomes unknown."""
    if not math.isfinite(value):
        return Quantity(name, None, unit, meaning, "it cannot be computed of this record")
    return Quantity(name, float(value), unit, meaning)


def unknown(name: str, unit: str, meaning: str, because: str) -> Quantity:
    """A quantity without a value."""
    return Quantity(name, None, unit, meaning, because)


@dataclass(frozen=True)
class Spread:
    """A number of each rank, put together."""

    minimum: float
    mean: float
    maximum: float

    @property
    def imbalance(self) -> float:
        """By how much the largest exceeds the mean, as a share of the mean."""
        return self.maximum / self.mean - 1.0 if self.mean > 0.0 else 0.0


def spread(values: ArrayLike) -> Spread:
    """The spread of some numbers.

    >>> spread([1.0, 2.0, 6.0])
    Spread(minimum=1.0, mean=3.0, maximum=6.0)
    """
    numbers = np.asarray(values, np.float64)
    if not numbers.size:
        return Spread(0.0, 0.0, 0.0)
    return Spread(float(numbers.min()), float(numbers.mean()), float(numbers.max()))
