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


def mismatch(place: str, expected: int, found: int) -> str:
    """What to say of a wrong checksum.

    >>> mismatch("record 3", 10, 255)
    'record 3 has the checksum 000000ff, expected 0000000a'
    """
    return f"{place} has the checksum {found:08x}, expected {expected:08x}"
