"""Elliptic solutions: the same bits on any ranks, threads, blocks and cuts.

Ranks: 1, 3, and 2 and 4 with `--all`, started here; more than there are cores on most machines.
"""

import pytest

from invariance.printed_bits import printed_bits


def bits(ranks: int, threads: int) -> frozenset[str]:
    """Distinct lines of method and hash, over all ways to cut the grid; on several ranks half."""
    return printed_bits("small_solver.py", ranks, threads, lines=44 if ranks == 1 else 22)


@pytest.mark.parametrize(
    "ranks", [1, 3, *(pytest.param(ranks, marks=pytest.mark.slow) for ranks in (2, 4))]
)
def test_ranks_and_cuts(ranks):
    assert len(bits(1, 1)) == 11  # one of each choice
    assert bits(ranks, 1) == bits(1, 1)


def test_threads():
    assert bits(1, 3) == bits(1, 1)


@pytest.mark.parametrize("ranks", [1, 3])
def test_ranks_and_cuts_of_folded_grids(ranks):
    def found(ranks):
        return printed_bits("small_folded_solver.py", ranks, 1, lines=24)

    assert len(found(1)) == 8  # one of each choice and fold
    assert found(ranks) == found(1)
