"""Items that are dealt to the ranks one by one (stations, say)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.int64]


class Dealt:
    """Items in a row of a file, each of which one rank has; all know which.

    `ranks` has the rank of each item; `own` are the numbers of those of this rank.
    """

    def __init__(self, ranks: Index, rank: int) -> None:
        self.ranks, self.rank = ranks, rank
        self.own = np.flatnonzero(ranks == rank)
