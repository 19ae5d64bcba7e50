"""Spaces: a decomposed grid with its levels, and what is wet at which place."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.place import Place, cells_beside

Index = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Space:
    """Where fields live: a decomposition and, if there are levels, how many are wet in a column.

    Levels count upward, the wet ones of a column are the upper ones. A face is wet where the cells
    on both sides are, a corner where all four are: so the walls of a C-grid carry no flow, and on
    a B-grid those corners are wet whose velocity is not held at 0 by land. An interface is wet
    where the level above or below it is. No mask of all levels is kept. With `open_sides` there
    is more beyond sides of the grid that are not joined: faces there are as wet as cells inside.
    """

    def __init__(
        self,
        decomposition: Decomposition,
        *,
        levels: Axis | None = None,
        wet_levels: NDArray[Any] | None = None,
        open_sides: bool = False,
    ) -> None:
        self.decomposition, self.levels, self.open_sides = decomposition, levels, open_sides
        mask = decomposition.world.mask
        self._wet_levels: NDArray[Any] = mask.view(np.uint8)
        if levels is None:
            assert wet_levels is None, "columns have wet levels where there are levels"
            return
        full = np.where(mask, levels.size, 0) if wet_levels is None else wet_levels
        assert full.shape == mask.shape and full.max(initial=0) <= levels.size
        assert np.array_equal(full > 0, mask), "columns are wet where the mask of the plane is"
        self._wet_levels = full.astype(np.int16)

    @property
    def interfaces(self) -> Axis:
        """The axis of the interfaces below, between and above the levels."""
        assert self.levels is not None, "a space without levels has no interfaces"
        return Axis(self.levels.name, self.levels.size + 1, staggered=True)

    def shape(self, place: Place) -> tuple[int, ...]:
        """Global horizontal shape of a place."""
        world = self.decomposition.world
        if place.planar:
            return world.topology.shape(place)
        return (world.sea_points,) if place == Place.point else ()

    def owners(self, place: Place) -> NDArray[np.int32]:
        """Number of the block that owns each value of a planar place, -1 where none does."""
        world = self.decomposition.world
        owners = np.full(self.shape(place), -1, np.int32)
        for rectangle in world.rectangles:
            j0, j1, i0, i1 = world.owned(rectangle, place)
            owners[j0:j1, i0:i1] = rectangle.number
        return owners

    def wet(self, place: Place) -> Mask:
        """Which values of a place are wet: `shape(place)`, levels before it where there are."""
        if not place.planar:
            return np.ones(self.shape(place), bool)
        j, i = np.indices(self.shape(place))
        return self._wet(self.wet_levels_at(place, j, i), self.levels)

    def wet_in(self, block: Block, place: Place, axis: Axis | None = None) -> Mask:
        """The same of what a block owns; with an axis of levels, on these levels or interfaces."""
        j0, j1, i0, i1, _ = block.box_of(place)
        points, here = block.points_of(place), np.s_[j0:j1, i0:i1]
        return self._wet(self.wet_levels_at(place, points.j[here], points.i[here]), axis)

    def is_double(self, block: Block, place: Place) -> Mask:
        """Which values that a block owns stand on a fold where another one, their owner, does."""
        j0, j1, i0, i1, _ = block.box_of(place)
        return block.points_of(place).turned[j0:j1, i0:i1]

    def wet_levels_at(self, place: Place, j: Index, i: Index) -> NDArray[np.int16]:
        """Wet levels at values (j, i) of a place: the fewest of the cells beside it."""
        topology = self.decomposition.world.topology
        least = np.full(np.broadcast(j, i).shape, np.iinfo(np.int16).max, np.int16)
        for dj, di in cells_beside(place):
            cells = topology.resolve(Place.center, j + dj, i + di)
            beyond = least if self.open_sides else 0
            here = np.where(cells.inside, self._wet_levels[cells.j, cells.i], beyond)
            least = np.minimum(least, here)
        return least

    def is_of_levels(self, axis: Axis) -> bool:
        """Whether an axis is that of the levels or of their interfaces."""
        if self.levels is None or axis.name != self.levels.name:
            return False
        return axis.size == self.levels.size + int(axis.staggered)

    def _wet(self, count: NDArray[np.int16], axis: Axis | None) -> Mask:
        if axis is None:
            return count > 0
        assert self.levels is not None
        k = np.arange(axis.size)[:, None, None]
        return (k >= self.levels.size - count) & (count > 0)
