"""Vectors from grid to grid: by their Cartesian components, along the axes of the target.

The components (u, v) of a vector at a point of the source are u a + v b in space, with the unit
vectors a, b along the axes of its grid there. These are summed by weights, and of the sum the
parts along the axes of the target's grid are taken: nothing depends on longitudes that meet in a
pole, or on axes that turn round across a fold. What the sum has of a part across the sphere is of
second order in the distance of points, and left out.

Components on faces are brought to the centres between first, as u a alone is not smooth at a pole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, Self

import numpy as np

from halocline.core.errors import UserError
from halocline.grids.remapping.remap import GridRemap
from halocline.grids.remapping.rows import RemapRows
from halocline.grids.remapping.surface import Surface
from halocline.grids.remapping.weights import Array, Index, RemapWeights
from halocline.runtime.fields.place import Direction, Place, cells_beside

Component = Literal["x", "y"]
components: tuple[Component, Component] = ("x", "y")


Frame = Literal["geographic", "grid"]
"""What the two components of a vector go along: east and north, or the axes x and y of the grid."""


class Vector(NamedTuple):
    """A vector of a source and of a target: numbers of its two fields, and what they go along."""

    fields: tuple[int, int]
    given: Frame
    taken: Frame


@dataclass(frozen=True, eq=False)
class VectorWeights:
    """Weights for both components of vectors at target points, of both at the source's.

    `numbers` are those of the source points; `first` and `second` are sums over the values of the
    first component there, and after them those of the second.
    """

    numbers: Index
    first: RemapWeights
    second: RemapWeights

    @property
    def counts(self) -> Index:
        """How many terms each target has."""
        return self.first.counts

    @classmethod
    def of(
        cls, rows: RemapRows, surfaces: tuple[Surface, Surface], numbers: Index, vector: Vector
    ) -> Self:
        """Of rows for scalars at points of the target with these numbers."""
        used, place = np.unique(rows.numbers, return_inverse=True)
        place = place.reshape(-1).astype(np.int64)
        given = _along(surfaces[0], used, vector.given)
        taken = _along(surfaces[1], numbers, vector.taken)
        ends = np.cumsum(2 * rows.counts, dtype=np.int64)
        both = np.stack([place, place + used.size], axis=1).ravel()

        def component(to: Array) -> RemapWeights:
            cosines = [(to[rows.targets] * some[place]).sum(axis=1) for some in given]
            weights = np.stack([rows.weights * cosine for cosine in cosines], axis=1)
            return RemapWeights(np.arange(2 * used.size), ends, both, weights.ravel())

        return cls(used.astype(np.int64), component(taken[0]), component(taken[1]))


def _along(surface: Surface, numbers: Index, frame: Frame) -> tuple[Array, Array]:
    """Directions of both components at some points, shapes (n, 3)."""
    return surface.axes(numbers) if frame == "grid" else surface.east_and_north(numbers)


def vector_weights(
    remap: GridRemap,
    sources: tuple[Place, Place],
    target: Place,
    component: Component,
    points: tuple[Index, Index],
) -> tuple[RemapWeights, RemapWeights]:
    """Weights of u and of v for a component of the vector at points (j, i) of the target.

    Both components lie at one place of the source, or on its x and y faces; the component is the
    sum of both sums.
    """
    j, i = points
    together = sources[0] == sources[1]
    if not together and sources != (Place.x_face, Place.y_face):
        raise UserError(
            f"Components of a vector at {sources[0].value} and {sources[1].value} places cannot be"
            " remapped. Give both at one place, or on x and y faces."
        )
    place = sources[0] if together else Place.center
    between, rows = remap.between(place, target), remap.whole_rows(place, target, j, i)
    numbers = j * between.target.shape[1] + i
    parts = turned(rows, between.source, between.target, numbers, component)
    if not together:
        parts = [
            part.expanded(*_from_faces(remap, between.source, lies_at, along, part.numbers))
            for part, along, lies_at in zip(parts, components, sources, strict=True)
        ]
    return parts[0].packed(), parts[1].packed()


def turned(
    rows: RemapRows, source: Surface, target: Surface, numbers: Index, component: Component
) -> list[RemapRows]:
    """Rows of both components of vectors for one at target points, of rows for scalars there."""
    to = target.axes(numbers)[components.index(component)]
    used, place = np.unique(rows.numbers, return_inverse=True)
    found = []
    for axis in source.axes(used):
        cosine = (to[rows.targets] * axis[place.reshape(-1)]).sum(axis=1)
        found.append(RemapRows(rows.counts, rows.numbers, rows.weights * cosine))
    return found


def _from_faces(
    remap: GridRemap, centers: Surface, place: Place, along: Direction, numbers: Index
) -> tuple[Index, RemapRows]:
    """Centres that are used, and rows for a component there as the mean of those on its two faces.

    Faces at a pole have no such component: the other one counts alone.
    """
    used = np.unique(numbers)
    faces = remap.surface_of_source(place)
    columns = faces.shape[1]
    j, i = np.divmod(used, centers.shape[1])
    found = []
    for b, a in cells_beside(place):
        there = centers.topology.resolve(place, j - b, i - a)
        number = there.j * columns + there.i
        counts = there.inside & (np.abs(faces.latitude[there.j, there.i]) < 90.0 - 1e-9)
        found.append((np.where(counts, number, -1), there.sign(along).astype(np.float64)))
    all_numbers, signs = (np.stack(some, axis=1) for some in zip(*found, strict=True))
    order = np.argsort(all_numbers, axis=1, kind="stable")
    all_numbers = np.take_along_axis(all_numbers, order, axis=1)
    signs = np.take_along_axis(signs, order, axis=1)
    known = all_numbers >= 0
    terms = known.sum(axis=1)
    weights = signs / np.maximum(terms, 1)[:, None]
    return used, RemapRows(terms, all_numbers[known], weights[known])
