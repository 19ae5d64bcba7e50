"""Weights between grids: the same bits made by any ranks and threads, and from a file.

Ranks: 1 and 3, started here; more than there are cores on most machines.
"""

from halocline.grids.remapping.remap import methods
from invariance.printed_bits import printed_bits


def test_ranks_threads_and_files():
    alone = printed_bits("small_remapping.py", 1, 1, lines=2 * len(methods))
    digests = {tuple(line.split()[1::2]) for line in alone}
    assert len(digests) == len(methods)
    assert printed_bits("small_remapping.py", 3, 1, lines=2 * len(methods)) == alone
    assert printed_bits("small_remapping.py", 1, 2, lines=2 * len(methods)) == alone
