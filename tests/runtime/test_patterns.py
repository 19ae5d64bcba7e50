"""Who gives what to whom: both sides agree, and nobody looks further than around himself.

Ranks are made in one process: each as a layout with the blocks of one rank.
"""

import numpy as np
import pytest

from halocline.runtime.fields.blocks import Block, Rectangle, World
from halocline.runtime.fields.decomposition import Layout
from halocline.runtime.fields.freshness import all_around
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from halocline.runtime.halos import patterns
from halocline.runtime.halos.patterns import Pattern, can_extend, extended_box, is_processor_grid
from references.joined_sides import planar, random_topology


def grid_of_ranks(rows: int, columns: int, height: int, width: int, **sides: object) -> World:
    """One block for each rank, row by row."""
    rectangles = tuple(
        Rectangle(
            n,
            n,
            n // columns * height,
            n // columns * height + height,
            n % columns * width,
            n % columns * width + width,
        )
        for n in range(rows * columns)
    )
    shape = rows * height, columns * width
    return World(Topology(*shape, **sides), np.ones(shape, bool), 2, rectangles)


def layout_of(world: World, rank: int) -> Layout:
    return Layout("blocks", [Block(world, r) for r in world.rectangles if r.rank == rank], None)


class Work:
    """Counts what patterns look at."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.halos = self.points = self.blocks = 0
        halo, block = patterns.Halo.__init__, Block.__init__

        def count_halo(made, *arguments):
            halo(made, *arguments)
            self.halos, self.points = self.halos + 1, self.points + made.j.size

        def count_block(made, *arguments):
            block(made, *arguments)
            self.blocks += 1

        monkeypatch.setattr(patterns.Halo, "__init__", count_halo)
        monkeypatch.setattr(Block, "__init__", count_block)


@pytest.mark.parametrize("fold", ["", "faces"])
@pytest.mark.parametrize("place", [Place.center, Place.corner, Place.point])
def test_work_does_not_grow_with_the_ranks(monkeypatch, fold, place):
    work, done = Work(monkeypatch), []
    for side in (8, 64):
        world = grid_of_ranks(side, side, 6, 10, periodic_i=True, fold=fold)
        for rank in (0, side * side // 2 + side // 2, side * side - 2):
            layout = layout_of(world, rank)
            work.halos = work.points = work.blocks = 0
            Pattern(layout, place, all_around(2), side * side, rank)
            done.append((work.halos, work.points, work.blocks))
    assert done[:3] == done[3:]
    assert max(halos for halos, _, _ in done) <= 9 + 6
    assert all(blocks == 0 for _, _, blocks in done)


def test_whether_halos_can_be_recomputed_needs_no_other_block(monkeypatch):
    world = grid_of_ranks(64, 64, 6, 10, periodic_i=True)
    layout, work = layout_of(world, 100), Work(monkeypatch)

    class Nobody:
        def maximum(self, values):
            raise AssertionError("all cells are owned: no need to ask others")

    assert can_extend(layout, 2, Nobody())
    assert is_processor_grid(world)
    assert work.blocks == 0
    (block,) = layout.blocks
    j0, j1, i0, i1, _ = block.box
    assert extended_box(block, 2)[:4] == (j0 - 2, j1 + 2, i0 - 2, i1 + 2)
    corner = layout_of(world, 0).blocks[0]
    assert extended_box(corner, 1)[:4] == (2, 9, 1, 13)


@pytest.mark.parametrize("seed", range(12))
def test_both_sides_name_the_same_points_in_the_same_order(seed):
    random = np.random.default_rng(seed)
    nj, ni = int(random.integers(6, 14)), 2 * int(random.integers(3, 9))
    topology = random_topology(random, nj, ni, fold=0.7)
    rows, columns = sorted(random.choice(np.arange(1, nj), 2, replace=False)), [ni // 3, ni // 2]
    sides = [
        (j, i)
        for j in zip([0, *rows], [*rows, nj], strict=True)
        for i in zip([0, *columns], [*columns, ni], strict=True)
        if random.random() < 0.9
    ]
    rectangles = tuple(Rectangle(n, n // 2, *map(int, (*j, *i))) for n, (j, i) in enumerate(sides))
    world = World(topology, random.random((nj, ni)) < 0.8, 3, rectangles)
    ranks = rectangles[-1].rank + 1
    layouts = [layout_of(world, rank) for rank in range(ranks)]
    for place in (*planar, Place.point):
        west, east, south, north = (int(n) for n in random.integers(0, 4, 4))
        depths = (west, east, south, north + 1 if north < 3 else 3)
        found = [Pattern(x, place, depths, ranks, rank) for rank, x in enumerate(layouts)]
        for receiver, pattern in enumerate(found):
            for sender, pieces in pattern.receive.items():
                given = found[sender].send[receiver]
                assert [piece.values for piece in pieces] == [piece.values for piece in given]
                for taken, gift in zip(pieces, given, strict=True):
                    taker = layouts[receiver].blocks[taken.target]
                    giver = layouts[sender].blocks[gift.source]
                    there = standing(taker, place, taken.target_index)
                    here = standing(giver, place, gift.source_index)
                    assert np.array_equal(there, here)
            assert set(pattern.send) == {
                peer for peer, other in enumerate(found) if receiver in other.receive
            }


def standing(block: Block, place: Place, index: np.ndarray) -> np.ndarray:
    """(j, i) of the owners of points at some places of a block's flat array."""
    if place == Place.point:
        j, i = block.point_j[index], block.point_i[index]
    else:
        j, i = np.divmod(index, block.row_length)
    r, h = block.rectangle, block.halo
    points = block.world.topology.resolve(place, j + r.j0 - h, i + r.i0 - h)
    return np.stack([points.j, points.i])
