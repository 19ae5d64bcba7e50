"""Ends of transfers that are fields: which points of the grid lie where in their arrays."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

import numpy as np

from halocline.runtime.fields.blocks import Block, Hand
from halocline.runtime.fields.decomposition import Layout
from halocline.runtime.fields.ownership import places_of
from halocline.runtime.fields.place import Place
from halocline.runtime.transfer.side import Index, Side
from halocline.runtime.transfer.transfer import Flats, Transfer

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
    components = np.arange(field.outer[0]) if field.by_component else None
    if components is not None and layout.components is not None:
        components = layout.components.astype(np.int64)
    return Side(tuple(n for n, _ in held), tuple(p for _, p in held), components)


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
    numbers = places_of(world.owned(block.rectangle, place), world.topology.shape(place)[1])
    return numbers, places_of(block.box_of(place)[:4], block.row_length)


def move_values(transfer: Transfer, given: Sequence[Field], wanted: Sequence[Field]) -> None:
    """Bring the newest values of fields to others; halos there are stale afterwards."""
    flats = [field.storage(field.layout).read() for field in given]
    with ExitStack() as changes:
        into = [
            changes.enter_context(field.memory.change(field.storage(field.layout).flat))
            for field in wanted
        ]
        transfer(flats, into)
    for field in wanted:
        field.written()


def read_values(transfer: Transfer, given: Field, wanted: Sequence[Flats] | None) -> None:
    """Bring the newest values of a field to arrays of the host."""
    transfer([given.storage(given.layout).read()], wanted)


def put_values(transfer: Transfer, given: Sequence[Flats] | None, wanted: Field) -> None:
    """Bring values of arrays of the host to a field; its halo is stale afterwards."""
    with wanted.memory.change(wanted.storage(wanted.layout).flat) as into:
        transfer(given, [into])
    wanted.written()
