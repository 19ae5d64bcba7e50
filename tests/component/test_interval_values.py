"""Means and extremes of an interval: what they are, what is kept for them, and where.

Ranks: 1. Compared with plain NumPy over all samples.
"""

import numpy as np
import pytest

from halocline.component.streams.interval_values import IntervalValues
from halocline.core.names import Quantity
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.space import Space
from halocline.runtime.fields.topology import Topology

shape, samples = (7, 10), 5
depth = Axis("depth", coordinates=(30.0, 15.0, 5.0), units="m")
names = {"salt": Quantity("salt", "", "1", "salt")}
of_numpy = {"mean": np.nanmean, "minimum": np.nanmin, "maximum": np.nanmax}


def sea(fold=""):
    """A space of three levels, and a field of cells on it."""
    mask = np.random.default_rng(1).random(shape) < (1.0 if fold else 0.6)
    wet = mask * (depth.size if fold else np.random.default_rng(2).integers(1, 4, shape))
    topology = Topology(*shape, periodic_i=bool(fold), fold=fold)
    cut = Decomposition(
        mask, topology, halo=1, options=DecompositionOptions(blocks_per_rank=1 if fold else 4)
    )
    space = Space(cut, levels=depth, wet_levels=wet)
    return space, Field("salt", "1", space, axes=(depth,), place=Place.center, dtype=np.float64)


def gathered(kind, space, field):
    """The interval of some random samples, one of them with a missing value, and these."""
    interval = IntervalValues(
        "some", kind, names, {"salt": (depth,)}, space, place=Place.center, dtype=np.float64,
        most=samples,
    )  # fmt: skip
    given = np.random.default_rng(3).random((samples, *field.shape))
    given[2, :, 4] = np.nan
    for values in given:
        field.set_global(values)
        interval.add({"salt": field})
    return interval, given


@pytest.mark.parametrize("kind", of_numpy)
def test_values_of_cells_are_kept_at_sea_points(kind):
    """Each block's in their order; what lies below the floor is missing."""
    space, field = sea()
    interval, given = gathered(kind, space, field)
    mask, wet = space.decomposition.world.mask, space.wet(Place.center)
    assert {kept.shape for kept in interval.fields} == {(depth.size, mask.sum())}
    expected = np.where(wet, of_numpy[kind](given, axis=0), np.nan)
    for again in range(2):
        found = interval.take()["salt"]
        assert found.shape == (depth.size, mask.sum())
        np.testing.assert_allclose(found.gather(), expected[:, mask], rtol=1e-15)
        assert np.isnan(found.gather()).any() and np.isfinite(found.gather()).any()
        if not again:
            for values in given:
                field.set_global(values)
                interval.add({"salt": field})


def test_cells_that_stand_twice_are_kept_as_cells():
    """On a fold through centres both have values, which readers of maps look at."""
    space, field = sea("centres")
    interval, given = gathered("mean", space, field)
    assert {kept.place for kept in interval.fields} == {Place.center}
    found = interval.take()["salt"].gather()
    np.testing.assert_allclose(found[:, :4], given.mean(axis=0)[:, :4], rtol=1e-15)
