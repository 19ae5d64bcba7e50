"""Tracers at the start: shapes for the rotation, smooth layers for a whole ocean."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from halocline.biogeochemistry.circulation import angular_distance
from halocline.core.errors import UserError, nearest
from halocline.grids.sphere import degree

Array = NDArray[np.float64]
shape_radius = 12.0 * degree
"""Radius of the shapes [rad]."""


def _bell(distance: Array, bearing: Array) -> Array:
    return np.where(distance < 1, 0.5 * (1 + np.cos(math.pi * np.minimum(distance, 1))), 0.0)


def _gaussian(distance: Array, bearing: Array) -> Array:
    return np.exp(-((2.5 * distance) ** 2))


def _cone(distance: Array, bearing: Array) -> Array:
    return np.maximum(1.0 - distance, 0.0)


def _slotted_cylinder(distance: Array, bearing: Array) -> Array:
    across, along = distance * np.sin(bearing), distance * np.cos(bearing)
    slot = (np.abs(across) < 0.25) & (along < 0.4)
    return ((distance < 1) & ~slot).astype(float)


def _constant(distance: Array, bearing: Array) -> Array:
    return np.ones_like(distance)


shapes: dict[str, Callable[[Array, Array], Array]] = {
    "bell": _bell,
    "gaussian": _gaussian,
    "cone": _cone,
    "slotted_cylinder": _slotted_cylinder,
    "constant": _constant,
}
"""By name; arguments are the distance over the radius of the shape and the bearing [rad]."""


def check_shape(name: str) -> None:
    """Refuse a name that no shape has."""
    known = [*shapes, "layers"]
    if name not in known:
        raise UserError(
            f"Unknown start of a tracer '{name}'.{nearest(name, known)} Known: {', '.join(known)}."
        )


def starting(
    name: str, number: int, x: Array, y: Array, depth: Array, centre: tuple[float, float]
) -> Array:
    """Values of one tracer, shape (nk, ...) for planes x, y [degree] and levels of `depth` [m].

    Shapes lie around `centre` (longitude, latitude) [degree], alike on all levels; "layers" are
    waves over latitude and a decay over depth that differ from `number` to `number`.
    """
    if name == "layers":
        wave = 1.0 + 0.5 * np.sin((1 + number % 7) * y * degree + 0.1 * number)
        return wave * np.exp(-depth / (200.0 + 100.0 * (number % 13)))[:, None, None]
    distance = angular_distance(x, y, *centre) / shape_radius
    bearing = np.arctan2((x - centre[0]) * np.cos(y * degree), y - centre[1])
    plane = shapes[name](distance, bearing)
    return np.broadcast_to(plane, (depth.size, *plane.shape))
