"""Values at points as weighted sums of values at the points of another grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RemapWeights:
    """Weighted sums of values at points of a source, one for each target point.

    `numbers` are the global numbers of the source points that are needed, ascending; target n is
    the sum over m of `weight[m, n]` times the value at `numbers[place[m, n]]`.
    """

    numbers: Index
    place: Index  # (m, n)
    weight: Array  # (m, n) [1]

    @classmethod
    def of(cls, points: Index, weight: Array) -> RemapWeights:
        """Weights (m, n) of source points with these global numbers (m, n).

        >>> half = RemapWeights.of(np.array([[4], [9]]), np.array([[0.5], [0.5]]))
        >>> half.numbers.tolist(), half(np.array([[2.0, 4.0]])).tolist()
        ([4, 9], [[3.0]])
        """
        numbers, place = np.unique(points, return_inverse=True)
        return cls(numbers.astype(np.int64), place.reshape(points.shape), weight)

    @property
    def counts(self) -> Index:
        """How many terms each target has."""
        return np.where(self.weight.any(axis=0), self.place.shape[0], 0)

    def __call__(self, values: NDArray[Any]) -> NDArray[Any]:
        """Sums (rows, n) of values (rows, numbers), term after term; the precision stays."""
        weight = self.weight.astype(values.dtype)
        found = weight[0] * values[:, self.place[0]]
        for one, place in zip(weight[1:], self.place[1:], strict=True):
            found += one * values[:, place]
        return found
