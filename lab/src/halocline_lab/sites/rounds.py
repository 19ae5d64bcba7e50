"""Rounds of an exchange, counted from what entered a path: bursts of a connection, with pauses.

A connection that waits for confirmations sends in bursts, a round trip apart.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from halocline_lab.sites.field_exchange import ExchangeTimes
from halocline_lab.sites.shaper import Passed

least_part, least_burst = 200, 1000
"""Fewer bytes at once, or in a burst, are words of the link's own, not of a field."""


def bursts(sent: Sequence[tuple[float, int]], delay: float) -> int:
    """How often something came after a pause, a round trip or more after the last burst began.

    sent: time [s] and bytes of all parts. Less of a pause is no round: the sender was busy.

    >>> bursts([(0.0, 2000), (0.001, 2000), (0.030, 2000), (0.031, 2000), (0.060, 600)], 0.015)
    2
    >>> bursts([(0.0, 2000), (0.018, 2000), (0.019, 2000)], 0.015)
    1
    """
    found: list[int] = []
    begun = last = 0.0
    for time, size in sent:
        if not found or (time - last > delay and time - begun >= 1.99 * delay):
            found.append(0)
            begun = time
        found[-1] += size
        last = time
    return sum(size >= least_burst for size in found)


def counted_rounds(
    passed: Sequence[Passed],
    side: int,
    exchanges: Sequence[ExchangeTimes],
    travel: Sequence[float],
    delay: float,
) -> list[int]:
    """Of each exchange that `side` sent, the rounds of the connection that needed most.

    `travel`: how long each was on its way; what entered the path later is none of it.
    """
    found = []
    for one, seconds in zip(exchanges, travel, strict=True):
        sent: dict[int, list[tuple[float, int]]] = {}
        for some in passed:
            if some.side == side and some.size >= least_part:
                if one.begun <= some.time < one.begun + seconds:
                    sent.setdefault(some.connection, []).append((some.time, some.size))
        found.append(max((bursts(some, delay) for some in sent.values()), default=0))
    return found


def usual(counts: Sequence[int]) -> int:
    """The median, as one of them."""
    return statistics.median_low(counts) if counts else 0
