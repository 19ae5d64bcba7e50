"""Fields on one rank: what may be swapped with what, what static ones keep, what entries show."""

import gc
import weakref

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Entry, Field
from halocline.runtime.fields.freshness import everywhere, nowhere
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology


def cut(nj=4, ni=6, kind="blocks"):
    options = DecompositionOptions(kind=kind, blocks_per_rank=1 if kind == "cards" else 2)
    return Decomposition(
        np.ones((nj, ni), bool), Topology(nj, ni), halo=1, options=options, components=3
    )


decomposition = cut()


def field(name="x", where=decomposition, **changes):
    return Field(name, "1", where, **({"axes": (3,), "dtype": np.float64} | changes))


def test_swapped_fields_have_each_other_s_values_and_freshness():
    one, other = field("new"), field("old")
    first, second = np.random.default_rng(1).random((2, 3, 24))
    one.set_global(first)
    other.set_global(second)
    other.written()
    one.swap(other)
    assert np.array_equal(one.gather(), second) and np.array_equal(other.gather(), first)
    assert one.storage(one.layout).fresh.of() == nowhere
    assert other.storage(other.layout).fresh.of() != nowhere
    assert (one.name, other.name) == ("new", "old")


@pytest.mark.parametrize(
    "change",
    [
        {"axes": (2,)},
        {"axes": ()},
        {"axes": (3, 1)},
        {"place": Place.center},
        {"place": Place.none},
        {"dtype": np.float32},
        {"static": True},
        {"axes": (decomposition.component_axis,)},
        {"where": cut(6, 4)},
        {"where": cut(kind="cards")},
    ],
    ids=lambda change: next(iter(change)),
)
def test_fields_of_unequal_shape_are_not_swapped(change):
    for one, other in ((field(), field(**change)), (field(**change), field())):
        with pytest.raises(UserError, match="Cannot swap"):
            one.swap(other)


@pytest.mark.parametrize("kind", ["blocks", "curve", "cards"])
@pytest.mark.parametrize("place", [Place.center, Place.point, Place.none])
def test_static_fields_have_their_values_in_all_layouts_and_keep_no_global_array(kind, place):
    where = cut(kind=kind)
    shape = {Place.center: (3, 4, 6), Place.point: (3, 24), Place.none: (3,)}[place]
    values = np.random.default_rng(3).random(shape)
    truth, kept = values.copy(), weakref.ref(values)
    one = field(where=where, place=place, static=True)
    one.set_global(values)
    del values
    gc.collect()
    assert kept() is None
    for layout in where.layouts if place != Place.center else [where.planes]:
        for array, block in zip(one.storage(layout).arrays, layout.blocks, strict=True):
            if place == Place.none:
                assert np.array_equal(array, truth)
            elif place == Place.point:
                assert np.array_equal(array, truth[:, block.sea_numbers])
            else:
                here = truth[:, block.cell_j, block.cell_i] * block.inside
                assert np.array_equal(array, here)


def test_tables_of_blocks_are_made_for_layouts_that_come_later():
    where = cut(kind="cards")
    table = field(where=where, axes=(), static=True)
    table.set_per_block(lambda block: 10.0 * block.point_j + block.point_i)
    for array, block in zip(table.storage(where.planes).arrays, where.planes.blocks, strict=True):
        assert np.array_equal(array, 10.0 * block.point_j + block.point_i)
        assert array.any()
    assert table.storage(where.planes).fresh.of() == everywhere


def test_cells_are_set_as_by_a_global_array():
    truth = np.random.default_rng(3).random((3, 4, 6))
    whole, by_cells, by_level = (field(place=Place.center, static=True) for _ in range(3))
    whole.set_global(truth)
    by_cells.set_cells(lambda j, i: truth[:, j, i])
    for k in range(3):
        by_level.set_cells(lambda j, i, plane=truth[k]: plane[j, i], at=k)
    for one in (by_cells, by_level):
        for got, right in zip(one.blocks, whole.blocks, strict=True):
            assert np.array_equal(got, right)
        assert one.storage(one.layout).fresh.of() == whole.storage(whole.layout).fresh.of()


def test_what_blocks_make_themselves_they_make_in_layouts_used_later_too():
    where = cut(kind="cards")
    one = field(where=where, place=Place.point, axes=(), static=True)
    one.set_per_block(lambda block: 1.0 + block.sea_numbers)
    for array, block in zip(one.storage(where.planes).arrays, where.planes.blocks, strict=True):
        assert np.array_equal(array, 1.0 + block.sea_numbers)


@pytest.mark.parametrize("place", [Place.center, Place.point])
def test_an_entry_shows_the_newest_values_in_the_memory_of_the_whole(place):
    """After changes and swaps too, with the axes that are left."""
    whole, other = (field(axes=(3, 2), place=place) for _ in range(2))
    first, second = np.random.default_rng(4).random((2, *whole.shape))
    whole.set_global(first)
    other.set_global(second)
    entry = Entry(whole, 2, "third", "kg")
    assert (entry.name, entry.units, entry.restart) == ("third", "kg", False)
    assert entry.shape == whole.shape[1:]
    np.testing.assert_array_equal(entry.gather(), first[2])
    for one, all_of in zip(entry.read(), whole.read(), strict=True):
        assert np.shares_memory(one, all_of)
    with whole.change() as owned:
        for array in owned:
            array *= 2.0
    np.testing.assert_array_equal(entry.gather(), 2.0 * first[2])
    whole.swap(other)
    np.testing.assert_array_equal(entry.gather(), second[2])
    for rows, all_of in zip(
        entry.storage(entry.layout).flat, whole.storage(whole.layout).flat, strict=True
    ):
        np.testing.assert_array_equal(rows, all_of[4:6])
