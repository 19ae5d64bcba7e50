"""What goes over one connection: frames of a fixed header and up to 256 kB.

    kind u8 | flags u8 | zero u16 | length u32 | number u64 | `length` bytes          (big endian)

`number` is the place of a piece among all pieces, what an acknowledgement has received, or a clock.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum

header = struct.Struct(">BBHIQ")
largest_payload = 256 * 1024
greeting = struct.Struct(">8sH32s32sQQ")
magic = b"HALOLINK"
version = 1
nobody = bytes(32)

last_of_message = 1
compressed = 2
goodbye = 4
all_flags = last_of_message | compressed | goodbye


class FrameError(Exception):
    """What came is no frame of this protocol, or not one that may come now."""


class Kind(IntEnum):
    """What a frame is."""

    hello = 1
    refused = 2
    piece = 3
    received = 4
    ping = 5
    pong = 6


@dataclass(frozen=True, slots=True)
class LinkFrame:
    """One frame, as it came."""

    kind: Kind
    flags: int
    number: int
    payload: bytearray


def pack(kind: Kind, number: int = 0, payload: bytes | memoryview = b"", flags: int = 0) -> bytes:
    """The bytes of a frame."""
    return b"".join((header.pack(kind, flags, 0, len(payload), number), payload))


class FrameReader:
    """Makes frames of bytes as they come; holds one frame at most.

    >>> reader = FrameReader()
    >>> for byte in pack(Kind.ping, 7):
    ...     reader.room()[:1] = bytes([byte])
    ...     frame = reader.filled(1)
    >>> frame.kind.name, frame.number
    ('ping', 7)
    """

    def __init__(self) -> None:
        self._header = bytearray(header.size)
        self._begin()

    def _begin(self) -> None:
        self._room = memoryview(self._header)
        self._payload: bytearray | None = None

    def room(self) -> memoryview:
        """Where the next bytes belong; never empty."""
        return self._room

    def filled(self, count: int) -> LinkFrame | None:
        """`count` bytes were put into `room()`; the frame, if it is whole."""
        self._room = self._room[count:]
        if len(self._room):
            return None
        if self._payload is None:
            length = self._checked_length()
            self._payload = bytearray(length)
            self._room = memoryview(self._payload)
            if length:
                return None
        kind, flags, _, _, number = header.unpack(self._header)
        frame = LinkFrame(Kind(kind), flags, number, self._payload)
        self._begin()
        return frame

    def _checked_length(self) -> int:
        kind, flags, zero, length, _ = header.unpack(self._header)
        if kind not in set(Kind) or zero or flags & ~all_flags:
            raise FrameError("bytes that are no frame")
        if length > largest_payload:
            raise FrameError(f"a frame of {length} bytes, more than any has")
        return int(length)


@dataclass(frozen=True, slots=True)
class Greeting:
    """What both sides say first on every connection."""

    own: bytes
    """Number of the sender's session, random (32 bytes)."""
    other: bytes
    """That of the receiver's session, as the sender knows it; zeros before they met."""
    received: int
    """Pieces that the sender has."""
    limit: int
    """Bytes of all pieces up to which it has room."""
    hello: bytes
    """What the run says of itself."""

    def pack(self) -> bytes:
        """The payload of the frame."""
        numbers = (self.own, self.other, self.received, self.limit)
        return greeting.pack(magic, version, *numbers) + self.hello

    @staticmethod
    def unpack(payload: bytearray) -> Greeting:
        """Read a payload."""
        if len(payload) < greeting.size or payload[: len(magic)] != magic:
            raise FrameError("a greeting of something else than Halocline")
        _, theirs, *numbers = greeting.unpack_from(payload)
        if theirs != version:
            raise FrameError(f"version {theirs} of the link, this one speaks {version}")
        own, other, received, limit = numbers
        return Greeting(own, other, received, limit, bytes(payload[greeting.size :]))
