"""Geometry of velocity cells: lengths, curvature of the grid's lines, depth; global planes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.grids.horizontal.grid import Grid
from halocline.grids.vertical.levels import VerticalGrid
from halocline.runtime.fields.place import Place

Array = NDArray[np.float64]
least_length = 1.0
"""Lengths of cells at a pole, where nothing flows, so that nothing is divided by nothing [m]."""


@dataclass(frozen=True)
class CornerMetrics:
    """Planes of corners, as global fields at corners have them.

    `curvature_x` is d(dy)/dx / (dx dy), `curvature_y` d(dx)/dy / (dx dy): how lines of the grid
    spread [m-1]; on the sphere the second is -tan(latitude) / radius.
    """

    dx: Array  # [m]
    dy: Array  # [m]
    curvature_x: Array  # [m-1]
    curvature_y: Array  # [m-1]
    latitude: Array  # [degree]

    @classmethod
    def of(cls, grid: Grid) -> CornerMetrics:
        """Those of a grid; lengths are means of those of the faces beside, as in the solver."""
        rows, columns = grid.topology.shape(Place.corner)
        here = np.s_[:rows, :columns]
        dx, dy = corner_lengths(grid)
        area = dx * dy
        x_face, y_face = map(grid.on_both_sides, (Place.x_face, Place.y_face))
        wide_dy = grid.topology.widened(y_face.dy, (1, 1, 0, 0), Place.y_face, nearest=True)
        wide_dx = grid.topology.widened(x_face.dx, (0, 0, 1, 1), Place.x_face, nearest=True)
        return cls(
            dx=dx[here],
            dy=dy[here],
            curvature_x=((wide_dy[:, 1:] - wide_dy[:, :-1]) / area)[here],
            curvature_y=((wide_dx[1:] - wide_dx[:-1]) / area)[here],
            latitude=grid.at(Place.corner).y,
        )


def corner_lengths(grid: Grid) -> tuple[Array, Array]:
    """Lengths along x and y through all corners, on both sides [m]."""
    topology = grid.topology
    x_face, y_face = map(grid.on_both_sides, (Place.x_face, Place.y_face))
    dx = topology.widened(y_face.dx, (1, 1, 0, 0), Place.y_face, nearest=True)
    dy = topology.widened(x_face.dy, (0, 0, 1, 1), Place.x_face, nearest=True)
    dx, dy = 0.5 * (dx[:, :-1] + dx[:, 1:]), 0.5 * (dy[:-1] + dy[1:])
    return np.maximum(dx, least_length), np.maximum(dy, least_length)


def least_around(levels: VerticalGrid, plane: NDArray[Any]) -> NDArray[Any]:
    """The least of the four cells around each corner, 0 beyond closed sides."""
    wide = levels.topology.widened(plane, (1, 1, 1, 1))
    pairs = np.minimum(wide[:, :-1], wide[:, 1:])
    rows, columns = levels.topology.shape(Place.corner)
    return np.minimum(pairs[:-1], pairs[1:])[:rows, :columns]


def metric_viscosity(metrics: CornerMetrics, viscosity: float) -> dict[str, Array]:
    """Factors of the metric part of the Laplacian of a vector [s-1].

    Of u: turn u + cross_x (v_east - v_west) - cross_y (v_north - v_south), of v with the other sign
    of the last two (Smith et al. 2010, The Parallel Ocean Program reference manual,
    LAUR-10-01853).
    """
    cx, cy = metrics.curvature_x, metrics.curvature_y
    change = np.gradient(cx, axis=1) / metrics.dx + np.gradient(cy, axis=0) / metrics.dy
    return {
        "viscous_turn": -viscosity * (change + 2.0 * (cx**2 + cy**2)),
        "cross_x": viscosity * cy / metrics.dx,
        "cross_y": viscosity * cx / metrics.dy,
    }
