"""Where the places of a horizontal grid lie, how long and large their cells are, how turned."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from numpy.typing import NDArray

from halocline.core.constants import earth_radius
from halocline.grids.sphere import (
    angles_between,
    directions,
    longitude_latitude,
    triangles,
    unit,
    vectors,
)
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Fold, Topology

Array = NDArray[np.float64]
beside_along_x = {
    Place.center: Place.x_face,
    Place.x_face: Place.center,
    Place.y_face: Place.corner,
    Place.corner: Place.y_face,
}
"""The place half a cell from another along x."""
beside_along_y = {
    Place.center: Place.y_face,
    Place.x_face: Place.corner,
    Place.y_face: Place.center,
    Place.corner: Place.x_face,
}


@dataclass(frozen=True)
class Metrics:
    """Geometry of one place of a grid, planes of one shape.

    `dx` and `dy` are lengths through the place along the axes of the grid, `area` that of the cell
    around it, `angle` that from east to the x axis of the grid, anticlockwise.
    """

    x: Array  # longitude [degree east] or distance [m]
    y: Array  # latitude [degree north] or distance [m]
    dx: Array  # [m]
    dy: Array  # [m]
    area: Array  # [m2]
    angle: Array  # [rad]

    def part(self, rows: slice, columns: slice) -> Self:
        """The same for a part of the plane."""
        return type(self)(*(getattr(self, f.name)[rows, columns] for f in fields(self)))


@dataclass(frozen=True, kw_only=True)
class Curvilinear:
    """An orthogonal curvilinear grid on the sphere, given by the corners of its cells.

    Corner (j, i) is the south-west corner of cell (j, i). Lengths are arcs of great circles: of
    faces between their corners, through the other places between the places on both sides; areas of
    cells are those of spherical quadrilaterals. Where lengths of faces are given (POP: HTN, HTE),
    all other lengths are means of them, and areas their products. All that converges with second
    order where the corners are points of a smooth orthogonal map. Across joined sides, a fold too,
    lengths reach to the places beyond; on a side without neighbours they are twice those to the
    nearest places.
    """

    corner_x: Array  # longitude [degree east], shape (nj + 1, ni + 1)
    corner_y: Array  # latitude [degree north]
    periodic_x: bool = False
    fold: Fold = ""  # how the northern side is joined with itself
    center_x: Array | None = None  # of centres, shape (nj, ni); middle of the corners if not given
    center_y: Array | None = None
    x_face_length: Array | None = None  # of western faces [m], shape (nj, ni + 1)
    y_face_length: Array | None = None  # of southern faces [m], shape (nj + 1, ni)
    radius: float = earth_radius  # of the sphere [m]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of cells."""
        return self.corner_x.shape[0] - 1, self.corner_x.shape[1] - 1

    @property
    def topology(self) -> Topology:
        return Topology(*self.shape, periodic_i=self.periodic_x, fold=self.fold)

    def at(self, place: Place) -> Metrics:
        """Geometry of a place; faces and corners of both sides, also where these are joined."""
        points, dx, dy, along = self._arcs(place)
        x, y = longitude_latitude(points)
        if place is Place.corner:
            x, y = self.corner_x, self.corner_y
        elif place is Place.center and self.center_x is not None and self.center_y is not None:
            x, y = self.center_x, self.center_y
        if self.x_face_length is not None and self.y_face_length is not None:
            dx, dy = self._means(place, self.x_face_length, self.y_face_length)
        area = dx * dy
        if place is Place.center and self.x_face_length is None:
            area = self._quadrilaterals()
        return Metrics(x, y, dx, dy, area, directions(points, along))

    def _arcs(self, place: Place) -> tuple[Array, Array, Array, Array]:
        """Points of a place, lengths along both axes [m] and the direction of the x axis."""
        corner = vectors(self.corner_x, self.corner_y)
        south_north = unit(corner[:, :, :-1] + corner[:, :, 1:])  # middles of southern faces
        west_east = unit(corner[:, :-1] + corner[:, 1:])
        if self.center_x is not None and self.center_y is not None:
            center = vectors(self.center_x, self.center_y)
        else:
            center = unit(south_north[:, :-1] + south_north[:, 1:])
        all_points = {
            Place.center: center,
            Place.x_face: west_east,
            Place.y_face: south_north,
            Place.corner: corner,
        }
        x, y = beside_along_x[place], beside_along_y[place]
        west, east, x_factor = self._beside(all_points[place], all_points[x], x, 2)
        south, north, y_factor = self._beside(all_points[place], all_points[y], y, 1)
        dx = self.radius * angles_between(west, east) * x_factor
        dy = self.radius * angles_between(south, north) * y_factor
        return all_points[place], dx, dy, east - west

    def _beside(
        self, points: Array, others: Array, place: Place, axis: int
    ) -> tuple[Array, Array, Array]:
        """The places before and after each point along an axis, and a factor for the arc between.

        `others` lie on both sides of the points (one more than these), or between them (one less).
        Beyond a side that is not joined the point stands for the missing place, and the factor is
        2.
        """
        low, high = [(slice(None),) * axis + (s,) for s in (slice(0, -1), slice(1, None))]
        if others.shape[axis] > points.shape[axis]:
            return others[low], others[high], np.ones(points.shape[1:])
        depths = (1, 1, 0, 0) if axis == 2 else (0, 0, 1, 1)
        wide = self.topology.widened(others, depths, place)
        there = self.topology.widened(np.ones_like(others, bool), depths, place)
        before = np.where(there[low], wide[low], points)
        after = np.where(there[high], wide[high], points)
        return before, after, np.where(there[low] & there[high], 1.0, 2.0)[0]

    def _means(self, place: Place, x_faces: Array, y_faces: Array) -> tuple[Array, Array]:
        """Lengths along both axes of a place from those of the faces [m]."""

        def along_x(plane: Array, place: Place) -> Array:
            wide = self.topology.widened(plane, (1, 1, 0, 0), place, nearest=True)
            return 0.5 * (wide[:, :-1] + wide[:, 1:])

        def along_y(plane: Array, place: Place) -> Array:
            wide = self.topology.widened(plane, (0, 0, 1, 1), place, nearest=True)
            return 0.5 * (wide[:-1] + wide[1:])

        dx = 0.5 * (y_faces[:-1] + y_faces[1:])
        dy = 0.5 * (x_faces[:, :-1] + x_faces[:, 1:])
        if place is Place.center:
            return dx, dy
        if place is Place.x_face:
            return along_x(dx, Place.center), x_faces
        if place is Place.y_face:
            return y_faces, along_y(dy, Place.center)
        return along_x(y_faces, Place.y_face), along_y(x_faces, Place.x_face)

    def inside_out(self) -> NDArray[np.bool_]:
        """Cells that their corners do not go round anticlockwise: inverted, folded or without area.

        A half may have none, as at a pole.

        >>> x, y = np.meshgrid([10.0, 11.0, 12.0], [50.0, 51.0])
        >>> Curvilinear(corner_x=x, corner_y=y).inside_out().tolist()
        [[False, False]]
        >>> x[0, 1] = 12.5
        >>> Curvilinear(corner_x=x, corner_y=y).inside_out().tolist()
        [[False, True]]
        """
        south_east, north_west = self._halves()
        whole = south_east + north_west
        return (whole <= 0.0) | (np.minimum(south_east, north_west) < -1e-6 * whole)

    def _halves(self) -> tuple[Array, Array]:
        """Areas of both halves of cells, on both sides of their diagonals [rad2]."""
        corner = vectors(self.corner_x, self.corner_y)
        sw, se = corner[:, :-1, :-1], corner[:, :-1, 1:]
        nw, ne = corner[:, 1:, :-1], corner[:, 1:, 1:]
        return triangles(sw, se, ne), triangles(sw, ne, nw)

    def _quadrilaterals(self) -> Array:
        """Areas of the cells between their four corners [m2]."""
        south_east, north_west = self._halves()
        return self.radius**2 * np.abs(south_east + north_west)
