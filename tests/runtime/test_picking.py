"""Picking values at sea points: each rank gets what it wants, from any layout.

Ranks: 1, and 3 through test_ranks.py.
"""

import numpy as np
import pytest

from halocline.runtime.fields.dealt import Dealt
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.ownership import point_owners
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from halocline.runtime.fields.transpose import move
from halocline.runtime.ranks.communicator import world
from halocline.runtime.record.recorder import Recorder
from halocline.runtime.writing.picking import Picker, Picking
from halocline.runtime.writing.sharing import of_dealt

components = 7


def decomposition(kind):
    mask = np.random.default_rng(0).random((11, 17)) < 0.7
    return Decomposition(
        mask, Topology(11, 17), halo=2, communicator=world(), components=components,
        options=DecompositionOptions(kind=kind, blocks_per_rank=2),
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["blocks", "curve", "cards"])
def test_owners_are_those_of_the_blocks(kind):
    cut = decomposition(kind)
    owners = point_owners(cut)
    mine = [block.sea_numbers[: block.owned_points] for block in cut.home.blocks]
    assert np.array_equal(np.sort(np.concatenate(mine)), np.flatnonzero(owners == world().rank))


@pytest.mark.parametrize("kind", ["blocks", "curve", "cards", "planes"])
def test_each_rank_gets_what_it_wants(kind):
    cut = decomposition("cards" if kind == "planes" else kind)
    random = np.random.default_rng(4)
    spectrum = Field("spectrum", "1", cut, axes=(cut.component_axis,))
    moving, still = Field("wind", "1", cut, dtype=np.float64), Field("ice", "1", cut, dtype="i2")
    fields = [still, spectrum, moving]
    values = [
        (100.0 * random.normal(size=(*field.outer, cut.sea_points))).astype(field.dtype)
        for field in fields
    ]
    for field, array in zip(fields, values, strict=True):
        field.set_global(array)
    if kind == "planes":
        move(spectrum, cut.planes, Recorder())
        move(moving, cut.planes, Recorder())
    # One rank wants nothing, where there are several.
    wanted = {
        rank: np.sort(random.choice(cut.sea_points, 5 + rank, replace=False))
        for rank in range(world().size)
        if rank != 1
    }
    picking = Picking(Picker(cut), wanted)
    numbers = wanted.get(world().rank, np.zeros(0, int))
    for _ in range(2):
        for found, field, array in zip(picking(fields), fields, values, strict=True):
            assert found.dtype == field.dtype
            assert np.array_equal(found, np.moveaxis(array[..., numbers], -1, 0))
        spectrum.blocks[0][...] *= 2
        values[1] = world().broadcast(spectrum.gather())


@pytest.mark.parametrize("kind", ["blocks", "curve"])
def test_values_at_centres_are_those_of_the_cells(kind):
    cut = decomposition(kind)
    field = Field("heat", "1", cut, axes=(3,), place=Place.center)
    values = np.random.default_rng(5).random((3, *cut.world.mask.shape)).astype(np.float32)
    field.set_global(values)
    wanted = {rank: np.arange(rank, cut.sea_points, 3) for rank in range(world().size)}
    (found,) = Picking(Picker(cut), wanted)([field])
    assert np.array_equal(found, values[:, cut.world.mask][:, wanted[world().rank]].T)


def test_a_rank_that_is_asked_for_another_ones_points_is_caught():
    cut = decomposition("blocks")
    theirs = np.flatnonzero(point_owners(cut) != world().rank)
    beyond = np.array([cut.sea_points])
    with pytest.raises(AssertionError, match="the points are this rank's"):
        Picker(cut).places(cut.home, theirs if theirs.size else beyond)


def test_runs_of_dealt_items():
    dealt = Dealt(np.array([2, 2, 0, 2, 4]), 2)
    assert dealt.own.tolist() == [0, 1, 3]
    found = {
        runs.rank: (runs.starts.tolist(), runs.lengths.tolist())
        for runs in of_dealt(dealt, 10).owned
    }
    assert found == {0: ([20], [10]), 2: ([0, 30], [20, 10]), 4: ([40], [10])}
    assert of_dealt(dealt, 10) is of_dealt(dealt, 10)
    assert of_dealt(dealt, 10).width == 50
    assert not of_dealt(dealt, 10).unowned[0].size
