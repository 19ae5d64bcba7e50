"""Points that stand twice on a fold: gathered, written, restarted and summed as one.

Ranks: 1, and 3 and 5 through test_ranks.py. What stands where is found by a walk over the glued
surface (`references.joined_sides`), not by `Topology`.
"""

import numpy as np
import pytest

from halocline.core.clock import date
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field, pair
from halocline.runtime.fields.topology import Topology
from halocline.runtime.ranks.communicator import Alone, world
from halocline.runtime.sums.field_sums import FieldSums
from halocline.runtime.sums.reductions import GlobalSums
from halocline.runtime.writing.restart import read_restart
from halocline.runtime.writing.sources import Columns
from halocline.runtime.writing.writers import write_restart
from references.joined_sides import planar, surroundings

nj, ni = 6, 20
folds = ["faces", "centres"]
cuts = [{"blocks_per_rank": 4}, {"kind": "curve", "blocks_per_rank": 3}]


def cut(fold, options, mask=None):
    return Decomposition(
        np.ones((nj, ni), bool) if mask is None else mask,
        Topology(nj, ni, periodic_i=True, fold=fold),
        halo=1,
        options=DecompositionOptions(**options),
        communicator=world(),
    )


def walked(decomposition, place):
    """Row, column and sign of the owner of every value of a place."""
    rows, columns = decomposition.world.topology.shape(place)
    found = surroundings(decomposition.world.topology, place, 0)[:, :rows, :columns]
    assert found[0].all()
    return found[1:]


def made(decomposition, place, vector, seed=1):
    """A field as a kernel leaves it: every block has other rubbish at the doubles.

    Also the global array that it should be.
    """
    field = Field("u", "m s-1", decomposition, axes=(2,), place=place, dtype=np.float64)
    partner = Field("v", "m s-1", decomposition, axes=(2,), place=place, dtype=np.float64)
    if vector:
        pair(field, partner)
    values = np.random.default_rng(seed).normal(size=field.shape)
    j, i, sign = walked(decomposition, place)
    field.set_global(values)
    rubbish = np.random.default_rng(100 + world().rank)
    for owned, block in zip(field.owned, field.layout.blocks, strict=True):
        j0, j1, i0, i1 = block.world.owned(block.rectangle, place)
        double = sign[j0:j1, i0:i1] < 0
        owned[:, double] = rubbish.normal(size=(2, int(double.sum())))
    field.written()
    return field, values[:, j, i] * (sign if vector else 1)


@pytest.mark.parametrize("options", cuts, ids=str)
@pytest.mark.parametrize("vector", [False, True])
@pytest.mark.parametrize("place", planar)
@pytest.mark.parametrize("fold", folds)
def test_doubles_are_gathered_and_written_as_their_owners(fold, place, vector, options):
    field, expected = made(cut(fold, options), place, vector)
    found = field.gather()
    if world().rank == 0:
        assert np.array_equal(found, expected)
    field, expected = made(cut(fold, options), place, vector)
    source = Columns().source(field)
    for piece in source.sharing.owned:
        if piece.rank != world().rank:
            continue
        values, starts = source.held.blocks[piece.block]
        for to, length, start in zip(piece.starts, piece.lengths, starts, strict=True):
            here = expected.reshape(2, -1)[:, to : to + length]
            assert np.array_equal(values[:, start : start + length], here)


@pytest.mark.parametrize("options", cuts, ids=str)
@pytest.mark.parametrize("place", planar)
@pytest.mark.parametrize("fold", folds)
def test_sums_and_norms_take_a_point_once(fold, place, options):
    mask = np.random.default_rng(3).random((nj, ni)) < 0.8
    decomposition = cut(fold, options, mask)
    field, _ = made(decomposition, place, True)
    j, i, sign = walked(decomposition, place)
    points = {(a, b) for a, b in zip(j.ravel().tolist(), i.ravel().tolist(), strict=True)}
    wet = field.space.wet(place)
    values = np.random.default_rng(1).normal(size=field.shape)
    once = [values[:, a, b] for a, b in sorted(points) if wet[a, b]]
    assert len(points) == (sign > 0).sum()
    with np.errstate(invalid="ignore"):
        squares = [part**2 for part in field.owned]
    found = FieldSums(field, 2)([field.owned, squares])
    terms = np.concatenate(once)
    assert np.allclose(found, [terms.sum(), np.square(terms).sum()], rtol=1e-13)
    assert np.array_equal(found, GlobalSums(Alone(), 2)([[terms], [terms**2]]))  # on any cut
    with field.change() as owned:
        for array, counted in zip(owned, field.counted, strict=True):
            array[:, ~counted] = np.nan
    assert np.array_equal(FieldSums(field, 2)([field.owned, squares]), found)


@pytest.mark.parametrize("place", planar)
@pytest.mark.parametrize("fold", folds)
def test_restarts_hold_one_value_of_a_point_on_any_cut(fold, place, tmp_path_factory):
    folder = world().broadcast(tmp_path_factory.mktemp("folds") if world().rank == 0 else None)
    path, time = folder / "one.safetensors", date("2000-01-01")
    one, expected = made(cut(fold, cuts[0]), place, True)
    write_restart(path, [one], time, {})
    for options in cuts:
        other, _ = made(cut(fold, options), place, True, seed=7)
        read_restart(path, [other], {}, "standard")
        for array, block in zip(other.owned, other.layout.blocks, strict=True):
            j0, j1, i0, i1 = block.world.owned(block.rectangle, place)
            assert np.array_equal(array, expected[:, j0:j1, i0:i1])
    world().broadcast(world().gather(None))
