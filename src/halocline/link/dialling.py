"""The connections that a side begins: when each is due, and where it goes."""

from __future__ import annotations

import random
import socket
import time
from collections.abc import Iterator
from typing import Any

from halocline.link.channel import Channel
from halocline.link.credentials import Credentials
from halocline.link.options import LinkOptions, address

first_pause, longest_pause = 0.05, 2.0


class Dialling:
    """A slot for each connection; one that is lost is due again after a pause that doubles.

    A side that listens has none. Over a relay both sides begin; one of them is the server of TLS.
    """

    def __init__(
        self, options: LinkOptions, credentials: Credentials, words: bytes, *, server: bool
    ) -> None:
        self.where = options.connect or options.relay
        self._credentials, self._words, self._server = credentials, words, server
        self._due: list[float] = [0.0] * (0 if options.listen else options.streams)
        self._pauses = [first_pause] * len(self._due)
        self._found: Any = None

    def due(self, used: set[int | None], now: float) -> Iterator[int]:
        """Slots to connect now, of those that have no connection; each is put off by a pause."""
        for slot, when in enumerate(self._due):
            if slot in used or now < when:
                continue
            pause = self._pauses[slot]
            self._due[slot] = now + pause * random.uniform(0.75, 1.25)
            self._pauses[slot] = min(2.0 * pause, longest_pause)
            yield slot

    def coming(self, used: set[int | None]) -> list[float]:
        """When the slots that have no connection are due [s of the monotonic clock]."""
        return [when for slot, when in enumerate(self._due) if slot not in used]

    def begin(self) -> Channel:
        """A connection that has begun; OSError or UserError where it cannot."""
        if self._found is None:  # names are looked up once, and again after a failure
            self._found = socket.getaddrinfo(*address(self.where), type=socket.SOCK_STREAM)[0]
        family, kind, protocol, _, target = self._found
        raw = socket.socket(family, kind, protocol)
        try:
            context = self._credentials.context(server=self._server)
            channel = Channel(raw, self.where, context, server=self._server, relay=self._words)
            raw.connect_ex(target)
        except BaseException:
            raw.close()
            raise
        return channel

    def look_up_again(self) -> None:
        """The address did not answer: its name may have another one by now."""
        self._found = None

    def came_up(self, slot: int) -> None:
        """The next pause is the first one again."""
        self._pauses[slot] = first_pause

    def lost(self, slot: int) -> None:
        """Not due before half a pause from now."""
        self._due[slot] = max(self._due[slot], time.monotonic() + self._pauses[slot] / 2)
