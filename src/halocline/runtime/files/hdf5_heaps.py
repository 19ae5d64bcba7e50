"""Length and heaps of HDF5 files (netCDF-4), checked before the HDF5 library reads them.

A file says how long it is, in its superblock. A heap holds what attributes of unequal length point
to, such as dimensions. Where the length of a free part was lost, the library looks for the next
object in the same place for ever. Format: HDF5 File Format Specification 3.0, II.A. Disk Format:
Level 0A - Format Signature and Superblock, III.E. Disk Format: Level 1E - Global Heap.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from halocline.core.errors import UserError

signature = b"GCOL\x01\0\0\0"
"""Begin of a heap, with version and zeros: so long that values do not look like it by chance."""

looked_through = 1 << 25
"""So many bytes at both ends of a file are looked through: libraries put heaps there [byte]."""

_magic = b"\x89HDF\r\n\x1a\n"
_head = 16  # bytes of a heap's and of an object's head


def refuse_broken_heaps(path: Path) -> None:
    """Refuse an HDF5 file with a heap in which the HDF5 library would hang."""
    with path.open("rb") as file:
        if file.read(len(_magic)) != _magic:
            return
        size = path.stat().st_size
        for start in {0, max(0, size - looked_through)}:
            file.seek(start)
            content = file.read(looked_through)
            for at in _heaps(content):
                if not _is_whole(content[at:]):
                    raise UserError(
                        f"The file '{path}' is damaged: the heap at byte {start + at} of this"
                        " netCDF-4 (HDF5) file contradicts itself. Make or fetch the file again."
                    )


def refuse_cut(path: Path) -> None:
    """Refuse an HDF5 file that ends before it says that it does."""
    with path.open("rb") as file:
        start = file.read(64)
    if start[: len(_magic)] != _magic or len(start) < 64:
        return
    version = start[8]
    if version > 3:
        return
    size_of_addresses, first = (start[9], 12) if version > 1 else (start[13], 24 + 4 * version)
    at = first + 2 * size_of_addresses
    base, end = (int.from_bytes(start[at : at + size_of_addresses], "little") for at in (first, at))
    if (size := path.stat().st_size) < base + end:
        raise UserError(
            f"The file '{path}' is not complete: it has {size} bytes, and says that it has"
            f" {base + end}. Make or fetch it again."
        )


def _heaps(content: bytes) -> Iterator[int]:
    """Where heaps begin."""
    at = content.find(signature)
    while at >= 0:
        yield at
        at = content.find(signature, at + 1)


def _is_whole(heap: bytes) -> bool:
    """Whether the objects of a heap follow one another to its end, as far as it is there.

    An object has a number (0 of the free part), two bytes at its beginning, and a length, eight
    bytes after eight; that of a free part counts its head, others are padded to eight bytes.
    """
    end = _number(heap, 8)
    at = _head
    while at + _head <= min(end, len(heap)):
        length = _number(heap, at + 8)
        taken = _head + -(-length // 8) * 8 if heap[at] or heap[at + 1] else length
        if taken <= 0 or at + taken > end:
            return False
        at += taken
    return True


def _number(content: bytes, at: int) -> int:
    return int.from_bytes(content[at : at + 8], "little")
