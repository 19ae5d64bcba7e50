"""One end of a transfer: which global points a rank holds, and where."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Side:
    """What one rank holds of some global points; nothing, if not said otherwise.

    A block has a flat array (rows, places). For each block, `numbers` are global numbers of points
    and `places` say where these lie. Where ranks share the components of fields (the outermost
    axis), each rank that has points says which `components` its rows belong to.
    """

    numbers: tuple[Index, ...] = ()
    places: tuple[Index, ...] = ()
    components: Index | None = None

    def __post_init__(self) -> None:
        sizes = [[part.size for part in parts] for parts in (self.numbers, self.places)]
        assert sizes[0] == sizes[1], f"one place per number: {sizes[0]} numbers, {sizes[1]} places"

    @property
    def table(self) -> Index:
        """Number, block and place of every point, shape (points, 3)."""
        blocks = [np.full(n.size, block) for block, n in enumerate(self.numbers)]
        if not blocks:
            return np.empty((0, 3), np.int64)
        columns = [np.concatenate(part) for part in (self.numbers, blocks, self.places)]
        return np.stack(columns, axis=1).astype(np.int64)


def in_order(numbers: Index) -> Side:
    """One array that holds points in the order of `numbers`."""
    return Side((numbers,), (np.arange(numbers.size),))
