"""Fields at every place of a grid with levels: shapes, owners, wet values, global arrays.

Ranks: 1, and 3 and 5 through test_ranks.py. References are loops over explicit masks.
"""

import itertools

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field, pair
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.space import Space
from halocline.runtime.fields.topology import Topology
from halocline.runtime.ranks.communicator import world
from halocline.runtime.sums.reductions import GlobalSums

nj, ni, levels = 11, 17, 4
planar = [place for place in Place if place.planar]
sides = list(itertools.product([False, True], repeat=2))
depth = Axis("depth", coordinates=(40.0, 25.0, 12.0, 4.0), units="m")


def wet_levels(seed=3):
    """Columns of 0 to all levels, and land in a third of the cells."""
    random = np.random.default_rng(seed)
    return random.integers(1, levels + 1, (nj, ni)) * (random.random((nj, ni)) < 0.7)


def space(periodic_j=False, periodic_i=False, kind="blocks", blocks=2, halo=1):
    count = wet_levels()
    decomposition = Decomposition(
        count > 0,
        Topology(nj, ni, periodic_j, periodic_i),
        halo=halo,
        options=DecompositionOptions(kind=kind, blocks_per_rank=blocks),
        communicator=world(),
    )
    return Space(decomposition, levels=depth, wet_levels=count)


def wet_by_loops(place, periodic_j, periodic_i):
    """Level by level and value by value, from a mask of all cells."""
    wet = np.array([wet_levels() >= levels - k for k in range(levels)])
    rows = nj + (place in ("y_face", "corner") and not periodic_j)
    columns = ni + (place in ("x_face", "corner") and not periodic_i)
    result = np.zeros((levels, rows, columns), bool)
    for k, j, i in np.ndindex(result.shape):
        beside = {
            "center": [(j, i)],
            "x_face": [(j, i - 1), (j, i)],
            "y_face": [(j - 1, i), (j, i)],
            "corner": [(j - 1, i - 1), (j - 1, i), (j, i - 1), (j, i)],
        }[place]
        result[k, j, i] = all(
            (periodic_j or 0 <= y < nj) and (periodic_i or 0 <= x < ni) and wet[k, y % nj, x % ni]
            for y, x in beside
        )
    return result


@pytest.mark.parametrize("place", planar)
@pytest.mark.parametrize("periodic", sides)
def test_a_value_is_wet_where_all_cells_beside_it_are(place, periodic):
    here = space(*periodic)
    expected = wet_by_loops(place, *periodic)
    assert np.array_equal(here.wet(place), expected)
    assert here.shape(place) == expected.shape[1:]
    assert 0 < expected.sum() < expected.size
    plane = Space(here.decomposition)
    assert np.array_equal(plane.wet(place), expected[-1])


def test_an_interface_is_wet_above_or_below_a_wet_level():
    here = space()
    field = Field("w", "m s-1", here, axes=(here.interfaces,), place=Place.center)
    wet = wet_by_loops("center", False, False)
    dry = np.zeros_like(wet[:1])
    expected = np.concatenate([dry, wet]) | np.concatenate([wet, dry])
    for part, block in zip(field.wet, field.layout.blocks, strict=True):
        r = block.rectangle
        assert np.array_equal(part, expected[:, r.j0 : r.j1, r.i0 : r.i1])


def made(place, here, dtype=np.float64):
    field = Field("u", "m s-1", here, axes=(Axis("tracer", 3), depth), place=place, dtype=dtype)
    values = np.random.default_rng(8).normal(size=(3, levels, *here.shape(place))).astype(dtype)
    field.set_global(values)
    return field, values


@pytest.mark.parametrize("kind", ["blocks", "curve"])
@pytest.mark.parametrize("place", planar)
@pytest.mark.parametrize("periodic", sides)
def test_every_value_has_one_owner_and_comes_back(kind, place, periodic):
    here = space(*periodic, kind=kind)
    field, values = made(place, here)
    owners = here.owners(place)
    assert owners.shape == values.shape[-2:] == field.shape[-2:]
    seen = [np.zeros(owners.shape, int) for _ in field.layout.blocks]
    for count, block, owned in zip(seen, field.layout.blocks, field.owned, strict=True):
        at = np.argwhere(owners == block.number)
        (j0, i0), (j1, i1) = at.min(axis=0), at.max(axis=0) + 1
        assert np.array_equal(owned, values[..., j0:j1, i0:i1])
        count[j0:j1, i0:i1] = 1
    everyone = world().gather(sum(seen, np.zeros(owners.shape, int)))
    whole = field.gather()
    if everyone is not None:
        assert np.array_equal(sum(everyone), (owners >= 0).astype(int))
        assert np.array_equal(whole, np.where(owners >= 0, values, 0))
        # Blocks without sea are left out, but none that has a wet value.
        assert (owners >= 0)[here.wet(place).any(axis=0)].all()


@pytest.mark.parametrize("place", planar)
def test_what_is_set_lies_where_kernels_look_for_it(place):
    """Value (j, i) stands at row j - j0 + halo of a block whose first cell is j0, halo included."""
    for periodic, halo in itertools.product(sides, (1, 2)):
        here = space(*periodic, halo=halo)
        field, values = made(place, here)
        rows, columns = values.shape[-2:]
        for array, block in zip(field.blocks, field.layout.blocks, strict=True):
            r = block.rectangle
            for at in np.ndindex(block.shape):
                j, i = at[0] + r.j0 - halo, at[1] + r.i0 - halo
                there = (periodic[0] or 0 <= j < rows) and (periodic[1] or 0 <= i < columns)
                expected = values[..., j % rows, i % columns] if there else 0
                assert np.array_equal(array[..., at[0], at[1]], np.broadcast_to(expected, (3, 4)))


@pytest.mark.parametrize("place", planar)
@pytest.mark.parametrize("periodic", sides)
def test_sums_of_wet_values_take_each_once(place, periodic):
    here = space(*periodic, kind="curve")
    field, values = made(place, here)
    terms = [
        [np.where(wet, owned[n], 0.0) for owned, wet in zip(field.owned, field.wet, strict=True)]
        for n in range(3)
    ]
    found = GlobalSums(world(), 3)(terms)
    expected = [values[n][wet_by_loops(place, *periodic)].sum() for n in range(3)]
    assert np.allclose(found, expected, rtol=1e-13, atol=1e-13)


def test_the_last_face_needs_a_halo():
    with pytest.raises(UserError, match="'u' lies on x_face.*Use a halo of 1"):
        Field("u", "m s-1", space(halo=0), place=Place.x_face)
    Field("u", "m s-1", space(periodic_i=True, halo=0), place=Place.x_face)


def test_axes_say_what_their_entries_are():
    tracers = Axis("tracer", entries=("salt", "age"), entry_units=("1", "s"))
    field = Field("content", "1", space(), axes=(tracers, depth), place=Place.center)
    assert field.outer == (2, levels) and field.levels is depth
    assert not field.by_component and Field("s", "1", space(), axes=(3,)).axes == (Axis("", 3),)
    with pytest.raises(AssertionError, match="'tracer' has entries of unequal number"):
        Axis("tracer", 3, entries=("salt", "age"))


def test_a_vector_knows_its_partner_and_is_not_swapped_with_it():
    here = space(True, True)
    x, y = (Field(name, "m s-1", here, place=Place.center) for name in ("u", "v"))
    pair(x, y)
    assert x.partner is y and y.partner is x and (x.direction, y.direction) == ("x", "y")
    with pytest.raises(UserError, match="direction"):
        x.swap(y)
