"""Shared windows and their flags. Ranks: 1, and 3 and 5 through test_ranks.py."""

import numpy as np
import pytest

from halocline.runtime.ranks.communicator import world
from halocline.runtime.ranks.shared_memory import (
    SharedWindow,
    line,
    node_of,
    post,
    posted,
    wait_for,
)


def test_every_rank_sees_every_segment_from_a_cache_line_on():
    communicator = world()
    node = node_of(communicator)
    size = 100 + 64 * communicator.rank
    window = SharedWindow(communicator, size)
    assert window.own.size == size and not window.own.any()
    for segment in window.segments:
        assert segment.ctypes.data % line == 0
    window.own[:] = communicator.rank + 1
    communicator.gather(None)
    communicator.broadcast(None)
    for rank in node.ranks:
        assert window.of(rank).size == 100 + 64 * rank
        assert np.array_equal(window.of(rank), np.full(100 + 64 * rank, rank + 1, np.uint8))
    communicator.gather(None)
    window.free()


def test_what_was_written_before_a_flag_is_seen_after_it():
    """A token goes round: each rank adds one to a value that only the flag protects."""
    communicator = world()
    node, laps = node_of(communicator), 300 // communicator.size
    window = SharedWindow(communicator, 3 * line)
    before = (node.here - 1) % node.size
    flags = [segment[:line].view(np.uint64) for segment in window.segments]
    values = [segment[line:].view(np.int64) for segment in window.segments]
    for lap in range(1, laps + 1):
        if node.here == 0:
            if lap > 1:
                wait_for(flags[before], 0, lap - 1)
            values[0][:] = values[before][0] + 1
        else:
            wait_for(flags[before], 0, lap)
            values[node.here][:] = values[before][0] + 1
        post(flags[node.here], 0, lap)
    last = node.size - 1
    wait_for(flags[last], 0, laps)
    assert values[last].tolist() == [laps * node.size] * 16
    assert posted(flags[last], 0, laps) and not posted(flags[last], 0, laps + 1)
    communicator.gather(None)
    window.free()


def test_a_flag_that_is_no_counter_is_refused():
    with pytest.raises(TypeError):
        post(np.zeros(8), 0, 1)
