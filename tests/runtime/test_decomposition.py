"""Cuts of a grid: every sea cell is owned once, land-only blocks are dropped, mistakes refused."""

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.experiment.command_line import main
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions, cut_units
from halocline.runtime.fields.topology import Topology
from halocline.runtime.ranks.communicator import Alone


class Some(Alone):
    """A communicator of any size, without ranks."""

    def __init__(self, size: int) -> None:
        self.size = size


def cut(mask, ranks, kind="blocks", per_rank=1):
    options = DecompositionOptions(kind=kind, blocks_per_rank=per_rank)
    topology = Topology(*mask.shape, periodic_i=True)
    return Decomposition(
        mask, topology, halo=2, options=options, communicator=Some(ranks), components=8
    )


@pytest.mark.parametrize("kind", ["blocks", "curve"])
@pytest.mark.parametrize("ranks", [1, 2, 5, 8])
def test_every_sea_cell_has_one_owner_and_every_rank_some_sea(kind, ranks):
    mask = np.random.default_rng(ranks).random((30, 40)) < 0.7
    mask[:, :10] = False
    rectangles = cut(mask, ranks, kind, per_rank=2).world.rectangles
    owners = np.zeros(mask.shape, int)
    for r in rectangles:
        owners[r.j0 : r.j1, r.i0 : r.i1] += 1
        assert mask[r.j0 : r.j1, r.i0 : r.i1].any()
    assert (owners[mask] == 1).all()
    assert owners.max() == 1
    assert {r.rank for r in rectangles} == set(range(ranks))


@pytest.mark.parametrize("kind", ["blocks", "curve", "cards"])
def test_more_ranks_than_points_are_refused(kind):
    mask = np.zeros((6, 6), bool)
    mask[2, 2:5] = True
    with pytest.raises(UserError, match=r"3 sea points among 4 ranks\. Use at most 3 ranks"):
        cut(mask, 4, kind)


def test_a_mask_without_sea_is_refused():
    with pytest.raises(UserError, match="no sea point"):
        cut(np.zeros((6, 6), bool), 1)


def test_more_ranks_than_points_on_the_command_line(capsys):
    assert main(["run", "equator-circle", "-n", "1000"]) == 2
    assert "Cannot share 360 sea points among 1000 ranks" in capsys.readouterr().err


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
@pytest.mark.parametrize("unit", [(4, 4), (3, 7), (30, 4)])
def test_blocks_of_whole_units_cover_the_sea_and_begin_at_multiples(ranks, unit):
    random = np.random.default_rng(ranks)
    mask = random.uniform(size=(30, 41)) > 0.4
    mask[:12, 8:24] = False
    rectangles = cut_units(mask, ranks, 2, unit)
    count = np.zeros(mask.shape, int)
    for r in rectangles:
        assert r.j0 % unit[0] == 0 and r.i0 % unit[1] == 0
        assert r.j1 % unit[0] == 0 or r.j1 == mask.shape[0]
        assert r.i1 % unit[1] == 0 or r.i1 == mask.shape[1]
        count[r.j0 : r.j1, r.i0 : r.i1] += 1
    assert count.max() == 1 and count[mask].min() == 1
    assert {r.rank for r in rectangles} == set(range(ranks))


def test_too_few_units_for_the_ranks_are_refused():
    with pytest.raises(UserError, match="units of 30 x 16 into blocks for 9 ranks"):
        cut_units(np.ones((30, 40), bool), 9, 1, (30, 16))
