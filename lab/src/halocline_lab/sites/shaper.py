"""A network path in user space: connections through it are late, narrow, and may stall or break.

It stands between two programs that speak TCP and needs no rights. What it shapes are the bytes that
they write; TCP itself runs on this machine, without loss. So the slow start of a long path is made
here too, by a congestion window for each connection and direction (RFC 5681, RFC 6928).
"""

from __future__ import annotations

import heapq
import itertools
import random
import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

segment = 1448
first_window = 10 * segment
idle_before_restart = 0.2
"""A connection that was silent so long begins slowly again [s]: TCP's shortest time-out."""
most_held = 4 << 20


@dataclass(frozen=True, kw_only=True)
class NetworkPath:
    """What a path does to what passes it, in both directions alike."""

    delay: float = 0.0
    """One way [s]."""
    rate: float = 0.0
    """Bits a second of all connections together, each way; 0: without limit."""
    jitter: float = 0.0
    """A chunk is later by up to this [s]; chunks of different connections overtake each other."""
    stalls: float = 0.0
    """Share of chunks that are lost and sent again, `stall` seconds later."""
    stall: float = 0.2
    """How late such a chunk is [s]."""
    cuts: float = 0.0
    """Share of chunks with which their connection breaks."""
    slow_start: bool = False
    """Connections have congestion windows, which grow by what arrives and shrink when idle."""
    restart_after_idle: bool = True
    """Whether windows shrink; Linux has a setting for it (`tcp_slow_start_after_idle`)."""


class Passed(NamedTuple):
    """Bytes of a connection that entered a path."""

    time: float
    """Of `time.monotonic` [s]."""
    side: int
    """0: from who connects, or from the first device."""
    connection: int
    size: int


class _Direction:
    """One direction of one connection."""

    def __init__(
        self, source: socket.socket, sink: socket.socket, side: int, connection: int
    ) -> None:
        self.source, self.sink, self.side = source, sink, side
        self.connection = connection
        self.due: deque[bytes] = deque()
        self.held = 0
        self.latest = 0.0
        self.window = float(first_window)
        self.in_flight = 0
        self.used = 0
        self.last = self.judged = 0.0
        self.over = False
        self.partner: _Direction

    def validate(self, now: float) -> None:
        """Shrink a window that was not used, as Linux does (RFC 2861): a few bytes do not keep it.

        Silent for a time-out: it begins again. Not filled for one: half-way to what was used.
        """
        self.used = max(self.used, self.in_flight)
        if now - self.last > idle_before_restart:
            self.window = min(self.window, float(first_window))
        elif self.in_flight + segment > self.window:
            pass
        elif now - self.judged > idle_before_restart:
            self.window = min(self.window, (self.window + max(self.used, first_window)) / 2.0)
        else:
            return
        self.used, self.judged = 0, now


