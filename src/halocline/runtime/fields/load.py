"""What the blocks of a cut cost the ranks that own them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.runtime.fields.blocks import Block, Rectangle, World, lanes
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology

Mask = NDArray[np.bool_]
Cells = tuple[int, int, int, int]
"""Rows [j0, j1) and columns [i0, i1) of a grid, as (j0, j1, i0, i1)."""


@dataclass(frozen=True)
class Work:
    """What a step costs beside the work on its cells, in units of what a cell of weight 1 costs.

    `plane` is per cell near the sea of a padded plane, in whole packs of lanes; `halo` per unit of
    weight that lies in a halo; `message` per rank that a rank hears from in a step. If not given
    they are those of the wave benchmark, where the sources of a point take some 30 us: propagation
    of a cell was measured as half of that; 2.4 kB of a halo point, packed, sent and unpacked at
    4 GB/s, are 0.02 of it and a message of 5 us 0.2.
    """

    plane: float = 0.5
    halo: float = 0.02
    message: float = 0.2


class Load:
    """The cost model of a cut: what a rank has to do in a step.

        sum over its blocks of (weights of its cells + plane * cells near the sea of the padded
        plane + halo * weights in the halo) + message * other ranks that own cells of its halos

    `weights` say what the cells cost: the sea points if not given; the number of wet levels of
    each column where kernels pass over dry ones; 1 everywhere where they compute land as well. With
    blocks of whole units of cells, each unit with sea weighs as many cells as it has. Where fields
    are `staggered`, blocks of land that own a face or corner of a sea cell are kept.
    """

    def __init__(
        self,
        mask: Mask,
        topology: Topology,
        halo: int,
        *,
        weights: NDArray[np.float64] | None = None,
        work: Work | None = None,
        unit: tuple[int, int] = (1, 1),
        staggered: bool = True,
    ) -> None:
        if weights is not None and weights.shape != mask.shape:
            raise UserError(
                f"Weights of the cells have the shape {weights.shape}, the mask of the sea"
                f" {mask.shape}. Give one weight per cell."
            )
        self.mask, self.topology, self.halo = mask, topology, halo
        self.work, self.unit = work or Work(), unit
        self.staggered = staggered
        self.sea_units = self._by_unit(mask) > 0
        kept = with_coast(mask, topology) if staggered else mask
        self.kept_units = self._by_unit(kept) > 0
        self.weights = self._whole_units() if weights is None else weights.astype(float)
        self.unit_weights = self._by_unit(self.weights)
        self.near = near_sea(mask, halo)
        all_cells = Rectangle(0, 0, 0, mask.shape[0], 0, mask.shape[1])
        padded = Block(World(topology, mask, halo, (all_cells,)), all_cells)
        self._around, self._inside = (padded.cell_j, padded.cell_i), padded.inside
        self._sums = _summed(np.where(self._inside, self.weights[self._around], 0.0))

    def _by_unit(self, plane: NDArray[np.generic]) -> NDArray[np.float64]:
        """Sums over units of cells; those at the northern and eastern sides may be cut off."""
        (nj, ni), (height, width) = plane.shape, self.unit
        if self.unit == (1, 1):
            return plane.astype(float)
        sums = np.add.reduceat(plane.astype(float), range(0, nj, height), axis=0)
        return np.add.reduceat(sums, range(0, ni, width), axis=1)

    def _whole_units(self) -> NDArray[np.float64]:
        """1 in every cell of a unit with sea."""
        (nj, ni), (height, width) = self.mask.shape, self.unit
        cells = self.sea_units.repeat(height, axis=0).repeat(width, axis=1)
        return cells[:nj, :ni].astype(float)

    def cells(self, units: Cells) -> Cells:
        """The cells of a block of units."""
        (j0, j1, i0, i1), (height, width) = units, self.unit
        nj, ni = self.mask.shape
        return j0 * height, min(j1 * height, nj), i0 * width, min(i1 * width, ni)

    def cost(self, block: Cells) -> float:
        """What a block costs, but for its messages."""
        j0, j1, i0, i1 = block
        h = self.halo
        plane = self.near[max(j0 - h, 0) : j1 + h, max(i0 - h, 0) : i1 + h]
        rows, columns = plane.shape
        packs = np.pad(plane, [(0, 0), (0, -columns % lanes)]).reshape(rows, -1, lanes)
        near = lanes * float(packs.any(axis=2).sum())
        own = self._sum(j0 + h, j1 + h, i0 + h, i1 + h)
        halo = self._sum(j0, j1 + 2 * h, i0, i1 + 2 * h) - own
        return own + self.work.plane * near + self.work.halo * halo

    def _sum(self, j0: int, j1: int, i0: int, i1: int) -> float:
        s = self._sums
        return float(s[j1, i1] - s[j0, i1] - s[j1, i0] + s[j0, i0])

    def costs(self, blocks: Sequence[Cells]) -> NDArray[np.float64]:
        """What blocks cost, but for their messages."""
        return np.array([self.cost(block) for block in blocks])

    def has_sea(self, blocks: Sequence[Cells]) -> Mask:
        """Which blocks are not all land."""
        return np.array([self.mask[j0:j1, i0:i1].any() for j0, j1, i0, i1 in blocks], bool)

    def deal(self, blocks: Sequence[Cells], ranks: int) -> list[list[int]]:
        """Consecutive blocks to ranks so that loads are nearly equal and every rank has sea.

        Blocks of land go with the block with sea before them.
        """
        group = np.maximum(np.cumsum(self.has_sea(blocks)) - 1, 0)
        shares = np.bincount(group, weights=self.costs(blocks)).astype(float)
        parts = dealt(shares, ranks)
        ends = np.searchsorted(group, [part[0] for part in parts] + [group[-1] + 1])
        return [list(range(a, b)) for a, b in pairwise(ends.tolist())]

    def messages(self, blocks: Sequence[Cells], deal: Sequence[Sequence[int]]) -> list[int]:
        """From how many others each rank hears; `deal` has the blocks of each rank."""
        owner = np.full(self.mask.shape, -1, np.int32)
        for rank, part in enumerate(deal):
            for j0, j1, i0, i1 in (blocks[n] for n in part):
                owner[j0:j1, i0:i1] = rank
        around = np.where(self._inside, owner[self._around], -1)
        result = []
        for rank, part in enumerate(deal):
            heard = np.unique(np.concatenate([self._frame(around, blocks[n]) for n in part]))
            result.append(int(((heard >= 0) & (heard != rank)).sum()))
        return result

    def _frame(self, around: NDArray[np.int32], block: Cells) -> NDArray[np.int32]:
        """What of a padded plane lies in the halo of a block."""
        (j0, j1, i0, i1), h = block, self.halo
        rows = around[j0 : j1 + 2 * h, i0 : i1 + 2 * h]
        sides = rows[:h], rows[rows.shape[0] - h :], rows[:, :h], rows[:, rows.shape[1] - h :]
        return np.concatenate([side.ravel() for side in sides])


def _summed(plane: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums over all cells south and west of each corner, shape (nj + 1, ni + 1)."""
    return np.pad(plane.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))


