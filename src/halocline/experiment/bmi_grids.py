"""Grids as the Basic Model Interface tells them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.place import Place

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BmiGrid:
    """The points of one place of a grid, and axes before the horizontal ones, levels last."""

    plane: Grid
    place: Place
    axes: Sequence[Axis]

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of the axes, rows, columns."""
        return (*(axis.size for axis in self.axes), *self.plane.topology.shape(self.place))

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def kind(self) -> str:
        """Its type among those of the interface.

        Lines of regular grids are what `plane.x` and `plane.y` are; grids on maps and curvilinear
        ones tell longitudes and latitudes of all points.
        """
        if self.plane.curvilinear is not None:
            return "structured_quadrilateral"
        return "rectilinear" if self.axes else "uniform_rectilinear"

    @property
    def spacing(self) -> tuple[float, float]:
        """Distances of rows and columns."""
        return self.plane.step_y, self.plane.step_x

    @property
    def origin(self) -> tuple[float, float]:
        """The first row and column."""
        return float(self.y[0]), float(self.x[0])

    @property
    def x(self) -> Array:
        """Of columns, or of all points of a plane row by row."""
        metrics = self._metrics
        return metrics.x.reshape(-1) if self.plane.curvilinear is not None else metrics.x[0]

    @property
    def y(self) -> Array:
        metrics = self._metrics
        return metrics.y.reshape(-1) if self.plane.curvilinear is not None else metrics.y[:, 0]

    @property
    def z(self) -> Array:
        """The last axis before the horizontal ones; empty where there is none."""
        if not self.axes:
            return np.empty(0)
        axis = self.axes[-1]
        return np.asarray(axis.coordinates or range(axis.size), np.float64)

    @property
    def edges(self) -> int:
        """Lines between neighbours along rows and columns of one plane."""
        rows, columns = self.shape[-2:]
        return rows * (columns - 1) + (rows - 1) * columns

    @property
    def faces(self) -> int:
        rows, columns = self.shape[-2:]
        return (rows - 1) * (columns - 1)

    @cached_property
    def _metrics(self) -> Any:
        return self.plane.at(self.place)
