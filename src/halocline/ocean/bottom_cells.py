"""The lowest cells of columns, which may be thinner than their level (see `bottom_cells.hpp`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from halocline.grids.vertical.levels import VerticalGrid
from halocline.ocean.metrics import least_around
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place

if TYPE_CHECKING:
    from halocline.ocean.model import OceanState

Array = NDArray[np.float64]


def bottom_share(levels: VerticalGrid) -> Array:
    """Share of its level that the lowest cell of a column has [1], 1 on land; shape (nj, ni)."""
    assert levels.bottom_thickness is not None
    whole = levels.thickness[levels.thickness.size - np.maximum(levels.wet_levels, 1)]
    return np.where(levels.mask, levels.bottom_thickness / whole, 1.0)


def corner_bottom_share(levels: VerticalGrid) -> Array:
    """The same of velocity cells: the least of those around that end at their lowest level."""
    lowest = least_around(levels, levels.wet_levels)
    wet = levels.topology.widened(levels.wet_levels, (1, 1, 1, 1))
    share = levels.topology.widened(bottom_share(levels), (1, 1, 1, 1))
    result = np.ones(lowest.shape)
    rows, columns = lowest.shape
    for j in (0, 1):
        for i in (0, 1):
            here = np.s_[j : j + rows, i : i + columns]
            result = np.where(wet[here] == lowest, np.minimum(result, share[here]), result)
    return np.where(lowest > 0, result, 1.0)


def corner_shares(levels: VerticalGrid) -> Array:
    """Share of its level that every velocity cell has [1], shape (nk, nj, ni) of corners."""
    if levels.bottom_thickness is None:
        return np.ones((levels.thickness.size, 1, 1))
    floor = levels.thickness.size - least_around(levels, levels.wet_levels)
    return _spread(floor, corner_bottom_share(levels), levels.thickness.size)


def shares_of_blocks(floor: Field, share: Field | None, levels: int) -> list[Array]:
    """The same from planes of the state, for every block; ones where all cells are whole."""
    if share is None:
        return [np.ones((levels, 1, 1)) for _ in floor.read()]
    planes = zip(floor.read(), share.read(), strict=True)
    return [_spread(lowest, thin.astype(np.float64), levels) for lowest, thin in planes]


def _spread(floor: NDArray[np.generic], share: Array, levels: int) -> Array:
    return np.where(np.arange(levels)[:, None, None] == floor, share, 1.0)


def add_bottom_cells(s: OceanState, levels: VerticalGrid) -> None:
    """Planes of a state that say how thin the lowest cells are; none where all are whole."""
    s.bottom_share = s.corner_bottom_share = s.pressure_slope = None
    if levels.bottom_thickness is None:
        return
    s.add_static("bottom_share", "1", Place.center, bottom_share(levels))
    s.add_static("corner_bottom_share", "1", Place.corner, corner_bottom_share(levels))
    s.add("pressure_slope", "m s-2", Place.center, s.levels)


def lift_to_thin_cells(s: OceanState, first: int, last: int) -> None:
    """Bring tracers of thin cells from the centre of their level to their own.

    Tracers `first` to `last` - 1 take the value there of the straight line to the cell above; a
    call for all ranks.
    """
    if s.bottom_share is None:
        return
    thickness, spacing = (f.read()[0].astype(np.float64) for f in (s.thickness, s.spacing))
    count = thickness.size
    shares = shares_of_blocks(s.floor_level, s.bottom_share, count)
    with s.tracer.change() as owned:
        for tracer, share in zip(owned, shares, strict=True):
            for k in range(count - 1):
                part = 0.5 * thickness[k] * (1.0 - share[k]) / spacing[k + 1]
                here, above = tracer[first:last, k], tracer[first:last, k + 1]
                here += (part * (above - here)).astype(here.dtype)
