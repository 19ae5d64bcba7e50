"""A path for packets of IP between two devices: late, narrow, and lossy, in user space.

It is what `tc netem` does in the kernel, for kernels that have no netem and users without rights.
"""

from __future__ import annotations

import os
import random
import select
import struct
import threading
import time
from collections import deque

from halocline_lab.sites.shaper import NetworkPath, Passed

longest_line = 1000
"""Packets that wait for the line in one direction; more are dropped, as by netem."""
reads_in_turn = 32
largest_packet = 65536
tcp = 6


class PacketPath:
    """Carries packets between two devices (descriptors, which it closes) until it is closed.

    Of the path, `jitter` keeps the order of packets, `stalls` is the share that is lost: TCP sends
    them again. `passed` has all parts of TCP streams that entered, if `watched`.
    """

    def __init__(
        self, devices: tuple[int, int], path: NetworkPath, *, seed: int = 0, watched: bool = False
    ) -> None:
        self.path, self.devices = path, devices
        self.passed: list[Passed] = []
        self.lost = 0
        self._watched = watched
        self._random = random.Random(seed)
        self._due: tuple[deque[tuple[float, bytes]], ...] = (deque(), deque())
        self._free, self._latest = [0.0, 0.0], [0.0, 0.0]
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="packet path", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End it."""
        self._ended = True
        self._thread.join()
        for device in self.devices:
            os.close(device)

    def _run(self) -> None:
        while not self._ended:
            now = time.monotonic()
            coming = [line[0][0] - now for line in self._due if line]
            ready, _, _ = select.select(self.devices, [], [], max(min([0.05, *coming]), 0.0))
            for device in ready:
                self._take(self.devices.index(device))
            for side, line in enumerate(self._due):
                now = time.monotonic()
                while line and line[0][0] <= now:
                    self._give(self.devices[1 - side], line.popleft()[1])

    def _take(self, side: int) -> None:
        """Packets enter at one side."""
        for _ in range(reads_in_turn):
            try:
                packet = os.read(self.devices[side], largest_packet)
            except OSError:
                return
            now = time.monotonic()
            if self._watched:
                self._watch(now, side, packet)
            full = len(self._due[side]) >= longest_line and self._free[side] > now
            if full or self._random.random() < self.path.stalls:
                self.lost += 1
                continue
            end = max(now, self._free[side])
            end += 8.0 * len(packet) / self.path.rate if self.path.rate else 0.0
            self._free[side] = end
            when = end + self.path.delay + self.path.jitter * self._random.random()
            self._latest[side] = max(self._latest[side], when)
            self._due[side].append((self._latest[side], packet))

    def _give(self, device: int, packet: bytes) -> None:
        try:
            os.write(device, packet)
        except OSError:
            self.lost += 1

    def _watch(self, now: float, side: int, packet: bytes) -> None:
        """Note what of a TCP stream is in a packet; its connection is the pair of ports."""
        if packet[0] >> 4 != 4 or packet[9] != tcp:
            return
        start = 4 * (packet[0] & 15)
        here, there = struct.unpack_from(">HH", packet, start)
        size = len(packet) - start - 4 * (packet[start + 12] >> 4)
        if size > 0:
            connection = (here << 16 | there) if side == 0 else (there << 16 | here)
            self.passed.append(Passed(now, side, connection, size))
