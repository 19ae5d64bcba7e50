"""Tracers that react: the same bits on any ranks, threads and decompositions, in any messages.

Ranks: 1, 3 and 4, started here.
"""

from invariance.printed_bits import printed_bits


def test_ranks_threads_and_decompositions():
    alone = printed_bits("small_biology.py", 1, 1, lines=6)
    assert len(alone) == 2  # one of each precision
    assert printed_bits("small_biology.py", 3, 2, lines=6) == alone


def test_segments_of_51_tracers():
    """Messages of 1, 7 and 51 tracers, homogeneous and mixed; one for each field; one for all."""
    alone = printed_bits("segmented_tracers.py", 1, 1, lines=8)
    assert len(alone) == 1
    assert printed_bits("segmented_tracers.py", 4, 1, lines=8) == alone
