"""Fields on one rank: what may be swapped with what."""

import numpy as np
import pytest

from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology


def cut(nj=4, ni=6, kind="blocks"):
    options = DecompositionOptions(kind=kind, blocks_per_rank=1 if kind == "cards" else 2)
    return Decomposition(
        np.ones((nj, ni), bool), Topology(nj, ni), halo=1, options=options, components=3
    )


decomposition = cut()


def field(name="x", where=decomposition, **changes):
    return Field(name, "1", where, **({"outer": (3,), "dtype": np.float64} | changes))


def test_swapped_fields_have_each_other_s_values_and_freshness():
    one, other = field("new"), field("old")
    first, second = np.random.default_rng(1).random((2, 3, 24))
    one.set_global(first)
    other.set_global(second)
    other.written()
    one.swap(other)
    assert np.array_equal(one.gather(), second) and np.array_equal(other.gather(), first)
    assert (one.storage(one.layout).fresh == 0).all()
    assert (other.storage(other.layout).fresh > 0).all()
    assert (one.name, other.name) == ("new", "old")


@pytest.mark.parametrize(
    "change",
    [
        {"outer": (2,)},
        {"outer": ()},
        {"outer": (3, 1)},
        {"place": Place.center},
        {"place": Place.none},
        {"dtype": np.float32},
        {"static": True},
        {"by_component": True},
        {"where": cut(6, 4)},
        {"where": cut(kind="cards")},
    ],
    ids=lambda change: next(iter(change)),
)
def test_fields_of_unequal_shape_are_not_swapped(change):
    for one, other in ((field(), field(**change)), (field(**change), field())):
        with pytest.raises(AssertionError):
            one.swap(other)
