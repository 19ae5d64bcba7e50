"""How long a message takes over connections whose windows grow: rounds, and seconds.

A connection may have a window of bytes on its way; what arrives is confirmed a round trip later
and lets the window grow by as much (RFC 5681), so that it doubles. It begins with ten segments (RFC
6928), and after a pause begins so again (RFC 2861) unless the kernel is told otherwise. Once the
windows of all connections fill the path, the line decides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from halocline_lab.sites.shaper import NetworkPath, first_window


@dataclass(frozen=True)
class WindowPath:
    """A path with connections, as the model sees it."""

    delay: float
    """One way [s]."""
    rate: float
    """All connections together [bit/s]; 0: without limit."""
    streams: int = 1
    window: float = first_window
    """Of each connection at its beginning [byte]."""
    restarts: bool = True
    """Whether it begins so again after a pause."""
    growth: float = 2.0
    """Of a window in a round trip; 1.5 where every second segment is confirmed and counted once."""

    @classmethod
    def of(cls, path: NetworkPath, streams: int, *, restarts: bool) -> WindowPath:
        """A path that is shaped."""
        return cls(path.delay, path.rate, streams, restarts=restarts)


@dataclass(frozen=True)
class ModelTransfer:
    """One message by the model."""

    rounds: int
    """Round trips that begin before all is sent: 1 if the windows hold it."""
    seconds: float
    """From its begin at one side until all is at the other [s]."""
    window: float
    """Of each connection afterwards [byte]."""


def transfer(path: WindowPath, size: int) -> ModelTransfer:
    """One message of `size` bytes, cut alike for all connections.

    >>> path = WindowPath(0.015, 100e6)
    >>> transfer(path, 10 * 1448).rounds, transfer(path, 30 * 1448).rounds
    (1, 2)
    """
    trip, window, left = 2.0 * path.delay, path.window, size / path.streams
    seconds, rounds = 0.0, 0
    while True:
        rounds += 1
        sent = min(window, left)
        left -= sent
        line = _line_seconds(path, sent)
        if left <= 0.0:
            grown = window + sent * (path.growth - 1.0)
            return ModelTransfer(rounds, seconds + line + path.delay, grown)
        window += sent * (path.growth - 1.0)
        if line >= trip:  # confirmations come before the window is used up
            seconds += line + _line_seconds(path, left) + path.delay
            return ModelTransfer(rounds, seconds, window + left * (path.growth - 1.0))
        seconds += max(trip, line)


def _line_seconds(path: WindowPath, each: float) -> float:
    """Time of so many bytes of each connection on the line [s]."""
    return 8.0 * each * path.streams / path.rate if path.rate else 0.0


def transfers(path: WindowPath, size: int, count: int) -> list[ModelTransfer]:
    """Messages one after the other, with pauses."""
    found: list[ModelTransfer] = []
    for _ in range(count):
        found.append(transfer(path, size))
        if not path.restarts:
            path = replace(path, window=found[-1].window)
    return found


def least_seconds(delay: float, rate: float, size: int, exchanges: int, *, trips: bool) -> float:
    """The floor [s]: bytes over the rate, and the way once, or (`trips`) there and back.

    >>> round(least_seconds(0.015, 100e6, 2 * 161**2 * 4, 4, trips=True), 3)
    0.186
    """
    return exchanges * ((2.0 if trips else 1.0) * delay + (8.0 * size / rate if rate else 0.0))
