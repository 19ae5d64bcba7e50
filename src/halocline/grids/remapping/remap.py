"""Weights between any two grids on the sphere, by one of several methods.

    remap = remapping("bilinear", source, target)
    weights = remap(Place.center, Place.center, j, i)

Each rank asks for its own target points; a row depends on the grids and its point only, so that
all ranks, however many, find the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from halocline.core.errors import UserError, nearest
from halocline.core.options import Options, option
from halocline.grids import _native
from halocline.grids.horizontal.grid import Grid
from halocline.grids.remapping.creep import crept
from halocline.grids.remapping.rows import Mask, RemapRows
from halocline.grids.remapping.surface import Surface
from halocline.grids.remapping.weights import Array, Index, RemapWeights
from halocline.runtime.fields.place import Place

Method = Literal["nearest", "bilinear", "patch", "conservative", "conservative-2"]
methods: tuple[Method, ...] = (
    "nearest",
    "bilinear",
    "patch",
    "conservative",
    "conservative-2",
)
version = 1
"""Of the methods: a change of weights counts it up, so that kept ones are made anew."""


@dataclass(frozen=True, kw_only=True)
class RemapOptions(Options):
    """How values get from one grid to another."""

    method: str = option(
        "bilinear",
        "",
        "nearest point; bilinear between points; patch: smooth, of quadratic polynomials;"
        " conservative: means over what cells have in common, of the first order or, with"
        " conservative-2, of functions that are linear in the source's cells",
        choices=methods,
    )
    normalisation: str = option(
        "fracarea",
        "",
        "of conservative means of cells that the source's sea covers in part: by the area that is"
        " covered (fracarea), or by the whole cell (destarea), which keeps the integral; ownarea:"
        " keeps the integral over areas as both models have them",
        choices=("fracarea", "destarea", "ownarea"),
    )
    extrapolation: str = option(
        "nearest",
        "",
        "what target points take that no sea points of the source surround: the value of the"
        " nearest; creep: means that creep inland from the sea, and further out the nearest; none",
        choices=("nearest", "creep", "none"),
    )
    creep_rings: int = option(
        4, "1", "rings of land of the source that values creep into", at_least=1, at_most=50
    )


class SurfaceRemap:
    """RemapRows from the points of one surface to those of another."""

    def __init__(self, source: Surface, target: Surface, options: RemapOptions) -> None:
        if options.method not in methods:
            raise UserError(
                f"'{options.method}' is no method of remapping.{nearest(options.method, methods)}"
                f" Methods: {', '.join(methods)}."
            )
        self.source, self.target, self.options = source, target, options
        if not source.wet.any():
            raise UserError(
                "The source of a remapping has no point with a value: all is land or missing. Look"
                " at its mask (halocline plot FILE --grid)."
            )

    def rows(self, j: Index, i: Index) -> RemapRows:
        """RemapRows of target points, without terms where nothing is found."""
        found = self._found(j, i)
        missing = found.counts == 0
        if self.options.extrapolation != "none" and missing.any():
            found = found.filled(self._extrapolated(j[missing], i[missing]))
        return found

    def overlap(self, j: Index, i: Index) -> RemapRows:
        """Areas that target cells have in common with cells that have values [rad2]."""
        points, chosen, _ = self._target_cells(j, i)
        return RemapRows(*self._cells_around.overlaps(points, chosen))

    def cell_areas(self, j: Index, i: Index) -> Array:
        """Areas of target cells between great circles [rad2]."""
        return self._target_cells(j, i)[2]

    def fractions(self, j: Index, i: Index) -> Array:
        """Shares of target cells that cells of the source cover which have values [1]."""
        return self.overlap(j, i).sums() / self.cell_areas(j, i)

    def _found(self, j: Index, i: Index) -> RemapRows:
        """RemapRows by the method alone."""
        method = self.options.method
        if method == "nearest":
            return self._nearest(self.target.at(j, i))
        if method == "bilinear":
            return self._bilinear(self.target.at(j, i), self.source.wet)
        if method == "patch":
            return self._patches(self.target.at(j, i))
        return self._conservative(j, i, second=method == "conservative-2")

    def _extrapolated(self, j: Index, i: Index) -> RemapRows:
        """RemapRows of points that no wet ones surround."""
        wanted = self.target.at(j, i)
        if self.options.extrapolation == "nearest":
            return self._nearest(wanted)
        some, filled = crept(self.source, self.options.creep_rings)
        wet = self.source.wet.copy()
        wet.flat[some] = True
        found = self._bilinear(wanted, wet).expanded(some, filled)
        return found.filled(self._nearest(wanted[found.counts == 0]))

    def _nearest(self, wanted: Array) -> RemapRows:
        found = np.empty(wanted.shape[0], np.int64)
        _native.nearest(self.source.points, np.flatnonzero(self.source.wet.ravel()), wanted, found)
        return RemapRows.single(found)

    @cached_property
    def _cells_between(self) -> _native.Cells:
        corners = self.source.between
        every = np.ones(corners.shape[0], np.uint8)
        return _native.Cells(self.source.points, corners, every)

    @cached_property
    def _cells_around(self) -> _native.Cells:
        return _native.Cells(*self.source.cells, self.source.wet.ravel().astype(np.uint8))

    def _bilinear(self, wanted: Array, wet: Mask) -> RemapRows:
        rows = RemapRows(*self._cells_between.bilinear(wanted, self.source.with_poles(wet)))
        return rows.expanded(*self.source.pole_rows)

    def _patches(self, wanted: Array) -> RemapRows:
        source = self.source
        rows = RemapRows(
            *self._cells_between.patches(wanted, source.flags, source.around, source.pole_members)
        )
        return rows.expanded(*source.pole_rows)

    def _conservative(self, j: Index, i: Index, *, second: bool) -> RemapRows:
        """Means over target cells, by areas between great circles."""
        points, chosen, areas = self._target_cells(j, i)
        if second:
            centers = self.source.areas_and_centroids[1]
            around = self.source.wet_around
            found = self._cells_around.linear_overlaps(points, chosen, centers, around)
        else:
            found = self._cells_around.overlaps(points, chosen)
        rows = RemapRows(*found)
        # Weights of gradients add up to 0, so that both sums are areas.
        whole = rows.sums() if self.options.normalisation == "fracarea" else areas
        if self.options.normalisation == "ownarea":
            source, target = self._own_areas
            rows = RemapRows(rows.counts, rows.numbers, rows.weights * source[rows.numbers])
            whole = whole * target[j, i]
        return rows.scaled(1.0 / np.where(whole > 0.0, whole, 1.0))

    def _target_cells(self, j: Index, i: Index) -> tuple[Array, Index, Array]:
        """Corners of the target's cells, which of them some cells have, and their areas [rad2]."""
        points, corners = self.target.cells
        chosen = np.ascontiguousarray(corners[j * self.target.shape[1] + i])
        areas, centroids = np.empty(j.size), np.empty((j.size, 3))
        _native.areas_and_centroids(points, chosen, areas, centroids)
        return points, chosen, areas

    @cached_property
    def _own_areas(self) -> tuple[Array, Array]:
        """Areas as the models have them by those between great circles [1]: of points, of cells."""
        ratios = []
        for surface in (self.source, self.target):
            if surface.own_area is None:
                raise UserError(
                    f"{surface.title} says no areas of its cells, by which 'ownarea' would keep"
                    " integrals. Take 'destarea'."
                )
            ratios.append(surface.own_area / surface.areas_and_centroids[0].reshape(surface.shape))
        return ratios[0].ravel(), ratios[1]


