"""Global sums with the same bits in any order, any number of them in one reduction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime import _native
from halocline.runtime.communicator import Communicator

folds = 3


class GlobalSums:
    """Sums over all ranks whose bits depend on neither order nor decomposition.

    Each of the `count` sums keeps a scale (a power of two above every term) from call to call; a
    term beyond it is noticed inside the one reduction, and the sum is done again on a larger scale.
    """

    def __init__(self, communicator: Communicator, count: int) -> None:
        self.communicator = communicator
        self.exponents = [0] * count

    def __call__(self, terms: Sequence[Sequence[NDArray[Any]]]) -> NDArray[np.float64]:
        """Sums of each group of arrays: `terms[sum]` are this rank's arrays of terms.

        Raises FloatingPointError, on all ranks alike, where a term is not finite.
        """
        assert len(terms) == len(self.exponents)
        while True:
            local = np.zeros((len(terms), folds + 1))
            for at, arrays in enumerate(terms):
                for array in arrays:
                    flat = np.ascontiguousarray(array).reshape(-1)
                    local[at, folds] += _native.add_exactly(
                        flat, self.exponents[at], local[at, :folds]
                    )
            total = self.communicator.sum(local)
            beyond = np.flatnonzero(total[:, folds])
            if not beyond.size:
                return np.array([_round(parts[:folds]) for parts in total])
            self._raise_scales(terms, beyond)

    def _raise_scales(
        self, terms: Sequence[Sequence[NDArray[Any]]], beyond: NDArray[np.int64]
    ) -> None:
        largest = np.zeros(len(terms))
        for at in beyond:
            for array in terms[at]:
                if array.size:
                    value = float(np.max(np.abs(array)))
                    largest[at] = max(largest[at], value if math.isfinite(value) else math.inf)
        largest = self.communicator.maximum(largest)
        if not np.isfinite(largest).all():
            raise FloatingPointError("A global sum has terms that are not finite.")
        for at in beyond:
            self.exponents[at] = math.frexp(largest[at])[1] + 1


def _round(parts: NDArray[np.float64]) -> float:
    """One number from exact parts, correctly rounded."""
    return math.fsum(parts)
