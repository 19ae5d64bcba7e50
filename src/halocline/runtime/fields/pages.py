"""Zeros on the host, cut one after the other from memory that comes in huge pages.

Kernels walk through the same places of many fields at once. In pages of 4 KiB each row of a field
is another page, more than the processor remembers the places of; so large arrays lie in pages of
2 MiB, where the system has them. And where arrays begin as far into pages as each other, they share
a few places of the first cache and drive each other out; so each begins on another cache line.
"""

from __future__ import annotations

import mmap
from itertools import count

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
cache_line, page, huge_page = 64, 4096, 1 << 21
small = 1 << 16
"""Below so many bytes arrays have memory of their own."""
stretch_length = 32 * huge_page
lines_apart = 13
"""Of 64 in a page: 13 has no divisor in common with 64, so that 64 arrays begin on all lines."""


class HugePages:
    """Memory in stretches, each of which is given back when none of its arrays is left.

    >>> pages = HugePages()
    >>> one, other = pages.zeros(100_000), pages.zeros(100_000, before=12)
    >>> one.ctypes.data % cache_line, (other.ctypes.data + 12) % cache_line
    (0, 0)
    """

    def __init__(self) -> None:
        self._rest: Bytes = np.zeros(0, np.uint8)
        self._lines = count(0, lines_apart)

    def zeros(self, size: int, before: int = 0) -> Bytes:
        """So many bytes, of which the one with so many `before` it begins on a cache line."""
        period = page if size >= small else cache_line
        room = self._room(size + period) if size >= small else np.zeros(size + period, np.uint8)
        first = (next(self._lines) * cache_line - before - room.ctypes.data) % period
        return room[first : first + size]

    def _room(self, size: int) -> Bytes:
        """Bytes of the stretch in use, or of a new one; of its own for an array as large as one."""
        if size > stretch_length // 2:
            return _stretch(size)
        if size > len(self._rest):
            self._rest = _stretch(stretch_length)
        found, self._rest = self._rest[:size], self._rest[size:]
        return found


def _stretch(size: int) -> Bytes:
    """New memory from a border of huge pages on; the system fills it when it is touched."""
    if not hasattr(mmap, "MADV_HUGEPAGE"):
        return np.zeros(size, np.uint8)
    memory = mmap.mmap(-1, size + huge_page, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(mmap.MADV_HUGEPAGE)
    whole: Bytes = np.frombuffer(memory, np.uint8)
    first = -whole.ctypes.data % huge_page
    return whole[first : first + size]
