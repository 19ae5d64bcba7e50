"""Tracers, their contents and extremes: the same bits on any ranks, threads and decompositions.

Ranks: 1, 3, and 2, 5 with `--all`, started here; more than there are cores on most machines.
"""

import pytest

from invariance.printed_bits import printed_bits


def bits(ranks: int, threads: int) -> frozenset[str]:
    """Distinct lines of precision and hash, over all ways to cut the grid."""
    return printed_bits("small_transport.py", ranks, threads, lines=6)


@pytest.mark.parametrize(
    "ranks",
    [1, 3, pytest.param(2, marks=pytest.mark.slow), pytest.param(5, marks=pytest.mark.slow)],
)
def test_ranks_and_decompositions(ranks):
    assert len(bits(1, 1)) == 2  # one of each precision
    assert bits(ranks, 1) == bits(1, 1)


@pytest.mark.parametrize("threads", [3, pytest.param(2, marks=pytest.mark.slow)])
def test_threads(threads):
    assert bits(1, threads) == bits(1, 1)


@pytest.mark.parametrize("ranks", [1, 3])
def test_folded_grids(ranks):
    def found(ranks):
        return printed_bits("small_folded_transport.py", ranks, 1, lines=12)

    assert len(found(1)) == 4  # one of each precision and fold
    assert found(ranks) == found(1)


def test_flow_from_files():
    """By both schemes, each in two precisions."""
    alone = printed_bits("small_file_transport.py", 1, 1, lines=12)
    assert len(alone) == 4
    assert printed_bits("small_file_transport.py", 3, 2, lines=12) == alone
