"""Messages made smaller without loss: bytes of numbers sorted by their place, then zlib.

Neighbours in a field differ in their last bytes and share the first ones, which then lie together.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

from halocline.link.frames import FrameError

prefix = struct.Struct(">BQ")
fastest = 1


def compress(message: Any) -> bytes:
    """A message (anything with a buffer), smaller; its items say which bytes belong together.

    >>> import array
    >>> numbers = array.array("d", [1.0, 2.0] * 50)
    >>> small = compress(numbers)
    >>> len(small) < 60, decompress(small, 800) == numbers.tobytes()
    (True, True)
    """
    view = memoryview(message)
    size = view.itemsize if view.nbytes else 1
    raw = view.tobytes()
    rows = b"".join(raw[place::size] for place in range(size))
    return prefix.pack(size, len(raw)) + zlib.compress(rows, fastest)


def decompress(message: bytes | bytearray, most: int) -> bytearray:
    """The message that was compressed; FrameError if it is none, or has more than `most` bytes."""
    if len(message) < prefix.size:
        raise FrameError("a compressed message without a beginning")
    size, length = prefix.unpack_from(message)
    if length > most or not size or length % size:
        raise FrameError(f"a compressed message of {length} bytes")
    unpacking = zlib.decompressobj()
    try:
        rows = unpacking.decompress(memoryview(message)[prefix.size :], length + 1)
    except zlib.error as error:
        raise FrameError(f"a compressed message that is broken ({error})") from None
    if len(rows) != length:
        raise FrameError("a compressed message of another length than it says")
    whole = bytearray(length)
    each = length // size
    for place in range(size):
        whole[place::size] = rows[place * each : (place + 1) * each]
    return whole
