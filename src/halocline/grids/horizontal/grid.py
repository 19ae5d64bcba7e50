"""Structured horizontal grids: coordinates, metrics, sea mask and depth."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from halocline.core.constants import earth_radius
from halocline.core.errors import UserError
from halocline.grids.horizontal.metrics import Curvilinear, Metrics
from halocline.grids.horizontal.projected import Projected
from halocline.grids.sphere import degree
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Fold, Reflections, Topology

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Grid:
    """A horizontal C-grid with its sea: curvilinear, latitude-longitude or Cartesian.

    Face i lies west of centre i, face j south, corner south-west; `at` gives coordinates and
    metrics of every place. Of regular grids `x` and `y` are the coordinates, of those on a map
    distances on it [m], of other curvilinear ones they count columns and rows. Planes are made when
    asked for where they follow from less: a rank keeps none of its own.
    """

    x: Array  # longitude [degree east] or distance [m] of centres, shape (ni,)
    y: Array  # latitude [degree north] or distance [m] of centres, shape (nj,)
    depth: Array  # positive downwards [m], shape (nj, ni)
    mask: NDArray[np.bool_]  # sea, shape (nj, ni)
    spherical: bool = True  # x and y are longitude and latitude
    radius: float = earth_radius  # of the sphere, if the grid lies on one [m]
    periodic_x: bool = False
    periodic_y: bool = False
    fold: Fold = ""  # how the northern side of a tripolar grid is joined with itself
    reflections: Reflections = Reflections()  # sides that are mirrors or poles
    boundary: NDArray[np.bool_] | None = None  # sea points whose values are given
    obstruction_x: Array | None = None  # share of a cell's width that is closed along x [1]
    obstruction_y: Array | None = None
    title: str = field(default="")
    longitude: Array | None = None  # of centres of curvilinear grids, shape (nj, ni)
    latitude: Array | None = None
    curvilinear: Curvilinear | Projected | None = None
    centers: Metrics | None = None  # of curvilinear grids, what `curvilinear` says of centres
    single_x: float = 1.0  # width of cells where there is one column only, in units of x
    single_y: float = 1.0

    def __post_init__(self) -> None:
        if self.shape != self.depth.shape or self.shape != self.mask.shape:
            raise UserError(
                f"The grid has {self.shape[0]} x {self.shape[1]} cells, but depth has shape"
                f" {self.depth.shape} and mask {self.mask.shape}. Give [latitude, longitude]."
            )
        for name, line in (("x", self.x), ("y", self.y)):
            if line.size > 2 and not np.allclose(np.diff(line), line[1] - line[0], rtol=1e-3):
                raise UserError(f"The grid is not regular along {name}: steps {np.diff(line)}.")

    @classmethod
    def of(cls, curvilinear: Curvilinear, depth: Array, title: str = "", fold: Fold = "") -> Self:
        """A curvilinear grid; sea is where the depth is positive."""
        curvilinear = replace(curvilinear, fold=fold or curvilinear.fold)
        nj, ni = curvilinear.shape
        centers = curvilinear.at(Place.center)
        return cls(
            x=np.arange(ni, dtype=np.float64),
            y=np.arange(nj, dtype=np.float64),
            depth=depth,
            mask=depth > 0.0,
            spherical=False,
            radius=curvilinear.radius,
            periodic_x=curvilinear.periodic_x,
            fold=curvilinear.fold,
            title=title,
            longitude=centers.x,
            latitude=centers.y,
            curvilinear=curvilinear,
            centers=centers,
        )

    @classmethod
    def on_map(cls, projected: Projected, depth: Array, title: str = "") -> Self:
        """A grid whose lines are straight on a map; sea is where the depth is positive."""
        (step_y, step_x), centers = projected.steps, projected.at(Place.center)
        x, y = projected.lines(Place.center)
        return cls(
            x=x,
            y=y,
            depth=depth,
            mask=depth > 0.0,
            spherical=False,
            radius=projected.projection.radius,
            title=title,
            longitude=centers.x,
            latitude=centers.y,
            curvilinear=projected,
            centers=centers,
            single_x=step_x,
            single_y=step_y,
        )

    def on_sphere(self, radius: float) -> Self:
        """The same longitudes and latitudes on a sphere of another radius [m].

        Lengths that a file gives stay. A map has its own radius.
        """
        if isinstance(self.curvilinear, Curvilinear):
            curvilinear = replace(self.curvilinear, radius=radius)
            centers = curvilinear.at(Place.center)
            return replace(self, radius=radius, curvilinear=curvilinear, centers=centers)
        if radius != self.radius and not self.spherical:
            raise UserError(
                f"The grid does not lie on a sphere of {radius:g} m (grid.radius): it is Cartesian."
                " Leave the option out."
            )
        return replace(self, radius=radius)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns, (nj, ni)."""
        return self.y.size, self.x.size

    @property
    def topology(self) -> Topology:
        return Topology(*self.shape, self.periodic_y, self.periodic_x, self.fold, self.reflections)

    @property
    def sea_points(self) -> int:
        return int(self.mask.sum())

    @property
    def step_x(self) -> float:
        """Distance of columns, in units of x."""
        if self.x.size == 1:
            return self.single_x
        return float((self.x[-1] - self.x[0]) / (self.x.size - 1))

    @property
    def step_y(self) -> float:
        """Distance of rows, in units of y."""
        if self.y.size == 1:
            return self.single_y
        return float((self.y[-1] - self.y[0]) / (self.y.size - 1))

    @cached_property
    def cos_latitude(self) -> Array:
        """Cosine of the latitude of centres, 1 on Cartesian grids; shape (nj,)."""
        return np.cos(self.y * degree) if self.spherical else np.ones(self.y.size)

    @cached_property
    def cos_latitude_face(self) -> Array:
        """The same on faces j, south of centre j; shape (nj + 1,). Never negative."""
        faces = self._face_y
        return np.maximum(np.cos(faces * degree), 0.0) if self.spherical else np.ones(faces.size)

    @property
    def _face_y(self) -> Array:
        """y of southern faces, and of the last northern one; it may lie beyond a pole."""
        return self.y[0] + (np.arange(self.y.size + 1) - 0.5) * self.step_y

    def at(self, place: Place) -> Metrics:
        """Coordinates and metrics of a place, planes as a global field there has them.

        A side that is not joined has its faces and corners on both ends, one more than centres.
        """
        rows, columns = self.topology.shape(place)
        return self.on_both_sides(place).part(slice(rows), slice(columns))

    def on_both_sides(self, place: Place) -> Metrics:
        """The same with faces and corners on both ends of every row and column."""
        if self.centers is not None and place is Place.center:
            return self.centers
        if self.curvilinear is not None:
            return self.curvilinear.at(place)
        meter = self.radius * degree if self.spherical else 1.0
        x, cosine, y = self.x, self.cos_latitude, self.y
        if place in (Place.x_face, Place.corner):
            x = self.x[0] + (np.arange(self.x.size + 1) - 0.5) * self.step_x
        if place in (Place.y_face, Place.corner):
            y, cosine = self._face_y, self.cos_latitude_face
            y = np.clip(y, -90.0, 90.0) if self.spherical else y
        shape = (y.size, x.size)
        dx, dy = (self.step_x * meter * cosine)[:, None], self.step_y * meter
        return Metrics(
            x=np.broadcast_to(x, shape),
            y=np.broadcast_to(y[:, None], shape),
            dx=np.broadcast_to(dx, shape),
            dy=np.broadcast_to(dy, shape),
            area=np.broadcast_to(dx * dy, shape),
            angle=np.broadcast_to(0.0, shape),
        )

    @property
    def map_steps(self) -> tuple[float, float]:
        """Distance of rows and of columns on the map of a regular grid [m].

        Of longitude-latitude grids the map is the plain one, in metres of the equator.
        """
        if isinstance(self.curvilinear, Curvilinear):
            raise UserError("A curvilinear grid that is given by its corners lies on no map.")
        meter = self.radius * degree if self.spherical else 1.0
        return self.step_y * meter, self.step_x * meter

    def map_factors(self, place: Place) -> tuple[Array, Array]:
        """Lengths on the map by true ones along x and y [1], planes as those of `at`.

        At the pole of a longitude-latitude grid that along x is infinite.
        """
        step_y, step_x = self.map_steps
        metrics = self.at(place)
        along_x = np.full(metrics.dx.shape, np.inf)
        np.divide(step_x, metrics.dx, out=along_x, where=metrics.dx > 1e-9 * step_x)
        return along_x, step_y / metrics.dy

    @property
    def dx(self) -> Array:
        """Width of cells [m], shape (nj, ni)."""
        return self.at(Place.center).dx

    @property
    def dy(self) -> Array:
        """Height of cells [m], shape (nj, ni)."""
        return self.at(Place.center).dy

    @property
    def area(self) -> Array:
        """Area of cells [m2], shape (nj, ni)."""
        return self.at(Place.center).area

    def at_points(self, plane: NDArray[Any]) -> NDArray[Any]:
        """Values of a plane at the sea points, in the order of their numbers."""
        return plane[self.mask]

    @property
    def point_x(self) -> Array:
        """x of the sea points, in the order of their numbers."""
        return np.broadcast_to(self.x[None, :], self.shape)[self.mask]

    @property
    def point_y(self) -> Array:
        """y of the sea points."""
        return np.broadcast_to(self.y[:, None], self.shape)[self.mask]
