"""The points of a field that a rank owns, as values from files come to them."""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.grids.vertical.file_field import WantedPoints
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.field import Field, Part
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.space import Space

Array = NDArray[np.float64]


class FieldPlaces:
    """The wet columns that a rank owns of a place, from block to block, as one list of points.

    `cells` are their rows and columns, `wanted` is what values are read for, `angle` that from
    east to the x axis there [rad]. With an axis of depths [m], all levels of the space or the upper
    ones, each column has all of them.
    """

    def __init__(self, space: Space, place: Place, grid: Grid, levels: Axis | None = None) -> None:
        if not grid.spherical and grid.curvilinear is None:
            raise UserError(
                "Fields cannot come from files on a Cartesian grid: it has no longitudes and"
                " latitudes."
            )
        metrics = grid.at(place)
        self._places: list[NDArray[np.int64]] = []
        """Of the columns of each block in its rows, one after the other as memory has them."""
        rows, columns, wet = [], [], []
        for block in space.decomposition.planes.blocks:
            assert isinstance(block, Block)
            j0, j1, i0, i1, _ = block.box_of(place)
            here, points = np.s_[j0:j1, i0:i1], block.points_of(place)
            inside = space.wet_in(block, place, levels and space.levels)
            inside = inside[-levels.size :] if levels is not None else inside[None]
            own = np.logical_or.reduce(inside)
            at_j, at_i = np.nonzero(own)
            self._places.append((j0 + at_j) * block.row_length + (i0 + at_i))
            wet.append(inside[:, own])
            rows.append(points.j[here][own])
            columns.append(points.i[here][own])
        j, i = (np.concatenate([np.zeros(0, np.int64), *some]) for some in (rows, columns))
        self.cells = j, i
        self.angle: Array = metrics.angle[j, i]
        depth = None if levels is None else np.array(levels.coordinates)
        count = 1 if levels is None else levels.size
        all_wet = np.concatenate([np.zeros((count, 0), bool), *wet], axis=1)
        self.wanted = WantedPoints(metrics.x[j, i], metrics.y[j, i], depth, all_wet)

    def put(self, values: Array, field: Field | Part) -> None:
        """Set the owned values of wet columns, (points,) or (levels, points); halos are stale."""
        part = field if isinstance(field, Part) else Part(field)
        layout, first = part.field.layout, 0
        blocks = part.field.storage(layout).flat
        for places, block in zip(self._places, blocks, strict=True):
            last = first + places.size
            given = np.atleast_2d(values[..., first:last]).astype(block.dtype)
            rows = [block[some] for some in part.rows(layout)]
            with layout.memory.change(rows) as arrays:
                for row, own in zip(chain.from_iterable(arrays), given, strict=True):
                    row[places] = own
            first = last
        part.field.written()
