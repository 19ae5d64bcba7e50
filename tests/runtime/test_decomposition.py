"""Cuts of a grid: every sea cell is owned once, land-only blocks are dropped, mistakes refused."""

import numpy as np
import pytest

from halocline.biogeochemistry import transport
from halocline.component.case.shipped import data_folder
from halocline.core.errors import UserError
from halocline.experiment.command_line import main
from halocline.grids.horizontal.curvilinear_files import read_displaced_pole
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.load import Load, Work
from halocline.runtime.fields.topology import Topology
from halocline.runtime.ranks.communicator import Alone


class Some(Alone):
    """A communicator of any size, without ranks."""

    def __init__(self, size: int) -> None:
        self.size = size


def cut(mask, ranks, kind="blocks", per_rank=1, rows=0, **more):
    options = DecompositionOptions(kind=kind, blocks_per_rank=per_rank, rows=rows)
    topology = Topology(*mask.shape, periodic_i=True)
    return Decomposition(
        mask, topology, halo=2, options=options, communicator=Some(ranks), components=8, **more
    )


@pytest.mark.parametrize("staggered", [False, True])
@pytest.mark.parametrize("kind", ["blocks", "curve"])
@pytest.mark.parametrize("ranks", [1, 2, 5, 8])
def test_every_sea_cell_has_one_owner_and_every_rank_some_sea(kind, ranks, staggered):
    mask = np.random.default_rng(ranks).random((30, 40)) < 0.7
    mask[:, :10] = False
    rectangles = cut(mask, ranks, kind, per_rank=2, staggered=staggered).world.rectangles
    owners, with_sea = np.zeros(mask.shape, int), set()
    for r in rectangles:
        owners[r.j0 : r.j1, r.i0 : r.i1] += 1
        sea = mask[r.j0 : r.j1, r.i0 : r.i1].any()
        assert sea or staggered
        with_sea |= {r.rank} if sea else set()
    assert (owners[mask] == 1).all()
    assert owners.max() == 1
    assert with_sea == set(range(ranks))


@pytest.mark.parametrize("kind", ["blocks", "curve", "cards"])
def test_more_ranks_than_points_are_refused(kind):
    mask = np.zeros((6, 6), bool)
    mask[2, 2:5] = True
    with pytest.raises(UserError, match=r"3 cells among 4 ranks\. Use at most 3 ranks"):
        cut(mask, 4, kind)


def test_a_mask_without_sea_is_refused():
    with pytest.raises(UserError, match="no sea point"):
        cut(np.zeros((6, 6), bool), 1)


def test_more_ranks_than_points_on_the_command_line(capsys):
    assert main(["run", "equator-circle", "-n", "1000"]) == 2
    assert "Cannot start 1000 processes here" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["blocks", "curve"])
@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
@pytest.mark.parametrize("unit", [(4, 4), (3, 7), (8, 8)])
def test_blocks_of_whole_units_cover_the_sea_and_begin_at_multiples(kind, ranks, unit):
    random = np.random.default_rng(ranks)
    mask = random.uniform(size=(30, 41)) > 0.4
    mask[:12, 8:24] = False
    made = cut(mask, ranks, kind, 2, unit=unit)
    rectangles = made.world.rectangles
    assert made.describe().startswith(kind)
    count = np.zeros(mask.shape, int)
    for r in rectangles:
        assert r.j0 % unit[0] == 0 and r.i0 % unit[1] == 0
        assert r.j1 % unit[0] == 0 or r.j1 == mask.shape[0]
        assert r.i1 % unit[1] == 0 or r.i1 == mask.shape[1]
        count[r.j0 : r.j1, r.i0 : r.i1] += 1
    assert count.max() == 1 and count[mask].min() == 1
    assert {r.rank for r in rectangles} == set(range(ranks))


def test_units_keep_to_the_rows_that_are_asked_for():
    mask = np.ones((32, 64), bool)
    for rows in (1, 2, 4):
        rectangles = cut(mask, 4, unit=(8, 8), rows=rows).world.rectangles
        assert len({r.j0 for r in rectangles}) == rows


def test_units_of_a_curve_are_squares_along_it():
    rectangles = cut(np.ones((64, 64), bool), 4, "curve", 4, unit=(8, 8)).world.rectangles
    assert [(r.j0, r.i0) for r in rectangles[:4]] == [(0, 0), (0, 16), (16, 16), (16, 0)]


@pytest.mark.parametrize("kind", ["blocks", "curve"])
def test_too_few_units_for_the_ranks_are_refused(kind):
    with pytest.raises(
        UserError, match=r"units of 30 x 16 into .*blocks for 9 ranks.*smaller units"
    ):
        cut(np.ones((30, 40), bool), 9, kind, unit=(30, 16))


@pytest.mark.parametrize("kind, words", [("blocks", "Cannot cut"), ("cards", "Use fewer")])
def test_more_blocks_than_cells_are_refused_at_once(kind, words):
    options = DecompositionOptions(kind=kind, blocks_per_rank=2**31)
    with pytest.raises(UserError, match=words):
        Decomposition(np.ones((6, 6), bool), Topology(6, 6), halo=1, components=4, options=options)


