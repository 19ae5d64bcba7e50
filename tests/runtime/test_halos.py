"""Halo exchange on random grids, masks, cuts and topologies, in one process and on ranks.

Ranks: 1, and 3 and 5 through test_ranks.py.
"""

import numpy as np
import pytest

from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.freshness import all_around
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from halocline.runtime.fields.transpose import move
from halocline.runtime.halos.exchange import HaloExchange, Request
from halocline.runtime.ranks.communicator import world
from halocline.runtime.record.recorder import Recorder


def random_decomposition(seed: int, kind: str, components: int = 0) -> Decomposition:
    random = np.random.default_rng(seed)
    nj, ni = random.integers(6, 30, 2)
    mask = random.random((nj, ni)) < random.uniform(0.3, 1.0)
    topology = Topology(int(nj), int(ni), bool(random.integers(2)), bool(random.integers(2)))
    options = DecompositionOptions(kind=kind, blocks_per_rank=int(random.integers(1, 5)))
    return Decomposition(
        mask,
        topology,
        halo=int(random.integers(1, 4)),
        options=options,
        communicator=world(),
        components=components,
    )


@pytest.mark.parametrize("kind", ["blocks", "curve"])
@pytest.mark.parametrize("place", [Place.point, Place.center])
def test_halos_hold_what_their_owners_hold(kind, place):
    for seed in range(60 // world().size):
        decomposition = random_decomposition(seed, kind)
        random = np.random.default_rng(1000 + seed)
        dtype = random.choice([np.float32, np.float64])
        outer = tuple(random.integers(1, 4, random.integers(0, 3)))
        field = Field("x", "1", decomposition, axes=outer, place=place, dtype=dtype)
        cells = decomposition.world.mask.shape
        shape = cells if place == Place.center else (decomposition.sea_points,)
        truth = random.random((*outer, *shape)).astype(dtype)
        field.set_global(truth)
        expected = [array.copy() for array in field.blocks]
        depth = int(random.integers(1, decomposition.world.halo + 1))
        storage = field.storage(field.layout)
        exchange = HaloExchange(decomposition, Recorder())
        request = Request(storage.flat, place, all_around(depth))
        exchange.poison(field.layout, request)
        exchange(field.layout, [request])
        reached = 0
        for array, block, wanted in zip(field.blocks, field.layout.blocks, expected, strict=True):
            if place == Place.point:
                inside = block.distance(block.point_j, block.point_i) <= depth
                owner = decomposition.world.owner[
                    block.cell_j[block.point_j, block.point_i],
                    block.cell_i[block.point_j, block.point_i],
                ]
            else:
                j, i = np.indices(block.shape)
                inside = block.inside & (block.distance(j, i) <= depth)
                owner = decomposition.world.owner[block.cell_j, block.cell_i]
            inside &= owner >= 0
            reached += int(inside.sum())
            assert np.array_equal(array[..., inside], wanted[..., inside])
        assert reached > 0
        whole = field.gather()
        if decomposition.communicator.rank == 0:
            owned = truth if place == Place.point else truth[..., decomposition.world.owner >= 0]
            got = whole if place == Place.point else whole[..., decomposition.world.owner >= 0]
            assert np.array_equal(got, owned)


def test_cards_deal_every_point_once_and_transpose_back():
    for seed in range(30 // world().size):
        components = 11
        decomposition = random_decomposition(seed, "cards", components)
        field = Field("x", "1", decomposition, axes=(decomposition.component_axis,))
        random = np.random.default_rng(seed)
        truth = random.random((components, decomposition.sea_points)).astype(np.float32)
        field.set_global(truth)
        before = [array.copy() for array in field.blocks]
        move(field, decomposition.planes, Recorder())
        (plane,) = field.owned
        assert np.array_equal(plane, truth[decomposition.planes.components])
        for array in field.storage(decomposition.home).arrays:
            array[...] = np.nan
        move(field, decomposition.home, Recorder())
        for array, wanted in zip(field.blocks, before, strict=True):
            assert np.array_equal(array, wanted)


@pytest.mark.parametrize("points, processes", [(29792, 8), (7, 3), (10, 1)])
def test_w28_card_dealing_formulas(points, processes):
    """W-28: i = k + (j-1) n, j = 1 + (i-1) div n, k = 1 + mod(i-1, n)."""
    mask = np.ones((1, points), bool)

    class Some:
        size, rank = processes, 0

    sizes = []
    for rank in range(processes):
        Some.rank = rank
        decomposition = Decomposition(
            mask,
            Topology(1, points),
            halo=1,
            options=DecompositionOptions(kind="cards"),
            communicator=Some,
            components=processes,
        )
        (hand,) = decomposition.home.blocks
        i = hand.sea_numbers + 1
        assert np.array_equal(1 + (i - 1) % processes, np.full(i.size, rank + 1))
        assert np.array_equal(1 + (i - 1) // processes, np.arange(1, i.size + 1))
        sizes.append(i.size)
    assert sum(sizes) == points
    assert set(sizes) <= {points // processes, points // processes + 1}
