"""Where on the horizontal grid a value lies."""

from __future__ import annotations

from enum import StrEnum


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
