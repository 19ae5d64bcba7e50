"""A relay: two sites connect outward to it, and it hands on what they say, which it cannot read."""

from __future__ import annotations

import selectors
import socket
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable

from halocline.core.errors import UserError
from halocline.link.options import address

most_waiting = 64
"""Connections of one site that wait for the other; the oldest goes when one more comes."""
most_unknown = 64
"""Connections that have not yet said who they are."""
seconds_to_say = 10.0
longest_words = 200
most_links = 64
"""Links that one run may have between its sites."""
most_held = 256 * 1024
"""Bytes of one direction that wait for a slow receiver."""
ready_word = b"ready\n"


class _End:
    """One of the two connections of a pair."""

    def __init__(self, own: socket.socket, where: str) -> None:
        own.setblocking(False)
        own.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        own.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self.socket, self.where = own, where
        self.begun = time.monotonic()
        self.words = b""
        self.site, self.number = "", 0
        self.other: _End | None = None
        self.held = bytearray()
        self.events = 0
        self.over = False

    def wanted(self) -> int:
        """Events to wait for; 0 while the other end takes nothing."""
        reading = self.other is None or (not self.over and len(self.other.held) < most_held)
        return (selectors.EVENT_READ if reading else 0) | (
            selectors.EVENT_WRITE if self.held else 0
        )


class Relay:
    """Hands on bytes between connections of two named sites.

    listen: 'host:port'; port 0 takes any, see `port`.
    sites: the two names; all others are turned away.
    """

    def __init__(
        self, listen: str, sites: tuple[str, str], *, log: Callable[[str], None] = print
    ) -> None:
        host, port = address(listen)
        if sites[0] == sites[1]:
            raise UserError(f"A relay brings two sites together, got '{sites[0]}' twice.")
        try:
            self._listener = socket.create_server(
                (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=64
            )
        except OSError as error:
            raise UserError(f"Cannot listen at {listen}: {error.strerror or error}.") from None
        self._listener.setblocking(False)
        self.port = int(self._listener.getsockname()[1])
        self._log = log
        self._waiting: defaultdict[tuple[str, int], deque[_End]] = defaultdict(deque)
        self._other = {sites[0]: sites[1], sites[1]: sites[0]}
        self._unknown: deque[_End] = deque()
        self._ends: set[_End] = set()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._said: tuple[str, float] = ("", 0.0)

    def start(self) -> None:
        """Serve in a thread."""
        self._thread = threading.Thread(target=self.serve, name="relay", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End all connections."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        for end in [*self._ends]:
            end.socket.close()
        self._ends.clear()
        self._selector.close()
        self._listener.close()

    def serve(self) -> None:
        """Serve until `close`."""
        while not self._ended.is_set():
            for key, mask in self._selector.select(0.2):
                if key.data is None:
                    self._accept()
                elif key.data in self._ends:
                    self._go_on(key.data, mask)
            self._drop_late()

    def _accept(self) -> None:
        for _ in range(most_unknown):
            try:
                own, sender = self._listener.accept()
            except OSError:
                return
            if len(self._unknown) >= most_unknown:
                self._drop(self._unknown[0], "too many connections at once")
            end = _End(own, str(sender[0]))
            self._unknown.append(end)
            self._ends.add(end)
            self._register(end)

    def _drop_late(self) -> None:
        now = time.monotonic()
        while self._unknown and now - self._unknown[0].begun > seconds_to_say:
            self._drop(self._unknown[0], "has not said who it is")

    def _go_on(self, end: _End, mask: int) -> None:
        try:
            if mask & selectors.EVENT_WRITE:
                self._write(end)
            if mask & selectors.EVENT_READ:
                if end.other is not None:
                    self._hand_on(end, end.other)
                elif end.site:
                    self._hear_early(end)
                else:
                    self._hear(end)
        except BlockingIOError:
            pass
        except OSError as error:
            self._drop(end, error.strerror or str(error))
        for each in (end, end.other):
            if each is not None and each in self._ends:
                self._register(each)

    def _hear(self, end: _End) -> None:
        """Who it is and whom it wants; not a byte more is read."""
        while b"\n" not in end.words:
            byte = end.socket.recv(1)
            end.words += byte
            if not byte or len(end.words) > longest_words:
                self._drop(end, "says nothing that a relay understands")
                return
        words = end.words.decode("ascii", "replace").split()
        if words[:2] != ["halocline-relay", "1"] or (number := _number(words[4:])) is None:
            self._drop(end, "says nothing that a relay understands")
        elif len(words) < 4 or self._other.get(words[2]) != words[3]:
            self._drop(end, "is none of the two sites of this relay", b"not a site of this relay\n")
        else:
            self._unknown.remove(end)
            end.site, end.number = words[2], number
            self._bring_together(end)

    def _hear_early(self, end: _End) -> None:
        """It waits for the other site, and should be silent."""
        if end.socket.recv(1):
            self._drop(end, "speaks before the other site is there")
        else:
            self._drop(end, "")

    def _bring_together(self, end: _End) -> None:
        waiting = self._waiting[self._other[end.site], end.number]
        if waiting:
            other = waiting.popleft()
            end.other, other.other = other, end
            for each in (end, other):
                each.held += ready_word
                self._register(each)
            return
        own = self._waiting[end.site, end.number]
        if len(own) >= most_waiting:
            self._drop(own[0], "too many wait")
        own.append(end)

    def _hand_on(self, end: _End, other: _End) -> None:
        data = end.socket.recv(64 * 1024)
        if not data:
            self._drop(end, "")
            return
        other.held += data
        self._write(other)

    def _write(self, end: _End) -> None:
        if end.held:
            try:
                count = end.socket.send(end.held)
            except BlockingIOError:
                return
            except OSError as error:
                self._drop(end, error.strerror or str(error))
                return
            del end.held[:count]
            if not end.held and end.over:
                self._drop(end, "")

    def _drop(self, end: _End, why: str, last: bytes = b"") -> None:
        """End a connection; its partner gets what is still held for it first."""
        if end not in self._ends:
            return
        self._ends.discard(end)
        if end.events:
            self._selector.unregister(end.socket)
        if last:
            try:
                end.socket.send(last)
            except OSError:
                pass
        end.socket.close()
        if end in self._unknown:
            self._unknown.remove(end)
        if end.site and end in self._waiting[end.site, end.number]:
            self._waiting[end.site, end.number].remove(end)
        other = end.other
        if other is not None and other in self._ends:
            other.over = True
            if not other.held:
                self._drop(other, "")
        if why:
            self._tell(f"relay: {end.where} {why}")

    def _tell(self, what: str) -> None:
        """The same line once a second at most."""
        now = time.monotonic()
        if what != self._said[0] or now - self._said[1] > 1.0:
            self._said = (what, now)
            self._log(what)

    def _register(self, end: _End) -> None:
        wanted = end.wanted()
        if wanted == end.events:
            return
        if not end.events:
            self._selector.register(end.socket, wanted, end)
        elif not wanted:
            self._selector.unregister(end.socket)
        else:
            self._selector.modify(end.socket, wanted, end)
        end.events = wanted


def _number(words: list[str]) -> int | None:
    """Which link of the two sites it is: nothing is the first, 0; None: no such number.

    >>> _number([]), _number(["3"]), _number(["-1"]), _number(["64"]), _number(["1", "2"])
    (0, 3, None, None, None)
    """
    if not words:
        return 0
    right = len(words) == 1 and words[0].isdecimal() and len(words[0]) < 4
    return int(words[0]) if right and int(words[0]) < most_links else None
