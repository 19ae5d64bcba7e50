"""How deep the halo of a field is filled, row by row and side by side."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Depths = tuple[int, int, int, int]
"""Cells beyond a block to the west, east, south and north, none negative."""
every_row = slice(None)
everywhere: Depths = (1_000,) * 4
"""Of what needs no exchange: static values, and those without horizontal place."""
nowhere: Depths = (0,) * 4


class Freshness:
    """How deep the halo of each row is filled.

    `depths` are those of all rows where these are alike, else None. They are replaced, never
    changed: who has found the same object deep enough before need not look again.

    >>> fresh = Freshness(3)
    >>> fresh.set((2, 2, 1, 1), slice(0, 2))
    >>> fresh.covers((1, 0, 1, 0)), fresh.covers((1, 0, 1, 0), slice(0, 2))
    (False, True)
    >>> fresh.set((2, 2, 2, 2))
    >>> fresh.of(slice(1, 3))
    (2, 2, 2, 2)
    """

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.depths: Depths | None = nowhere
        self._apart = np.zeros((0, 4), np.int64)  # of each row, where not all are alike

    def of(self, rows: slice = every_row) -> Depths:
        """The least depths of some rows; `everywhere` of none."""
        if self.depths is not None:
            some = self.rows if rows is every_row else range(self.rows)[rows]
            return self.depths if some else everywhere
        least = self._apart[rows].min(axis=0, initial=everywhere[0])
        west, east, south, north = least.tolist()
        return west, east, south, north

    def covers(self, depths: Depths, rows: slice = every_row) -> bool:
        """Whether the halos of some rows are at least so deep."""
        have = self.of(rows)
        return all(mine >= wanted for mine, wanted in zip(have, depths, strict=True))

    def set(self, depths: Depths, rows: slice = every_row) -> None:
        """Say how deep the halos of some rows are now."""
        if rows is every_row:
            self.depths = depths
            return
        chosen = range(self.rows)[rows]
        if len(chosen) == self.rows:
            self.depths = depths
            return
        if not chosen:
            return
        if self.depths is not None:
            self._apart = np.tile(np.array(self.depths, np.int64), (self.rows, 1))
            self.depths = None
        self._apart[rows] = depths

    def stale_rows(self, rows: slice = every_row) -> NDArray[np.bool_]:
        """Which of some rows are not filled on any side."""
        if self.depths is not None:
            return np.full(len(range(self.rows)[rows]), not any(self.depths))
        stale: NDArray[np.bool_] = np.logical_not(self._apart[rows].any(axis=1))
        return stale


def all_around(depth: int) -> Depths:
    """The same depth on all four sides."""
    return (depth,) * 4
