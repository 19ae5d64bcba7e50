"""The points of a field that a rank owns, as values from files come to them."""

from __future__ import annotations

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
        self.columns: list[NDArray[np.bool_]] = []
        rows, columns, wet = [], [], []
        for block in space.decomposition.planes.blocks:
            assert isinstance(block, Block)
            j0, j1, i0, i1, _ = block.box_of(place)
            here, points = np.s_[j0:j1, i0:i1], block.points_of(place)
            inside = space.wet_in(block, place, levels and space.levels)
            inside = inside[-levels.size :] if levels is not None else inside[None]
            self.columns.append(np.logical_or.reduce(inside))
            wet.append(inside[:, self.columns[-1]])
            rows.append(points.j[here][self.columns[-1]])
            columns.append(points.i[here][self.columns[-1]])
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
        with layout.memory.change(part.arrays(layout)) as arrays:
            for array, columns, block in zip(arrays, self.columns, layout.blocks, strict=True):
                j0, j1, i0, i1, _ = block.box_of(part.field.place)
                last = first + int(columns.sum())
                array[..., j0:j1, i0:i1][..., columns] = values[..., first:last]
                first = last
        part.field.written()
