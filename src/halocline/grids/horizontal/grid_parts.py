"""A grid taken apart into words and arrays, as a file or a message can hold, and put together.

Only what grids are made of is put together again: nobody who sends parts can have other code run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.metrics import Curvilinear, Metrics
from halocline.grids.horizontal.projected import Projected
from halocline.grids.horizontal.projections import Conic, LatitudeLongitude, Mercator
from halocline.runtime.fields.topology import Reflections

Array = NDArray[Any]

kinds: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        *(Grid, Curvilinear, Projected, Metrics, Reflections),
        *(Conic, Mercator, LatitudeLongitude),
    )
}
"""What a grid is made of."""


def taken_apart(grid: Grid) -> tuple[dict[str, Any], list[Array]]:
    """Words of a grid, for JSON, and the arrays that they count."""
    arrays: list[Array] = []
    return _words_of(grid, arrays), arrays


def put_together(words: dict[str, Any], arrays: Sequence[Array]) -> Grid:
    """The grid of words and arrays.

    >>> sea = np.eye(2, 3) > 0
    >>> grid = Grid(x=np.arange(3.0), y=np.arange(2.0), depth=np.ones((2, 3)), mask=sea)
    >>> put_together(*taken_apart(grid)).mask.tolist()
    [[True, False, False], [False, True, False]]
    """
    found = _made_of(words, arrays)
    assert isinstance(found, Grid), f"these are parts of a {type(found).__name__}, not of a grid"
    return found


def _words_of(some: Any, arrays: list[Array]) -> dict[str, Any]:
    if isinstance(some, np.ndarray):
        arrays.append(some)
        return {"array": len(arrays) - 1}
    name = type(some).__name__
    if kinds.get(name) is type(some):
        names = [one.name for one in fields(some)] if is_dataclass(some) else some._fields
        return {"kind": name, "of": {one: _words_of(getattr(some, one), arrays) for one in names}}
    if isinstance(some, tuple):
        return {"tuple": [_words_of(one, arrays) for one in some]}
    if isinstance(some, np.generic):
        some = some.item()
    assert some is None or isinstance(some, bool | int | float | str), f"a grid has no {name}"
    return {"value": some}


def _made_of(words: dict[str, Any], arrays: Sequence[Array]) -> Any:
    if "array" in words:
        return arrays[words["array"]]
    if "kind" in words:
        parts = {name: _made_of(one, arrays) for name, one in words["of"].items()}
        return kinds[words["kind"]](**parts)
    if "tuple" in words:
        return tuple(_made_of(one, arrays) for one in words["tuple"])
    return words["value"]
