"""Disks that misbehave as real ones do, to test what becomes of results on them.

The environment variable HALOCLINE_DISK chooses one for every process that is started: "full:BYTES"
has room for so many bytes from each process, "slow:BYTES_PER_SECOND" writes no faster,
"incoherent:page=65536,seed=3" is a network file system (`incoherent_disk`).
"""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

from halocline.core.errors import UserError
from halocline.runtime.files.disk import Data, Disk, File, as_bytes, variable
from halocline.runtime.files.incoherent_disk import IncoherentDisk, network_from


class FullDisk(Disk):
    """A disk with room for `room` more bytes [1]; rewritten bytes count again."""

    def __init__(self, room: int) -> None:
        self.room = room

    def open(self, path: Path, *, create: bool = False) -> File:
        return _FullFile(self, path, create=create)


class _FullFile(File):
    def __init__(self, disk: FullDisk, path: Path, *, create: bool) -> None:
        super().__init__(path, create=create)
        self.disk = disk

    def write(self, data: Data, offset: int) -> None:
        view = as_bytes(data)
        super().write(view[: self.disk.room], offset)
        self._take(view.size)

    def reserve(self, offset: int, size: int) -> None:
        self._take(size)
        super().reserve(offset, size)

    def _take(self, size: int) -> None:
        fits = size <= self.disk.room
        self.disk.room -= min(size, self.disk.room)
        if not fits:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class SlowDisk(Disk):
    """A disk that takes `speed` bytes per second [s-1] from this process."""

    def __init__(self, speed: float) -> None:
        self.speed = speed

    def open(self, path: Path, *, create: bool = False) -> File:
        return _SlowFile(self, path, create=create)


class _SlowFile(File):
    def __init__(self, disk: SlowDisk, path: Path, *, create: bool) -> None:
        super().__init__(path, create=create)
        self.disk = disk

    def write(self, data: Data, offset: int) -> None:
        super().write(data, offset)
        time.sleep(as_bytes(data).size / self.disk.speed)


def from_name(name: str) -> Disk:
    """The disk that HALOCLINE_DISK names.

    >>> from_name("full:1e6").room
    1000000
    """
    kind, _, words = name.partition(":")
    try:
        if kind == "full":
            return FullDisk(int(float(words)))
        if kind == "slow":
            return SlowDisk(float(words))
        if kind == "incoherent":
            return IncoherentDisk(network_from(words))
    except ValueError:
        pass
    raise UserError(
        f"The environment's {variable} is '{name}'. Set it to 'full:BYTES',"
        " 'slow:BYTES_PER_SECOND' or 'incoherent:page=4096,seed=0', or unset it."
    )
