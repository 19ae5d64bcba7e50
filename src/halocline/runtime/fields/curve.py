"""Small blocks along a space-filling curve."""

from __future__ import annotations

import math

from halocline.core.errors import UserError
from halocline.runtime.fields.blocks import Rectangle
from halocline.runtime.fields.load import Load


def cut_curve(load: Load, ranks: int, per_rank: int) -> tuple[Rectangle, ...]:
    """Squares of units along a Hilbert curve, dealt in equal loads; land alone is dropped.

    There are about `per_rank` of a rank, at least 4.
    """
    nj, ni = load.sea_units.shape
    side = max(1, math.isqrt(max(1, int(load.sea_units.sum()) // (ranks * max(per_rank, 4)))))
    while True:
        squares = []
        for j0 in range(0, nj, side):
            for i0 in range(0, ni, side):
                units = (j0, min(j0 + side, nj), i0, min(i0 + side, ni))
                if load.kept_units[units[0] : units[1], units[2] : units[3]].any():
                    squares.append((hilbert_distance(j0 // side, i0 // side), units))
        blocks = [load.cells(units) for _, units in sorted(squares)]
        with_sea = int(load.has_sea(blocks).sum())
        if with_sea >= ranks or side == 1:
            break
        side = max(1, side // 2)
    if with_sea < ranks:
        raise UserError(
            f"Cannot cut {load.mask.shape[0]} x {load.mask.shape[1]} cells in units of"
            f" {load.unit[0]} x {load.unit[1]} into blocks for {ranks} ranks: {with_sea} units"
            " have sea. Use fewer ranks or smaller units."
        )
    parts = enumerate(load.deal(blocks, ranks))
    owned = [(rank, blocks[n]) for rank, part in parts for n in part]
    return tuple(Rectangle(number, rank, *block) for number, (rank, block) in enumerate(owned))


def hilbert_distance(j: int, i: int, order: int = 16) -> int:
    """Distance of cell (j, i) along a Hilbert curve through 2^order x 2^order cells.

    >>> [hilbert_distance(j, i) for j, i in [(0, 0), (0, 1), (1, 1), (1, 0)]]
    [0, 1, 2, 3]
    """
    distance = 0
    side = 1 << (order - 1)
    while side:
        right, up = int(bool(i & side)), int(bool(j & side))
        distance += side * side * ((3 * right) ^ up)
        if not up:
            if right:
                i, j = (1 << order) - 1 - i, (1 << order) - 1 - j
            i, j = j, i
        side >>= 1
    return distance
