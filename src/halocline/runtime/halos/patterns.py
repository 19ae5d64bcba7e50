"""Who gives what to whom for halos, apart from buffers and messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.runtime.fields.blocks import Block, Rectangle, World
from halocline.runtime.fields.decomposition import Layout
from halocline.runtime.fields.place import Place

Index32 = NDArray[np.int32]


@dataclass(frozen=True)
class Piece:
    """Values that one block takes from another: places in the flat arrays of both."""

    source: int  # place among this rank's blocks, -1 if remote
    target: int
    peer: int  # the other rank; this one where both blocks are here
    source_index: Index32
    target_index: Index32


@dataclass(frozen=True)
class Places:
    """Cells of a block's halo and where its flat array holds them."""

    cell_j: Any  # global cell that stands there
    cell_i: Any
    column: Any  # padded column
    index: Index32


class Pattern:
    """Who gives what to whom for halos of one depth.

    `stage` 0 fills all of a halo from the owners. Stage 1 fills east and west of the owned rows
    only, stage 2 then fills the rest from the north and south, corners included.
    """

    def __init__(
        self, layout: Layout, place: Place, depth: int, ranks: int, rank: int, stage: int = 0
    ) -> None:
        self.local: list[Piece] = []
        self.send: dict[int, list[Piece]] = {}
        self.receive: dict[int, list[Piece]] = {}
        mine = {b.number: at for at, b in enumerate(layout.blocks)}
        if not layout.blocks or not isinstance(layout.blocks[0], Block):
            return
        world = layout.blocks[0].world
        alone = ranks == 1 or layout.components is not None
        blocks = {b.number: b for b in layout.blocks if isinstance(b, Block)}
        for rectangle in world.rectangles:
            target = blocks.get(rectangle.number) or Block(world, rectangle)
            for give, source_index, target_index in _gifts(world, target, place, depth, stage):
                here, there = rectangle.number in mine, give.number in mine
                if not (here or there):
                    continue
                piece = Piece(
                    mine.get(give.number, -1),
                    mine.get(rectangle.number, -1),
                    rectangle.rank if there and not here else give.rank,
                    source_index,
                    target_index,
                )
                if here and there or alone:
                    self.local.append(piece)
                elif here:
                    self.receive.setdefault(give.rank, []).append(piece)
                else:
                    self.send.setdefault(rectangle.rank, []).append(piece)

    @property
    def targets(self) -> list[Piece]:
        """All pieces that fill a halo of this rank."""
        return self.local + [piece for pieces in self.receive.values() for piece in pieces]


def _gifts(
    world: World, target: Block, place: Place, depth: int, stage: int
) -> Iterator[tuple[Rectangle, Index32, Index32]]:
    """What each block gives to `target`: the giver, places there, places in the target."""
    places = _halo_places(target, place, depth, stage)
    owners = world.owner[places.cell_j, places.cell_i]
    if stage == 2:
        # The block of the same columns holds the whole row, corners included, after stage 1.
        owners = world.owner[places.cell_j, target.rectangle.i0]
    for owner in np.unique(owners[owners >= 0]):
        give = world.rectangles[owner]
        chosen = owners == owner
        cells = places.cell_j[chosen], places.cell_i[chosen]
        if stage == 2:
            row_length = Block(world, give).row_length
            row = cells[0] - give.j0 + world.halo
            source = np.ascontiguousarray(row * row_length + places.column[chosen], np.int32)
        else:
            source = _source_places(world, give, place, *cells)
        yield give, source, places.index[chosen]


def _halo_places(block: Block, place: Place, depth: int, stage: int) -> Places:
    """Padded cells of the halo up to `depth` that a stage fills."""
    if place == Place.point:
        points: Index32 = np.arange(block.owned_points, block.points).astype(np.int32)
        j, i = block.point_j[points], block.point_i[points]
        near = block.distance(j, i) <= depth
        index = points[near]
        j, i = j[near], i[near]
    else:
        j, i = np.indices(block.shape)[:, ~block.owned & block.inside]
        near = block.distance(j, i) <= depth
        if stage:
            beside = (j >= block.box[0]) & (j < block.box[1])
            near &= beside if stage == 1 else ~beside
        j, i = j[near], i[near]
        index = np.asarray(j * block.row_length + i, np.int32)
    return Places(block.cell_j[j, i], block.cell_i[j, i], i, index)


def _source_places(
    world: World, give: Rectangle, place: Place, cell_j: Any, cell_i: Any
) -> Index32:
    """Places of owned global cells in the flat array of the block that owns them."""
    if place == Place.point:
        places: Index32 = world.position[cell_j, cell_i]
        return np.ascontiguousarray(places)
    row_length = Block(world, give).row_length
    h = world.halo
    flat = (cell_j - give.j0 + h) * row_length + cell_i - give.i0 + h
    return np.ascontiguousarray(flat, np.int32)


def is_processor_grid(world: World) -> bool:
    """Whether the blocks are all cells of a grid of rows and columns, none left out."""
    rows = {(r.j0, r.j1) for r in world.rectangles}
    columns = {(r.i0, r.i1) for r in world.rectangles}
    cells = {(r.j0, r.j1, r.i0, r.i1) for r in world.rectangles}
    covered = sum((r.j1 - r.j0) * (r.i1 - r.i0) for r in world.rectangles)
    complete = covered == world.mask.size == int((world.owner >= 0).sum())
    return complete and len(rows) * len(columns) == len(cells) == len(world.rectangles)


def extended_box(block: Any, beyond: int) -> tuple[int, int, int, int, int]:
    """The box of a block with `beyond` cells more on every side that has neighbours."""
    j0, j1, i0, i1, points = block.box
    there = _owned_by_any(block, beyond)
    south, north = int(there[:j0].any()), int(there[j1:].any())
    west, east = int(there[:, :i0].any()), int(there[:, i1:].any())
    n = beyond
    return j0 - n * south, j1 + n * north, i0 - n * west, i1 + n * east, points


def _owned_by_any(block: Any, depth: int) -> NDArray[np.bool_]:
    """Padded cells up to `depth` outside the block that some block owns, its own included."""
    owners = block.world.owner[block.cell_j, block.cell_i]
    j, i = np.indices(block.shape)
    there: NDArray[np.bool_] = block.inside & (owners >= 0) & (block.distance(j, i) <= depth)
    return there


def can_extend(world: World, beyond: int) -> bool:
    """Whether every block's halo up to `beyond` is a frame of owned cells on whole sides."""
    for rectangle in world.rectangles:
        block = Block(world, rectangle)
        there = _owned_by_any(block, beyond)
        j0, j1, i0, i1, _ = extended_box(block, beyond)
        if not there[j0:j1, i0:i1].all():
            return False
    return True


def check_two_stages(layout: Layout, places: list[Place]) -> None:
    """Refuse two stages where they cannot work."""
    if Place.point in places:
        raise UserError(
            "Halos of compact points cannot be exchanged in two stages: a block keeps no points of"
            " its neighbours' corners in rows. Leave out 'two-stage'."
        )
    block = layout.blocks[0] if layout.blocks else None
    if not isinstance(block, Block) or not is_processor_grid(block.world):
        raise UserError(
            "Halos can be exchanged in two stages (east and west, then north and south) only where"
            " the blocks are a grid of rows and columns with no block left out; those of this run"
            " are not. Leave out 'two-stage'."
        )
