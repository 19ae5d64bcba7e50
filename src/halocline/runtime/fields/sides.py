"""Ends of transfers that are fields: which points of the grid lie where in their arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from halocline.runtime.fields.blocks import Block, Hand
from halocline.runtime.fields.decomposition import Layout
from halocline.runtime.fields.place import Place
from halocline.runtime.transfer.side import Index, Side
from halocline.runtime.transfer.transfer import Transfer

if TYPE_CHECKING:
    from halocline.runtime.fields.field import Field


def side_of(field: Field, layout: Layout | None = None) -> Side:
    """What this rank owns of a field, in its newest layout or another.

    Global numbers count the values of a place row by row, those of cells for fields on sea points
    too: a transfer may go from one to the other. A double on a fold is a point of its own.
    """
    assert field.place != Place.none, f"{field.name} has no horizontal place"
    layout = layout or field.layout
    held = [_held(block, field.place) for block in layout.blocks]
    components = _every_component(field)
    if components is not None and layout.components is not None:
        components = layout.components.astype(np.int64)
    return Side(tuple(n for n, _ in held), tuple(p for _, p in held), components)


def whole_side_of(field: Field) -> Side:
    """The end that a global array (rows, points) of a field is, which one rank may have."""
    if field.place == Place.point:
        numbers = np.flatnonzero(field.decomposition.world.mask)
    else:
        numbers = np.arange(int(np.prod(field.space.shape(field.place))))
    return Side((numbers,), (np.arange(numbers.size),), _every_component(field))


def _every_component(field: Field) -> Index | None:
    return np.arange(field.outer[0]) if field.by_component else None


def _held(block: Block | Hand, place: Place) -> tuple[Index, Index]:
    """Numbers of the values that a block owns, and their places in a flat array."""
    world = block.world
    if isinstance(block, Hand):
        sea = np.flatnonzero(world.mask)
        return sea[block.sea_numbers], np.arange(block.owned_points)
    if place == Place.point:
        here = block.point_j[: block.owned_points], block.point_i[: block.owned_points]
        j, i = block.cell_j[here].astype(np.int64), block.cell_i[here]
        return j * world.mask.shape[1] + i, np.arange(block.owned_points)
    g0, g1, h0, h1 = world.owned(block.rectangle, place)
    j0, j1, i0, i1, _ = block.box_of(place)
    numbers = _places(g0, g1, h0, h1, world.topology.shape(place)[1])
    return numbers, _places(j0, j1, i0, i1, block.row_length)


def _places(j0: int, j1: int, i0: int, i1: int, row_length: int) -> Index:
    """Places of rows [j0, j1) and columns [i0, i1) in a flat array with rows of such a length."""
    return (np.arange(j0, j1)[:, np.newaxis] * row_length + np.arange(i0, i1)).ravel()


def move_values(transfer: Transfer, given: Sequence[Field], wanted: Sequence[Field]) -> None:
    """Bring the newest values of fields to others; halos there are stale afterwards."""
    flats = ([f.storage(f.layout).flat for f in fields] for fields in (given, wanted))
    transfer(*flats)
    for field in wanted:
        field.written()
