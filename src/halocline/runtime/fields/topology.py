"""How the sides of a grid are joined: closed or periodic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.int64]


@dataclass(frozen=True)
class Topology:
    """Lateral topology of a grid of nj x ni cells.

    A tripolar fold would be one more rule of `resolve`; nothing else knows how sides are joined.
    """

    nj: int
    ni: int
    periodic_j: bool = False
    periodic_i: bool = False

    def resolve(self, j: Index, i: Index) -> tuple[Index, Index, NDArray[np.bool_]]:
        """Cells that stand at (j, i), which may lie outside, and whether there is one.

        >>> topology = Topology(2, 4, periodic_i=True)
        >>> j, i, inside = topology.resolve(np.array([0, 2]), np.array([-1, 0]))
        >>> int(i[0]), inside.tolist()
        (3, [True, False])
        """
        inside = np.ones(np.broadcast(j, i).shape, bool)
        j, i = np.broadcast_arrays(j, i)
        if self.periodic_j:
            j = j % self.nj
        else:
            inside &= (j >= 0) & (j < self.nj)
        if self.periodic_i:
            i = i % self.ni
        else:
            inside &= (i >= 0) & (i < self.ni)
        return np.where(inside, j, 0), np.where(inside, i, 0), inside
