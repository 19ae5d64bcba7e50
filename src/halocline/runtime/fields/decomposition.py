"""How a grid is cut among ranks: blocks of a processor grid, blocks along a curve, or cards."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.core.options import Options, option
from halocline.runtime.fields.blocks import Block, Hand, Rectangle, World, lanes
from halocline.runtime.fields.topology import Topology
from halocline.runtime.ranks.communicator import Alone, Communicator

Mask = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class DecompositionOptions(Options):
    """How the grid is cut among the ranks; no choice changes a bit of the results."""

    kind: str = option(
        "blocks",
        "",
        "blocks of a processor grid, blocks along a space-filling curve, or sea points dealt"
        " one by one like cards",
        choices=("blocks", "curve", "cards"),
        source="cards: Tolman (2003), equations 5.1 to 5.3",
    )
    blocks_per_rank: int = option(
        1, "1", "blocks (curve: about this many, cards: hands) per rank", at_least=1
    )
    rows: int = option(
        0,
        "1",
        "rows of blocks, for the kind 'blocks'; 0: the processor grid with the least largest load",
        at_least=0,
    )
    tiles: str = option(
        "given",
        "",
        "'given': kind, blocks per rank and rows as they stand here; 'auto': measured at the start"
        " of a run, in about a second, and the log says why ('halocline lab decompose' takes its"
        " time)",
        choices=("given", "auto"),
    )


class Layout:
    """Where one rank's values lie: its blocks, and which spectral components it holds.

    `components` is None where every component is held.
    """

    def __init__(
        self,
        name: str,
        blocks: Sequence[Block | Hand],
        components: NDArray[np.int32] | None,
    ) -> None:
        self.name, self.blocks, self.components = name, blocks, components

    def __repr__(self) -> str:
        return f"Layout({self.name!r}, {len(self.blocks)} blocks)"


class Decomposition:
    """The cut of one grid: a world that all ranks know and the layouts of this rank.

    Cards have two layouts: `home`, where the points of a hand have all their components, and
    `planes`, where some components have all points. Otherwise the two are the same.

    Blocks of a processor grid begin at multiples of `unit` (rows, columns) of the global grid.
    """

    def __init__(
        self,
        mask: Mask,
        topology: Topology,
        *,
        halo: int,
        options: DecompositionOptions | None = None,
        communicator: Communicator | None = None,
        components: int = 0,
        unit: tuple[int, int] = (1, 1),
    ) -> None:
        self.options = options or DecompositionOptions()
        self.communicator: Communicator = communicator or Alone()
        ranks, rank = self.communicator.size, self.communicator.rank
        _check_size(mask, ranks)
        self.kind = self.options.kind
        self.components = components
        per_rank = self.options.blocks_per_rank
        if self.kind == "cards":
            if components < ranks:
                raise UserError(
                    f"Cards deal {components} spectral components to {ranks} ranks: some would get"
                    " none. Use fewer ranks, or decomposition.kind = 'blocks'."
                )
            whole = (Rectangle(0, rank, 0, topology.nj, 0, topology.ni),)
            self.world = World(topology, mask, halo, whole)
            hands = ranks * per_rank
            mine = [
                Hand(self.world, number, hands, number // per_rank)
                for number in range(rank * per_rank, (rank + 1) * per_rank)
            ]
            self.hands = hands
            self.home = Layout("cards", mine, None)
            self.planes = Layout(
                "planes",
                [Block(self.world, whole[0])],
                np.arange(rank, components, ranks, dtype=np.int32),
            )
        else:
            if unit != (1, 1):
                rectangles = cut_units(mask, ranks, per_rank, unit)
            elif self.kind == "curve":
                rectangles = cut_curve(mask, ranks, per_rank, halo)
            else:
                rectangles = cut_blocks(mask, ranks, per_rank, halo, self.options.rows)
            self.world = World(topology, mask, halo, rectangles)
            blocks = [Block(self.world, r) for r in self.world.rectangles if r.rank == rank]
            self.home = self.planes = Layout(self.kind, blocks, None)

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """The distinct layouts, home first."""
        return (self.home,) if self.home is self.planes else (self.home, self.planes)

    @property
    def sea_points(self) -> int:
        return self.world.sea_points

    def to_map(self, points: NDArray[np.generic], fill: float = np.nan) -> NDArray[np.generic]:
        """Put values at all sea points (..., points) onto the grid (..., nj, ni)."""
        kind = points.dtype if np.issubdtype(points.dtype, np.floating) else np.float64
        grid = np.full((*points.shape[:-1], *self.world.mask.shape), fill, kind)
        grid[..., self.world.mask] = points
        return grid

    def describe(self) -> str:
        """One line on the cut, for logs."""
        if self.kind == "cards":
            return f"cards: {self.sea_points} sea points dealt into {self.hands} hands"
        world, size = self.world, self.communicator.size
        load = np.zeros(size)
        for r in world.rectangles:
            load[r.rank] += world.mask[r.j0 : r.j1, r.i0 : r.i1].sum()
        balance = load.max() * size / max(load.sum(), 1)
        return (
            f"{self.kind}: {len(world.rectangles)} blocks on {size} ranks, {self.sea_points} sea"
            f" points, largest load {balance:.3f} of the mean"
        )


def _check_size(mask: Mask, ranks: int) -> None:
    points = int(mask.sum())
    if points == 0:
        raise UserError(
            "The grid has no sea point: nothing to compute. Check the mask and the depth"
            " (positive downwards, 0 on land)."
        )
    if ranks > points:
        raise UserError(
            f"Cannot share {points} sea points among {ranks} ranks. Use at most {points} ranks."
        )


def _cuts(weight: NDArray[np.float64], parts: int) -> list[int]:
    """Cut a line of weights into `parts` of nearly equal weight, none empty."""
    total = np.concatenate([[0.0], np.cumsum(weight)])
    ends = [0]
    for part in range(1, parts):
        at = int(np.searchsorted(total, total[-1] * part / parts))
        if (
            at > 0
            and total[at] - total[-1] * part / parts > total[-1] * part / parts - total[at - 1]
        ):
            at -= 1
        ends.append(min(max(at, ends[-1] + 1), weight.size - (parts - part)))
    return [*ends, weight.size]


def _grid_of_blocks(mask: Mask, rows: int, columns: int) -> list[tuple[int, int, int, int]]:
    """Rows of equal load, each cut into columns of equal load; land-only blocks dropped."""
    weight = mask.astype(float)
    blocks = []
    j_ends = _cuts(weight.sum(axis=1), rows)
    for j0, j1 in zip(j_ends, j_ends[1:], strict=False):
        i_ends = _cuts(weight[j0:j1].sum(axis=0), columns)
        for i0, i1 in zip(i_ends, i_ends[1:], strict=False):
            if mask[j0:j1, i0:i1].any():
                blocks.append((j0, j1, i0, i1))
    return blocks


def near_sea(mask: Mask, reach: int) -> Mask:
    """Cells within `reach` of the sea in both directions; sides count as closed."""
    near = mask
    for axis in (0, 1):
        padded = np.pad(near, [(reach, reach) if a == axis else (0, 0) for a in (0, 1)])
        length = mask.shape[axis]
        near = np.any([padded.take(range(n, n + length), axis) for n in range(2 * reach + 1)], 0)
    return near


def cost(mask: Mask, near: Mask, block: tuple[int, int, int, int], halo: int) -> float:
    """Work of a block: its sea points, and a share for the cells near the sea of its padded plane.

    Cells count in packs of lanes, since a row is computed in whole packs. The share 0.5 is the
    ratio of propagation per such cell to sources per point in the wave benchmark.
    """
    j0, j1, i0, i1 = block
    plane = near[max(j0 - halo, 0) : j1 + halo, max(i0 - halo, 0) : i1 + halo]
    rows, columns = plane.shape
    packs = np.pad(plane, [(0, 0), (0, -columns % lanes)]).reshape(rows, -1, lanes)
    return float(mask[j0:j1, i0:i1].sum()) + 0.5 * lanes * float(packs.any(axis=2).sum())


@dataclass(frozen=True)
class ProcessorGrid:
    """One factorisation of a number of blocks: its blocks with sea, and those of each rank."""

    rows: int
    columns: int
    blocks: list[tuple[int, int, int, int]]
    deal: list[list[int]]
    loads: list[float]  # of each rank, in units of `cost`

    @property
    def rectangles(self) -> tuple[Rectangle, ...]:
        dealt = [(rank, self.blocks[n]) for rank, part in enumerate(self.deal) for n in part]
        return tuple(Rectangle(n, rank, *block) for n, (rank, block) in enumerate(dealt))


def processor_grid(
    mask: Mask, near: Mask, ranks: int, per_rank: int, halo: int, rows: int
) -> ProcessorGrid | None:
    """The cut into `rows` rows of blocks; None where it leaves a rank without a block with sea.

    `near` are the cells within `halo` of the sea.
    """
    columns = ranks * per_rank // rows
    if rows > mask.shape[0] or columns > mask.shape[1]:
        return None
    blocks = _grid_of_blocks(mask, rows, columns)
    if len(blocks) < ranks:
        return None
    shares = np.array([cost(mask, near, block, halo) for block in blocks])
    deal = _deal(shares, ranks)
    loads = [float(shares[part].sum()) for part in deal]
    return ProcessorGrid(rows, columns, blocks, deal, loads)


def best_grid(mask: Mask, ranks: int, per_rank: int, halo: int, rows: int = 0) -> ProcessorGrid:
    """Rate all factorisations of the number of blocks, or only that into `rows` rows of blocks.

    The least largest load wins, the fewest rows among equals.
    """
    wanted = ranks * per_rank
    known = [down for down, _ in factorisations(wanted)]
    if rows and rows not in known:
        raise UserError(
            f"decomposition.rows = {rows} does not divide {wanted} blocks ({ranks} ranks x"
            f" {per_rank} blocks). Use one of {', '.join(map(str, known))}, or 0 for the best."
        )
    chosen = [rows] if rows else known
    near = near_sea(mask, halo)
    found = [processor_grid(mask, near, ranks, per_rank, halo, down) for down in chosen]
    grids = [grid for grid in found if grid is not None]
    if not grids:
        points, cut = int(mask.sum()), f" in {rows} rows" if rows else ""
        raise UserError(
            f"Cannot cut {mask.shape[0]} x {mask.shape[1]} cells with {points} sea points into"
            f" {wanted} blocks{cut} for {ranks} ranks. Use fewer ranks or blocks, or"
            " decomposition.kind = 'cards'."
        )
    return min(grids, key=lambda grid: max(grid.loads))


def cut_blocks(
    mask: Mask, ranks: int, per_rank: int, halo: int, rows: int = 0
) -> tuple[Rectangle, ...]:
    """Blocks of the best processor grid, or of that with so many rows."""
    return best_grid(mask, ranks, per_rank, halo, rows).rectangles


def cut_units(
    mask: Mask, ranks: int, per_rank: int, unit: tuple[int, int]
) -> tuple[Rectangle, ...]:
    """Blocks of whole units of cells; the factorisation with the least largest load wins.

    The load of a block is its cells in units with sea; land-only blocks are dropped.
    """
    (nj, ni), (height, width) = mask.shape, unit
    rows, columns = -(-nj // height), -(-ni // width)
    padded = np.pad(mask, ((0, rows * height - nj), (0, columns * width - ni)))
    sea: Mask = np.asarray(padded.reshape(rows, height, columns, width).any(axis=(1, 3)))
    best: tuple[int, list[list[tuple[int, int, int, int]]]] | None = None
    for down, across in factorisations(ranks * per_rank):
        if down > rows or across > columns:
            continue
        blocks = _grid_of_blocks(sea, down, across)
        if len(blocks) < ranks:
            continue
        shares = np.array([float(sea[j0:j1, i0:i1].sum()) for j0, j1, i0, i1 in blocks])
        deal = _deal(shares, ranks)
        load = int(max(shares[part].sum() for part in deal))
        if best is None or load < best[0]:
            best = load, [[blocks[n] for n in part] for part in deal]
    if best is None:
        raise UserError(
            f"Cannot cut {nj} x {ni} cells in units of {height} x {width} into blocks for {ranks}"
            " ranks. Use fewer ranks or smaller units."
        )
    cells = [
        (rank, j0 * height, min(j1 * height, nj), i0 * width, min(i1 * width, ni))
        for rank, part in enumerate(best[1])
        for j0, j1, i0, i1 in part
    ]
    return tuple(Rectangle(number, *cell) for number, cell in enumerate(cells))


def factorisations(number: int) -> Iterator[tuple[int, int]]:
    """All (rows, columns) with rows * columns = number."""
    for rows in range(1, number + 1):
        if number % rows == 0:
            yield rows, number // rows


def _deal(shares: NDArray[np.float64], ranks: int) -> list[list[int]]:
    """Consecutive blocks to ranks so that loads are nearly equal and no rank is empty."""
    ends = _cuts(shares, ranks)
    return [list(range(a, b)) for a, b in zip(ends, ends[1:], strict=False)]


def cut_curve(mask: Mask, ranks: int, per_rank: int, halo: int) -> tuple[Rectangle, ...]:
    """Small square blocks along a Hilbert curve, dealt in equal loads; land-only ones dropped."""
    nj, ni = mask.shape
    near = near_sea(mask, halo)
    side = max(1, math.isqrt(max(1, int(mask.sum()) // (ranks * max(per_rank, 4)))))
    while True:
        tiles = []
        for j0 in range(0, nj, side):
            for i0 in range(0, ni, side):
                block = (j0, min(j0 + side, nj), i0, min(i0 + side, ni))
                if mask[block[0] : block[1], block[2] : block[3]].any():
                    tiles.append((hilbert_distance(j0 // side, i0 // side), block))
        if len(tiles) >= ranks or side == 1:
            break
        side = max(1, side // 2)
    blocks = [block for _, block in sorted(tiles)]
    shares = np.array([cost(mask, near, b, halo) for b in blocks])
    rectangles = []
    for rank, part in enumerate(_deal(shares, ranks)):
        rectangles += [(rank, *blocks[n]) for n in part]
    return tuple(Rectangle(number, *r) for number, r in enumerate(rectangles))


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
