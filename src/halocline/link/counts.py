"""What a link did, for the summary and the record."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(slots=True)
class LinkCounts:
    """Numbers of one side of a link; bytes are those of messages, before and after compression."""

    messages_sent: int = 0
    messages_received: int = 0
    bytes_sent: int = 0
    bytes_received: int = 0
    bytes_sent_compressed: int = 0
    seconds_sending: float = 0.0
    """Time that senders waited for room."""
    seconds_waiting: float = 0.0
    """Time that receivers waited for messages."""
    connections: int = 0
    cuts_mended: int = 0
    pieces_resent: int = 0
    pieces_doubled: int = 0
    connections_refused: int = 0
    round_trips: int = 0
    shortest_round_trip: float = 0.0
    longest_round_trip: float = 0.0
    seconds_of_round_trips: float = 0.0

    def round_trip(self, seconds: float) -> None:
        """One more round trip was measured."""
        first = not self.round_trips
        self.round_trips += 1
        self.seconds_of_round_trips += seconds
        self.shortest_round_trip = seconds if first else min(self.shortest_round_trip, seconds)
        self.longest_round_trip = max(self.longest_round_trip, seconds)

    def as_table(self) -> dict[str, Any]:
        """All numbers by name, and the mean round trip [s]."""
        mean = self.seconds_of_round_trips / self.round_trips if self.round_trips else 0.0
        return {**asdict(self), "mean_round_trip": mean}
