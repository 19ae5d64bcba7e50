"""Temperature of the skin of sea and land from analyses whose coasts are not the model's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


def spread(values: Array, valid: Mask) -> Array:
    """Values where they are valid, and around these means of neighbours, ring after ring.

    Where none are valid, all are as they were.

    >>> spread(np.array([[1.0, 0.0, 0.0, 4.0]]), np.array([[True, False, False, True]])).tolist()
    [[1.0, 1.0, 4.0, 4.0]]
    """
    known, found = valid.copy(), np.where(valid, values, 0.0)
    if not known.any():
        return values
    while not known.all():
        sums, counts = _around(found), _around(known.astype(np.float64))
        new = (counts > 0.0) & ~known
        found[new] = sums[new] / counts[new]
        known |= new
    return found


def _around(plane: Array) -> Array:
    """Sums of each value and its eight neighbours."""
    rows, columns = plane.shape
    wide = np.pad(plane, 1)
    return np.asarray(sum(wide[j : j + rows, i : i + columns] for j in range(3) for i in range(3)))
