"""Blocks: which cells and points a process holds, and how they are numbered there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.fields.kernel import Box
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Cells, Points, Topology

Index = NDArray[np.int64]
Index32 = NDArray[np.int32]
lanes = 16


@dataclass(frozen=True)
class Rectangle:
    """Cells [j0, j1) x [i0, i1) of the global grid that one block owns, and its rank."""

    number: int
    rank: int
    j0: int
    j1: int
    i0: int
    i1: int


@dataclass(frozen=True)
class World:
    """What all ranks know of the cut: every block, the owner of every cell, the sea."""

    topology: Topology
    mask: NDArray[np.bool_]  # sea, shape (nj, ni)
    halo: int
    rectangles: tuple[Rectangle, ...]

    @cached_property
    def owner(self) -> Index32:
        """Number of the block that owns each cell, -1 where none does; shape (nj, ni)."""
        owner = np.full(self.mask.shape, -1, np.int32)
        for r in self.rectangles:
            owner[r.j0 : r.j1, r.i0 : r.i1] = r.number
        return owner

    @cached_property
    def position(self) -> Index32:
        """Place of each sea cell in the owned points of its block, -1 on land; shape (nj, ni)."""
        position = np.full(self.mask.shape, -1, np.int32)
        for r in self.rectangles:
            sea = self.mask[r.j0 : r.j1, r.i0 : r.i1]
            position[r.j0 : r.j1, r.i0 : r.i1][sea] = np.arange(int(sea.sum()))
        return position

    @cached_property
    def sea_number(self) -> Index32:
        """Number of each sea cell, rows from south to north, -1 on land; shape (nj, ni)."""
        number = np.full(self.mask.shape, -1, np.int32)
        number[self.mask] = np.arange(int(self.mask.sum()))
        return number

    @cached_property
    def _sea_before(self) -> Index:
        """Sea cells in the rows south of each row; shape (nj + 1,)."""
        return np.concatenate([[0], np.cumsum(self.mask.sum(axis=1))])

    def numbers_of(self, j: NDArray[Any], i: NDArray[Any]) -> Index32:
        """Numbers of some cells, as in `sea_number`, without a table of all."""
        wanted = np.zeros(self.mask.shape[0], bool)
        wanted[j] = True
        in_row = np.cumsum(self.mask[wanted], axis=1, dtype=np.int32)
        number = self._sea_before[j] + in_row[(np.cumsum(wanted) - 1)[j], i] - 1
        return np.where(self.mask[j, i], number, -1).astype(np.int32)

    @cached_property
    def sea_points(self) -> int:
        return int(self._sea_before[-1])

    @cached_property
    def corners(self) -> Index:
        """j0, j1, i0, i1 of all blocks, one row each; shape (4, blocks)."""
        return np.array([(r.j0, r.j1, r.i0, r.i1) for r in self.rectangles], np.int64).T

    def near(self, rectangle: Rectangle, margin: int) -> Index:
        """Numbers of all blocks with cells within `margin` of a block's, and of few others.

        Who is near to another has it near itself; a block is near to itself.
        """
        r = rectangle
        around = (r.j0 - margin, r.j1 + margin, r.i0 - margin, r.i1 + margin)
        first_j, last_j, first_i, last_i = self.corners
        found = np.zeros(len(self.rectangles), bool)
        for j0, j1, i0, i1 in self.topology.cells_at(around):
            found |= (first_j < j1) & (last_j > j0) & (first_i < i1) & (last_i > i0)
        return np.flatnonzero(found)

    def owned(self, rectangle: Rectangle, place: Place) -> Cells:
        """Rows and columns of a place that a block holds among its own.

        The last block has the last face of a side that is not periodic, and the row on a fold.
        """
        r, (rows, columns) = rectangle, self.topology.shape(place)
        last_j = rows if r.j1 == self.topology.nj else r.j1
        last_i = columns if r.i1 == self.topology.ni else r.i1
        return r.j0, last_j, r.i0, last_i


class Block:
    """One rectangle as a process holds it: padded by a halo, its sea points in a compact list.

    Owned points come first, row by row; halo points follow, row by row.
    """

    def __init__(self, world: World, rectangle: Rectangle) -> None:
        self.world, self.rectangle = world, rectangle
        self.number, self.rank, self.halo = rectangle.number, rectangle.rank, world.halo
        r, h = rectangle, world.halo
        self.shape = (r.j1 - r.j0 + 2 * h, r.i1 - r.i0 + 2 * h)
        self.row_length = -(-self.shape[1] // lanes) * lanes
        j, i = np.mgrid[r.j0 - h : r.j1 + h, r.i0 - h : r.i1 + h]
        # Global cell of each padded cell, and whether there is one; shape `shape`.
        points = world.topology.resolve(Place.center, j, i)
        self.cell_j, self.cell_i, self.inside = points.j, points.i, points.inside
        self.owned = np.zeros(self.shape, bool)
        self.owned[h : self.shape[0] - h, h : self.shape[1] - h] = True
        sea = world.mask[self.cell_j, self.cell_i] & self.inside
        own_j, own_i = np.nonzero(sea & self.owned)
        halo_j, halo_i = np.nonzero(sea & ~self.owned)
        self.owned_points = own_j.size
        # Padded row and column of every point, owned ones first.
        self.point_j = np.concatenate([own_j, halo_j]).astype(np.int32)
        self.point_i = np.concatenate([own_i, halo_i]).astype(np.int32)

    @property
    def box(self) -> Box:
        """What a kernel has to compute: (j0, j1, i0, i1, points) in padded indices."""
        nj, ni = self.shape
        return self.halo, nj - self.halo, self.halo, ni - self.halo, self.owned_points

    def box_of(self, place: Place) -> Box:
        """What the block owns of a place, in padded indices, like `box`.

        The last face of a side that is not periodic lies in the first row or column of the halo.
        """
        h, r = self.halo, self.rectangle
        j0, j1, i0, i1 = self.world.owned(r, place if place.planar else Place.center)
        return j0 - r.j0 + h, j1 - r.j0 + h, i0 - r.i0 + h, i1 - r.i0 + h, self.owned_points

    def split(self, box: Box, place: Place) -> tuple[list[Box], list[Box]]:
        """A box of owned values cut into boxes of points that count, each once, and of doubles."""
        if self.world.topology.seam(place) is None:
            return [box], []
        j0, j1, i0, i1, points = box
        double = self.points_of(place).turned[j0:j1, i0:i1]
        rows = np.flatnonzero(double.any(axis=1))
        if not rows.size:
            return [box], []
        assert rows.tolist() == [j1 - j0 - 1], "doubles stand in the row on the seam, the last"
        ends = [0, *(np.flatnonzero(np.diff(double[-1])) + 1).tolist(), i1 - i0]
        stretches = [(j1 - 1, j1, i0 + a, i0 + b, points) for a, b in pairwise(ends)]
        whole = [(j0, j1 - 1, i0, i1, points)] if j1 - j0 > 1 else []
        once = [some for some in stretches if not double[-1, some[2] - i0]]
        return whole + once, [some for some in stretches if some not in once]

    def points_of(self, place: Place) -> Points:
        """Which value of a planar place stands at each padded cell; shape `shape`."""
        h, r = self.halo, self.rectangle
        j, i = np.mgrid[r.j0 - h : r.j1 + h, r.i0 - h : r.i1 + h]
        return self.world.topology.resolve(place, j, i)

    @property
    def points(self) -> int:
        """Owned and halo points."""
        return self.point_j.size

    @cached_property
    def point_at(self) -> Index32:
        """Number of the point at each padded cell, -1 where there is none; shape `shape`."""
        number = np.full(self.shape, -1, np.int32)
        number[self.point_j, self.point_i] = np.arange(self.points)
        return number

    @cached_property
    def sea_numbers(self) -> Index32:
        """Global number of every point, owned ones first."""
        j, i = self.point_j, self.point_i
        return self.world.numbers_of(self.cell_j[j, i], self.cell_i[j, i])

    def distance(self, j: NDArray[Any], i: NDArray[Any]) -> NDArray[Any]:
        """How many cells (j, i) of the padded plane lie outside the owned ones."""
        h, (nj, ni) = self.halo, self.shape
        outside_j = np.maximum(h - j, j - (nj - h - 1))
        outside_i = np.maximum(h - i, i - (ni - h - 1))
        return np.maximum(np.maximum(outside_j, outside_i), 0)


class Hand:
    """Sea points dealt like cards: every `hands`-th one, without neighbours or halo (W-28)."""

    def __init__(self, world: World, number: int, hands: int, rank: int) -> None:
        self.world, self.number, self.hands, self.rank = world, number, hands, rank
        self.owned_points = len(range(number, world.sea_points, hands))
        self.halo = 0

    @property
    def box(self) -> Box:
        return 0, 0, 0, 0, self.owned_points

    def box_of(self, place: Place) -> Box:
        """The same: it holds points only."""
        return self.box

    @property
    def points(self) -> int:
        return self.owned_points

    @property
    def sea_numbers(self) -> Index32:
        numbers = np.arange(self.number, self.world.sea_points, self.hands, dtype=np.int32)
        return numbers
