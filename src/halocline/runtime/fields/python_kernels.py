"""Kernels written in Python: a function of arrays, and what it touches.

>>> @kernel(height=read(Place.center, "m", west=1), slope=write(Place.x_face, "m"))
... def difference(at, height, slope):
...     at(slope)[...] = at(height) - at(height, i=-1)
>>> [(argument.name, argument.reach) for argument in difference.arguments]
[('height', (-1, 0, 0, 0)), ('slope', (0, 0, 0, 0))]
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from numpy.typing import NDArray

from halocline.runtime.fields.kernel import Argument, Box, Kernel
from halocline.runtime.fields.place import Place

Declared = Callable[[str], Argument]


def read(
    place: Place,
    units: str,
    axes: str = "",
    *,
    west: int = 0,
    east: int = 0,
    south: int = 0,
    north: int = 0,
) -> Declared:
    """An argument that is read, so many cells beyond its own place to each side.

    `axes` are words for its axes before the horizontal ones, as in "tracer depth".
    """
    return _declared("read", place, units, axes, (-west, east, -south, north))


def write(place: Place, units: str, axes: str = "") -> Declared:
    """An argument that is written whatever it held."""
    return _declared("write", place, units, axes)


def update(place: Place, units: str, axes: str = "") -> Declared:
    """An argument that is changed at its own place."""
    return _declared("update", place, units, axes)


def _declared(
    access: str,
    place: Place,
    units: str,
    axes: str,
    reach: tuple[int, int, int, int] = (0, 0, 0, 0),
) -> Declared:
    words = tuple(axes.split())
    return lambda name: Argument(name, access, place, units, reach, "own", axes=words)


def kernel(**declared: Declared) -> Callable[[Callable[..., None]], Kernel]:
    """Make a kernel of a function `f(at, field, ..., scalar, ...)`.

    `at(array, j=0, i=0)` is the part of an array on the cells to compute, moved by j rows and i
    columns. Faces i lie west of centres i, faces j south of centres j.
    """

    def made(function: Callable[..., None]) -> Kernel:
        def called(*, box: Box, **arguments: Any) -> None:
            function(partial(_at, box), **arguments)

        arguments = tuple(some(name) for name, some in declared.items())
        return Kernel(function.__name__, arguments, called)

    return made


def _at(box: Box, array: NDArray[Any], j: int = 0, i: int = 0) -> NDArray[Any]:
    j0, j1, i0, i1, _ = box
    return array[..., j0 + j : j1 + j, i0 + i : i1 + i]
