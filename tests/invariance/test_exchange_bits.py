"""Exchanges: the same bits on any ranks, side by side or in sequence, and over restarts.

Ranks: 1, 3 and 5, started here; more than there are cores on most machines.
"""

from pathlib import Path

import numpy as np
import pytest

from experiment.ponds import ponds
from halocline.experiment.run import run
from invariance.printed_bits import printed_bits
from invariance.small_ponds import members


@pytest.mark.parametrize("ranks", [3, pytest.param(5, marks=pytest.mark.slow)])
def test_ranks_and_seats(ranks: int):
    alone = printed_bits("small_ponds.py", 1, 1, lines=8)
    assert len(alone) == 4  # one of each member
    assert printed_bits("small_ponds.py", ranks, 1, lines=8) == alone


@pytest.mark.parametrize("split", [1, 2])
def test_restart_split(tmp_path: Path, split: int):
    """What others gave before the moment is there after it."""

    ponds.clear()

    def state():
        return {
            (name, field.name): field.gather()
            for name, pond in ponds.items()
            for field in pond.restart_fields()
        }

    run(members({}))
    whole = state()
    run(members({}, restart={"interval": f"{split}h"}, length=f"{split}h"), output=tmp_path)
    run(members({}, restart={"source": str(tmp_path)}))
    found = state()
    assert found.keys() == whole.keys() and len(found) == 20
    assert [name for name in whole if not np.array_equal(found[name], whole[name])] == []


def bits(ranks: int, *words: str) -> frozenset[str]:
    return printed_bits("coupled_ponds.py", ranks, 1, 3, *words)


def test_means_sums_and_what_is_on_its_way(tmp_path: Path):
    """Side by side on four ranks, broken off after each interval, as alone on one."""
    alone = bits(1, "parallel", "apart")
    assert len(alone) == 3
    assert bits(4, "auto", "apart", str(tmp_path)) == alone


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize("path", ["serial", "parallel"])
@pytest.mark.parametrize("seats", ["together", "apart"])
def test_paths_and_seats(tmp_path: Path, ranks: int, path: str, seats: str):
    """In sequence too, by each path."""
    alone = bits(1, "parallel", "apart")
    assert bits(ranks, path, seats) == alone
    assert bits(ranks, path, seats, str(tmp_path)) == alone


def sea_bits(ranks: int, *words: str) -> frozenset[str]:
    return printed_bits("coupled_seas.py", ranks, 1, 4, *words)


def test_air_sea_and_waves(tmp_path: Path):
    """Four components that share fluxes, in sequence on one rank, side by side on three and
    broken off after every interval."""
    alone = sea_bits(1, str(tmp_path / "alone"), "together")
    assert len(alone) == 4
    assert sea_bits(3, str(tmp_path / "three"), "apart", "split") == alone


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("seats", ["together", "apart"])
def test_air_sea_and_waves_on_more_ranks(tmp_path: Path, ranks: int, seats: str):
    alone = sea_bits(1, str(tmp_path / "alone"), "together")
    assert sea_bits(ranks, str(tmp_path / "more"), seats) == alone
