"""Values at points as weighted sums of values at the points of another grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from halocline.grids import _native

Array = NDArray[np.float64]
Index = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RemapWeights:
    """Weighted sums of values at points of a source, one for each target point.

    `numbers` are the global numbers of the source points that are needed, ascending; target n is
    the sum over its terms, from `ends[n - 1]` to `ends[n]`, of `weight` times the value at
    `numbers[place]`, one after the other; 0 without terms.
    """

    numbers: Index
    ends: Index  # (n,)
    place: Index  # (terms,)
    weight: Array  # (terms,) [1]

    @classmethod
    def of(cls, points: Index, weight: Array) -> Self:
        """Weights (m, n) of source points with these global numbers (m, n).

        >>> half = RemapWeights.of(np.array([[4], [9]]), np.array([[0.5], [0.5]]))
        >>> half.numbers.tolist(), half(np.array([[2.0, 4.0]])).tolist()
        ([4, 9], [[3.0]])
        """
        terms, targets = points.shape
        return cls.of_rows(np.full(targets, terms), points.T.ravel(), weight.T.ravel())

    @classmethod
    def of_rows(cls, counts: Index, points: Index, weight: Array) -> Self:
        """Weights of source points, so many of each target."""
        numbers, place = np.unique(points, return_inverse=True)
        ends = np.cumsum(counts, dtype=np.int64)
        places = np.ascontiguousarray(place.reshape(-1), np.int64)
        return cls(numbers.astype(np.int64), ends, places, np.ascontiguousarray(weight))

    @property
    def counts(self) -> Index:
        """How many terms each target has."""
        return np.diff(self.ends, prepend=0)

    def row_sums(self) -> Array:
        """Sums of the weights of each target [1]."""
        return self(np.ones((1, self.numbers.size)))[0]

    def __call__(self, values: NDArray[Any]) -> NDArray[Any]:
        """Sums (rows, n) of values (rows, numbers), term after term; the precision stays."""
        found = np.empty((values.shape[0], self.ends.size), values.dtype)
        _native.weighted_sums(
            self.ends, self.place, self.weight, np.ascontiguousarray(values), found
        )
        return found
