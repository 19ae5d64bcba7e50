"""Fields that others may fill, and the points of them that a rank owns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.sides import side_of

Array = NDArray[Any]
Index = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Port:
    """A field that others may fill: at its wet points, or at some (`points`, a global plane)."""

    field: Field
    points: NDArray[np.bool_] | None = None


@dataclass(frozen=True, eq=False)
class Sites:
    """Points of a place that a rank owns: of each block their numbers and where its arrays have
    them.

    Numbers count the values of the place row by row; those of sea points count cells.
    """

    numbers: tuple[Index, ...]
    places: tuple[Index, ...]

    @classmethod
    def of(cls, port: Port) -> Sites:
        """Those of a port."""
        field, side = port.field, side_of(port.field)
        if port.points is not None:
            chosen = [port.points.ravel()[some] for some in side.numbers]
        elif field.place.planar:
            chosen = [wet.reshape(-1, *wet.shape[-2:]).any(axis=0).ravel() for wet in field.wet]
        else:
            chosen = [np.ones(some.size, bool) for some in side.numbers]
        return cls(side.numbers, side.places).where(chosen)

    def where(self, chosen: Sequence[NDArray[np.bool_]]) -> Sites:
        """Some of them, by block."""
        both = self.numbers, self.places
        numbers, places = (
            tuple(some[here] for some, here in zip(one, chosen, strict=True)) for one in both
        )
        return Sites(numbers, places)

    def that(self, fits: Callable[[Index], NDArray[np.bool_]]) -> Sites:
        """Those whose numbers fit."""
        return self.where(self.by_block(fits(self.all)))

    @property
    def all(self) -> Index:
        """The numbers of all blocks, one after the other."""
        return np.concatenate([np.zeros(0, np.int64), *self.numbers])

    def put(self, values: Array, field: Field) -> None:
        """Set values (rows, points) of a field there; its halos are stale."""
        parts = self.by_block(values)
        layout = field.layout
        with field.memory.change(field.storage(layout).flat) as flats:
            for flat, places, part in zip(flats, self.places, parts, strict=True):
                flat[:, places] = part
        field.written()

    def read(self, field: Field) -> Array:
        """The values of a field there (rows, points)."""
        flats = field.storage(field.layout).read()
        found = [flat[:, places] for flat, places in zip(flats, self.places, strict=True)]
        rows = int(np.prod(field.outer))
        return np.concatenate([np.zeros((rows, 0), field.dtype), *found], axis=1)

    def by_block(self, values: Array) -> list[Array]:
        """Values of all points, last axis, by block."""
        ends = np.cumsum([some.size for some in self.numbers])
        return np.split(values, ends[:-1], axis=-1) if len(ends) else []


def cell_place(place: Place) -> Place:
    """Where on the grid values lie: sea points are cells."""
    return Place.center if place == Place.point else place
