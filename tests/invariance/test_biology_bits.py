"""Tracers that react: the same bits on any ranks, threads and decompositions.

Ranks: 1 and 3, started here.
"""

from invariance.printed_bits import printed_bits


def test_ranks_threads_and_decompositions():
    alone = printed_bits("small_biology.py", 1, 1, lines=6)
    assert len(alone) == 2  # one of each precision
    assert printed_bits("small_biology.py", 3, 2, lines=6) == alone
