"""Map projections of the sphere: where points lie on a map, map factors, and the way to east.

Formulas are those of Snyder (1987), Map projections - a working manual, USGS Professional Paper
1395, with his numbers of equations. A map factor is a distance on the map by the true one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.grids.sphere import degree, directions, longitude_latitude, vectors

Array = NDArray[np.float64]
GridMapping = dict[str, str | float | list[float]]


class Projection(Protocol):
    """A map of the sphere; longitudes and latitudes in degrees, distances on the map in metres."""

    @property
    def radius(self) -> float:
        """Of the sphere [m]."""
        ...

    def to_map(self, longitude: Array, latitude: Array) -> tuple[Array, Array]:
        """Where points lie on the map: x, y [m]."""
        ...

    def from_map(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Longitude and latitude of points of the map [degree].

        Longitudes are within half a turn of the middle of the map, so that they do not jump there.
        """
        ...

    def factors(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Map factors along x and y at points of the map [1]."""
        ...

    def angle(self, x: Array, y: Array) -> Array:
        """Angle from east to the x axis at points of the map, anticlockwise [rad]."""
        ...

    @property
    def grid_mapping(self) -> GridMapping:
        """What the CF conventions call it (appendix F), with its parameters; {} if they do not."""
        ...


@dataclass(frozen=True, kw_only=True)
class Conic:
    """Lambert's conformal conic map, whose limit is the polar stereographic one.

    With colatitude c from the pole that the cone is around, rho = R F tan(c / 2)^n, and the polar
    angle is n times the longitude from the central one. `cone` n is negative around the south pole;
    n = 1 or -1 is the plane of the stereographic map.
    """

    latitudes: tuple[float, ...]  # where lengths are true [degree]
    cone: float  # n [1]
    size: float  # F [1]
    longitude: float  # of the meridian that runs north on the map [degree]
    radius: float  # of the sphere [m]

    @classmethod
    def lambert(cls, latitudes: list[float], longitude: float, radius: float) -> Conic:
        """With one or two true latitudes [degree], of one hemisphere (15-2, 15-3)."""
        first, last = latitudes[0], latitudes[-1]
        if first * last <= 0.0 or max(abs(first), abs(last)) >= 90.0:
            raise UserError(
                f"Lambert's conformal map cannot be true at {first:g} and {last:g} degrees north:"
                " both latitudes lie on one side of the equator, and neither at the pole. On the"
                " equator the map is Mercator's, at the pole the stereographic one."
            )
        cone = math.sin(first * degree)
        if first != last:
            cone = math.log(math.cos(first * degree) / math.cos(last * degree))
            cone /= math.log(_half_tangent(last) / _half_tangent(first))
        size = math.cos(first * degree) * float(_half_tangent(first)) ** cone / cone
        return cls(
            latitudes=tuple(latitudes), cone=cone, size=size, longitude=longitude, radius=radius
        )

    @classmethod
    def stereographic(cls, latitude: float, longitude: float, radius: float) -> Conic:
        """Around the pole of the hemisphere of the true latitude [degree] (21-5 to 21-12)."""
        pole = math.copysign(1.0, latitude)
        size = pole * (1.0 + abs(math.sin(latitude * degree)))
        return cls(latitudes=(latitude,), cone=pole, size=size, longitude=longitude, radius=radius)

    def to_map(self, longitude: Array, latitude: Array) -> tuple[Array, Array]:
        """(15-1), (14-1), (14-2); the origin is the pole."""
        rho = self.radius * self.size * _half_tangent(latitude) ** -self.cone
        theta = self.cone * _around(longitude - self.longitude) * degree
        return rho * np.sin(theta), -rho * np.cos(theta)

    def from_map(self, x: Array, y: Array) -> tuple[Array, Array]:
        """(14-9) to (14-11), (15-5)."""
        rho, theta = self._polar(x, y)
        colatitude = 2.0 * np.arctan(self._half_tangent_from_pole(rho)) / degree
        latitude = math.copysign(1.0, self.cone) * (90.0 - colatitude)
        return self.longitude + theta / (self.cone * degree), latitude

    def factors(self, x: Array, y: Array) -> tuple[Array, Array]:
        """(15-4): n rho / (R sin c), with sin c = 2 t / (1 + t^2) and t = tan(c / 2)."""
        tangent = self._half_tangent_from_pole(self._polar(x, y)[0])
        factor = 0.5 * abs(self.cone * self.size) * (1.0 + tangent**2)
        factor = factor * tangent ** (abs(self.cone) - 1.0)
        return factor, factor

    def angle(self, x: Array, y: Array) -> Array:
        """Meridians run to the pole: the convergence, with the other sign."""
        return -self._polar(x, y)[1]

    @property
    def grid_mapping(self) -> GridMapping:
        polar = abs(self.cone) == 1.0
        name = "polar_stereographic" if polar else "lambert_conformal_conic"
        meridian = (
            "straight_vertical_longitude_from_pole" if polar else ("longitude_of_central_meridian")
        )
        origin, north = math.copysign(90.0, self.cone), 0.0
        if len(self.latitudes) == 1 and not polar:
            # PROJ counts y from the only parallel, as CF has it; ours is from the pole.
            origin = self.latitudes[0]
            north = float(self.to_map(np.array(self.longitude), np.array(origin))[1])
        return {
            "grid_mapping_name": name,
            "standard_parallel": list(self.latitudes),
            meridian: self.longitude,
            "latitude_of_projection_origin": origin,
            **({"false_northing": north} if north else {}),
            "earth_radius": self.radius,
        }

    def _half_tangent_from_pole(self, rho: Array) -> Array:
        """tan(c / 2), c the colatitude from the pole that the cone is around."""
        return np.asarray((rho / (self.radius * abs(self.size))) ** (1.0 / abs(self.cone)))

    def _polar(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Distance from the pole [m] and polar angle from the central meridian [rad]."""
        pole = math.copysign(1.0, self.cone)
        return np.hypot(x, y), np.arctan2(pole * x, -pole * y)


@dataclass(frozen=True, kw_only=True)
class Mercator:
    """Mercator's map, true at one latitude (7-1, 7-2, 7-4)."""

    latitude: float  # [degree]
    longitude: float  # where x is 0 [degree]
    radius: float  # of the sphere [m]

    def __post_init__(self) -> None:
        if abs(self.latitude) >= 90.0:
            raise UserError(
                f"Mercator's map cannot be true at {self.latitude:g} degrees north: poles lie"
                " beyond it. Take a latitude in between."
            )

    @property
    def _scale(self) -> float:
        return self.radius * math.cos(self.latitude * degree)

    def to_map(self, longitude: Array, latitude: Array) -> tuple[Array, Array]:
        x = self._scale * _around(longitude - self.longitude) * degree
        return x, self._scale * np.log(_half_tangent(latitude))

    def from_map(self, x: Array, y: Array) -> tuple[Array, Array]:
        latitude = 2.0 * np.arctan(np.exp(y / self._scale)) / degree - 90.0
        return self.longitude + x / (self._scale * degree), latitude

    def factors(self, x: Array, y: Array) -> tuple[Array, Array]:
        factor = math.cos(self.latitude * degree) * np.cosh(y / self._scale)
        factor = np.broadcast_to(factor, np.broadcast_shapes(np.shape(x), np.shape(y)))
        return factor, factor

    def angle(self, x: Array, y: Array) -> Array:
        return np.zeros(np.broadcast_shapes(np.shape(x), np.shape(y)))

    @property
    def grid_mapping(self) -> GridMapping:
        return {
            "grid_mapping_name": "mercator",
            "standard_parallel": self.latitude,
            "longitude_of_projection_origin": self.longitude,
            "earth_radius": self.radius,
        }


@dataclass(frozen=True, kw_only=True)
class LatitudeLongitude:
    """Longitude and latitude in metres of the equator, of the Earth or of a globe turned over it.

    `pole` is where the north pole of that globe lies; its first meridian goes from there over the
    pole of the Earth. The map is plain where the pole is that of the Earth, with a longitude 180
    degrees from where x is 0.
    """

    pole: tuple[float, float]  # longitude and latitude [degree]
    radius: float  # of the sphere [m]

    @classmethod
    def around(cls, longitude: float, latitude: float, radius: float) -> LatitudeLongitude:
        """Whose equator and first meridian cross at a point, which is its origin."""
        return cls(pole=(longitude + 180.0, 90.0 - latitude), radius=radius)

    @property
    def _axes(self) -> Array:
        """The axes of the turned globe as unit vectors, shape (axis, 3)."""
        longitude, latitude = self.pole
        pole = vectors(np.array(longitude), np.array(latitude))
        origin = vectors(np.array(longitude + 180.0), np.array(90.0 - latitude))
        return np.stack([origin, np.cross(pole, origin), pole])

    def to_map(self, longitude: Array, latitude: Array) -> tuple[Array, Array]:
        there = np.tensordot(self._axes, vectors(longitude, latitude), 1)
        x, y = longitude_latitude(there)
        return self.radius * _around(x) * degree, self.radius * y * degree

    def from_map(self, x: Array, y: Array) -> tuple[Array, Array]:
        longitude, latitude = longitude_latitude(self._points(x, y))
        middle = _around(np.array(self.pole[0] + 180.0))
        return middle + _around(longitude - middle), latitude

    def factors(self, x: Array, y: Array) -> tuple[Array, Array]:
        cosine = np.broadcast_to(
            np.cos(y / self.radius), np.broadcast_shapes(np.shape(x), np.shape(y))
        )
        return 1.0 / np.maximum(cosine, 1e-300), np.ones(cosine.shape)

    def angle(self, x: Array, y: Array) -> Array:
        x = np.broadcast_to(x, np.broadcast_shapes(np.shape(x), np.shape(y))) / self.radius
        east = np.tensordot(self._axes.T, np.stack([-np.sin(x), np.cos(x), np.zeros(x.shape)]), 1)
        return directions(self._points(x * self.radius, y), east)

    @property
    def grid_mapping(self) -> GridMapping:
        """None: the conventions have turned longitudes and latitudes in degrees only."""
        return {}

    def _points(self, x: Array, y: Array) -> Array:
        """Unit vectors of points of the map, shape (3, ...)."""
        there = vectors(x / (self.radius * degree), y / (self.radius * degree))
        return np.tensordot(self._axes.T, there, 1)


def _half_tangent(latitude: Array | float) -> Array:
    """tan(45 degrees + latitude / 2)."""
    return np.asarray(np.tan((45.0 + 0.5 * np.asarray(latitude)) * degree))


def _around(longitude: Array) -> Array:
    """The same longitude from -180 up to 180 [degree].

    >>> _around(np.array([190.0, -180.0, 12.0])).tolist()
    [-170.0, -180.0, 12.0]
    """
    return (longitude + 180.0) % 360.0 - 180.0
