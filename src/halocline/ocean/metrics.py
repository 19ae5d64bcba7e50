"""Geometry of velocity cells: lengths, curvature of the grid's lines, depth; global planes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.grids.horizontal.grid import Grid
from halocline.grids.vertical.levels import VerticalGrid
from halocline.ocean.rotation import corner_latitude
from halocline.runtime.fields.place import Direction, Place
from halocline.runtime.fields.topology import Topology

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
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
    curvature_change: Array  # d(curvature_x)/dx + d(curvature_y)/dy [m-2]
    latitude: Array  # [degree], 0 on Cartesian grids

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
        curvature_x = ((wide_dy[:, 1:] - wide_dy[:, :-1]) / area)[here]
        curvature_y = ((wide_dx[1:] - wide_dx[:-1]) / area)[here]
        dx, dy = dx[here], dy[here]
        return cls(
            dx=dx,
            dy=dy,
            curvature_x=curvature_x,
            curvature_y=curvature_y,
            curvature_change=divergence(grid.topology, curvature_x, curvature_y, dx, dy),
            latitude=corner_latitude(grid),
        )


def corner_lengths(grid: Grid) -> tuple[Array, Array]:
    """Lengths along x and y through all corners, on both sides [m]."""
    topology = grid.topology
    x_face, y_face = map(grid.on_both_sides, (Place.x_face, Place.y_face))
    dx = topology.widened(y_face.dx, (1, 1, 0, 0), Place.y_face, nearest=True)
    dy = topology.widened(x_face.dy, (0, 0, 1, 1), Place.x_face, nearest=True)
    dx, dy = 0.5 * (dx[:, :-1] + dx[:, 1:]), 0.5 * (dy[:-1] + dy[1:])
    return np.maximum(dx, least_length), np.maximum(dy, least_length)


def divergence(topology: Topology, along_x: Array, along_y: Array, dx: Array, dy: Array) -> Array:
    """dX/dx + dY/dy of a vector at corners, over two cells, across seams and folds too."""

    def widened(plane: Array, depths: tuple[int, int, int, int], along: Direction) -> Array:
        return topology.widened(plane, depths, Place.corner, nearest=True, direction=along)

    wide_x, wide_y = widened(along_x, (1, 1, 0, 0), "x"), widened(along_y, (0, 0, 1, 1), "y")
    return 0.5 * (wide_x[:, 2:] - wide_x[:, :-2]) / dx + 0.5 * (wide_y[2:] - wide_y[:-2]) / dy


def least_around(levels: VerticalGrid, plane: NDArray[Any]) -> NDArray[Any]:
    """The least of the four cells around each corner, 0 beyond closed sides."""
    wide = levels.topology.widened(plane, (1, 1, 1, 1))
    pairs = np.minimum(wide[:, :-1], wide[:, 1:])
    rows, columns = levels.topology.shape(Place.corner)
    return np.minimum(pairs[:-1], pairs[1:])[:rows, :columns]


def open_faces(levels: VerticalGrid) -> tuple[Mask, Mask]:
    """Western and southern faces between columns of water; closed sides of the grid are not."""
    top = levels.thickness.size - 1
    faces = []
    for place, plane in (
        (Place.x_face, levels.open_x_faces(top)),
        (Place.y_face, levels.open_y_faces(top)),
    ):
        rows, columns = levels.topology.shape(place)
        faces.append(plane[:rows, :columns])
    return faces[0], faces[1]


def metric_viscosity(metrics: CornerMetrics, viscosity: float | Array) -> dict[str, Array]:
    """Factors of the metric part of the Laplacian of a vector [s-1].

    Of u: turn u + cross_x (v_east - v_west) - cross_y (v_north - v_south), of v with the other sign
    of the last two (Smith et al. 2010, The Parallel Ocean Program reference manual,
    LAUR-10-01853). Where viscosity varies its slopes are left out.
    """
    cx, cy = metrics.curvature_x, metrics.curvature_y
    return {
        "viscous_turn": -viscosity * (metrics.curvature_change + 2.0 * (cx**2 + cy**2)),
        "cross_x": viscosity * cy / metrics.dx,
        "cross_y": viscosity * cx / metrics.dy,
    }


def area_ratio(dx: Array, dy: Array, length: float) -> Array:
    """Square of the length of cells over `length`, at most 1; all 1 where that is 0.

    The length of a cell is L = (2 / (1 / dx^2 + 1 / dy^2))^(1/2). With a viscosity in proportion to
    its square the limit of explicit steps, 4 viscosity tau < L^2, is the same in all cells.

    >>> area_ratio(np.array([1e4, 2e5]), np.array([1e4, 2e5]), 1e5).tolist()
    [0.01, 1.0]
    """
    dx, dy = np.maximum(dx, least_length), np.maximum(dy, least_length)
    if not length:
        return np.ones_like(dx)
    return np.minimum(2.0 / (1.0 / dx**2 + 1.0 / dy**2) / length**2, 1.0)


def face_floors(levels: VerticalGrid) -> dict[str, Array]:
    """The lowest levels at which western and southern faces have water on both sides [1].

    On coasts and closed sides there are none: as many as levels. Planes `x_floor` and `y_floor`.
    """
    count, found = levels.thickness.size, {}
    for name, place, depths in (
        ("x_floor", Place.x_face, (1, 1, 0, 0)),
        ("y_floor", Place.y_face, (0, 0, 1, 1)),
    ):
        wide = levels.topology.widened(levels.wet_levels, depths)
        low, high = (wide[:, :-1], wide[:, 1:]) if place == Place.x_face else (wide[:-1], wide[1:])
        rows, columns = levels.topology.shape(place)
        found[name] = (count - np.minimum(low, high))[:rows, :columns]
    return found
