"""Who gives what to whom for halos, apart from buffers and messages.

A rank looks at the halos of its own blocks and at those of the few blocks that may take from them,
found by arithmetic on rectangles: its work does not grow with the number of ranks, but for one
comparison of all rectangles with its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.runtime.fields.blocks import Block, Rectangle, World
from halocline.runtime.fields.decomposition import Layout
from halocline.runtime.fields.freshness import Depths
from halocline.runtime.fields.place import Direction, Place
from halocline.runtime.fields.topology import Cells, Index
from halocline.runtime.ranks.communicator import Communicator

Index32 = NDArray[np.int32]
nothing: Index32 = np.zeros(0, np.int32)


@dataclass(frozen=True)
class Piece:
    """Values that one block takes from another: places in the flat arrays of those that are here.

    The places of a block of another rank are unknown here, its list is empty.
    """

    source: int  # place among this rank's blocks, -1 if remote
    target: int
    peer: int  # the other rank; this one where both blocks are here
    source_index: Index32
    target_index: Index32

    @property
    def values(self) -> int:
        """How many values of a row."""
        return max(self.source_index.size, self.target_index.size)


class Pattern:
    """Who gives what to whom for halos of a place, so deep to west, east, south and north.

    `stage` 0 fills all of a halo from the owners. Stage 1 fills east and west of the owned rows
    only, stage 2 then fills the rest from the north and south, corners included. `turned` are, by
    direction and block of this rank, places where components of vectors change sign, beyond a fold,
    mirror or pole; `doubles` those on a fold that the block holds among its own but another point
    owns.
    """

    def __init__(
        self, layout: Layout, place: Place, depths: Depths, ranks: int, rank: int, stage: int = 0
    ) -> None:
        self.local: list[Piece] = []
        self.send: dict[int, list[Piece]] = {}
        self.receive: dict[int, list[Piece]] = {}
        self.turned: dict[Direction, dict[int, Index32]] = {"x": {}, "y": {}}
        self.doubles: dict[int, Index32] = {}
        own = {b.number: at for at, b in enumerate(layout.blocks) if isinstance(b, Block)}
        blocks = {b.number: b for b in layout.blocks if isinstance(b, Block)}
        if not own or not any(depths):
            return
        world = next(iter(blocks.values())).world
        alone = ranks == 1 or layout.components is not None
        margin = max(depths) + 1
        around = {number: world.near(block.rectangle, margin) for number, block in blocks.items()}
        for number in np.unique(np.concatenate(list(around.values()))).tolist():
            target = world.rectangles[number]
            halo = Halo(world, target, place, depths, stage)
            givers = around[number] if number in own else np.array(sorted(own))
            index = nothing
            if number in own:
                index = _places(blocks[number], place, halo.j, halo.i)
                self.doubles[own[number]] = index[halo.double]
            given = np.zeros(halo.j.shape, bool)
            for giver in givers.tolist():
                give = world.rectangles[giver]
                chosen = halo.given_by(give)
                if not chosen.any():
                    continue
                given |= chosen
                here, there = giver in own, number in own
                source = nothing
                if here:
                    source = _places(blocks[giver], place, halo.from_j[chosen], halo.from_i[chosen])
                piece = Piece(
                    own.get(giver, -1),
                    own.get(number, -1),
                    target.rank if here and not there else give.rank,
                    source,
                    index[chosen] if there else nothing,
                )
                if here and there or alone:
                    self.local.append(piece)
                elif there:
                    self.receive.setdefault(give.rank, []).append(piece)
                else:
                    self.send.setdefault(target.rank, []).append(piece)
            for direction, turned in self.turned.items():
                changed = given & (halo.points.sign(direction) < 0)
                if number in own and changed.any():
                    turned[own[number]] = index[changed]

    @property
    def targets(self) -> list[Piece]:
        """All pieces that fill a halo of this rank."""
        return self.local + [piece for pieces in self.receive.values() for piece in pieces]

    def halo(self, at: int) -> Index32:
        """Places of all that is filled around a block of this rank, doubles left out."""
        filled = [piece.target_index for piece in self.targets if piece.target == at]
        return np.setdiff1d(np.concatenate([nothing, *filled]), self.doubles.get(at, nothing))


class Halo:
    """Points around what a block owns of a place, and where they come from; one entry for each.

    `j`, `i` are global row and column as the block counts them, beyond the sides too; `from_j`,
    `from_i` those that the giver counts. `cell_j`, `cell_i` is a cell of the giver. Points on land
    are left out of compact lists.
    """

    def __init__(
        self, world: World, target: Rectangle, place: Place, depths: Depths, stage: int
    ) -> None:
        topology = world.topology
        owned = world.owned(target, place)
        assert max(depths) <= world.halo, f"{depths} of '{place}' are deeper than the halo"
        j, i = _around(target, owned, depths, world.halo)
        seam = topology.seam(place)
        if seam is not None and target.j1 == topology.nj:
            j = np.concatenate([j, np.full(owned[3] - owned[2], seam)])
            i = np.concatenate([i, np.arange(owned[2], owned[3])])
        points = topology.resolve(place, j, i)
        double = (j >= owned[0]) & (j < owned[1]) & (i >= owned[2]) & (i < owned[3])
        wanted = points.inside & (~double | points.turned)
        if not place.planar:
            wanted &= world.mask[points.j, points.i]
        if stage:
            beside = (j >= owned[0]) & (j < owned[1])
            wanted &= beside if stage == 1 else ~beside
        self.j, self.i, self.double = j[wanted], i[wanted], double[wanted]
        self.points = points.some(wanted)
        self.from_j, self.from_i = self.points.j, self.points.i
        self.cell_j = np.minimum(self.from_j, topology.nj - 1)
        self.cell_i = np.minimum(self.from_i, topology.ni - 1)
        if stage == 2:
            # The block of the same columns holds the whole row, corners included, after stage 1;
            # what lies beyond a fold, mirror or pole comes from its owner.
            straight = ~self.points.turned
            self.from_i = np.where(straight, self.i, self.from_i)
            self.cell_i = np.where(straight, target.i0, self.cell_i)

    def given_by(self, give: Rectangle) -> NDArray[np.bool_]:
        """Which of the points a block gives."""
        j, i = self.cell_j, self.cell_i
        return (j >= give.j0) & (j < give.j1) & (i >= give.i0) & (i < give.i1)


def _around(target: Rectangle, owned: Cells, depths: Depths, halo: int) -> tuple[Index, Index]:
    """Rows and columns around what a block owns, in its padded plane, row by row."""
    j0, j1, i0, i1 = owned
    west, east, south, north = depths
    first_j, last_j = j0 - south, min(j1 + north, target.j1 + halo)
    first_i, last_i = i0 - west, min(i1 + east, target.i1 + halo)
    whole = np.arange(first_i, last_i)
    sides = np.concatenate([np.arange(first_i, i0), np.arange(i1, last_i)])
    strips = [
        (np.arange(first_j, j0), whole),
        (np.arange(j0, j1), sides),
        (np.arange(j1, last_j), whole),
    ]
    j = np.concatenate([np.repeat(rows, columns.size) for rows, columns in strips])
    i = np.concatenate([np.tile(columns, rows.size) for rows, columns in strips])
    return j, i


def _places(block: Block, place: Place, j: Index, i: Index) -> Index32:
    """Places in the flat array of a block of global rows and columns as it counts them."""
    r, h = block.rectangle, block.halo
    if place.planar:
        return np.asarray((j - r.j0 + h) * block.row_length + i - r.i0 + h, np.int32)
    return block.point_at[j - r.j0 + h, i - r.i0 + h]


def is_processor_grid(world: World) -> bool:
    """Whether the blocks are all cells of a grid of rows and columns, none left out."""
    rows = sorted({(r.j0, r.j1) for r in world.rectangles})
    columns = sorted({(r.i0, r.i1) for r in world.rectangles})
    cells = {(r.j0, r.j1, r.i0, r.i1) for r in world.rectangles}
    whole = _in_a_row(rows, world.topology.nj) and _in_a_row(columns, world.topology.ni)
    return whole and len(rows) * len(columns) == len(cells) == len(world.rectangles)


def _in_a_row(sides: list[tuple[int, int]], length: int) -> bool:
    """Whether stretches follow each other from 0 to `length`."""
    ends = [0, *(end for _, end in sides)]
    return ends[-1] == length and all(a == b for (a, _), b in zip(sides, ends, strict=False))


def extended_box(
    block: Any, beyond: int, place: Place = Place.center
) -> tuple[int, int, int, int, int]:
    """The box of a block with `beyond` cells more on every side that has neighbours."""
    j0, j1, i0, i1, points = block.box_of(place)
    r, (j, i, there) = block.rectangle, _covered(block, beyond)
    south, north = int(there[j < r.j0].any()), int(there[j >= r.j1].any())
    west, east = int(there[i < r.i0].any()), int(there[i >= r.i1].any())
    n = beyond
    return j0 - n * south, j1 + n * north, i0 - n * west, i1 + n * east, points


def _covered(block: Block, beyond: int) -> tuple[Index, Index, NDArray[np.bool_]]:
    """Rows and columns up to `beyond` around a block, and whether some block owns the cell."""
    world, r = block.world, block.rectangle
    depths = (beyond, beyond, beyond, beyond)
    j, i = _around(r, (r.j0, r.j1, r.i0, r.i1), depths, world.halo)
    cells = world.topology.resolve(Place.center, j, i)
    owned = np.zeros(j.shape, bool)
    for number in world.near(r, beyond + 1).tolist():
        give = world.rectangles[number]
        owned |= (
            (cells.j >= give.j0)
            & (cells.j < give.j1)
            & ((cells.i >= give.i0) & (cells.i < give.i1))
        )
    return j, i, owned & cells.inside


def can_extend(layout: Layout, beyond: int, communicator: Communicator) -> bool:
    """Whether every block's halo up to `beyond` is a frame of owned cells on whole sides.

    Beyond a fold, mirror or pole cells are counted the other way, where a kernel would round
    differently. A call for all ranks.
    """
    blocks = [block for block in layout.blocks if isinstance(block, Block)]
    world = blocks[0].world if blocks else None
    if world is None or world.topology.reflects:
        return False
    first_j, last_j, first_i, last_i = world.corners
    owned = int(((last_j - first_j) * (last_i - first_i)).sum())
    if owned == world.topology.nj * world.topology.ni:
        return True
    fails = not all(_is_frame(block, beyond) for block in blocks)
    return not communicator.maximum(np.array([float(fails)]))[0]


def _is_frame(block: Block, beyond: int) -> bool:
    """Whether all cells of the extended box of a block are owned."""
    r, h = block.rectangle, block.halo
    j, i, there = _covered(block, beyond)
    j0, j1, i0, i1, _ = extended_box(block, beyond)
    a, b = j - r.j0 + h, i - r.i0 + h
    return bool(there[(a >= j0) & (a < j1) & (b >= i0) & (b < i1)].all())


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
