"""A link between two sites: messages in order and exactly once, over connections that may break."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from halocline.core.errors import UserError
from halocline.link import frames
from halocline.link.channel import congestion_window
from halocline.link.compression import compress, decompress
from halocline.link.connections import Connections
from halocline.link.counts import LinkCounts
from halocline.link.frames import FrameError
from halocline.link.link_state import LinkState, megabyte
from halocline.link.options import LinkOptions

largest_hello = 64 * 1024
linger_seconds = 1.0


class Link:
    """Messages to and from the other site.

    options: where they meet, credentials, patience.
    here, there: names of the two sites; the certificate of the other side must be for `there`.
    number: of the sites' links, from 0: a relay brings equal numbers together.
    folder: where relative paths of the options begin.
    log: told of every refusal and cut, in one line; without secrets.
    """

    def __init__(
        self,
        options: LinkOptions,
        *,
        here: str,
        there: str,
        number: int = 0,
        folder: Path | None = None,
        log: Callable[[str], None] | None = None,
    ) -> None:
        if here == there:
            raise UserError(f"Both sites of the link are called '{here}'. Give them two names.")
        self.options, self.here, self.there = options, here, there
        self._state = LinkState(options)
        self._log = log or logging.getLogger("halocline.link").warning
        self._connections = Connections(
            options, self._state, here=here, there=there, number=number, folder=folder or Path(),
            log=self._log,
        )  # fmt: skip

    @property
    def counts(self) -> LinkCounts:
        """What it has done."""
        return self._state.counts

    @property
    def port(self) -> int:
        """The port where this side listens."""
        return self._connections.port

    def listen(self) -> None:
        """Open the port, if this side has one; `open` does it if it was not done."""
        self._connections.listen()

    def windows(self) -> list[int]:
        """Bytes that TCP may have on its way now, of each connection; empty where nobody tells."""
        with self._state.changed:
            found = [congestion_window(channel.socket) for channel in self._connections.up()]
        return [some for some in found if some]

    def open(self, hello: bytes) -> bytes:
        """Meet the other site and exchange hellos; waits `meet_within` for it. Its hello."""
        state = self._state
        if len(hello) > largest_hello:
            raise UserError(f"A hello of {len(hello)} bytes is too long; {largest_hello} at most.")
        state.hello = bytes(hello)
        self._connections.start()
        with state.changed:
            state.changed.wait_for(
                lambda: state.met or state.failure, timeout=self.options.meet_within
            )
            if not state.met and not state.failure:
                state.failure = (
                    f"The other site, '{self.there}', was not met within"
                    f" {self.options.meet_within:g} s.{state.trouble()}"
                )
            failure = "" if state.met else state.failure
        if failure:
            self._connections.stop()
            raise UserError(failure)
        return state.other_hello

    def send(self, message: Any) -> None:
        """Send bytes (or anything with a buffer); returns when they are buffered."""
        state = self._state
        view = memoryview(message)
        size = view.nbytes
        if size > self.options.largest_message * megabyte:
            raise UserError(
                f"A message of {size} bytes is too large for the link;"
                f" link.largest_message = {self.options.largest_message} MB."
            )
        small = self.options.compression == "zlib" and size > 0
        data, flags = (compress(view), frames.compressed) if small else (view.tobytes(), 0)
        start = time.perf_counter()
        with state.changed:
            self._check_open()
            room = self.options.buffer * megabyte - len(data)
            state.changed.wait_for(
                lambda: (
                    state.failure
                    or state.outbox.bytes_kept <= max(room, 0)
                    or state.inbox.goodbye is not None
                )
            )
            self._raise_failure()
            state.outbox.put(data, flags, self.options.streams)
            self.counts.messages_sent += 1
            self.counts.bytes_sent += size
            self.counts.bytes_sent_compressed += len(data)
            self.counts.seconds_sending += time.perf_counter() - start
        self._connections.ring()

    def receive(self) -> bytearray:
        """The next message; waits for it as long as the other site can be reached."""
        state = self._state
        start = time.perf_counter()
        with state.changed:
            self._check_open()
            state.changed.wait_for(
                lambda: state.inbox.messages or state.failure or state.inbox.goodbye is not None
            )
            self.counts.seconds_waiting += time.perf_counter() - start
            if not state.inbox.messages:
                self._raise_failure()
            flags, message = state.inbox.take()
            self.counts.messages_received += 1
            waiting_for_room = self._connections.has_room()
        if waiting_for_room:
            self._connections.ring()
        if flags & frames.compressed:
            try:
                message = decompress(message, self.options.largest_message * megabyte)
            except FrameError as error:
                raise UserError(f"The site '{self.there}' sent {error}.") from None
        self.counts.bytes_received += len(message)
        return message

    def close(self, reason: str = "") -> None:
        """Say goodbye, with a reason if the run failed; waits until the other side has it all."""
        state = self._state
        if self._connections.thread is None:
            self._connections.stop()
            return
        with state.changed:
            if not state.failure and not state.leaving and state.met:
                state.leaving = True
                state.outbox.put(reason.encode("utf-8")[:4096], frames.goodbye, 1)
                self._connections.ring()
                state.changed.wait_for(self._all_is_confirmed, timeout=self.options.patience)
                state.changed.wait_for(self._both_have_left, timeout=linger_seconds)
                if state.outbox.kept and state.inbox.goodbye is None:
                    self._log(f"link: '{self.there}' has not confirmed the end")
        self._connections.stop()

    def _all_is_confirmed(self) -> bool:
        """Nothing that was sent is open; or the other side has left, and is not there any more."""
        state = self._state
        left = state.inbox.goodbye is not None and not self._connections.up()
        return bool(state.failure or left or not state.outbox.kept)

    def _both_have_left(self) -> bool:
        state = self._state
        return bool(state.failure or state.inbox.goodbye is not None and not state.outbox.kept)

    def _check_open(self) -> None:
        state = self._state
        if state.leaving or state.ended or not state.met:
            raise UserError(f"The link to '{self.there}' is not open.")

    def _raise_failure(self) -> None:
        state = self._state
        if state.inbox.goodbye:
            raise UserError(f"The site '{self.there}' has ended the run: {state.inbox.goodbye}")
        if state.inbox.goodbye is not None:
            raise UserError(f"The site '{self.there}' has left; nothing more comes from it.")
        if state.failure:
            raise UserError(state.failure)