class GridRemap:
    """Weights between places of two grids, as exchanges want them."""

    def __init__(
        self, source: Grid, target: Grid, options: RemapOptions, names: tuple[str, str]
    ) -> None:
        self.grids, self.options, self.names = (source, target), options, names
        self._surfaces: dict[tuple[int, Place], Surface] = {}
        self._between: dict[tuple[Place, Place], SurfaceRemap] = {}

    def between(self, source: Place, target: Place) -> SurfaceRemap:
        """RemapRows from one place of the source to one of the target."""
        if (source, target) not in self._between:
            surfaces = self._surface(0, source), self._surface(1, target)
            self._between[source, target] = SurfaceRemap(*surfaces, self.options)
        return self._between[source, target]

    def surface_of_source(self, place: Place) -> Surface:
        """Points of a place of the source."""
        return self._surface(0, place)

    def _surface(self, which: int, place: Place) -> Surface:
        if (which, place) not in self._surfaces:
            surface = Surface.of(self.grids[which], place, self.names[which])
            self._surfaces[which, place] = surface
        return self._surfaces[which, place]

    def __call__(self, source: Place, target: Place, j: Index, i: Index) -> RemapWeights:
        """Weights from a place of the source for points (j, i) of a place of the target."""
        return self.whole_rows(source, target, j, i).packed()

    def whole_rows(self, source: Place, target: Place, j: Index, i: Index) -> RemapRows:
        """The same as rows; refused where sea points of the target have none."""
        rows = self.between(source, target).rows(j, i)
        missing = (rows.counts == 0) & self._surface(1, target).wet[j, i]
        if missing.any():
            at = int(np.argmax(missing))
            x, y = (plane[j[at], i[at]] for plane in self._coordinates(target))
            raise UserError(
                f"{self.names[0]} does not cover {int(missing.sum())} of {j.size} points of"
                f" {self.names[1]}, the first at {x:g} E, {y:g} N. Let them be extrapolated, or"
                " take a source that covers them."
            )
        return rows

    def _coordinates(self, place: Place) -> tuple[Array, Array]:
        surface = self._surface(1, place)
        return surface.longitude, surface.latitude


def remapping(
    method: str,
    source: Grid,
    target: Grid,
    *,
    normalisation: str = "fracarea",
    extrapolation: str = "nearest",
    creep_rings: int = 4,
    names: tuple[str, str] = ("the source", "the target"),
) -> Callable[[Place, Place, Index, Index], RemapWeights]:
    """Weights between places of two grids by a method, for points (j, i) of the target."""
    options = RemapOptions(
        method=method,
        normalisation=normalisation,
        extrapolation=extrapolation,
        creep_rings=creep_rings,
    )
    return GridRemap(source, target, options, names)
