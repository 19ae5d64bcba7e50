"""Exact factors of the operator on blocks of cells ("tiles") cut once from the global grid.

Rows of a tile are eliminated one after the other; kept are the inverses of the eliminated rows'
matrices, so that a solution costs two small matrix products per row, whatever the tile's height.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.numerics.elliptic import NinePoint
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place

Array = NDArray[Any]
Ranges = list[tuple[int, int]]


class BlockFactors:
    """What the kernel `precondition_blocks` needs of the tiles that touch the local blocks."""

    def __init__(
        self,
        numbers: NinePoint,
        decomposition: Decomposition,
        *,
        rows: int,
        columns: int,
        dtype: np.dtype[Any],
    ) -> None:
        nj, ni = numbers.mask.shape
        self.rows, self.columns = min(rows or nj, nj), columns
        world, blocks = decomposition.world, decomposition.home.blocks
        cuts = [
            (_tiles(r.j0, r.j1, self.rows, nj), _tiles(r.i0, r.i1, columns, ni))
            for r in (b.rectangle for b in blocks if isinstance(b, Block))
        ]
        self.depth = max(
            max(r.j0 - r.j0 // self.rows * self.rows, _end(r.j1, self.rows, nj) - r.j1,
                r.i0 - r.i0 // columns * columns, _end(r.i1, columns, ni) - r.i1)
            for r in world.rectangles
        )  # fmt: skip
        """How far tiles reach beyond the blocks of any rank [cells]."""
        if self.depth > world.halo:
            raise UserError(
                f"Blocks of {self.rows} x {columns} cells of the preconditioner reach"
                f" {self.depth} cells beyond the blocks of the ranks, whose halo is {world.halo}."
                f" Cut the grid at multiples of them (unit=({self.rows}, {columns})), or give a"
                " deeper halo or smaller blocks."
            )
        height = max(down[-1][1] - down[0][0] for down, _ in cuts)
        most = max(len(across) for _, across in cuts)

        def field(name: str, units: str, axes: tuple[int, ...], kind: Any) -> Field:
            return Field(name, units, decomposition, axes=axes, place=Place.none, dtype=kind)

        self.factors = field("factors", "m-1", (most, height, columns + 3, columns), dtype)
        self.tile_sea = field("tile_sea", "1", (most, height), np.int32)
        self.tile_rows = field("tile_rows", "1", (max(len(d) for d, _ in cuts), 2), np.int32)
        self.tile_columns = field("tile_columns", "1", (most, 2), np.int32)
        with (
            self.factors.change() as factors,
            self.tile_sea.change() as tile_sea,
            self.tile_rows.change() as tile_rows,
            self.tile_columns.change() as tile_columns,
        ):
            for at, (block, (down, across)) in enumerate(zip(blocks, cuts, strict=True)):
                assert isinstance(block, Block)
                start_j = block.rectangle.j0 - block.halo
                start_i = block.rectangle.i0 - block.halo
                tile_rows[at][...] = down[-1][1] - start_j
                tile_rows[at][: len(down)] = np.array(down) - start_j
                tile_columns[at][: len(across)] = np.array(across) - start_i
                for j0, j1 in down:
                    band = slice(j0 - down[0][0], j1 - down[0][0])
                    here = factorise(numbers, (j0, j1), across, columns)
                    factors[at][: len(across), band] = here
                    for tile, (i0, i1) in enumerate(across):
                        tile_sea[at][tile, band] = numbers.mask[j0:j1, i0:i1].any(axis=1)


def _end(last: int, size: int, length: int) -> int:
    """End of the tile that holds the cell before `last`."""
    return min(-(-last // size) * size, length)


def _tiles(first: int, last: int, size: int, length: int) -> Ranges:
    """Global ranges of the tiles that touch cells [first, last)."""
    start = first // size * size
    return [(at, min(at + size, length)) for at in range(start, last, size)]


def factorise(
    numbers: NinePoint, rows: tuple[int, int], across: Ranges, width: int
) -> NDArray[np.float64]:
    """Factors of the tiles of one row of tiles, shape (tiles, rows, width + 3, width) [m-1, m].

    For every row the inverse of D' = D - E D'^-1 E' (of the row below), then the couplings E with
    the row below in the same, the western and the eastern column. Missing columns of the last tile
    are independent cells; so are doubles on a fold, with which the factors would not be symmetric.
    """
    tiles, (j0, j1) = len(across), rows
    result = np.zeros((tiles, j1 - j0, width + 3, width))
    diagonal_place = np.arange(width)
    before: NDArray[Any] = np.zeros((tiles, width, width))
    once = numbers.topology.once(Place.center)
    for j in range(j0, j1):
        diagonal = np.ones((tiles, width))
        side, same, west, east = np.zeros((4, tiles, width))
        for at, (i0, i1) in enumerate(across):
            count, own = i1 - i0, once[j, i0:i1]
            diagonal[at, :count] = numbers.diagonal[j, i0:i1]
            side[at, 1:count] = numbers.west[j, i0 + 1 : i1] * (own[1:] & own[:-1])
            if j > j0:
                same[at, :count] = numbers.south[j, i0:i1] * own
                west[at, 1:count] = numbers.corner[j, i0 + 1 : i1] * own[1:]
                east[at, : count - 1] = numbers.corner[j, i0 + 1 : i1] * own[:-1]
        matrix = np.zeros((tiles, width, width))
        matrix[:, diagonal_place, diagonal_place] = diagonal
        matrix[:, diagonal_place[1:], diagonal_place[:-1]] = -side[:, 1:]
        matrix[:, diagonal_place[:-1], diagonal_place[1:]] = -side[:, 1:]
        coupling = np.zeros((tiles, width, width))
        coupling[:, diagonal_place, diagonal_place] = same
        coupling[:, diagonal_place[1:], diagonal_place[:-1]] = west[:, 1:]
        coupling[:, diagonal_place[:-1], diagonal_place[1:]] = east[:, :-1]
        matrix -= coupling @ before @ coupling.transpose(0, 2, 1)
        before = np.linalg.inv(matrix)
        before = 0.5 * (before + before.transpose(0, 2, 1))
        result[:, j - j0, :width] = before
        result[:, j - j0, width:] = np.stack([same, west, east], axis=1)
    return result
