"""The halo exchanges that `halocline lab communication` times: blocks, fields, requests."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halocline.runtime.fields.blocks import Block, Rectangle, World
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions, Layout
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.freshness import all_around
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from halocline.runtime.halos.choices import HaloChoice
from halocline.runtime.halos.exchange import HaloExchange, Request
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.record.recorder import Recorder

Mask = NDArray[np.bool_]


class GivenBlocks(Decomposition):
    """A decomposition into blocks that are given."""

    def __init__(
        self,
        mask: Mask,
        topology: Topology,
        rectangles: Sequence[Rectangle],
        *,
        halo: int,
        communicator: Communicator,
    ) -> None:
        self.options, self.kind, self.staggered = DecompositionOptions(), "blocks", True
        self.communicator = communicator
        self.world = World(topology, mask, halo, tuple(rectangles))
        mine = [r for r in rectangles if r.rank == communicator.rank]
        self.home = self.planes = Layout("blocks", [Block(self.world, r) for r in mine], None)


def grid_of_blocks(shape: tuple[int, int], rows: int, columns: int) -> list[Rectangle]:
    """Cut a plane of cells into rows x columns nearly equal blocks, one per rank.

    >>> [(r.rank, r.j0, r.j1, r.i0, r.i1) for r in grid_of_blocks((4, 5), 1, 2)]
    [(0, 0, 4, 0, 2), (1, 0, 4, 2, 5)]
    """
    j = [n * shape[0] // rows for n in range(rows + 1)]
    i = [n * shape[1] // columns for n in range(columns + 1)]
    cells = [(j[a], j[a + 1], i[b], i[b + 1]) for a in range(rows) for b in range(columns)]
    return [Rectangle(number, number, *cell) for number, cell in enumerate(cells)]


def nearest_to_square(ranks: int) -> tuple[int, int]:
    """Rows and columns of a processor grid, rows the fewer (R-17).

    >>> nearest_to_square(8), nearest_to_square(7)
    ((2, 4), (1, 7))
    """
    rows = next(n for n in range(math.isqrt(ranks), 0, -1) if ranks % n == 0)
    return rows, ranks // rows


class Exchange:
    """One exchange of some fields, which can be done in any way."""

    def __init__(
        self,
        name: str,
        decomposition: Decomposition,
        *,
        fields: int = 1,
        axes: tuple[int, ...] = (),
        dtype: DTypeLike = np.float32,
        units: str = "1",
    ) -> None:
        self.name, self.decomposition = name, decomposition
        self.layout = decomposition.planes
        self.fields = [
            Field(f"field{n}", units, decomposition, axes=axes, place=Place.center, dtype=dtype)
            for n in range(fields)
        ]
        depth = decomposition.world.halo
        self.requests = [
            Request(f.storage(self.layout).flat, Place.center, all_around(depth))
            for f in self.fields
        ]
        self.exchange = HaloExchange(decomposition, Recorder())

    def choices(self) -> list[HaloChoice]:
        """All ways that apply, the simplest first; a call for all ranks."""
        return self.exchange.choices(self.layout, self.requests)

    def trial(self, choice: HaloChoice) -> Callable[[], None]:
        """A call that does it once, in one way."""
        return lambda: self.exchange(self.layout, self.requests, choice)

    def traffic(self, choice: HaloChoice) -> tuple[int, int]:
        """Messages and bytes that this rank sends; a call for all ranks."""
        signature = self.exchange.signature(self.layout, self.requests)
        route = self.exchange.route(self.layout, signature, choice)
        return route.partners.sent.size, int(route.partners.sent.sum())

    def free(self) -> None:
        """Give everything back; a call for all ranks."""
        self.exchange.free()


def torus(communicator: Communicator, words: int) -> Exchange:
    """The HALO benchmark (Wallcraft 1999): `words` 4-byte words on each side of every block.

    Blocks of 32 x 32 cells at most, with as many levels as make up the words, on a processor grid
    nearest to a square, periodic both ways.
    """
    side = min(words, 32)
    rows, columns = nearest_to_square(communicator.size)
    shape = (rows * side, columns * side)
    decomposition = GivenBlocks(
        np.ones(shape, bool),
        Topology(*shape, periodic_j=True, periodic_i=True),
        grid_of_blocks(shape, rows, columns),
        halo=1,
        communicator=communicator,
    )
    return Exchange(f"{words} words", decomposition, axes=(words // side,))


def pairs(communicator: Communicator, words: int) -> Exchange:
    """Ranks that exchange two by two, so that their number changes nothing for a rank.

    Blocks are those of `torus`; rows of cells that nobody owns part the pairs. Of an odd number of
    ranks the last has no partner.
    """
    side, gap = min(words, 32), 2
    count = -(-communicator.size // 2)
    shape = (count * (side + gap), 2 * side)
    ranks = range(communicator.size)
    corners = [(rank // 2 * (side + gap), rank % 2 * side) for rank in ranks]
    blocks = [
        Rectangle(rank, rank, j, j + side, i, i + side) for rank, (j, i) in enumerate(corners)
    ]
    decomposition = GivenBlocks(
        np.ones(shape, bool),
        Topology(*shape, periodic_i=True),
        blocks,
        halo=1,
        communicator=communicator,
    )
    return Exchange(f"{words} words in pairs", decomposition, axes=(words // side,))
