"""Blocks of land are left out, but none that owns a face or a corner of a sea cell.

Archipelagos and a continent, cut in blocks and along curves; faces and corners of all sea cells are
computed, gathered, written, restarted and summed. Ranks: 1, and 3 and 5 through test_ranks.py.
"""

import numpy as np
import pytest

from halocline.core.clock import date
from halocline.core.errors import UserError
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import Argument, Kernel
from halocline.runtime.fields.load import Load
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from halocline.runtime.ranks.communicator import Alone, world
from halocline.runtime.running.runner import Runner
from halocline.runtime.sums.reductions import GlobalSums
from halocline.runtime.writing.restart import read_restart
from halocline.runtime.writing.sources import Columns
from halocline.runtime.writing.writers import write_restart
from references.joined_sides import planar, surroundings

nj, ni = 24, 32
topologies = [
    Topology(nj, ni),
    Topology(nj, ni, periodic_i=True),
    Topology(nj, ni, periodic_i=True, fold="faces"),
    Topology(nj, ni, periodic_i=True, fold="centres"),
]
cuts = [
    {"blocks_per_rank": 40 // world().size},
    {"kind": "curve", "blocks_per_rank": 60 // world().size},
]


def archipelago(kind):
    """Little sea: islands of water in land, or a continent that reaches the northern side."""
    mask = np.zeros((nj, ni), bool)
    if kind == "continent":
        mask[:8], mask[:, :8] = True, True
        return mask
    for j, i, size in np.random.default_rng(2).integers((0, 0, 1), (nj, ni, 4), (14, 3)):
        mask[j : j + size, i : i + size] = True
    mask[-1, 3:6] = mask[-2, -1] = True
    return mask


def around_sea(topology, mask, place):
    """Values of a place that are a face or corner of a sea cell, by walks from all of them."""
    cell = surroundings(topology, Place.center, 2)
    touched = np.zeros(topology.shape(place), bool)
    rows = [-1, 0] if place in (Place.y_face, Place.corner) else [0]
    columns = [-1, 0] if place in (Place.x_face, Place.corner) else [0]
    for at in np.ndindex(touched.shape):
        for dj in rows:
            for di in columns:
                there, y, x, _ = cell[:, at[0] + dj + 2, at[1] + di + 2]
                touched[at] |= bool(there and mask[y, x])
    return touched


def cut(topology, mask, options, **more):
    return Decomposition(
        mask, topology, halo=1, options=DecompositionOptions(**options), communicator=world(),
        weights=np.ones(mask.shape), **more,
    )  # fmt: skip


def computed(decomposition, place):
    """A field whose owned values a kernel has set to numbers of their points."""
    number = Field("number", "1", decomposition, place=place, dtype=np.float64, static=True)
    rows, columns = decomposition.world.topology.shape(place)
    number.set_global(np.arange(1.0, rows * columns + 1).reshape(rows, columns))
    field = Field("out", "1", decomposition, place=place, dtype=np.float64)

    def copy(box, number, out):
        j0, j1, i0, i1, _ = box
        out[j0:j1, i0:i1] = number[j0:j1, i0:i1]

    here = (0, 0, 0, 0)
    kernel = Kernel(
        "copy",
        (
            Argument("number", "read", place, "1", here, "own"),
            Argument("out", "write", place, "1", here, "own"),
        ),
        copy,
    )
    Runner(decomposition)(kernel, None, number=number, out=field)
    return field


def numbers(topology, place):
    """What `computed` holds, doubles as their owners."""
    rows, columns = topology.shape(place)
    _, j, i, _ = surroundings(topology, place, 0)[:, :rows, :columns]
    return j * columns + i + 1.0


@pytest.mark.parametrize(("kind", "options"), [("continent", cuts[0]), ("islands", cuts[1])])
@pytest.mark.parametrize("place", planar)
@pytest.mark.parametrize("topology", topologies, ids=str)
def test_all_points_of_sea_cells_are_there(topology, place, kind, options, tmp_path_factory):
    mask = archipelago(kind)
    decomposition, wanted = cut(topology, mask, options), around_sea(topology, mask, place)
    owned = decomposition.world.owner >= 0
    assert owned.sum() < owned.size, "no block was left out"
    field, expected = computed(decomposition, place), numbers(topology, place)
    # Gathered, and what is in files.
    whole = field.gather()
    if whole is not None:
        assert np.array_equal(whole[wanted], expected[wanted])
    starts, lengths = Columns().source(field).sharing.unowned
    lost = np.zeros(wanted.size, bool)
    for start, length in zip(starts, lengths, strict=True):
        lost[start : start + length] = True
    assert not (lost.reshape(wanted.shape) & wanted).any()
    # Restarted on another cut.
    folder = world().broadcast(tmp_path_factory.mktemp("land") if world().rank == 0 else None)
    write_restart(folder / "one.safetensors", [field], date("2000-01-01"), {})
    other = Field("out", "1", cut(topology, mask, cuts[0]), place=place, dtype=np.float64)
    read_restart(folder / "one.safetensors", [other], {}, "standard")
    whole = other.gather()
    if whole is not None:
        assert np.array_equal(whole[wanted], expected[wanted])
    # Summed: of two at one point one counts.
    rows, columns = wanted.shape
    _, _, _, sign = surroundings(topology, place, 0)[:, :rows, :columns]
    terms = []
    for values, block in zip(field.owned, field.layout.blocks, strict=True):
        j0, j1, i0, i1 = block.world.owned(block.rectangle, place)
        once = wanted[j0:j1, i0:i1] & ~field.space.is_double(block, place)
        terms.append(np.where(once, values, 0.0))
    assert GlobalSums(world(), 1)([terms])[0] == expected[wanted & (sign > 0)].sum()


@pytest.mark.parametrize("place", planar)
@pytest.mark.parametrize("topology", topologies, ids=str)
def test_sea_cells_see_their_faces_and_corners(topology, place):
    """After an exchange, in the halos of all blocks."""
    mask = archipelago("islands")
    field = computed(cut(topology, mask, cuts[1]), place)
    expected = numbers(topology, place)
    seen = Field("seen", "1", field.space, place=Place.center, dtype=np.float64)
    look = Kernel(
        "look",
        (
            Argument("out", "read", place, "1", (-1, 1, -1, 1), "own"),
            Argument("seen", "write", Place.center, "1", (0, 0, 0, 0), "own"),
        ),
        lambda box, out, seen: None,
    )
    Runner(field.decomposition)(look, None, out=field, seen=seen)
    for array, block in zip(field.blocks, field.layout.blocks, strict=True):
        points = block.points_of(place)
        for j, i in np.argwhere(mask[block.cell_j, block.cell_i] & block.owned):
            for dj in range(1 + place.between_rows):
                for di in range(1 + place.between_columns):
                    at = j + dj, i + di
                    assert array[at] == expected[points.j[at], points.i[at]]


def test_blocks_with_points_only_do_not_grow():
    """A cut whose fields do not change on faces has the blocks with sea alone, as many ranks."""
    fewer = []
    for kind in ("islands", "continent"):
        mask = archipelago(kind)
        for options in cuts:
            some = cut(topologies[0], mask, options, staggered=False)
            more = cut(topologies[0], mask, options)
            assert all(mask[r.j0 : r.j1, r.i0 : r.i1].any() for r in some.world.rectangles)
            fewer.append(len(more.world.rectangles) - len(some.world.rectangles))
            assert (some.world.owner[mask] >= 0).all()
    assert min(fewer) >= 0 and max(fewer) > 0
    with pytest.raises(UserError, match=r"'u' lies on x_face.*staggered=True"):
        Field("u", "m s-1", some, place=Place.x_face)
    Field("u", "m s-1", some, place=Place.x_face, static=True)


class Imagined(Alone):
    """Rank 0 of many."""

    def __init__(self, size):
        self.size = size


def test_every_rank_has_sea():
    mask = archipelago("islands")
    for ranks in (2, 5, 9):
        for options in (*cuts, {"blocks_per_rank": 3}):
            made = Decomposition(
                mask, topologies[0], halo=1, options=DecompositionOptions(**options),
                communicator=Imagined(ranks), weights=np.ones(mask.shape),
            )  # fmt: skip
            sea = np.zeros(ranks, int)
            for r in made.world.rectangles:
                sea[r.rank] += mask[r.j0 : r.j1, r.i0 : r.i1].sum()
            assert (sea > 0).all() and sea.sum() == mask.sum()


def test_dealing_keeps_the_order_and_takes_land_along():
    mask = np.zeros((4, 40), bool)
    mask[:, 4:8] = mask[:, 20:24] = mask[:, 36:] = True
    load = Load(mask, Topology(4, 40), 1)
    blocks = [(0, 4, i, i + 4) for i in (0, 4, 8, 20, 24, 36)]
    assert load.deal(blocks, 3) == [[0, 1, 2], [3, 4], [5]]
    assert load.deal(blocks, 1) == [[0, 1, 2, 3, 4, 5]]
