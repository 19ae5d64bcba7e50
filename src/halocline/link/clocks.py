"""How far the clocks of two sites are apart, from round trips over their link (as NTP does it)."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from dataclasses import dataclass

from halocline.link.connection import Link

word = struct.Struct(">d")
round_trips = 8


@dataclass(frozen=True)
class ClockOffset:
    """What has to be added to the other site's clock to get this one's."""

    seconds: float
    uncertainty: float
    """Half of the shortest round trip [s]: the two ways may take unlike times."""


def compare_clocks(
    link: Link, *, asks: bool, clock: Callable[[], float] = time.time, trips: int = round_trips
) -> ClockOffset:
    """Compare clocks [s]; both sites call it at the same place, and one of them `asks`.

    The shortest round trip counts: it waited least on its way. No other messages may be under way.
    """
    if not asks:
        for _ in range(trips):
            link.receive()
            link.send(word.pack(clock()))
        mine, uncertainty = struct.unpack(">dd", link.receive())
        return ClockOffset(-mine, uncertainty)
    found = []
    for _ in range(trips):
        begun = clock()
        link.send(b"clock")
        (theirs,) = word.unpack(link.receive())
        ended = clock()
        found.append((ended - begun, 0.5 * (begun + ended) - theirs))
    trip, offset = min(found)
    link.send(struct.pack(">dd", offset, 0.5 * trip))
    return ClockOffset(offset, 0.5 * trip)
