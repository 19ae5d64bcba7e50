"""Axes of fields before the horizontal ones: levels, tracers, components."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Axis:
    """One axis of a field: its name, extent, and what its entries stand for.

    An axis of levels may be `staggered`: entry k is the interface below level k, and there is one
    more than levels. The entries of an axis that is `dealt` (spectral components) are shared among
    the ranks in the layout `planes` of cards; it is the first of its field.

    >>> Axis("tracer", entries=("salt", "age"), entry_units=("1", "s")).size
    2
    """

    name: str
    size: int = 0
    coordinates: tuple[float, ...] = ()
    units: str = "1"  # of the coordinates
    entries: tuple[str, ...] = ()
    entry_units: tuple[str, ...] = ()
    staggered: bool = False
    dealt: bool = False

    def __post_init__(self) -> None:
        told = {len(x) for x in (self.coordinates, self.entries, self.entry_units) if x}
        if self.size:
            told.add(self.size)
        assert len(told) <= 1, f"axis '{self.name}' has entries of unequal number: {sorted(told)}"
        object.__setattr__(self, "size", told.pop() if told else 0)


def mismatch(named: Iterable[tuple[str, tuple[Axis, ...]]]) -> str:
    """What is wrong with axes of several fields that are used together; empty if nothing.

    Axes of one name have as many entries in all of them; interfaces are one more than levels.

    >>> mismatch([("salt", (Axis("depth", 4),)), ("w", (Axis("depth", 5, staggered=True),))])
    ''
    >>> mismatch([("salt", (Axis("depth", 4),)), ("volume", (Axis("depth", 3),))])
    "'salt' has 4 levels or entries along 'depth', 'volume' has 3"
    """
    first: dict[str, tuple[str, int]] = {}
    for field, axes in named:
        for axis in axes:
            size = axis.size - int(axis.staggered)
            other, known = (
                first.setdefault(axis.name, (field, size)) if axis.name else (field, size)
            )
            if size != known:
                return (
                    f"'{other}' has {known} levels or entries along '{axis.name}', '{field}' has"
                    f" {size}"
                )
    return ""


def sizes(axes: tuple[Axis, ...]) -> tuple[int, ...]:
    """Extents of axes."""
    return tuple(axis.size for axis in axes)
