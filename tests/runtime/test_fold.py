"""Kernels on a grid that is folded in the north: they read what stands beyond the seam.

Ranks: 1.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field, pair
from halocline.runtime.fields.kernel import Argument, Kernel
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from halocline.runtime.running.runner import Runner
from references.joined_sides import planar, surroundings

nj, ni = 6, 16


def argument(name: str, access: str, place: Place, *reach: int) -> Argument:
    return Argument(name, access, place, "1", reach or (0, 0, 0, 0), "own")


def push(box, height, v):
    """A northward flow by what stands north of the face alone, at the face's own j and i."""
    j0, j1, i0, i1, _ = box
    v[j0:j1, i0:i1] = height[j0:j1, i0:i1]


def spread(box, u, v, out):
    j0, j1, i0, i1, _ = box
    out[j0:j1, i0:i1] = (u[j0:j1, i0 + 1 : i1 + 1] - u[j0:j1, i0:i1]) + (
        v[j0 + 1 : j1 + 1, i0:i1] - v[j0:j1, i0:i1]
    )


push_kernel = Kernel(
    "push", (argument("height", "read", Place.center), argument("v", "write", Place.y_face)), push
)
spread_kernel = Kernel(
    "spread",
    (
        argument("u", "read", Place.x_face, 0, 1, 0, 0),
        argument("v", "read", Place.y_face, 0, 0, 0, 1),
        argument("out", "write", Place.center),
    ),
    spread,
)


def prepare(blocks: int, **more) -> tuple[Runner, SimpleNamespace]:
    decomposition = Decomposition(
        np.ones((nj, ni), bool),
        Topology(nj, ni, periodic_i=True, fold="faces"),
        halo=2,
        options=DecompositionOptions(blocks_per_rank=blocks),
    )
    places = {"height": Place.center, "u": Place.x_face, "v": Place.y_face, "out": Place.center}
    made = {
        name: Field(name, "1", decomposition, place=place, dtype=np.float64)
        for name, place in places.items()
    }
    pair(made["u"], made["v"])
    return Runner(decomposition, **more), SimpleNamespace(**made)


def set_owned(field: Field, values: np.ndarray) -> None:
    """Owned values only, NaN around them."""
    field.set_global(values)
    for array, own in zip(field.blocks, field.owned, strict=True):
        kept = own.copy()
        array[...] = np.nan
        own[...] = kept
    field.written()


@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize("blocks", [1, 4, 6])
def test_a_face_on_the_seam_sees_the_cell_beyond_it(blocks, checked):
    run, state = prepare(blocks, check_halos=checked)
    height = np.random.default_rng(1).random((nj, ni))
    set_owned(state.height, height)
    run(push_kernel, state)
    found = state.v.gather()
    assert np.array_equal(found[:nj], height)
    half = ni // 2
    assert np.array_equal(found[nj, :half], height[nj - 1, ::-1][:half])


@pytest.mark.parametrize("blocks", [1, 4, 6])
def test_what_flows_out_of_a_cell_flows_into_the_one_beyond_the_seam(blocks):
    """The flow at a double is that of its owner, backwards, so that the sum of all closes."""
    run, state = prepare(blocks)
    random = np.random.default_rng(2)
    u, v = random.integers(-9, 9, (nj, ni)) * 1.0, random.integers(-9, 9, (nj + 1, ni)) * 1.0
    v[0] = 0.0
    set_owned(state.u, u)
    set_owned(state.v, v)
    run(spread_kernel, state)
    seam = v[nj].copy()
    seam[ni // 2 :] = -seam[: ni // 2][::-1]
    north = np.vstack([v[1:nj], seam])
    out = (np.roll(u, -1, 1) - u) + (north - v[:nj])
    found = state.out.gather()
    assert np.array_equal(found, out)
    assert found.sum() == 0.0


@pytest.mark.parametrize("vector", [False, True])
@pytest.mark.parametrize("place", planar)
@pytest.mark.parametrize("fold", ["faces", "centres"])
def test_fields_that_are_set_hold_what_a_walker_finds_beyond_the_seam(fold, place, vector):
    """Doubles on the seam and two rows beyond it, with the other sign for components of vectors."""
    topology = Topology(nj, ni, periodic_i=True, fold=fold)
    options = DecompositionOptions(blocks_per_rank=4)
    where = Decomposition(np.ones((nj, ni), bool), topology, halo=2, options=options)
    fields = [Field(n, "1", where, axes=(2,), place=place, dtype=np.float64) for n in ("u", "v")]
    if vector:
        pair(*fields)
    values = np.random.default_rng(7).random(fields[0].shape)
    inside, j, i, sign = surroundings(topology, place, 2)
    expected = np.where(inside, values[:, j, i] * (sign if vector else 1), 0.0)
    assert (sign[nj + 2 :] < 0).any()
    fields[0].set_global(values)
    fields[1].set_cells(lambda j, i: values[:, j, i])
    for field in fields:
        for array, block in zip(field.blocks, field.layout.blocks, strict=True):
            r = block.rectangle
            assert np.array_equal(array, expected[:, r.j0 : r.j1 + 4, r.i0 : r.i1 + 4])
