"""CRC32C, the checksum of all that Halocline writes, and what to say where it is wrong.

CRC32C (Castagnoli) finds every single flipped bit and every burst of up to 32 bits; processors
have an instruction for it, so it costs less than a copy.
"""

from __future__ import annotations

from typing import Any

import google_crc32c
import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.runtime import _native

_ONES = 0xFFFFFFFF


class DamagedFile(UserError):
    """A file that is cut off or whose bytes are not those that were written."""


def crc32c(data: bytes | NDArray[Any], before: int = 0) -> int:
    """Checksum of some bytes, or of an array's bytes; `before` is that of the bytes before them.

    >>> hex(crc32c(b"123456789")), hex(crc32c(b"6789", crc32c(b"12345")))
    ('0xe3069283', '0xe3069283')
    """
    if isinstance(data, np.ndarray):
        data = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
    value: int = google_crc32c.extend(before, data)
    return value


def linear(data: bytes | NDArray[Any]) -> int:
    """Linear CRC of some bytes: of a register that starts at zero and is not inverted at the end.

    The linear CRC of bytes is the XOR of those of their parts, each shifted over what follows it,
    so that parts may be summed in any order, and by any number of ranks. Bytes of zero give zero.

    >>> linear(b"12345") == linear(bytes(2) + b"12345")
    True
    >>> linear(b"123456789") == shift(linear(b"12345"), 4) ^ linear(b"6789")
    True
    """
    return crc32c(data, _ONES) ^ _ONES


def shift(value: int, count: int) -> int:
    """The linear CRC `value` after `count` bytes of zero: value x^(8 count) modulo the polynomial.

    >>> shift(linear(b"12345"), 3) == linear(b"12345" + bytes(3))
    True
    """
    shifted: int = _native.crc32c_shift(value, count)
    return shifted


def extend_by_parts(before: int, length: int, linear: int) -> int:
    """Checksum after `length` bytes whose linear CRC is known; `before` is that of those before.

    >>> parts = shift(linear(b"abc"), 2) ^ linear(b"de")
    >>> extend_by_parts(crc32c(b"12"), 5, parts) == crc32c(b"12abcde")
    True
    """
    return shift(before ^ _ONES, length) ^ linear ^ _ONES


def mismatch(place: str, expected: int, found: int) -> str:
    """What to say of a wrong checksum.

    >>> mismatch("record 3", 10, 255)
    'record 3 has the checksum 000000ff, expected 0000000a'
    """
    return f"{place} has the checksum {found:08x}, expected {expected:08x}"