def test_cards_have_no_units():
    with pytest.raises(UserError, match=r"whole units of 8 x 8 cells.*kind = 'blocks'"):
        cut(np.ones((30, 40), bool), 2, "cards", unit=(8, 8))


def loads(made, weights):
    load = np.zeros(made.communicator.size)
    for r in made.world.rectangles:
        load[r.rank] += weights[r.j0 : r.j1, r.i0 : r.i1].sum()
    return load


@pytest.mark.parametrize("kind", ["blocks", "curve"])
def test_ranks_share_the_wet_levels(kind):
    """A shelf of 4 levels beside an abyss of 40: equal points would be unequal work."""
    mask = np.ones((48, 96), bool)
    levels = np.where(np.arange(96) < 48, 4.0, 40.0) * mask
    only_levels = Work(plane=0.0, halo=0.0, message=0.0)
    even = loads(cut(mask, 8, kind, 16, weights=levels, work=only_levels), levels)
    blind = loads(cut(mask, 8, kind, 16, work=only_levels), levels)
    assert even.max() < 1.15 * even.mean()
    assert blind.max() > 1.2 * even.max()


def test_weights_of_another_grid_are_refused():
    with pytest.raises(UserError, match=r"shape \(4, 5\), the mask of the sea \(6, 6\)"):
        cut(np.ones((6, 6), bool), 1, weights=np.ones((4, 5)))


def test_costs_are_those_of_the_docstring():
    """Periodic in i, closed in j: halos go round the seam, not beyond the sides."""
    mask = np.ones((8, 40), bool)
    mask[0, 0] = False
    weights = np.arange(320.0).reshape(8, 40) * mask
    load = Load(mask, Topology(8, 40, periodic_i=True), 2, weights=weights, work=Work(plane=0.25))
    around = np.pad(weights[:, [38, 39, *range(10), 10, 11]], ((2, 2), (0, 0)))
    own = weights[0:4, 0:10].sum()
    assert load.cost((0, 4, 0, 10)) == pytest.approx(
        own + 0.25 * 16 * 6 + load.work.halo * (around[0:8].sum() - own)
    )


def test_messages_are_counted_by_rank():
    """Blocks 2 x 2 of a ring: everybody hears from the others, once each."""
    load = Load(np.ones((8, 8), bool), Topology(8, 8, periodic_i=True), 1)
    quarters = [(j, j + 4, i, i + 4) for j in (0, 4) for i in (0, 4)]
    assert load.messages(quarters, [[0], [1], [2], [3]]) == [3, 3, 3, 3]
    assert load.messages(quarters, [[0, 1], [2], [3]]) == [2, 2, 2]
    strips = [(j, j + 2, 0, 8) for j in (0, 2, 4, 6)]
    assert load.messages(strips, [[0], [1], [2], [3]]) == [1, 2, 2, 1]


def test_squares_where_halos_and_strips_where_messages_cost():
    """An open square on 16 ranks: the balance is the same, so halos and messages decide."""
    mask = np.ones((128, 128), bool)
    halos = Work(plane=0.0, halo=1.0, message=0.0)
    messages = Work(plane=0.0, halo=0.0, message=1.0)
    assert len({r.j0 for r in cut(mask, 16, work=halos).world.rectangles}) == 4
    assert len({r.j0 for r in cut(mask, 16, work=messages).world.rectangles}) in (1, 16)
    # Squares cost less before messages count, strips less with them.
    both = Work(plane=0.0, halo=1e-3, message=100.0)
    assert len({r.j0 for r in cut(mask, 16, work=both).world.rectangles}) in (1, 16)


@pytest.mark.parametrize("ranks", [4, 16, 64])
def test_the_transport_gets_even_and_compact_blocks(ranks):
    """Its kernels take as long on land: even cells, no row of strips."""
    grid = read_displaced_pole(data_folder() / "g_pop_x1_grid.nc")
    made = Decomposition(
        grid.mask, grid.topology, halo=2, communicator=Some(ranks),
        weights=np.ones(grid.mask.shape), work=transport.work,
    )  # fmt: skip
    cells = loads(made, np.ones(grid.mask.shape))
    assert cells.max() <= 1.03 * grid.mask.size / ranks
    halos = [(r.j1 - r.j0 + 4) * (r.i1 - r.i0 + 4) for r in made.world.rectangles] - cells
    assert halos.max() <= 4 * (2 * np.sqrt(grid.mask.size / ranks) + 4) * 1.15


@pytest.mark.parametrize("kind", ["blocks", "curve", "cards"])
def test_sea_numbers_need_no_table_of_the_world(kind):
    mask = np.random.default_rng(1).random((30, 40)) < 0.7
    made = cut(mask, 3, kind, 2)
    table = np.full(mask.shape, -1)
    table[mask] = np.arange(mask.sum())
    for block in made.planes.blocks:
        j, i = block.point_j, block.point_i
        expected = table[block.cell_j[j, i], block.cell_i[j, i]]
        assert np.array_equal(block.sea_numbers, expected)
    j, i = np.mgrid[0:30, 0:40]
    assert np.array_equal(made.world.numbers_of(j, i), table)
    assert not {"owner", "position", "sea_number"} & vars(made.world).keys()
