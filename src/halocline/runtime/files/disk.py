"""The disk as Halocline sees it: the one layer through which the bytes of results are written.

Tests put another disk in its place (`using`), and started processes take the one that the
environment variable HALOCLINE_DISK names, as "full:1000000" (`emulated_disks`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

Data: TypeAlias = bytes | memoryview | NDArray[Any]
Index: TypeAlias = NDArray[np.int64]
variable = "HALOCLINE_DISK"
"""Environment variable that names the disk of a process; empty: the plain one."""


class File:
    """A file that is open for reading and writing; several may write different parts of it.

    A link is not followed but refused.
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        flags = os.O_RDWR | os.O_NOFOLLOW | (os.O_CREAT | os.O_TRUNC if create else 0)
        self.handle = os.open(path, flags, 0o666)

    def write(self, data: Data, offset: int) -> None:
        """Write all of some contiguous data at `offset` [byte]."""
        view = as_bytes(data)
        while view.size:
            written = os.pwrite(self.handle, view.data, offset)
            view, offset = view[written:], offset + written

    def write_runs(self, data: Data, offsets: Index, lengths: Index) -> None:
        """Write runs of contiguous data, one after the other, each at its place [byte]."""
        view, at = as_bytes(data), 0
        for offset, length in zip(offsets.tolist(), lengths.tolist(), strict=True):
            self.write(view[at : at + length], offset)
            at += length

    def read(self, count: int, offset: int) -> bytes:
        """`count` bytes from `offset` [byte], fewer where the file ends before."""
        parts = []
        while count and (part := os.pread(self.handle, count, offset)):
            parts.append(part)
            count, offset = count - len(part), offset + len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def reserve(self, offset: int, size: int) -> None:
        """Make room on the disk for `size` bytes from `offset` [byte], whoever writes them."""
        os.posix_fallocate(self.handle, offset, size)

    def truncate(self, size: int) -> None:
        """Make the file that long [byte]; what is new is zero."""
        os.ftruncate(self.handle, size)

    def sync(self) -> None:
        """Return when all that was written is on the disk."""
        os.fsync(self.handle)

    def close(self) -> None:
        os.close(self.handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Disk:
    """The disk of this machine."""

    def open(self, path: Path, *, create: bool = False) -> File:
        """Open a file; with `create` it is made, or emptied."""
        return File(path, create=create)

    def replace(self, old: Path, new: Path) -> None:
        """Give a file or folder another name, in place of what has it."""
        os.replace(old, new)

    def sync_folder(self, folder: Path) -> None:
        """Make the names in a folder last."""
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def publish(self, part: Path, path: Path) -> None:
        """Give a complete file its final name when its bytes are on the disk."""
        with self.open(part) as file:
            file.sync()
        self.replace(part, path)
        self.sync_folder(path.parent)


_in_use: Disk | None = None


def disk() -> Disk:
    """The disk in use."""
    global _in_use
    if _in_use is None:
        name = os.environ.get(variable, "")
        if name:
            from halocline.runtime.files.emulated_disks import from_name

            _in_use = from_name(name)
        else:
            _in_use = Disk()
    return _in_use


@contextmanager
def using(other: Disk) -> Iterator[Disk]:
    """Put another disk in the place of the one in use, for a while."""
    global _in_use
    before = disk()
    _in_use = other
    try:
        yield other
    finally:
        _in_use = before


def as_bytes(data: Data) -> NDArray[np.uint8]:
    """The bytes of some contiguous data, not copied."""
    if isinstance(data, np.ndarray):
        return data.reshape(-1).view(np.uint8)
    return np.frombuffer(data, np.uint8)
