"""Points on the sphere as unit vectors: angles, midpoints, areas, directions."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.int64]
degree = math.pi / 180.0
cubes_along = 8
"""Cubes along the radius of the sphere whose points are looked at together."""


def vectors(longitude: Array, latitude: Array) -> Array:
    """Unit vectors of points [degree], shape (3, ...)."""
    x, y = np.asarray(longitude) * degree, np.asarray(latitude) * degree
    x, y = np.broadcast_arrays(x, y)
    return np.stack([np.cos(y) * np.cos(x), np.cos(y) * np.sin(x), np.sin(y)])


def longitude_latitude(points: Array) -> tuple[Array, Array]:
    """Longitude from 0 to 360 and latitude of vectors (3, ...) [degree].

    >>> x, y = longitude_latitude(vectors(np.array([350.0]), np.array([-45.0])))
    >>> x.round(9).tolist(), y.round(9).tolist()
    ([350.0], [-45.0])
    """
    x, y, z = points
    return np.arctan2(y, x) / degree % 360.0, np.arctan2(z, np.hypot(x, y)) / degree


def unit(points: Array) -> Array:
    """Vectors of length one; those of no length stay zero."""
    length = np.sqrt((points**2).sum(axis=0))
    return points / np.where(length > 0.0, length, 1.0)


def angles_between(one: Array, other: Array) -> Array:
    """Angles between unit vectors (3, ...) [rad], exact for small ones too."""
    chord = np.sqrt(((one - other) ** 2).sum(axis=0))
    return 2.0 * np.arcsin(np.minimum(0.5 * chord, 1.0))


def nearest_points(points: Array, others: Array) -> Index:
    """Which of some others is nearest to each point, the first of equal ones; unit vectors (3, n).

    Points of one cube are looked at together: of a cap that holds them, whose middle has its
    nearest other d away, with the radius r, the nearest of each lies within d + 2 r of the middle.
    """
    nearest = np.zeros(points.shape[1], np.int64)
    for some in _cubes(points):
        middle = unit(points[:, some].sum(axis=1))
        radius = angles_between(points[:, some], middle[:, None]).max()
        cosines = middle @ others
        reach = min(np.arccos(min(cosines.max(), 1.0)) + 2.0 * radius + 1e-6, np.pi)
        near = np.flatnonzero(cosines >= np.cos(reach))
        few = max(1, 1_000_000 // near.size)
        for part in (some[first : first + few] for first in range(0, some.size, few)):
            closeness = sum(points[axis, part, None] * others[axis, near] for axis in range(3))
            nearest[part] = near[np.argmax(closeness, axis=1)]
    return nearest


def _cubes(points: Array) -> list[Index]:
    """Numbers of points (3, n) by the small cubes that they lie in."""
    side = np.floor((points + 1.0) * cubes_along).astype(np.int64)
    number = (side[0] * 4 * cubes_along + side[1]) * 4 * cubes_along + side[2]
    order = np.argsort(number, kind="stable")
    begins = np.flatnonzero(np.diff(number[order])) + 1
    return [some for some in np.split(order, begins) if some.size]


def triangles(a: Array, b: Array, c: Array) -> Array:
    """Areas of spherical triangles of unit vectors, anticlockwise ones positive [rad2].

    Van Oosterom and Strackee (1983), doi:10.1109/TBME.1983.325207.
    """
    volume = (a * np.cross(b, c, axis=0)).sum(axis=0)
    cosines = 1.0 + (a * b).sum(axis=0) + (b * c).sum(axis=0) + (c * a).sum(axis=0)
    return 2.0 * np.arctan2(volume, cosines)


def directions(points: Array, along: Array) -> Array:
    """Angles of vectors `along` (3, ...) against east at `points`, anticlockwise [rad].

    At a pole, east is that of longitude 0.
    """
    east, north = _east_north(points, along)
    return np.arctan2(north, east)


def on_tangent_plane(points: Array, others: Array) -> tuple[Array, Array]:
    """Where others lie, east and north, on the planes that touch the sphere at points [radius].

    Great circles are straight there.
    """
    height = (points * others).sum(axis=0)
    east, north = _east_north(points, others)
    height = np.maximum(height, 1e-3)
    return east / height, north / height


def _east_north(points: Array, along: Array) -> tuple[Array, Array]:
    """Eastward and northward components at points; at a pole, east is that of longitude 0."""
    x, y, z = points
    across = np.hypot(x, y)
    pole = across == 0.0
    cosine, sine = (np.where(pole, p, v / np.where(pole, 1.0, across)) for p, v in ((1, x), (0, y)))
    east = along[1] * cosine - along[0] * sine
    north = along[2] * across - z * (along[0] * cosine + along[1] * sine)
    return east, north
