"""Points of a place of a grid on the sphere: who stands beside whom, and the cells they make."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.grids import _native
from halocline.grids.horizontal.grid import Grid
from halocline.grids.remapping.rows import Mask, RemapRows
from halocline.grids.remapping.weights import Array, Index
from halocline.grids.sphere import vectors
from halocline.runtime.fields.place import Place, cells_beside
from halocline.runtime.fields.topology import Topology

beside = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))
"""RemapRows and columns to the eight points around one."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Surface:
    """Points of one place of a grid, numbered row by row, and the cells around them.

    Beyond the last row of a global longitude-latitude grid stands its pole, an additional point
    whose value is the mean of that row.
    """

    longitude: Array  # [degree east], shape (rows, columns)
    latitude: Array  # [degree north]
    angle: Array  # from east to the x axis of the grid, anticlockwise [rad]
    wet: Mask  # points that have values
    topology: Topology
    place: Place = Place.center
    corner_x: Array | None = None  # of cells, (rows + 1, columns + 1) or (rows, columns, 4)
    corner_y: Array | None = None
    own_area: Array | None = None  # of cells as their model has it [rad2]
    title: str = ""

    @classmethod
    def of(cls, grid: Grid, place: Place, name: str) -> Surface:
        """A place of a grid, on the sphere."""
        if not grid.spherical and grid.curvilinear is None:
            raise UserError(
                f"The grid of {name} is Cartesian: it lies on no sphere. Fields are brought between"
                " Cartesian grids where cells of one fill those of the other (docs/members.md)."
            )
        some = grid.at(place)
        once = grid.topology.once(place)
        corner_x = corner_y = None
        if place is Place.center:
            corners = grid.on_both_sides(Place.corner)
            corner_x, corner_y = corners.x, corners.y
        return cls(
            longitude=some.x,
            latitude=some.y,
            angle=some.angle,
            wet=wet_points(grid, place) & once,
            topology=grid.topology,
            place=place,
            corner_x=corner_x,
            corner_y=corner_y,
            own_area=some.area / grid.radius**2 if place is Place.center else None,
            title=name,
        )

    @property
    def shape(self) -> tuple[int, int]:
        """RemapRows and columns."""
        return self.longitude.shape[0], self.longitude.shape[1]

    @property
    def size(self) -> int:
        """How many points there are, poles beyond them not counted."""
        return self.longitude.size

    @cached_property
    def points(self) -> Array:
        """Unit vectors, those of poles last, shape (size + poles, 3)."""
        all_points = vectors(self.longitude.ravel(), self.latitude.ravel()).T
        return np.ascontiguousarray(np.concatenate([all_points, *self._pole_vectors]))

    def at(self, j: Index, i: Index) -> Array:
        """Unit vectors of some points, shape (n, 3)."""
        return np.ascontiguousarray(vectors(self.longitude[j, i], self.latitude[j, i]).T)

    @property
    def flags(self) -> NDArray[np.uint8]:
        """Which points have values, poles with all their row among them."""
        return self.with_poles(self.wet)

    def with_poles(self, wet: Mask) -> NDArray[np.uint8]:
        """The same of other points."""
        rows = [wet[row].all(keepdims=True) for row, _ in self.poles]
        return np.concatenate([wet.ravel(), *rows]).astype(np.uint8)

    @cached_property
    def poles(self) -> tuple[tuple[int, float], ...]:
        """RemapRows around a pole that no point stands at, and the latitude of that pole."""
        rows, columns = self.shape
        found = []
        if rows < 2 or columns < 3 or not self.topology.goes_round:
            return ()
        for row, inner, side in ((0, 1, "south"), (rows - 1, -2, "north")):
            line, pole = self.latitude[row], 90.0 * np.sign(self.latitude[row, 0])
            beyond, step = abs(pole - line[0]), abs(line[0] - self.latitude[inner, 0])
            outwards = beyond < abs(pole - self.latitude[inner, 0])
            if np.ptp(line) == 0.0 and outwards and 0.0 < beyond < 1.01 * step:
                if not self.topology.is_joined(side):
                    found.append((row, float(pole)))
        return tuple(found)

    @property
    def _pole_vectors(self) -> list[Array]:
        return [np.array([[0.0, 0.0, np.sign(latitude)]]) for _, latitude in self.poles]

    @property
    def pole_rows(self) -> tuple[Index, RemapRows]:
        """Numbers of the poles, and their values: means of the last rows."""
        columns = self.shape[1]
        first = [row * columns + np.arange(columns) for row, _ in self.poles]
        count = len(self.poles)
        numbers = np.concatenate(first) if first else np.empty(0, np.int64)
        weights = np.full(numbers.size, 1.0 / columns)
        return self.size + np.arange(count), RemapRows(np.full(count, columns), numbers, weights)

    @property
    def pole_members(self) -> Index:
        """Eight points of each of the last two rows around each pole, in eighths of a turn."""
        rows, columns = self.shape
        eighths = np.arange(8) * columns // 8
        found = []
        for row, _ in self.poles:
            inner = 1 if row == 0 else rows - 2
            found.append(np.concatenate([row * columns + eighths, inner * columns + eighths]))
        return np.array(found, np.int64).reshape(-1, 16)

    @cached_property
    def between(self) -> Index:
        """Cells between points, by their corners; around poles triangles, whose last is twice."""
        rows, columns = self.shape
        j, i = np.mgrid[0:rows, 0:columns]
        corners = [self._number(j + b, i + a) for b, a in ((0, 0), (0, 1), (1, 1), (1, 0))]
        found = np.stack([corner.ravel() for corner in corners], axis=1)
        whole = [found[(found >= 0).all(axis=1)]]
        for number, (row, _) in enumerate(self.poles):
            line = row * columns + np.arange(columns)
            pole = np.full(columns, self.size + number)
            whole.append(np.stack([line, np.roll(line, -1), pole, pole], axis=1))
        return np.ascontiguousarray(np.concatenate(whole))

    @cached_property
    def around(self) -> NDArray[np.int32]:
        """The points around each, along x first, also across poles; -1 where none stands."""
        rows, columns = self.shape
        topology = self.topology
        if self.poles and columns % 2 == 0:
            for row, _ in self.poles:
                sides = topology.reflections
                if row == 0:
                    sides = sides._replace(south="pole")
                else:
                    sides = sides._replace(north="pole")
                topology = replace(topology, reflections=sides)
        j, i = np.mgrid[0:rows, 0:columns]
        found = np.empty((self.size, len(beside)), np.int32)
        for side, (b, a) in enumerate(beside):
            found[:, side] = self._number(j + b, i + a, topology).ravel()
        return found

    @property
    def wet_around(self) -> NDArray[np.int32]:
        """The same of wet points; -1 for dry ones too."""
        found = self.around.copy()
        found[~self.wet.ravel()[np.maximum(found, 0)]] = -1
        return found

    @property
    def at_coast(self) -> Mask:
        """Wet points with a dry one around them."""
        around = self.around
        dry = ((around >= 0) & ~self.wet.ravel()[np.maximum(around, 0)]).any(axis=1)
        return self.wet & dry.reshape(self.shape)

    def _number(self, j: Index, i: Index, topology: Topology | None = None) -> Index:
        """Numbers of the points that stand somewhere, -1 where none does."""
        there = (topology or self.topology).resolve(self.place, j, i)
        return np.where(there.inside, there.j * self.shape[1] + there.i, -1)

    @cached_property
    def cells(self) -> tuple[Array, Index]:
        """Corners of the cells around points (n, 3), and which of them each cell has (size, 4)."""
        if self.corner_x is None or self.corner_y is None:
            raise UserError(
                f"Conservative remapping is of values of cells, and those at {self.place.value}"
                " places are none. Take 'bilinear' for them, or give them at centres."
            )
        places = vectors(self.corner_x.reshape(-1), self.corner_y.reshape(-1)).T
        if self.corner_x.ndim == 3:
            numbers = np.arange(4 * self.size).reshape(-1, 4)
        else:
            all_corners = np.arange(self.corner_x.size).reshape(self.corner_x.shape)
            numbers = around_cells(all_corners).reshape(-1, 4)
        return np.ascontiguousarray(places), np.ascontiguousarray(numbers)

    @cached_property
    def areas_and_centroids(self) -> tuple[Array, Array]:
        """Of the cells between great circles [rad2], and unit vectors (size, 3)."""
        areas, centroids = np.empty(self.size), np.empty((self.size, 3))
        _native.areas_and_centroids(*self.cells, areas, centroids)
        return areas, centroids

    def axes(self, numbers: Index) -> tuple[Array, Array]:
        """Directions of the grid's axes x and y at some points, shapes (n, 3)."""
        east, north = self.east_and_north(numbers)
        angle = self.angle.ravel()[numbers]
        cosine, sine = np.cos(angle)[:, None], np.sin(angle)[:, None]
        return cosine * east + sine * north, cosine * north - sine * east

    def east_and_north(self, numbers: Index) -> tuple[Array, Array]:
        """Directions of east and north at some points, shapes (n, 3).

        By the longitude of a point, at a pole too: who stands there faces along its own meridian.
        """
        turn = np.pi / 180.0
        x, y = (plane.ravel()[numbers] * turn for plane in (self.longitude, self.latitude))
        zero = np.zeros_like(x)
        east = np.stack([-np.sin(x), np.cos(x), zero], axis=1)
        north = np.stack([-np.sin(y) * np.cos(x), -np.sin(y) * np.sin(x), np.cos(y)], axis=1)
        return east, north


def around_cells(corners: NDArray[Any]) -> NDArray[Any]:
    """The four corners of each cell, anticlockwise, of planes of all corners.

    >>> around_cells(np.arange(6).reshape(2, 3))[0, 1].tolist()
    [1, 2, 5, 4]
    """
    south_west, south_east = corners[:-1, :-1], corners[:-1, 1:]
    return np.stack([south_west, south_east, corners[1:, 1:], corners[1:, :-1]], axis=-1)


def wet_points(grid: Grid, place: Place) -> Mask:
    """Points of a place of which all cells beside them are sea."""
    rows, columns = grid.topology.shape(place)
    j, i = np.mgrid[0:rows, 0:columns]
    wet = np.ones((rows, columns), bool)
    for b, a in cells_beside(place):
        there = grid.topology.resolve(Place.center, j + b, i + a)
        wet &= grid.mask[there.j, there.i] | ~there.inside
    return wet
