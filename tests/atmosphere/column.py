"""Kernels of columns called with plain numbers and profiles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halocline.atmosphere import _native

Array = NDArray[Any]


def run_columns(
    kernel: str,
    count: int,
    arrays: Mapping[str, ArrayLike],
    numbers: Mapping[str, Any],
    extents: Mapping[str, int],
    dtype: type = np.float64,
) -> dict[str, Array]:
    """What a kernel writes for `count` columns; given arrays end with columns, or are alike in all.

    Each column stands twice in a row of the grid, so that both faces of the first have its values.
    Outputs begin as NaN.
    """
    made, contract = {}, _native.contracts[kernel]
    for name, access, place, *_, axes in contract:
        if place == "none":
            made[name] = np.ascontiguousarray(arrays[name], dtype)
            continue
        outer = tuple(extents[word] for word in axes.split())
        given = np.asarray(np.nan if access == "write" else arrays[name], float)
        given = given[..., None] if outer and given.ndim == len(outer) else given
        row = np.repeat(np.broadcast_to(given, (*outer, count)), 2, axis=-1)
        plane = np.repeat(row[..., None, :], 2, axis=-2)
        made[name] = np.ascontiguousarray(plane, dtype)
    getattr(_native, kernel)(box=(0, 1, 0, 2 * count - 1, 0), **made, **numbers)
    return {
        name: made[name][..., 0, ::2].astype(float)
        for name, access, *_ in contract
        if access != "read"
    }
