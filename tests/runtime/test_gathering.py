"""Whole fields on rank 0, and what all ranks know of who owns what.

Ranks: 1, 3 and 5 in threads of one process.
"""

import numpy as np
import pytest

from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.ownership import component_rows, owned_by_all, point_owners
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.sides import move_values, side_of
from halocline.runtime.fields.topology import Topology
from halocline.runtime.fields.transpose import move
from halocline.runtime.record.recorder import Recorder
from halocline.runtime.transfer.transfer import Transfer
from rank_threads import together

nj, ni, components = 9, 12, 7
mask = np.random.default_rng(4).random((nj, ni)) < 0.6
mask[:3, :4] = False  # some blocks have no sea
planar = [place for place in Place if place.planar]


def cut(communicator, kind, per_rank=2, periodic=False):
    return Decomposition(
        mask, Topology(nj, ni, periodic_i=periodic), halo=1, communicator=communicator,
        components=components, options=DecompositionOptions(kind=kind, blocks_per_rank=per_rank),
    )  # fmt: skip


def numbered(field):
    """Every value another one, as far as its type goes."""
    return np.arange(np.prod(field.shape)).reshape(field.shape).astype(field.dtype)


@pytest.mark.parametrize("ranks", [1, 3, 5])
@pytest.mark.parametrize("kind", ["blocks", "curve", "cards"])
def test_what_was_set_comes_back_whole(ranks, kind):
    """At all places, with axes of all numbers and items of all sizes; 0 where nobody has it."""

    def program(communicator):
        for periodic in (False, True):
            where = cut(communicator, kind, periodic=periodic)
            for place in (*planar, Place.point):
                shape = where.world.topology.shape(place if place.planar else Place.center)
                owned = np.zeros(shape, bool)
                for r in where.world.rectangles:
                    j0, j1, i0, i1 = where.world.owned(r, place if place.planar else Place.center)
                    owned[j0:j1, i0:i1] = True
                for axes, dtype in (((), bool), ((2,), np.int16), ((2, 3), "f4"), ((4,), "f8")):
                    field = Field("x", "1", where, axes=axes, place=place, dtype=dtype)
                    values = numbered(field)
                    field.set_global(values)
                    found = field.gather()
                    assert (found is None) == (communicator.rank > 0)
                    if found is None:
                        continue
                    if place.planar:
                        values = np.where(owned, values, 0)
                    np.testing.assert_array_equal(found, values)
                    assert found.dtype == field.dtype and found.shape == field.shape

    together(ranks, program)


@pytest.mark.parametrize("ranks", [1, 3, 5])
def test_planes_of_cards_give_each_its_components(ranks):
    """Components that ranks share come from all of them, what all have from the first."""

    def program(communicator):
        where = cut(communicator, "cards")
        for inner in ((), (2,)):
            field = Field("x", "1", where, axes=(where.component_axis, *inner))
            values = numbered(field)
            field.set_global(values)
            if not inner:
                move(field, where.planes, Recorder())
                for array in field.storage(where.home).arrays:
                    array[...] = -1.0
            found = field.gather()
            if communicator.rank == 0:
                np.testing.assert_array_equal(found, values)
        other = Field("y", "1", where, axes=(3,))
        other.set_global(numbered(other))
        move(other, where.planes, Recorder())
        other.owned[0][...] += communicator.rank
        found = other.gather()
        if communicator.rank == 0:
            np.testing.assert_array_equal(found, numbered(other))

    together(ranks, program)


@pytest.mark.parametrize("kind", ["blocks", "curve", "cards"])
@pytest.mark.parametrize("place", [*planar, Place.point])
def test_all_know_what_each_finds_in_its_own_memory(kind, place):
    """Values set cell by cell, read at the places of `side_of`, are those of the numbers."""
    ranks = 4
    told = [None] * ranks

    def program(communicator):
        where = cut(communicator, kind)
        field = Field("x", "1", where, place=place, dtype=np.float64)
        values = numbered(field)
        field.set_global(values)
        side, flat = side_of(field), field.storage(field.layout).flat
        told[communicator.rank] = [flat[n][0, places] for n, places in enumerate(side.places)]
        mine = list(owned_by_all(where, field.layout, place))
        if communicator.rank == 0:
            told.append((mine, values.ravel()))

    together(ranks, program)
    known, values = told.pop()
    for one in known:
        np.testing.assert_array_equal(values[one.numbers], told[one.rank][one.block])
    numbers = np.concatenate([one.numbers for one in known])
    assert np.unique(numbers).size == numbers.size


@pytest.mark.parametrize("kind", ["blocks", "curve", "cards"])
def test_all_know_who_owns_which_points_and_components(kind):
    def program(communicator):
        where, rank = cut(communicator, kind), communicator.rank
        own = [block.sea_numbers[: block.owned_points] for block in where.home.blocks]
        mine = np.flatnonzero(point_owners(where) == rank)
        np.testing.assert_array_equal(mine, np.sort(np.concatenate(own)))
        if kind == "cards":
            rows = np.arange(3 * components).reshape(-1, 3)[where.planes.components]
            np.testing.assert_array_equal(component_rows(where, rank, 3), rows.ravel())

    together(3, program)


@pytest.mark.parametrize("ranks", [1, 4])
@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("place", planar)
def test_values_at_all_places_go_to_another_cut(ranks, periodic, place):
    """The last faces of closed sides too."""

    def program(communicator):
        cuts = [cut(communicator, *kind, periodic) for kind in (("blocks", 1), ("curve", 3))]
        given, wanted = (Field("x", "1", where, axes=(2,), place=place) for where in cuts)
        values = numbered(given) + 1
        given.set_global(values)
        transfer = Transfer(side_of(given), side_of(wanted), communicator)
        move_values(transfer, [given], [wanted])
        found = wanted.gather()
        if communicator.rank == 0:
            both = np.all([one.space.owners(place) >= 0 for one in (given, wanted)], axis=0)
            assert both[mask.nonzero()].all()
            np.testing.assert_array_equal(found, np.where(both, values, 0))

    together(ranks, program)


def test_what_has_no_place_is_that_of_rank_0():
    def program(communicator):
        field = Field("x", "1", cut(communicator, "blocks"), axes=(4,), place=Place.none)
        field.set_global(np.arange(4.0) + communicator.rank)
        found = field.gather()
        if communicator.rank:
            assert found is None
        else:
            np.testing.assert_array_equal(found, np.arange(4.0))
            found[...] = -1.0
            assert (field.blocks[0] >= 0).all(), "a copy"

    together(3, program)
