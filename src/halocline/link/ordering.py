"""Exactly once, in order: pieces are numbered, kept until they are received, put together."""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass

from halocline.link import frames
from halocline.link.frames import FrameError

smallest_piece = 8 * 1024
farthest = 1 << 20
"""No piece comes so many pieces before its turn."""


@dataclass(slots=True)
class MessagePiece:
    """A part of a message that fits in one frame."""

    number: int
    flags: int
    payload: memoryview
    end: int
    """Bytes of all pieces up to this one."""
    carrier: object | None = None
    """The connection that it went to last."""


class Outbox:
    """Pieces that the other side has not said to have."""

    def __init__(self) -> None:
        self.next = 0
        self.kept: dict[int, MessagePiece] = {}
        self.bytes_kept = 0
        self.limit = 0
        """Bytes of all pieces that the other side has room for."""
        self.resent = 0
        self._end = 0
        self._oldest = 0
        self._loads: dict[object, int] = {}
        self._waiting: list[int] = []

    def put(self, message: bytes, flags: int, parts: int) -> None:
        """Cut a message into pieces for about `parts` connections."""
        view = memoryview(message)
        length = -(-len(view) // parts)
        length = min(max(length, smallest_piece), frames.largest_payload)
        starts = range(0, len(view), length) or [0]
        for start in starts:
            payload = view[start : start + length]
            last = frames.last_of_message if start == starts[-1] else 0
            self._end += len(payload)
            piece = MessagePiece(self.next, flags | last, payload, self._end)
            self.kept[self.next] = piece
            heapq.heappush(self._waiting, self.next)
            self.bytes_kept += len(payload)
            self.next += 1

    def take(self, carrier: object, *, all_of_them: bool = False) -> MessagePiece | None:
        """The first piece that waits, if the other side has room for it."""
        while self._waiting and self._waiting[0] not in self.kept:
            heapq.heappop(self._waiting)
        if not self._waiting:
            return None
        piece = self.kept[self._waiting[0]]
        if piece.end > self.limit and not all_of_them and piece.payload.nbytes:
            return None
        heapq.heappop(self._waiting)
        piece.carrier = carrier
        self._loads[carrier] = self.load(carrier) + len(piece.payload)
        return piece

    def load(self, carrier: object) -> int:
        """Bytes that a connection carries and that were not received."""
        return self._loads.get(carrier, 0)

    def give_back(self, carrier: object) -> None:
        """A connection is lost: what it carried and was not received waits again."""
        self._loads.pop(carrier, None)
        for number, piece in self.kept.items():
            if piece.carrier is carrier:
                piece.carrier = None
                heapq.heappush(self._waiting, number)
                self.resent += 1

    def received(self, count: int, limit: int) -> None:
        """The other side has the first `count` pieces, and room up to `limit` bytes of all."""
        if count > self.next:
            raise FrameError(f"word of having {count} pieces, {self.next} were sent")
        while self._oldest < count:
            piece = self.kept.pop(self._oldest)
            self.bytes_kept -= len(piece.payload)
            if piece.carrier in self._loads:
                self._loads[piece.carrier] -= len(piece.payload)
            self._oldest += 1
        self.limit = max(self.limit, limit)


class Inbox:
    """Pieces that came, in any order and perhaps twice, and the messages they make."""

    def __init__(self, most: int) -> None:
        self.most = most
        """Bytes that may lie here."""
        self.expected = 0
        self.messages: deque[tuple[int, bytearray]] = deque()
        self.goodbye: str | None = None
        self.doubled = 0
        self._early: dict[int, tuple[int, bytearray]] = {}
        self._early_bytes = 0
        self._parts: list[bytearray] = []
        self._parts_bytes = 0
        self._untaken = 0
        self._bytes = 0

    @property
    def consumed(self) -> int:
        """Bytes of all pieces in order that lie in no message which waits to be taken."""
        return self._bytes - self._untaken

    def accept(self, number: int, flags: int, payload: bytearray) -> bool:
        """Take a piece; whether it was new."""
        if number < self.expected or number in self._early:
            self.doubled += 1
            return False
        lying = self._early_bytes + self._parts_bytes + self._untaken + len(payload)
        if number - self.expected > farthest or lying > self.most:
            raise FrameError("more than this side said to have room for")
        if self.goodbye is not None:
            raise FrameError("a message after goodbye")
        self._early[number] = (flags, payload)
        self._early_bytes += len(payload)
        while self.expected in self._early:
            self._append(*self._early.pop(self.expected))
            self.expected += 1
        return True

    def _append(self, flags: int, payload: bytearray) -> None:
        self._early_bytes -= len(payload)
        self._bytes += len(payload)
        self._parts.append(payload)
        self._parts_bytes += len(payload)
        if not flags & frames.last_of_message:
            return
        message = self._parts[0] if len(self._parts) == 1 else bytearray(b"").join(self._parts)
        self._parts, self._parts_bytes = [], 0
        if flags & frames.goodbye:
            self.goodbye = message[:4096].decode("utf-8", "replace")
        else:
            self.messages.append((flags, message))
            self._untaken += len(message)

    def take(self) -> tuple[int, bytearray]:
        """The next message and the flags it came with."""
        flags, message = self.messages.popleft()
        self._untaken -= len(message)
        return flags, message
