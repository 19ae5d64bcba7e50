"""Streams at points and along paths, and their restarts: the same bytes on any ranks and cuts.

Ranks: 1, 2, 3, started here; more than there are cores on most machines.
"""

import pytest

from invariance.printed_bits import printed_bits


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_ranks_and_decompositions(ranks):
    found = printed_bits("small_points.py", ranks, 1, lines=24)
    assert len(found) == 6  # one of each file
    assert found == printed_bits("small_points.py", 1, 1, lines=24)
