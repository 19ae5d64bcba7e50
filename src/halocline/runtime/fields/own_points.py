"""Which sea points of the whole grid a rank needs values at."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.decomposition import Decomposition, Layout
from halocline.runtime.fields.place import Place

Index = NDArray[np.int64]


def owned_numbers(*layouts: Layout) -> Index:
    """Ascending global numbers of the sea points that this rank owns in any of the layouts."""
    parts = [block.sea_numbers[: block.owned_points] for x in layouts for block in x.blocks]
    return np.unique(np.concatenate(parts)).astype(np.int64)


def numbers_around(decomposition: Decomposition, reach: int) -> Index:
    """The same, and the points within `reach` of the padded cells of the blocks."""
    world = decomposition.world
    near = np.zeros(world.mask.shape, bool)
    for block in decomposition.planes.blocks:
        if not isinstance(block, Block):
            continue
        r, h = block.rectangle, block.halo + reach
        j, i = np.mgrid[r.j0 - h : r.j1 + h, r.i0 - h : r.i1 + h]
        cell_j, cell_i, inside = world.topology.resolve(Place.center, j, i)[:3]
        near[cell_j[inside], cell_i[inside]] = True
    around = world.numbers_of(*np.nonzero(near & world.mask)).astype(np.int64)
    return np.union1d(around, owned_numbers(decomposition.home))
