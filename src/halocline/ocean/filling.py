"""What is not known of a sea at its start: it comes through water, or from above."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.fields.topology import Topology

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


def fill_through_water(values: Array, wet: Mask, topology: Topology) -> Array:
    """Values (k, j, i) whose wet gaps are filled from their own basin, level by level from above.

    What is known at a level spreads from cell to cell through the water of that level, as the mean
    of the neighbours to the west, east, south and north that have a value. Water that nothing known
    reaches takes the value above it. Gaps, not a number, stay where no level above knows any.

    >>> upper, lower = [[2.0, np.nan, 8.0]], [[1.0, np.nan, np.nan]]
    >>> water = np.array([[[True, False, True]], [[True, True, True]]])
    >>> fill_through_water(np.array([lower, upper]), water, Topology(1, 3)).tolist()
    [[[1.0, nan, 8.0]], [[2.0, 5.0, 8.0]]]
    """
    filled = np.where(wet, values, np.nan)
    for k in range(len(filled) - 1, -1, -1):
        filled[k] = _spread(filled[k], wet[k], topology)
        if k < len(filled) - 1:
            gaps = wet[k] & np.isnan(filled[k])
            filled[k][gaps] = filled[k + 1][gaps]
    return filled


def _spread(level: Array, wet: Mask, topology: Topology) -> Array:
    """One level, its gaps filled through water, ring after ring."""
    while True:
        known = ~np.isnan(level)
        gaps = wet & ~known
        if not gaps.any() or not known.any():
            return level
        total = _around(np.where(known, level, 0.0), topology)
        count = _around(known.astype(np.float64), topology)
        reached = gaps & (count > 0.0)
        if not reached.any():
            return level
        level = np.where(reached, total / np.maximum(count, 1.0), level)


def _around(plane: Array, topology: Topology) -> Array:
    """Sums over the neighbours to the west, east, south and north."""
    wide = topology.widened(plane, (1, 1, 1, 1))
    return wide[1:-1, :-2] + wide[1:-1, 2:] + wide[:-2, 1:-1] + wide[2:, 1:-1]
