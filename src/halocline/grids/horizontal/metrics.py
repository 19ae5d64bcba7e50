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

Array = NDArray[np.float64]


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
    order where the corners are points of a smooth orthogonal map. On a side without neighbours
    lengths across it are twice those to the nearest places.
    """

    corner_x: Array  # longitude [degree east], shape (nj + 1, ni + 1)
    corner_y: Array  # latitude [degree north]
    periodic_x: bool = False
    center_x: Array | None = None  # of centres, shape (nj, ni); middle of the corners if not given
    center_y: Array | None = None
    x_face_length: Array | None = None  # of western faces [m], shape (nj, ni + 1)
    y_face_length: Array | None = None  # of southern faces [m], shape (nj + 1, ni)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of cells."""
        return self.corner_x.shape[0] - 1, self.corner_x.shape[1] - 1

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
        points, x, y = {
            Place.center: (center, west_east, south_north),
            Place.x_face: (west_east, center, corner),
            Place.y_face: (south_north, corner, center),
            Place.corner: (corner, south_north, west_east),
        }[place]
        west, east, x_factor = _beside(points, x, 2, self.periodic_x)
        south, north, y_factor = _beside(points, y, 1, False)
        dx = earth_radius * angles_between(west, east) * x_factor
        dy = earth_radius * angles_between(south, north) * y_factor[:, None]
        return points, dx, dy, east - west

    def _means(self, place: Place, x_faces: Array, y_faces: Array) -> tuple[Array, Array]:
        """Lengths along both axes of a place from those of the faces [m]."""

        def along_x(plane: Array) -> Array:
            pad = ((0, 0), (1, 1))
            wide = np.pad(plane, pad, "wrap" if self.periodic_x else "edge")
            return 0.5 * (wide[:, :-1] + wide[:, 1:])

        def along_y(plane: Array) -> Array:
            wide = np.pad(plane, ((1, 1), (0, 0)), "edge")
            return 0.5 * (wide[:-1] + wide[1:])

        dx = 0.5 * (y_faces[:-1] + y_faces[1:])
        dy = 0.5 * (x_faces[:, :-1] + x_faces[:, 1:])
        if place is Place.center:
            return dx, dy
        if place is Place.x_face:
            return along_x(dx), x_faces
        if place is Place.y_face:
            return y_faces, along_y(dy)
        return along_x(y_faces), along_y(x_faces)

    def _quadrilaterals(self) -> Array:
        """Areas of the cells between their four corners [m2]."""
        corner = vectors(self.corner_x, self.corner_y)
        sw, se = corner[:, :-1, :-1], corner[:, :-1, 1:]
        nw, ne = corner[:, 1:, :-1], corner[:, 1:, 1:]
        return earth_radius**2 * np.abs(triangles(sw, se, ne) + triangles(sw, ne, nw))


def _beside(points: Array, others: Array, axis: int, periodic: bool) -> tuple[Array, Array, Array]:
    """The places before and after each point along an axis, and a factor for the arc between.

    `others` lie on both sides of the points (one more than these), or between them (one less).
    Beyond a side that is not joined the point stands for the missing place, and the factor is 2.
    """
    count = points.shape[axis]
    factor = np.ones(count)

    def pick(array: Array, some: slice) -> Array:
        return array[(slice(None),) * axis + (some,)]

    if others.shape[axis] > count:
        return pick(others, slice(0, -1)), pick(others, slice(1, None)), factor
    first, last = pick(points, slice(0, 1)), pick(points, slice(-1, None))
    if periodic:
        first, last = pick(others, slice(-1, None)), pick(others, slice(0, 1))
    else:
        factor[[0, -1]] = 2.0
    before = np.concatenate([first, others], axis)
    after = np.concatenate([others, last], axis)
    return before, after, factor