def with_coast(mask: Mask, topology: Topology) -> Mask:
    """Sea cells, and those of land that own a face or a corner of a sea cell, or its double.

    >>> with_coast(np.array([[True, False, False], [False] * 3]), Topology(2, 3)).tolist()
    [[True, True, False], [True, True, False]]
    """
    wide = topology.widened(mask, (1, 1, 1, 1))
    rows, columns = topology.shape(Place.corner)
    beside = wide[:-1, :-1] | wide[:-1, 1:] | wide[1:, :-1] | wide[1:, 1:]
    kept = beside[: topology.nj, : topology.ni]  # the corner of a cell; its faces end there
    kept[-1] |= beside[topology.nj : rows, : topology.ni].any(axis=0)
    kept[:, -1] |= beside[: topology.nj, topology.ni : columns].any(axis=1)
    return kept


def near_sea(mask: Mask, reach: int) -> Mask:
    """Cells within `reach` of the sea in both directions; sides count as closed."""
    near = mask
    for axis in (0, 1):
        padded = np.pad(near, [(reach, reach) if a == axis else (0, 0) for a in (0, 1)])
        length = mask.shape[axis]
        near = np.any([padded.take(range(n, n + length), axis) for n in range(2 * reach + 1)], 0)
    return near


def even_cuts(weight: NDArray[np.float64], parts: int) -> list[int]:
    """Cut a line of weights into `parts` of nearly equal weight, none empty: their ends."""
    total = np.concatenate([[0.0], np.cumsum(weight)])
    ends = [0]
    for part in range(1, parts):
        wanted = total[-1] * part / parts
        at = int(np.searchsorted(total, wanted))
        if at > 0 and total[at] - wanted > wanted - total[at - 1]:
            at -= 1
        ends.append(min(max(at, ends[-1] + 1), weight.size - (parts - part)))
    return [*ends, weight.size]


def dealt(shares: NDArray[np.float64], ranks: int) -> list[list[int]]:
    """Consecutive blocks to ranks so that loads are nearly equal and no rank is empty."""
    ends = even_cuts(shares, ranks)
    return [list(range(a, b)) for a, b in zip(ends, ends[1:], strict=False)]
