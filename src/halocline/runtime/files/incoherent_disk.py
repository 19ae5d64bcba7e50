"""A network file system without coherent shared writes, emulated over files of this machine.

So works NFS: every writer keeps whole pages of a file. A write to a part of a page first fetches
the page from the server; changed pages go back whole when the writer syncs, closes, or has no room
for more. Two writers of one page thus undo each other's bytes, and which ones depends on the order
of fetches and write-backs. What Tolman (2003, section 5) saw: restart files written by many
processes at once were wrong, and wrong elsewhere each time.

A server's time is accounted: each fetch and each write-back of neighbouring pages takes a trip.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from halocline.runtime.files.disk import Data, Disk, File, as_bytes

trip_size = 1 << 20
"""Bytes that one trip to the server carries at most, as NFS has it on Linux [1]."""


@dataclass(frozen=True, kw_only=True)
class Network:
    """What is between a writer and the server; by default NFS over gigabit Ethernet."""

    page: int = 4096  # [byte]
    cached: int = 4096  # pages that a writer keeps of a file, at least one
    seed: int = 0  # of how much goes back at a time and in which order
    latency: float = 2e-4  # of a trip [s]
    bandwidth: float = 1.1e8  # [byte s-1]
    sleep: bool = False  # whether the accounted time passes indeed


class IncoherentDisk(Disk):
    """Every file that is opened is a writer of its own; `seconds` [s] is what all have waited."""

    def __init__(self, network: Network | None = None) -> None:
        self.network = network or Network()
        self.random = random.Random(self.network.seed)
        self.trips = self.bytes = 0

    @property
    def seconds(self) -> float:
        """Time of all trips to the server [s]."""
        return self.trips * self.network.latency + self.bytes / self.network.bandwidth

    def open(self, path: Path, *, create: bool = False) -> File:
        self.travel(0)
        return _CachedFile(self, path, create=create)

    def replace(self, old: Path, new: Path) -> None:
        self.travel(0)
        super().replace(old, new)

    def sync_folder(self, folder: Path) -> None:
        self.travel(0)
        super().sync_folder(folder)

    def travel(self, size: int) -> None:
        """Account for bytes that go to the server or come from it together."""
        before = self.seconds
        self.trips += max(1, -(-size // trip_size))
        self.bytes += size
        if self.network.sleep:
            time.sleep(self.seconds - before)


class _CachedFile(File):
    """A file as one writer sees it."""

    def __init__(self, disk: IncoherentDisk, path: Path, *, create: bool) -> None:
        super().__init__(path, create=create)
        self.disk, self.size = disk, path.stat().st_size
        self.pages: dict[int, bytearray] = {}  # the oldest first
        self.changed: set[int] = set()

    def write(self, data: Data, offset: int) -> None:
        view, page = as_bytes(data), self.disk.network.page
        end, at = offset + view.size, offset
        while at < end:
            number, begin = divmod(at, page)
            count = min(page - begin, end - at)
            if count == page:
                self._keep(number, bytearray(page))
            self._page(number)[begin : begin + count] = view[at - offset : at - offset + count].data
            self.changed.add(number)
            at += count
            self.size = max(self.size, at)
            self._make_room(number)

    def read(self, count: int, offset: int) -> bytes:
        page, parts = self.disk.network.page, []
        end, at = min(offset + count, self.size), offset
        while at < end:
            number, begin = divmod(at, page)
            stop = min(page, begin + end - at)
            parts.append(bytes(self._page(number)[begin:stop]))
            at += stop - begin
            self._make_room(number)
        return b"".join(parts)

    def truncate(self, size: int) -> None:
        self._write_back(self.changed)
        self.pages.clear()
        self.disk.travel(0)
        super().truncate(size)
        self.size = size

    def sync(self) -> None:
        self._write_back(self.changed)
        self.disk.travel(0)
        super().sync()

    def close(self) -> None:
        try:
            self._write_back(self.changed)
        finally:
            super().close()

    def _page(self, number: int) -> bytearray:
        """A page as this writer last saw it; fetched if it has not."""
        if number not in self.pages:
            page = self.disk.network.page
            found = super().read(page, number * page)
            if found:
                self.disk.travel(len(found))
                self.size = max(self.size, number * page + len(found))
            self._keep(number, bytearray(found.ljust(page, b"\0")))
        return self.pages[number]

    def _keep(self, number: int, content: bytearray) -> None:
        self.pages.pop(number, None)
        self.pages[number] = content

    def _make_room(self, kept: int) -> None:
        """Where there are too many pages, some of the oldest go; how many is a matter of luck."""
        limit = max(1, self.disk.network.cached)
        if len(self.pages) <= limit:
            return
        count = self.disk.random.randint(len(self.pages) - limit, len(self.pages) - 1)
        gone = [number for number in islice(self.pages, count) if number != kept]
        self._write_back(self.changed.intersection(gone))
        for number in gone:
            del self.pages[number]

    def _write_back(self, numbers: Iterable[int]) -> None:
        """Bring changed pages to the server, whole, neighbours together."""
        page, runs = self.disk.network.page, _runs(sorted(numbers))
        self.disk.random.shuffle(runs)
        for first, last in runs:
            content = b"".join(self.pages[number] for number in range(first, last))
            content = content[: self.size - first * page]
            self.disk.travel(len(content))
            super().write(content, first * page)
            self.changed.difference_update(range(first, last))


def _runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """First and end of each row of consecutive numbers.

    >>> _runs([3, 4, 5, 9])
    [(3, 6), (9, 10)]
    """
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number:
            runs[-1] = (runs[-1][0], number + 1)
        else:
            runs.append((number, number + 1))
    return runs


def network_from(words: str) -> Network:
    """A network by its numbers.

    >>> network_from("page=65536,seed=3").page
    65536
    """
    values: dict[str, Any] = {}
    for word in filter(None, words.split(",")):
        name, _, value = word.partition("=")
        if name not in vars(Network()):
            raise ValueError(name)
        values[name] = type(getattr(Network, name))(float(value))
    return Network(**values)
