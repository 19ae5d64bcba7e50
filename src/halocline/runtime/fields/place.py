"""Where on the horizontal grid a value lies."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

Direction = Literal["", "x", "y"]
"""Along which axis of the grid a component of a vector points; none of a scalar."""


class Place(StrEnum):
    """Horizontal place of a field or of an argument of a kernel.

    Face i lies west of centre i, face j south, corner south-west. `point` is a compact list of sea
    points (centres), `none` has no horizontal place (tables).

    >>> Place("x_face").planar, Place.point.planar
    (True, False)
    """

    center = "center"  # type: ignore[assignment]
    x_face = "x_face"
    y_face = "y_face"
    corner = "corner"
    point = "point"
    none = "none"

    @property
    def planar(self) -> bool:
        """Whether values lie on whole planes, land included."""
        return self not in (Place.point, Place.none)

    @property
    def between_rows(self) -> bool:
        """Whether values lie between rows of cells."""
        return self in (Place.y_face, Place.corner)

    @property
    def between_columns(self) -> bool:
        """Whether values lie between columns of cells."""
        return self in (Place.x_face, Place.corner)


def cells_beside(place: Place) -> list[tuple[int, int]]:
    """Offsets (j, i) of the cells that a value of a planar place lies in or between.

    >>> cells_beside(Place.x_face)
    [(0, -1), (0, 0)]
    """
    rows = [-1, 0] if place.between_rows else [0]
    columns = [-1, 0] if place.between_columns else [0]
    return [(j, i) for j in rows for i in columns]
