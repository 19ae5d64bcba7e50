"""How a grid is cut among ranks: blocks of a processor grid, blocks along a curve, or cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.counting import amount
from halocline.core.errors import UserError
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.blocks import Block, Hand, Rectangle, World
from halocline.runtime.fields.curve import cut_curve
from halocline.runtime.fields.cut_options import DecompositionOptions as DecompositionOptions
from halocline.runtime.fields.load import Load, Work
from halocline.runtime.fields.memory import Memory, memory
from halocline.runtime.fields.processor_grid import best_grid
from halocline.runtime.fields.topology import Topology
from halocline.runtime.ranks.communicator import Alone, Communicator

Mask = NDArray[np.bool_]


class Layout:
    """Where one rank's values lie: its blocks, which components it holds, in what memory.

    `components` is None where every component is held.
    """

    def __init__(
        self,
        name: str,
        blocks: Sequence[Block | Hand],
        components: NDArray[np.int32] | None,
        where: Memory | None = None,
    ) -> None:
        self.name, self.blocks, self.components = name, blocks, components
        self.memory = where or memory()

    def __repr__(self) -> str:
        return f"Layout({self.name!r}, {len(self.blocks)} blocks)"


class Decomposition:
    """The cut of one grid: a world that all ranks know and the layouts of this rank.

    Cards have two layouts: `home`, where the points of a hand have all their components, and
    `planes`, where some components have all points. Otherwise the two are the same.

    Blocks begin at multiples of `unit` (rows, columns) of the global grid. `weights` (nj, ni) say
    what the cells cost and `work` what else does (see `Load`); neither changes a bit. Blocks of
    land are left out; where fields are `staggered`, only those without face or corner of the sea.
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
        weights: NDArray[np.float64] | None = None,
        work: Work | None = None,
        staggered: bool = True,
    ) -> None:
        self.options = options or DecompositionOptions()
        self.communicator: Communicator = communicator or Alone()
        _check_size(mask, self.communicator.size)
        _check_depth(topology, halo)
        self.kind = self.options.kind
        self.components, self.staggered = components, staggered
        self.doubles: dict[Any, Any] = {}  # those of the fields on this cut, see doubles.py
        if self.kind == "cards":
            self._deal_cards(mask, topology, halo, unit)
            return
        load = Load(
            mask, topology, halo, weights=weights, work=work, unit=unit,
            staggered=staggered,
        )  # fmt: skip
        self.world = World(topology, mask, halo, self._rectangles(load))
        rank = self.communicator.rank
        blocks = [Block(self.world, r) for r in self.world.rectangles if r.rank == rank]
        self._balance = _balance(self.world, load.weights, self.communicator.size)
        self.home = self.planes = Layout(self.kind, blocks, None)

    def _rectangles(self, load: Load) -> tuple[Rectangle, ...]:
        ranks, per_rank = self.communicator.size, self.options.blocks_per_rank
        if self.kind == "curve":
            return cut_curve(load, ranks, per_rank)
        return best_grid(load, ranks, per_rank, self.options.rows).rectangles

    def _deal_cards(self, mask: Mask, topology: Topology, halo: int, unit: tuple[int, int]) -> None:
        ranks, rank = self.communicator.size, self.communicator.rank
        if self.components < ranks:
            raise UserError(
                f"Cards deal {self.components} components to {ranks} ranks: some would get"
                " none. Use fewer ranks, or decomposition.kind = 'blocks'."
            )
        if unit != (1, 1):
            raise UserError(
                f"Cards have no blocks, but blocks of whole units of {unit[0]} x {unit[1]} cells"
                " are needed. Use decomposition.kind = 'blocks' or 'curve'."
            )
        whole = Rectangle(0, rank, 0, topology.nj, 0, topology.ni)
        self.world = World(topology, mask, halo, (whole,))
        per_rank = self.options.blocks_per_rank
        self.hands = ranks * per_rank
        if per_rank > 1 and self.hands > mask.sum():
            raise UserError(
                f"decomposition.blocks_per_rank = {per_rank} makes {self.hands} hands of cards for"
                f" {int(mask.sum())} sea points. Use fewer."
            )
        numbers = range(rank * per_rank, (rank + 1) * per_rank)
        self.home = Layout(
            "cards", [Hand(self.world, number, self.hands, rank) for number in numbers], None
        )
        self.planes = Layout(
            "planes",
            [Block(self.world, whole)],
            np.arange(rank, self.components, ranks, dtype=np.int32),
        )

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """The distinct layouts, home first."""
        return (self.home,) if self.home is self.planes else (self.home, self.planes)

    @property
    def component_axis(self) -> Axis:
        """The axis of the spectral components, of which ranks have some each in planes of cards."""
        return Axis("component", self.components, dealt=True)

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
        return (
            f"{self.kind}: {amount(len(self.world.rectangles), 'block')} on"
            f" {amount(self.communicator.size, 'rank')}, {amount(self.sea_points, 'sea point')},"
            f" largest load {self._balance:.3f} of the mean"
        )


def _balance(world: World, weights: NDArray[np.float64], ranks: int) -> float:
    """The largest sum of weights of a rank over the mean one."""
    load = np.zeros(ranks)
    for r in world.rectangles:
        load[r.rank] += weights[r.j0 : r.j1, r.i0 : r.i1].sum()
    return float(load.max() * ranks / max(load.sum(), 1))


def _check_depth(topology: Topology, halo: int) -> None:
    """Refuse halos in which a side that reflects the grid would show it more than once."""
    west, east, south, north = topology.reflections
    for length, lines, some in (
        (topology.nj, "rows", south or north),
        (topology.ni, "columns", west or east),
    ):
        if some and length < halo:
            raise UserError(
                f"The grid has {length} {lines}, but its {some} shows {halo} (the halo that the"
                f" schemes need). Use a grid of at least {halo} {lines}."
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
            f"Cannot share {points} cells among {ranks} ranks. Use at most {points} ranks."
        )