class Shaper:
    """A proxy: who connects to `port` is connected to `target` over a `path`.

    `passed` has all that entered, if it is `watched`.

    >>> with socket.create_server(("127.0.0.1", 0)) as server:
    ...     with Shaper(server.getsockname()[1], NetworkPath(delay=0.01)) as shaper:
    ...         near = socket.create_connection(("127.0.0.1", shaper.port))
    ...         far, _ = server.accept()
    ...         start = time.perf_counter()
    ...         near.sendall(b"hello")
    ...         far.recv(5), time.perf_counter() - start >= 0.01
    ...         near.close(), far.close()
    (b'hello', True)
    (None, None)
    """

    def __init__(
        self, target: int, path: NetworkPath, *, seed: int = 0, watched: bool = False
    ) -> None:
        self.path = path
        self.passed: list[Passed] = []
        self._watched = watched
        self.cuts = self.stalls = self.connections = 0
        self._target = target
        self._random = random.Random(seed)
        self._free = [0.0, 0.0]
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._listener.setblocking(False)
        self.port = int(self._listener.getsockname()[1])
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._events: dict[socket.socket, int] = {}
        self._directions: dict[socket.socket, _Direction] = {}
        self._later: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._ended = False
        self._cut_all = False
        self._thread = threading.Thread(target=self._run, name="shaper", daemon=True)
        self._thread.start()

    def __enter__(self) -> Shaper:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def cut(self) -> None:
        """Break all connections, soon."""
        self._cut_all = True

    def close(self) -> None:
        """End it and all connections."""
        self._ended = True
        self._thread.join()
        for own in [*self._directions, self._listener]:
            own.close()
        self._selector.close()

    def _run(self) -> None:
        while not self._ended:
            now = time.monotonic()
            pause = min(self._later[0][0] - now, 0.05) if self._later else 0.05
            for key, mask in self._selector.select(max(pause, 0.0)):
                if key.fileobj is self._listener:
                    self._accept()
                elif isinstance(key.fileobj, socket.socket) and key.fileobj in self._directions:
                    if mask & selectors.EVENT_WRITE:
                        self._write(self._directions[key.fileobj].partner)
                    if mask & selectors.EVENT_READ and key.fileobj in self._directions:
                        self._read(self._directions[key.fileobj])
            while self._later and self._later[0][0] <= time.monotonic():
                heapq.heappop(self._later)[2]()
            if self._cut_all:
                self._cut_all = False
                for direction in [*self._directions.values()]:
                    self._break(direction)

    def _at(self, when: float, action: Callable[[], None]) -> None:
        heapq.heappush(self._later, (when, next(self._numbers), action))

    def _accept(self) -> None:
        try:
            near, _ = self._listener.accept()
        except OSError:
            return
        try:
            far = socket.create_connection(("127.0.0.1", self._target), timeout=1.0)
        except OSError:
            near.close()
            return
        self.connections += 1
        number = self.connections
        one, two = _Direction(near, far, 0, number), _Direction(far, near, 1, number)
        one.partner, two.partner = two, one
        for direction in (one, two):
            direction.source.setblocking(False)
            direction.source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._directions[direction.source] = direction
        self._watch(near)
        self._watch(far)

    def _room(self, direction: _Direction) -> int:
        """Bytes that may enter now."""
        if direction.over:
            return 0
        if not self.path.slow_start:
            return most_held - direction.held
        return int(direction.window) - direction.in_flight

    def _read(self, direction: _Direction) -> None:
        now = time.monotonic()
        if self.path.slow_start and self.path.restart_after_idle:
            direction.validate(now)
        room = self._room(direction)
        if room <= 0:
            self._watch(direction.source)
            return
        try:
            data = direction.source.recv(min(room, 64 * 1024))
        except BlockingIOError:
            return
        except OSError:
            self._break(direction)
            return
        if data and self._random.random() < self.path.cuts:
            self.cuts += 1
            self._break(direction)
            return
        self._pass_on(direction, data, now)
        self._watch(direction.source)

    def _pass_on(self, direction: _Direction, data: bytes, now: float) -> None:
        """Data enter the path: the line takes one chunk after the other, then comes the way."""
        direction.last = now
        direction.over = not data
        side = direction.side
        if self._watched and data:
            self.passed.append(Passed(now, side, direction.connection, len(data)))
        start = max(now, self._free[side])
        end = start + (8.0 * len(data) / self.path.rate if self.path.rate else 0.0)
        self._free[side] = end
        when = end + self.path.delay + self.path.jitter * self._random.random()
        if self._random.random() < self.path.stalls:
            self.stalls += 1
            when += self.path.stall
        direction.latest = max(direction.latest, when)
        direction.held += len(data)
        direction.in_flight += len(data)
        direction.used = max(direction.used, direction.in_flight)
        self._at(direction.latest, lambda: self._arrive(direction, data))
        if self.path.slow_start:
            self._at(direction.latest + self.path.delay, lambda: self._acknowledge(direction, data))

    def _arrive(self, direction: _Direction, data: bytes) -> None:
        if direction.source in self._directions:
            direction.due.append(data)
            self._write(direction)

    def _acknowledge(self, direction: _Direction, data: bytes) -> None:
        direction.in_flight -= len(data)
        direction.window = min(direction.window + len(data), float(most_held))
        if direction.source in self._directions:
            self._watch(direction.source)

    def _write(self, direction: _Direction) -> None:
        while direction.due:
            data = direction.due[0]
            if not data:
                self._break(direction)
                return
            try:
                count = direction.sink.send(data)
            except BlockingIOError:
                break
            except OSError:
                self._break(direction)
                return
            direction.held -= count
            direction.due.popleft()
            if count < len(data):
                direction.due.appendleft(data[count:])
        if direction.source in self._directions:
            self._watch(direction.source)
            self._watch(direction.sink)

    def _break(self, direction: _Direction) -> None:
        """End a connection, both directions; what is under way is lost."""
        for own in (direction.source, direction.sink):
            if own in self._directions:
                if self._events.pop(own, 0):
                    self._selector.unregister(own)
                del self._directions[own]
                own.close()

    def _watch(self, own: socket.socket) -> None:
        direction = self._directions[own]
        wanted = selectors.EVENT_READ if self._room(direction) > 0 else 0
        wanted |= selectors.EVENT_WRITE if direction.partner.due else 0
        before = self._events.get(own, 0)
        if wanted == before:
            return
        if not before:
            self._selector.register(own, wanted)
        elif wanted:
            self._selector.modify(own, wanted)
        else:
            self._selector.unregister(own)
        self._events[own] = wanted
