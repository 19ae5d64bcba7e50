"""What one site does in the protocol of Govett et al. (2004): steps, and exchanges over a link.

25 steps, an exchange every 5, measured from step 6 on: four exchanges. Air sends two winds of
161 x 161 points, the ocean the temperature of 200 x 200, 4 bytes each. Models are pauses here.
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from halocline.core.errors import UserError
from halocline.link.clocks import ClockOffset, compare_clocks
from halocline.link.connection import Link

steps, every, first_measured = 25, 5, 6
sizes = {"air": 2 * 161**2 * 4, "ocean": 200**2 * 4}
"""What each side sends in an exchange [byte]."""

measured = sum(step >= first_measured for step in range(every, steps + 1, every))
"""Exchanges that count."""

stamp = struct.Struct(">d")
shortest_look = 0.002
"""Ways that take less leave no time to look at windows before the answer comes [s]."""


@dataclass(frozen=True)
class ExchangeTimes:
    """One exchange as one side saw it [s]; `begun` on its monotonic clock."""

    begun: float
    send: float
    """Until the link had taken what this side gives."""
    wait: float
    """Then, until the other side began to send."""
    transfer: float
    """From then on, until all of it was there."""
    travel: float
    """From when the other side began to send until all of it was there, asked for or not."""
    windows: tuple[int, ...] = ()
    """Congestion windows when it began to send [byte], of each connection, where they are known."""

    @property
    def whole(self) -> float:
        """All that this side spent [s]."""
        return self.send + self.wait + self.transfer


def exchange_fields(
    link: Link,
    side: str,
    *,
    pause: float,
    sizes: dict[str, int] = sizes,
    count: int = steps // every,
    look_at_windows: bool = False,
) -> tuple[ClockOffset, list[ExchangeTimes]]:
    """Compare clocks, then compute for `pause` seconds and exchange, `count` times; of each, times.

    look_at_windows: a moment after it began to send, when the kernel has made up its mind.
    """
    clocks = compare_clocks(link, asks=side == "air", clock=time.monotonic)
    other = sizes["ocean" if side == "air" else "air"]
    own = os.urandom(sizes[side])
    found = []
    for _ in range(count):
        time.sleep(pause)
        begun = time.monotonic()
        link.send(stamp.pack(begun) + own)
        sent = time.monotonic()
        windows: Sequence[int] = ()
        if look_at_windows and clocks.uncertainty > shortest_look:
            time.sleep(min(0.25 * clocks.uncertainty, 0.01))
            windows = link.windows()
        message = link.receive()
        ended = time.monotonic()
        if len(message) != stamp.size + other:
            raise UserError(
                f"The other site sent {len(message) - stamp.size} bytes, not {other}: it follows"
                " another protocol. Start 'halocline lab sites' of one version at both."
            )
        theirs = stamp.unpack_from(message)[0] + clocks.seconds
        heard = min(max(sent, theirs), ended)
        spent = (sent - begun, heard - sent, ended - heard)
        found.append(ExchangeTimes(begun, *spent, ended - theirs, tuple(windows)))
    return clocks, found


def as_table(found: Sequence[ExchangeTimes]) -> list[dict[str, Any]]:
    """Times as plain values."""
    return [asdict(one) for one in found]


def from_table(rows: Sequence[dict[str, Any]]) -> list[ExchangeTimes]:
    """Times from plain values."""
    return [ExchangeTimes(**{**row, "windows": tuple(row["windows"])}) for row in rows]
