"""Rounds of an exchange, counted from what entered a path: bursts of a connection, with pauses.

A connection that waits for confirmations sends in bursts, a round trip apart.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from halocline_lab.sites.field_exchange import ExchangeTimes
from halocline_lab.sites.shaper import Passed

least_size = 200
"""Fewer bytes are a word of the link's own, not of a field."""


def bursts(times: Sequence[float], delay: float) -> int:
    """How often something was sent after a pause, a round trip or more after the last burst began.

    Less is no round: the sender was busy.

    >>> bursts([0.0, 0.001, 0.030, 0.031, 0.060], 0.015), bursts([0.0, 0.018, 0.019], 0.015)
    (3, 1)
    """
    count, begun, last = 0, 0.0, 0.0
    for time in times:
        if not count or (time - last > delay and time - begun >= 1.99 * delay):
            count, begun = count + 1, time
        last = time
    return count


def counted_rounds(
    passed: Sequence[Passed], side: int, exchanges: Sequence[ExchangeTimes], delay: float
) -> list[int]:
    """Of each exchange that `side` sent, the rounds of the connection that needed most."""
    begins = [one.begun for one in exchanges]
    ends = [*begins[1:], begins[-1] + 1.0]
    found = []
    for begin, end in zip(begins, ends, strict=True):
        times: dict[int, list[float]] = {}
        for one in passed:
            if one.side == side and one.size >= least_size and begin <= one.time < end:
                times.setdefault(one.connection, []).append(one.time)
        found.append(max((bursts(some, delay) for some in times.values()), default=0))
    return found


def usual(counts: Sequence[int]) -> int:
    """The median, as one of them."""
    return statistics.median_low(counts) if counts else 0
