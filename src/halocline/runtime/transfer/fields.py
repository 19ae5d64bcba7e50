"""Ends of transfers that are fields: which cells of the grid lie where in their arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halocline.runtime.fields.blocks import Block, Hand
from halocline.runtime.fields.decomposition import Layout
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.transfer.side import Index, Side
from halocline.runtime.transfer.transfer import Transfer


def side_of(field: Field, layout: Layout | None = None) -> Side:
    """What this rank owns of a field, in its newest layout or another.

    Global numbers are those of cells, row by row, for fields on points as for those on cells: a
    transfer may go from one to the other.
    """
    assert field.place in (Place.point, Place.center), f"{field.name} lies on no points or cells"
    layout = layout or field.layout
    held = [_held(block, field.place == Place.point) for block in layout.blocks]
    components = None
    if field.by_component:
        components = np.arange(field.outer[0])
        if layout.components is not None:
            components = layout.components.astype(np.int64)
    return Side(tuple(n for n, _ in held), tuple(p for _, p in held), components)


def _held(block: Block | Hand, points: bool) -> tuple[Index, Index]:
    """Numbers of the owned cells, and their places in a flat array."""
    world = block.world
    if isinstance(block, Hand):
        sea = np.flatnonzero(world.mask)
        return sea[block.sea_numbers], np.arange(block.owned_points)
    count, columns = block.owned_points, world.mask.shape[1]
    numbers = block.cell_j.astype(np.int64) * columns + block.cell_i
    if points:
        return numbers[block.point_j[:count], block.point_i[:count]], np.arange(count)
    j, i = np.nonzero(block.owned)
    return numbers[j, i], j * block.row_length + i


def move_values(transfer: Transfer, given: Sequence[Field], wanted: Sequence[Field]) -> None:
    """Bring the newest values of fields to others; halos there are stale afterwards."""
    flats = ([f.storage(f.layout).flat for f in fields] for fields in (given, wanted))
    transfer(*flats)
    for field in wanted:
        field.written()
