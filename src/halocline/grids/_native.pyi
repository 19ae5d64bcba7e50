"""Weights between grids: cells of points on the sphere, searched, cut and measured.

Points are unit vectors (n, 3), cells have four corners (cells, 4), numbers of points. Rows are
given as their lengths, then numbers and weights of all their terms, ascending in each row.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

_Array = NDArray[np.float64]
_Index = NDArray[np.int64]
_Flags = NDArray[np.uint8]
_Rows = tuple[_Index, _Index, _Array]

class Cells:
    """Cells of which some count; it keeps the arrays that it is made of."""

    def __init__(self, points: _Array, corners: _Index, counts: _Flags) -> None: ...
    def bilinear(self, wanted: _Array, wet: _Flags) -> _Rows:
        """Weights of corners for points; rows of points that no wet corners surround are empty."""

    def patches(
        self, wanted: _Array, wet: _Flags, around: NDArray[np.int32], members: _Index
    ) -> _Rows:
        """The same by quadratic polynomials around corners, of points `around` (n, 8), -1 none.

        Points beyond these n are poles, whose polynomials are fitted to their `members`.
        """

    def overlaps(self, points: _Array, targets: _Index) -> _Rows:
        """Areas that target cells have in common with these cells [rad2]."""

    def linear_overlaps(
        self,
        points: _Array,
        targets: _Index,
        centroids: _Array,
        around: NDArray[np.int32],
    ) -> _Rows:
        """Integrals over target cells of what is linear in these cells [rad2]."""

def areas_and_centroids(points: _Array, cells: _Index, areas: _Array, centroids: _Array) -> None:
    """Areas (cells,) [rad2] and centroids (cells, 3) of cells."""

def nearest(points: _Array, numbers: _Index, wanted: _Array, found: _Index) -> None:
    """Which of the points with these numbers is nearest, of equally near ones the lowest."""

def weighted_sums(
    ends: _Index, places: _Index, weights: _Array, values: NDArray[Any], found: NDArray[Any]
) -> None:
    """Sums of weighted values (k, n), term after term in their type; rows end at `ends`."""
