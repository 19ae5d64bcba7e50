"""Which part of a file's grid a rank needs: rows from the first to the last, and some columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.grids.files.axes import Bilinear, FileAxis

Mask = NDArray[np.bool_]
Index = NDArray[np.int64]
Array = NDArray[np.float64]

worth_a_cut = 0.25
"""Columns are left out where a gap is at least this share of all [1]."""


@dataclass(frozen=True)
class FilePart:
    """Rows and ascending columns of a file's grid (latitude, longitude), in our order."""

    shape: tuple[int, int]
    rows: slice
    columns: Index

    @property
    def is_whole(self) -> bool:
        return (self.rows.stop - self.rows.start, self.columns.size) == self.shape

    @property
    def size(self) -> int:
        """Number of values."""
        return (self.rows.stop - self.rows.start) * self.columns.size

    @property
    def lines(self) -> tuple[Mask, Mask]:
        """Its rows and columns among all."""
        rows, columns = (np.zeros(size, bool) for size in self.shape)
        rows[self.rows] = columns[self.columns] = True
        return rows, columns

    def within(self, other: FilePart) -> bool:
        """Whether all of it lies in another part."""
        pairs = zip(self.lines, other.lines, strict=True)
        return not any((mine & ~theirs).any() for mine, theirs in pairs)

    def inside(self, other: FilePart) -> tuple[Index, Index]:
        """Its places in an array of another part, in which it lies."""
        j, i = other.places(np.arange(self.rows.start, self.rows.stop), self.columns)
        return j[:, None], i[None, :]

    def of(self, whole: NDArray[Any]) -> NDArray[Any]:
        """A copy of what lies here of a whole map."""
        return whole[self.rows][:, self.columns]

    def places(self, j: Index, i: Index) -> tuple[Index, Index]:
        """Where places of the whole map lie in the part; they must lie in it."""
        return j - self.rows.start, np.searchsorted(self.columns, i)

    def weights(self, weights: Bilinear) -> Bilinear:
        """Weights that interpolate from the part as `weights` do from the whole."""
        south, west = self.places(weights.south, weights.west)
        north, east = self.places(weights.north, weights.east)
        return Bilinear(south, north, west, east, weights.weight_x, weights.weight_y)


def part_of(rows: Mask, columns: Mask) -> FilePart:
    """The part that holds all wanted rows and columns.

    Of the columns the widest gap is left out, which may go round the globe, where it is wide enough
    to be worth it.
    """
    some = np.flatnonzero(rows)
    wanted = np.flatnonzero(columns)
    shape = (rows.size, columns.size)
    if not some.size or not wanted.size:
        return FilePart(shape, slice(0, 0), wanted[:0])
    gaps = np.diff(np.append(wanted, wanted[0] + columns.size)) - 1
    widest = int(np.argmax(gaps))
    kept = np.ones(columns.size, bool)
    if gaps[widest] >= worth_a_cut * columns.size:
        kept[(wanted[widest] + 1 + np.arange(gaps[widest])) % columns.size] = False
    return FilePart(shape, slice(int(some[0]), int(some[-1]) + 1), np.flatnonzero(kept))


def used_lines(weights: Bilinear, shape: tuple[int, int]) -> tuple[Mask, Mask]:
    """Rows and columns of a file's grid that any point is interpolated from."""
    rows, columns = np.zeros(shape[0], bool), np.zeros(shape[1], bool)
    rows[weights.south] = rows[weights.north] = True
    columns[weights.west] = columns[weights.east] = True
    return rows, columns


def lines_within(
    distance: Array, places: tuple[Index, Index], longitude: FileAxis, latitude: FileAxis
) -> tuple[Mask, Mask]:
    """Rows and columns that meet circles about some places, and one more on each side.

    `distance` are their radii [rad], `places` rows and columns of the file's grid.
    """
    radius = distance + 1e-6
    phi, lam = np.deg2rad(latitude.values), np.deg2rad(longitude.values)
    low, high = (phi[places[0]] - radius).min(), (phi[places[0]] + radius).max()
    rows = (phi >= low) & (phi <= high)
    # A circle that holds a pole meets all meridians.
    share = np.sin(np.minimum(radius, 0.5 * np.pi)) / np.maximum(np.cos(phi[places[0]]), 1e-12)
    width = np.where(share < 1.0, np.arcsin(np.minimum(share, 1.0)) + 1e-6, np.pi + 1e-6)
    columns = np.zeros(lam.size, bool)
    for column in np.unique(places[1]):
        away = np.abs((lam - lam[column] + np.pi) % (2.0 * np.pi) - np.pi)
        columns |= away <= width[places[1] == column].max()
    rows = rows | np.append(rows[1:], False) | np.append(False, rows[:-1])
    return rows, columns | np.roll(columns, 1) | np.roll(columns, -1)


def slabs(places: Index, total: int) -> list[slice]:
    """One slice that holds all `places`, or two where the gap between is worth it."""
    ordered = np.unique(places)
    if not ordered.size:
        return []
    first, last = int(ordered[0]), int(ordered[-1]) + 1
    gaps = np.diff(ordered) - 1
    if not gaps.size or gaps.max() < max(worth_a_cut * total, 1):
        return [slice(first, last)]
    at = int(np.argmax(gaps))
    return [slice(first, int(ordered[at]) + 1), slice(int(ordered[at + 1]), last)]


def read_slabs(
    read: Callable[[slice], Array], places: Index, total: int, axis: int
) -> tuple[Array, int]:
    """Values at `places` along an axis, read in slabs, and how many values were read."""
    slices = slabs(places, total)
    pieces = [read(some) for some in slices]
    held = np.concatenate([np.arange(s.start, s.stop) for s in slices])
    values = pieces[0] if len(pieces) == 1 else np.concatenate(pieces, axis)
    return values.take(np.searchsorted(held, places), axis), sum(p.size for p in pieces)
