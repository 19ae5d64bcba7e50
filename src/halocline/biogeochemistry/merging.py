"""Merging of cells: an ocean of a finer grid on one that is a whole number of times coarser.

The flux through a coarse face is the sum of those through the fine faces on it; temperature and
salinity are means over the volume of fine cells, diffusivity over the open area of fine
interfaces, what is at the surface over wet area. The divergence of a coarse cell is the sum of
those of its fine cells, so that what fits on the fine grid fits on the coarse one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.core.geography import position_words
from halocline.grids.horizontal.grid import Grid
from halocline.grids.vertical.file_field import WantedPoints
from halocline.grids.vertical.levels import VerticalGrid
from halocline.runtime.fields.place import Place, cells_beside

Array = NDArray[np.float64]
Index = NDArray[np.int64]
Mask = NDArray[np.bool_]
Cells = tuple[Index, Index]


@dataclass(frozen=True)
class Stencil:
    """Points of files whose weighted sums are values at coarse points.

    Coordinates [degree] of m points for each of n values, (m, n); weights are (levels, m, n), or
    (1, m, n) of one map, and 0 at points that are not wet.
    """

    x: Array
    y: Array
    weights: Array

    def wanted(self, depth: Array | None) -> WantedPoints:
        """The points, all of the first ones of every value first, on levels of depths [m]."""
        wet = (self.weights != 0.0).reshape(self.weights.shape[0], -1)
        return WantedPoints(self.x.ravel(), self.y.ravel(), depth, wet)

    def __call__(self, values: Array) -> Array:
        """Sums (levels, n) or (n,) of values (levels, m n) or (m n,) at the points."""
        each = values.reshape(*values.shape[:-1], *self.x.shape)
        weights = self.weights if values.ndim > 1 else self.weights[0]
        total = np.zeros((*values.shape[:-1], self.x.shape[1]))
        for point in range(self.x.shape[0]):
            total += weights[..., point, :] * each[..., point, :]
        return total


@dataclass(frozen=True)
class Merging:
    """`ratio` x `ratio` cells of a fine grid are one of a coarse grid; see `merged`."""

    fine: VerticalGrid
    ratio: int

    def __post_init__(self) -> None:
        if self.fine.horizontal.curvilinear is not None:
            raise UserError("Cells of curvilinear grids cannot be merged; regular ones can.")

    @cached_property
    def levels(self) -> Index:
        """Numbers of the levels, (levels, 1, 1)."""
        return np.arange(self.fine.thickness.size)[:, None, None]

    @cached_property
    def grid(self) -> Grid:
        """The coarse grid; its cells are as deep as the deepest of theirs."""
        fine, r = self.fine.horizontal, self.ratio
        nj, ni = fine.shape[0] // r, fine.shape[1] // r
        bottom = np.concatenate([[0.0], np.cumsum(self.fine.thickness[::-1])])
        depth = bottom[self.wet_levels]
        return Grid(
            x=fine.x.reshape(ni, r).mean(axis=1),
            y=fine.y.reshape(nj, r).mean(axis=1),
            depth=depth,
            mask=depth > 0.0,
            spherical=fine.spherical,
            radius=fine.radius,
            periodic_x=fine.periodic_x,
            title=fine.title,
        )

    @cached_property
    def wet_levels(self) -> Index:
        """Those of coarse columns: a cell is wet where any of its fine cells is."""
        r, fine = self.ratio, self.fine.wet_levels
        nj, ni = fine.shape[0] // r, fine.shape[1] // r
        return np.asarray(fine.reshape(nj, r, ni, r).max(axis=(1, 3)))

    def inside(self, cells: Cells) -> Cells:
        """Rows and columns of the fine cells in coarse ones, (m, n)."""
        r = self.ratio
        a, b = (some.ravel()[:, None] for some in np.mgrid[:r, :r])
        return r * cells[0] + a, r * cells[1] + b

    def volumes(self, cells: Cells) -> Array:
        """Volumes of the fine cells in coarse ones [m3], (levels, m, n)."""
        return np.asarray(self.fine.volume_of(self.levels, self.inside(cells)))

    def thickness(self, cells: Cells) -> Array:
        """Volume over area of coarse cells [m], (levels, n)."""
        area = self.grid.area[cells]
        return np.asarray(self.volumes(cells).sum(axis=1) / area)

    def volume_of(self, j: Index, i: Index) -> Array:
        """Volumes of coarse cells at rows and columns of any shape [m3], (levels, ...)."""
        found = self.volumes((j.ravel(), i.ravel())).sum(axis=1)
        return np.asarray(found.reshape(-1, *j.shape))

    def check(self, coarse: VerticalGrid) -> None:
        """Refuse a grid that is not that of the merged cells."""
        ours, theirs = coarse.horizontal, self.grid
        near = ours.shape == theirs.shape and all(
            np.abs(a - b).max() < 0.01 * abs(step)
            for a, b, step in ((ours.x, theirs.x, theirs.step_x), (ours.y, theirs.y, theirs.step_y))
        )
        if not near:
            raise UserError(
                f"The grid of the case, {ours.shape[0]} x {ours.shape[1]} cells, is not that of"
                f" {self.ratio} x {self.ratio} merged cells of transport.files.grid."
                " 'halocline merge' writes it."
            )
        differ = np.argwhere(coarse.wet_levels != self.wet_levels)
        if differ.size:
            j, i = differ[0]
            place = position_words(ours.x[i], ours.y[j]) if ours.spherical else f"row {j + 1}"
            raise UserError(
                f"{len(differ)} columns of the case's grid are not as deep as the deepest of the"
                f" {self.ratio} x {self.ratio} cells of transport.files.grid that are merged to"
                f" them; the first one, at {place}, has {coarse.wet_levels[j, i]} wet levels, not"
                f" {self.wet_levels[j, i]}. Take the grid that 'halocline merge' writes, and"
                " grid.closed_edges = false, which else makes the outermost cells land."
            )

    def of_thickness(self, cells: Cells) -> Stencil:
        """Thickness whose product with the coarse area is the volume of the wet fine cells."""
        wet = self.volumes(cells) > 0.0
        areas = self.fine.horizontal.area[self.inside(cells)] * wet
        return self._at(Place.center, self.inside(cells), areas / self.grid.area[cells])

    def of_whole_surface(self, cells: Cells) -> Stencil:
        """Means over the whole area of coarse cells, land counting as 0."""
        return self.of_surface(cells, whole=True)

    def of_volume(self, cells: Cells) -> Stencil:
        """Means over the volume of fine cells."""
        return self._mean(cells, self.volumes(cells))

    def of_surface(self, cells: Cells, *, whole: bool = False) -> Stencil:
        """Means over the wet area of fine cells, or with `whole` over that of the coarse cell."""
        wet = self.volumes(cells)[-1:] > 0.0
        areas = self.fine.horizontal.area[self.inside(cells)] * wet
        if whole:
            return self._at(Place.center, self.inside(cells), areas / self.grid.area[cells])
        return self._mean(cells, areas)

    def of_interfaces(self, cells: Cells) -> Stencil:
        """Means over the open area of lower interfaces of fine cells."""
        wet = self.volumes(cells) > 0.0
        below = np.concatenate([np.zeros_like(wet[:1]), wet[:-1]])
        return self._mean(cells, self.fine.horizontal.area[self.inside(cells)] * (wet & below))

    def of_faces(self, place: Place, cells: Cells, what: str) -> Stencil:
        """Fluxes through coarse faces from what fine files have: fluxes, or velocities.

        `what` is "fluxes", "faces", "nemo" (velocities on faces with the coordinates of the centres
        west or south of them) or "corners".
        """
        r, along_x = self.ratio, place is Place.x_face
        points = np.arange(r + 1 if what == "corners" else r)[:, None]
        j = r * cells[0] + (points if along_x else 0)
        i = r * cells[1] + (0 if along_x else points)
        at = Place.corner if what == "corners" else place
        open_ = self._open(at, (j, i))
        metrics = self.fine.horizontal.on_both_sides(at)
        length = (metrics.dy if along_x else metrics.dx)[j, i]
        height = self.fine.thickness[self.levels]
        if what == "fluxes":
            weights = open_.astype(np.float64)
        elif what == "corners":
            ends = np.where((points == 0) | (points == r), 0.5, 1.0)
            weights = ends * length * height * open_
        else:
            weights = length * self._face_thickness(place, (j, i)) * open_
        if what == "nemo":
            return self._at(Place.center, (j - (not along_x), i - along_x), weights)
        return self._at(at, (j, i), weights)

    def _face_thickness(self, place: Place, at: Cells) -> Array:
        """The lower thickness of the cells beside fine faces [m]."""
        both = [
            self.fine.thickness_of(self.levels, (at[0] + dj, at[1] + di))
            for dj, di in cells_beside(place)
        ]
        return np.asarray(np.minimum(*both))

    def _open(self, place: Place, at: Cells) -> Mask:
        """Whether all fine cells beside points are wet, (levels, m, n)."""
        nj, ni = self.fine.horizontal.shape
        result = np.ones((self.levels.size, *np.broadcast(*at).shape), bool)
        for dj, di in cells_beside(place):
            j, i = np.broadcast_arrays(at[0] + dj, at[1] + di)
            inside = (j >= 0) & (j < nj) & (i >= 0) & (i < ni)
            here = np.clip(j, 0, nj - 1), np.clip(i, 0, ni - 1)
            result &= inside & self.fine.is_wet(self.levels, here)
        return result

    def _mean(self, cells: Cells, weights: Array) -> Stencil:
        total = weights.sum(axis=1, keepdims=True)
        share = weights / np.where(total > 0.0, total, 1.0)
        return self._at(Place.center, self.inside(cells), share)

    def _at(self, place: Place, at: Cells, weights: Array) -> Stencil:
        metrics = self.fine.horizontal.on_both_sides(place)
        j, i = np.broadcast_arrays(*at)
        return Stencil(metrics.x[j, i], metrics.y[j, i], weights)


def merged(fine: VerticalGrid, ratio: int) -> Merging:
    """The merging of a grid by a ratio that a user gives."""
    nj, ni = fine.horizontal.shape
    if ratio < 2 or nj % ratio or ni % ratio:
        raise UserError(
            f"{nj} rows and {ni} columns cannot be merged {ratio} by {ratio}. Give a number from 2"
            " on that divides both."
        )
    return Merging(fine, ratio)
