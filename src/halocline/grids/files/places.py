"""Where the maps of curvilinear files lie: a rank holds the rows that it asks for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.grids.files.sources import Variable
from halocline.grids.sphere import vectors

Array = NDArray[np.float64]
together, band = 64, 8
"""Rows read at a time in one pass through all, and when some of them are asked for."""


def lattice_step(rows: int, columns: int) -> int:
    """Every so many rows and columns a search for the nearest place looks first."""
    return max(1, min(rows, columns) // 24)


class PlacesByRows:
    """Unit vectors (3, rows, columns) of the places of maps, read by parts.

    `places[:, j, i]` gives those of any rows and columns, as an array of all would. Held are every
    `lattice_step`-th row, from the one pass that looks whether all are there, and bands around the
    rows that were asked for.
    """

    def __init__(self, longitude: Variable, latitude: Variable, name: str) -> None:
        self._planes, self._name = (longitude, latitude), name
        rows, columns = longitude.shape
        self.shape = (3, rows, columns)
        chunk = longitude.chunk[0] if longitude.chunk else 1
        self._together, self._band = max(together, chunk), max(band, chunk)
        self._position = np.full(rows, -1)  # of a row among those held
        self._held = np.empty((3, 0, columns))
        lattice = np.arange(rows) % lattice_step(rows, columns) == 0
        begins = range(0, rows, self._together)
        self._hold([(first, first + self._together) for first in begins], lattice)

    @property
    def rows_held(self) -> int:
        """How many rows are held."""
        return int(self._held.shape[1])

    def __getitem__(self, index: tuple[slice, Any, Any]) -> Array:
        _, j, i = index
        position = self._position[j]
        if (position < 0).any():
            wanted = np.zeros(self.shape[1], bool)
            wanted[j] = True
            bands = np.unique(np.flatnonzero(wanted & (self._position < 0)) // self._band)
            runs = np.split(bands, np.flatnonzero(np.diff(bands) > 1) + 1)
            stretches = [(int(run[0]) * self._band, int(run[-1] + 1) * self._band) for run in runs]
            self._hold(stretches, self._position < 0)
            position = self._position[j]
        return self._held[:, position, i]

    def rows(self, first: int, last: int) -> Array:
        """Rows from first to the one before last, not to be held."""
        rows, _ = self._planes[0].dims
        points = vectors(*(plane.read(**{rows: slice(first, last)}) for plane in self._planes))
        if not np.isfinite(points).all():
            raise UserError(f"Longitudes or latitudes of {self._name} are missing (NaN).")
        return points

    def _hold(self, stretches: list[tuple[int, int]], chosen: NDArray[np.bool_]) -> None:
        """Read stretches of rows and hold the chosen ones of them."""
        new, numbers = [self._held], [np.zeros(0, np.int64)]
        for first, last in stretches:
            kept = np.flatnonzero(chosen[first:last])
            new.append(self.rows(first, min(last, self.shape[1]))[:, kept])
            numbers.append(first + kept)
        rows = np.concatenate(numbers)
        self._position[rows] = self.rows_held + np.arange(rows.size)
        self._held = np.concatenate(new, axis=1)
