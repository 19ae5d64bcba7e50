"""Kernels as Python sees them: a native function and the contract that says what it touches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from types import ModuleType
from typing import Any

from numpy.typing import NDArray

from halocline.runtime.fields.freshness import Depths
from halocline.runtime.fields.place import Place

Array = NDArray[Any]
Box = tuple[int, int, int, int, int]  # j0, j1, i0, i1, points


@dataclass(frozen=True)
class Argument:
    """One array argument of a kernel, as its C++ contract states it.

    `axes` are the words for its axes before the horizontal ones; None says nothing of them.
    """

    name: str
    access: str  # read, write, update
    place: Place
    units: str
    reach: tuple[int, int, int, int]  # west, east, south, north, as signed offsets
    column: str  # own, whole
    optional: bool = False  # a result that a caller may do without
    axes: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", Place(self.place))

    @property
    def depth(self) -> int:
        """Depth of halo that the kernel reads [cells]."""
        return max(abs(offset) for offset in self.reach)

    @property
    def depths(self) -> Depths:
        """How far to the west, east, south and north it is read [cells]."""
        west, east, south, north = self.reach
        return max(-west, 0), max(east, 0), max(-south, 0), max(north, 0)

    @property
    def writes(self) -> bool:
        return self.access != "read"


Call = tuple[Any, ...]
"""A box, and the arrays of one block in the order of the contract; None for what nobody wants."""


@dataclass(frozen=True)
class Version:
    """A kernel as it is compiled for some types of numbers.

    `takes` has the type and the number of axes of each array. `bind` gives a function of the
    scalars that does calls, again and again.
    """

    takes: tuple[tuple[str, int], ...]
    bind: Callable[[list[Call]], Callable[..., None]]

    def fits(self, dtypes: Sequence[str | None]) -> bool:
        """Whether the arrays have its types of numbers; None fits all."""
        pairs = zip(self.takes, dtypes, strict=True)
        return all(given is None or given == wanted for (wanted, _), given in pairs)


@dataclass(frozen=True)
class Kernel:
    """A native function with its contract. The runner calls it once for every local block.

    A function of Python has no `versions`: it takes what it is given.
    """

    name: str
    arguments: tuple[Argument, ...]
    function: Callable[..., Any]
    versions: tuple[Version, ...] = ()

    def bound(self, calls: list[Call]) -> Callable[..., None]:
        """A function of the scalars that does these calls; see `running/checks.py` for checks."""
        if not self.versions:
            return partial(self._call_python, calls)
        if not calls:
            return partial(_nothing)
        dtypes = [None if array is None else array.dtype.name for array in calls[0][1:]]
        return next(one for one in self.versions if one.fits(dtypes)).bind(calls)

    def _call_python(self, calls: list[Call], **scalars: Any) -> None:
        names = [argument.name for argument in self.arguments]
        for box, *arrays in calls:
            self.function(box=box, **dict(zip(names, arrays, strict=True)), **scalars)

    @property
    def horizontal(self) -> bool:
        """Whether any argument is read beyond its own place, or lies on whole planes."""
        return any(argument.depth or argument.place.planar for argument in self.arguments)

    @property
    def splits(self) -> bool:
        """Whether any boxes of cells may be computed, one after another, with the same answer.

        So it is where all that is written lies on cells, and nothing that is written is read beyond
        its own place.
        """
        places = {argument.place for argument in self.arguments}
        return (
            Place.point not in places
            and places != {Place.none}
            and not any(a.writes and (a.place == Place.none or a.depth) for a in self.arguments)
        )

    @property
    def place(self) -> Place:
        """Whose owned box is computed: the place of all that is written, centres if they differ.

        Of what only adds up it is the place of all that is read.
        """
        placed = [argument for argument in self.arguments if argument.place != Place.none]
        places = {argument.place for argument in placed if argument.writes}
        places = places or {argument.place for argument in placed}
        return places.pop() if len(places) == 1 else Place.center

    def bytes_of(self, call: Call) -> int:
        """Bytes that a call must move: what is read once, written once, updated twice."""
        (j0, j1, i0, i1, points), *arrays = call
        size = 0
        for argument, array in zip(self.arguments, arrays, strict=True):
            if array is None:
                continue
            values = array.size
            if argument.place == Place.point:
                values = values // max(1, array.shape[-1]) * points
            elif argument.place != Place.none:
                values = values // max(1, array.shape[-1] * array.shape[-2]) * (j1 - j0) * (i1 - i0)
            size += values * array.itemsize * (2 if argument.access == "update" else 1)
        return size

    def inner(self, box: Box) -> Box:
        """The part of a box that reads no halo."""
        reaches = [argument.reach for argument in self.arguments]
        west, south = (max(-reach[side] for reach in reaches) for side in (0, 2))
        east, north = (max(reach[side] for reach in reaches) for side in (1, 3))
        j0, j1, i0, i1, points = box
        return j0 + max(south, 0), j1 - max(north, 0), i0 + max(west, 0), i1 - max(east, 0), points


def rim(box: Box, inner: Box) -> list[Box]:
    """What of a box is not in its inner part: south, north, west, east.

    >>> rim((0, 4, 0, 4, 0), (1, 3, 0, 3, 0))
    [(0, 1, 0, 4, 0), (3, 4, 0, 4, 0), (1, 3, 3, 4, 0)]
    """
    j0, j1, i0, i1, points = box
    a0, a1, b0, b1, _ = inner
    sides = [(j0, a0, i0, i1), (a1, j1, i0, i1), (a0, a1, i0, b0), (a0, a1, b1, i1)]
    return [(*side, points) for side in sides if side[0] < side[1] and side[2] < side[3]]


def _nothing(**_: Any) -> None:
    """What a rank without blocks does."""


class RoomKernels(Mapping[str, Kernel]):
    """All kernels of a room's extension module, by name; it is looked at when one is asked for."""

    def __init__(self, native: ModuleType) -> None:
        self._native = native

    @cached_property
    def _known(self) -> dict[str, Kernel]:
        native = self._native
        return {
            name: Kernel(
                name,
                tuple(_argument(*a) for a in arguments),
                getattr(native, name),
                tuple(Version(tuple(takes), bind) for takes, bind in native.bindings[name]),
            )
            for name, arguments in native.contracts.items()
        }

    def __getitem__(self, name: str) -> Kernel:
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def kernels_of(native: ModuleType) -> RoomKernels:
    """Those of a room."""
    return RoomKernels(native)


def _argument(name: str, access: str, place: str, units: str, *more: Any) -> Argument:
    at = Place.center if place == "interface" else Place(place)
    reach, column, optional, axes = more
    return Argument(name, access, at, units, reach, column, optional, tuple(axes.split()))
