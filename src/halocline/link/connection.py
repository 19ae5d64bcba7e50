"""A link between two sites: messages in order and exactly once, over connections that may break."""

from __future__ import annotations

import logging
import os
import random
import selectors
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from halocline.core.errors import UserError
from halocline.link import frames
from halocline.link.channel import Channel, Lost, congestion_window
from halocline.link.compression import compress, decompress
from halocline.link.counts import LinkCounts
from halocline.link.credentials import Credentials, name_matches
from halocline.link.frames import FrameError, Greeting, Kind, LinkFrame, pack
from halocline.link.options import LinkOptions, address
from halocline.link.ordering import Inbox, Outbox

megabyte = 1 << 20
handshake_seconds = 10.0
most_strangers = 32
"""Connections that have not yet shown who they are; the oldest goes when one more comes."""
most_channels = 64
queued_at_most = 64 * 1024
first_pause, longest_pause = 0.05, 2.0
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
        self.counts = LinkCounts()
        self._log = log or logging.getLogger("halocline.link").warning
        self._credentials = Credentials(options, folder or Path())
        self._server = bool(options.listen) or (bool(options.relay) and here < there)
        self._words = relay_words(here, there, number) if options.relay else b""
        most = (options.buffer + options.largest_message) * megabyte
        self._outbox, self._inbox = Outbox(), Inbox(2 * most)
        self._nonce, self._other_nonce = os.urandom(32), frames.nobody
        self._hello, self._other_hello = b"", b""
        self._met = self._leaving = self._ended = False
        self._failure = ""
        self._last_trouble = ""
        self._last_refusal = ""
        self._told: tuple[int, int] = (0, 0)
        self._changed = threading.Condition()
        self._channels: list[Channel] = []
        self._found: Any = None
        self._slots: list[float] = [0.0] * (0 if options.listen else options.streams)
        self._pauses = [first_pause] * len(self._slots)
        self._unconnected_since = 0.0
        self._cut = 0
        self._quiet_until, self._unlogged = 0.0, 0
        self._selector: selectors.BaseSelector | None = None
        self._listener: socket.socket | None = None
        self._bell: tuple[socket.socket, socket.socket] | None = None
        self._thread: threading.Thread | None = None

    # What a run calls

    @property
    def port(self) -> int:
        """The port where this side listens."""
        assert self._listener is not None
        return int(self._listener.getsockname()[1])

    def windows(self) -> list[int]:
        """Bytes that TCP may have on its way now, of each connection; empty where nobody tells."""
        with self._changed:
            found = [congestion_window(channel.socket) for channel in self._up()]
        return [some for some in found if some]

    def listen(self) -> None:
        """Open the port, if this side has one; `open` does it if it was not done."""
        if not self.options.listen or self._listener is not None:
            return
        host, port = address(self.options.listen)
        try:
            self._listener = socket.create_server(
                (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=64
            )
        except OSError as error:
            raise UserError(
                f"Cannot listen at {self.options.listen}: {error.strerror or error}. Take another"
                " port (link.listen)."
            ) from None
        self._listener.setblocking(False)

    def open(self, hello: bytes) -> bytes:
        """Meet the other site and exchange hellos; waits `meet_within` for it. Its hello."""
        if len(hello) > largest_hello:
            raise UserError(f"A hello of {len(hello)} bytes is too long; {largest_hello} at most.")
        self._hello = bytes(hello)
        self.listen()
        self._selector = selectors.DefaultSelector()
        self._bell = socket.socketpair()
        for end in self._bell:
            end.setblocking(False)
        self._selector.register(self._bell[0], selectors.EVENT_READ)
        if self._listener is not None:
            self._selector.register(self._listener, selectors.EVENT_READ)
        self._unconnected_since = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="link", daemon=True)
        self._thread.start()
        with self._changed:
            self._changed.wait_for(
                lambda: self._met or self._failure, timeout=self.options.meet_within
            )
            if not self._met and not self._failure:
                self._failure = (
                    f"The other site, '{self.there}', was not met within"
                    f" {self.options.meet_within:g} s.{self._trouble()}"
                )
            failure = "" if self._met else self._failure
        if failure:
            self._stop()
            raise UserError(failure)
        return self._other_hello

    def send(self, message: Any) -> None:
        """Send bytes (or anything with a buffer); returns when they are buffered."""
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
        with self._changed:
            self._check_open()
            room = self.options.buffer * megabyte - len(data)
            self._changed.wait_for(
                lambda: (
                    self._failure
                    or self._outbox.bytes_kept <= max(room, 0)
                    or self._inbox.goodbye is not None
                )
            )
            self._raise_failure()
            self._outbox.put(data, flags, self.options.streams)
            self.counts.messages_sent += 1
            self.counts.bytes_sent += size
            self.counts.bytes_sent_compressed += len(data)
            self.counts.seconds_sending += time.perf_counter() - start
        self._ring()

    def receive(self) -> bytearray:
        """The next message; waits for it as long as the other site can be reached."""
        start = time.perf_counter()
        with self._changed:
            self._check_open()
            self._changed.wait_for(
                lambda: self._inbox.messages or self._failure or self._inbox.goodbye is not None
            )
            self.counts.seconds_waiting += time.perf_counter() - start
            if not self._inbox.messages:
                self._raise_failure()
            flags, message = self._inbox.take()
            self.counts.messages_received += 1
            waiting_for_room = self._inbox.consumed - self._told[1] > megabyte
        if waiting_for_room:
            self._ring()
        if flags & frames.compressed:
            try:
                message = decompress(message, self.options.largest_message * megabyte)
            except FrameError as error:
                raise UserError(f"The site '{self.there}' sent {error}.") from None
        self.counts.bytes_received += len(message)
        return message

    def close(self, reason: str = "") -> None:
        """Say goodbye, with a reason if the run failed; waits until the other side has it all."""
        if self._thread is None:
            self._stop()
            return
        with self._changed:
            if not self._failure and not self._leaving and self._met:
                self._leaving = True
                self._outbox.put(reason.encode("utf-8")[:4096], frames.goodbye, 1)
                self._ring()
                self._changed.wait_for(self._all_is_confirmed, timeout=self.options.patience)
                self._changed.wait_for(self._both_have_left, timeout=linger_seconds)
                if self._outbox.kept and self._inbox.goodbye is None:
                    self._log(f"link: '{self.there}' has not confirmed the end")
        self._stop()

    def _all_is_confirmed(self) -> bool:
        """Nothing that was sent is open; or the other side has left, and is not there any more."""
        left = self._inbox.goodbye is not None and not self._up()
        return bool(self._failure or left or not self._outbox.kept)

    def _both_have_left(self) -> bool:
        return bool(self._failure or self._inbox.goodbye is not None and not self._outbox.kept)

    def _check_open(self) -> None:
        if self._leaving or self._ended or not self._met:
            raise UserError(f"The link to '{self.there}' is not open.")

    def _raise_failure(self) -> None:
        if self._inbox.goodbye:
            raise UserError(f"The site '{self.there}' has ended the run: {self._inbox.goodbye}")
        if self._inbox.goodbye is not None:
            raise UserError(f"The site '{self.there}' has left; nothing more comes from it.")
        if self._failure:
            raise UserError(self._failure)

    def _trouble(self) -> str:
        words = f" Last trouble: {self._last_trouble}." if self._last_trouble else ""
        if self._last_refusal not in ("", self._last_trouble):
            words += f" Last refusal: {self._last_refusal}."
        return words

    def _ring(self) -> None:
        """Wake the thread."""
        assert self._bell is not None
        try:
            self._bell[1].send(b"!")
        except (BlockingIOError, OSError):
            pass

    def _stop(self) -> None:
        with self._changed:
            self._ended = True
        if self._thread is not None:
            self._ring()
            self._thread.join()
            self._thread = None
        for channel in self._channels:
            channel.close()
        self._channels.clear()
        for own in (self._listener, self._selector, *(self._bell or ())):
            if own is not None:
                own.close()
        self._listener = None

    # The thread

    def _run(self) -> None:
        try:
            self._turn()
        except Exception as error:  # the run must hear of it, not wait for ever
            with self._changed:
                self._failure = f"The link to '{self.there}' broke down: {error!r}"
                self._changed.notify_all()

    def _turn(self) -> None:
        assert self._selector is not None
        while True:
            with self._changed:
                if self._ended:
                    return
                pause = self._advance(time.monotonic())
                self._changed.notify_all()
            events = self._selector.select(pause)
            with self._changed:
                self._handle(events)

    def _handle(self, events: list[tuple[selectors.SelectorKey, int]]) -> None:
        """Read what came."""
        ready = {key.data for key, _ in events if key.data is not None}
        ready.update(channel for channel in self._channels if channel.again)
        for key, _ in events:
            if key.fileobj is self._listener:
                self._accept()
            elif self._bell is not None and key.fileobj is self._bell[0]:
                try:
                    self._bell[0].recv(4096)
                except BlockingIOError:
                    pass
        for channel in ready:
            if channel in self._channels:
                self._serve(channel)

    def _serve(self, channel: Channel) -> None:
        """Go on with one connection; it ends here if it fails."""
        try:
            if channel.state in ("connecting", "asking", "shaking"):
                self._step_up(channel)
            if channel.state == "refused":
                channel.drain()
            elif channel.state in ("greeting", "up"):
                for frame in channel.read():
                    self._take(channel, frame)
                channel.write()
        except Lost as loss:
            if loss.refusal and channel.state == "shaking" and channel.slot is None:
                try:
                    self._refuse(channel, str(loss))  # TLS has told it
                    return
                except Lost:
                    pass
            self._lose(channel, str(loss), refusal=loss.refusal)
        except FrameError as error:
            self._lose(channel, f"it sent {error}", refusal=True)

    def _step_up(self, channel: Channel) -> None:
        before, socket_before = channel.state, channel.socket
        channel.advance()
        if channel.socket is not socket_before:  # TLS has the same descriptor in a new object
            self._unregister(socket_before, channel)
        if channel.state != before and channel.state == "shaking":
            channel.begun = time.monotonic()
        if channel.state == "greeting":
            name = self.options.certificate_name or self.there
            if not name_matches(channel.certificate(), name):
                self._refuse(channel, f"its certificate is not that of '{name}'")
                return
            greeting = Greeting(self._nonce, self._other_nonce, *self._state(), self._hello)
            channel.put(pack(Kind.hello, payload=greeting.pack()))

    def _refuse(self, channel: Channel, why: str) -> None:
        """Tell the other side why, if its certificate is good; it closes, or is too late."""
        if channel.state == "greeting":
            channel.put(pack(Kind.refused, payload=why.encode()))
            channel.write()
        channel.begun = time.monotonic()
        channel.refuse()
        self.counts.connections_refused += 1
        self._tell(f"{channel.where}: {why}", refusal=True)

    def _state(self) -> tuple[int, int]:
        """Pieces that this side has, and bytes of all that the other may send."""
        return self._inbox.expected, self._inbox.consumed + self.options.buffer * megabyte

    def _take(self, channel: Channel, frame: LinkFrame) -> None:
        """One frame of a connection."""
        channel.heard = time.monotonic()
        if channel.state == "refused":
            return  # it came in the same breath
        if frame.kind is Kind.refused:
            words = frame.payload[:500].decode("utf-8", "replace")
            raise Lost(f"the other site refuses: {words}", refusal=True)
        if channel.state == "greeting":
            if frame.kind is not Kind.hello:
                raise FrameError("something before its greeting")
            self._greet(channel, Greeting.unpack(frame.payload))
        elif frame.kind is Kind.piece:
            self._inbox.accept(frame.number, frame.flags, frame.payload)
            self.counts.pieces_doubled = self._inbox.doubled
        elif frame.kind is Kind.received:
            if len(frame.payload) != 8:
                raise FrameError("a broken word of what it has")
            self._outbox.received(frame.number, int.from_bytes(frame.payload, "big"))
        elif frame.kind is Kind.ping:
            if channel.queued < megabyte:
                channel.put(pack(Kind.pong, frame.number))
        elif frame.kind is Kind.pong:
            seconds = (time.monotonic_ns() - frame.number) / 1e9
            if 0.0 <= seconds <= handshake_seconds:
                self.counts.round_trip(seconds)
        else:
            raise FrameError("a second greeting")

    def _greet(self, channel: Channel, greeting: Greeting) -> None:
        """The other side is who it should be; is it in this session?"""
        strange = greeting.other not in (frames.nobody, self._nonce)
        restarted = self._met and greeting.own != self._other_nonce
        if strange or restarted or greeting.own == frames.nobody:
            why = f"'{self.there}' comes from another session than the one under way here"
            self._refuse(channel, why)
            return
        self._outbox.received(greeting.received, greeting.limit)
        if not self._met:
            self._other_nonce, self._other_hello = greeting.own, greeting.hello
            self._met = True
        channel.state = "up"
        self.counts.connections += 1
        if channel.slot is not None:
            self._pauses[channel.slot] = first_pause
        if self._cut:
            self._cut -= 1
            self.counts.cuts_mended += 1
        self._changed.notify_all()

    def _advance(self, now: float) -> float:
        """All that time brings; how long nothing more is to be done [s]."""
        self._dial(now)
        self._drop_silent(now)
        self._confirm()
        self._fill(now)
        self._lose_patience(now)
        for channel in self._channels:
            self._register(channel)
        if any(channel.again for channel in self._channels):
            return 0.0
        return self._pause(now)

    def _pause(self, now: float) -> float:
        coming = [now + 1.0]
        coming += [
            channel.said + self.options.keep_alive
            for channel in self._channels
            if channel.state == "up"
        ]
        coming += [
            when
            for slot, when in enumerate(self._slots)
            if all(channel.slot != slot for channel in self._channels)
        ]
        return max(min(coming) - now, 0.001)

    def _up(self) -> list[Channel]:
        return [channel for channel in self._channels if channel.state == "up"]

    def _dial(self, now: float) -> None:
        """Connect again what is not connected, after a pause that doubles."""
        used = {channel.slot for channel in self._channels}
        for slot, when in enumerate(self._slots):
            if slot in used or now < when:
                continue
            pause = self._pauses[slot]
            self._slots[slot] = now + pause * random.uniform(0.75, 1.25)
            self._pauses[slot] = min(2.0 * pause, longest_pause)
            where = self.options.connect or self.options.relay
            try:
                channel = self._connect(where)
            except (OSError, UserError) as error:
                self._tell(f"cannot reach {where}: {error}")
                continue
            channel.slot, channel.begun, channel.heard = slot, now, now
            self._channels.append(channel)

    def _connect(self, where: str) -> Channel:
        if self._found is None:  # names are looked up once, and again after a failure
            self._found = socket.getaddrinfo(*address(where), type=socket.SOCK_STREAM)[0]
        family, kind, protocol, _, target = self._found
        raw = socket.socket(family, kind, protocol)
        try:
            context = self._credentials.context(server=self._server)
            channel = Channel(raw, where, context, server=self._server, relay=self._words)
            raw.connect_ex(target)
        except BaseException:
            raw.close()
            raise
        return channel

    def _accept(self) -> None:
        """Take new connections; of those that have not shown who they are the oldest goes."""
        assert self._listener is not None
        for _ in range(most_strangers):
            try:
                raw, sender = self._listener.accept()
            except OSError:
                return
            strangers = [channel for channel in self._channels if channel.state != "up"]
            if len(strangers) >= most_strangers:
                self._lose(strangers[0], "too many connections at once", refusal=True)
            try:
                context = self._credentials.context(server=True)
                channel = Channel(raw, f"{sender[0]}", context, server=True, relay=b"")
                channel.connected()
            except (OSError, UserError) as error:
                raw.close()
                self._tell(f"cannot take a connection from {sender[0]}: {error}")
                continue
            channel.begun = channel.heard = time.monotonic()
            self._channels.append(channel)

    def _drop_silent(self, now: float) -> None:
        """End connections that do not come up, or from which nothing is heard."""
        silence = min(max(self.options.patience / 4, 3 * self.options.keep_alive), 30.0)
        for channel in [*self._channels]:
            if channel.state == "up":
                if now - channel.heard > silence:
                    self._lose(channel, f"nothing was heard for {silence:g} s")
            elif now - channel.begun > (30.0 if channel.state == "asking" else handshake_seconds):
                self._lose(channel, "it did not come up in time", refusal=channel.slot is None)
        up = self._up()
        for channel in up[: max(0, len(up) - most_channels)]:
            self._lose(channel, "more connections than a link has", refusal=True)

    def _confirm(self) -> None:
        """Tell what was received, once for all that came."""
        up = self._up()
        state = self._state()
        if up and state != self._told:
            self._told = state
            channel = min(up, key=lambda each: each.queued)
            channel.put(pack(Kind.received, state[0], state[1].to_bytes(8, "big")))

    def _fill(self, now: float) -> None:
        """Give pieces to the connections that carry least; a few bytes to the quiet ones.

        All get a share of each message: every one of them begins slowly after a pause, and with
        all together more is on its way in the first round trip.
        """
        free = {channel for channel in self._up() if channel.queued < queued_at_most}
        while free:
            channel = min(free, key=self._outbox.load)
            piece = self._outbox.take(channel, all_of_them=self._leaving)
            if piece is None:
                break
            channel.put(pack(Kind.piece, piece.number, piece.payload, piece.flags))
            channel.said = now
            if not self._write(channel) or channel.queued >= queued_at_most:
                free.discard(channel)
        for channel in [*self._channels]:
            quiet = now - channel.said >= self.options.keep_alive and not channel.queued
            if channel.state == "up" and quiet:
                channel.put(pack(Kind.ping, time.monotonic_ns()))
                channel.said = now
            if channel.queued:
                self._write(channel)

    def _write(self, channel: Channel) -> bool:
        """Write what the network takes; whether the connection is still there."""
        try:
            channel.write()
        except Lost as loss:
            self._lose(channel, str(loss), refusal=loss.refusal)
            return False
        return True

    def _lose_patience(self, now: float) -> None:
        if self._up():
            self._unconnected_since = now
        elif self._met and now - self._unconnected_since > self.options.patience:
            self._failure = (
                f"The other site, '{self.there}', could not be reached for"
                f" {self.options.patience:g} s.{self._trouble()} Both sites stop; go on with"
                " 'halocline resume' at both, from a moment for which both have a restart."
            )

    def _lose(self, channel: Channel, why: str, *, refusal: bool = False) -> None:
        """A connection ends; what it carried goes over others."""
        self._unregister(channel.socket, channel)
        if channel in self._channels:
            self._channels.remove(channel)
        channel.close()
        if channel.state == "connecting" and not self._up():
            self._found = None
        if channel.state == "up":
            self._outbox.give_back(channel)
            self._told = (-1, 0)  # its last word may be lost
            self.counts.pieces_resent = self._outbox.resent
            self._cut += 1
        if channel.slot is not None:
            self._slots[channel.slot] = max(
                self._slots[channel.slot], time.monotonic() + self._pauses[channel.slot] / 2
            )
        if channel.state == "refused":
            return
        if refusal:
            self.counts.connections_refused += 1
            early = channel.state in ("shaking", "greeting") and ("TLS" in why or "certif" in why)
            if early and not self._met and self.options.connect:
                self._failure = f"Cannot connect to '{self.there}' at {channel.where}: {why}."
        if not self._leaving and self._inbox.goodbye is None:
            self._tell(f"{channel.where}: {why}", refusal=refusal)

    def _tell(self, what: str, *, refusal: bool = False) -> None:
        """One line of the log; ten a second at most, the same one once a minute."""
        now = time.monotonic()
        again = what == self._last_trouble
        self._last_trouble = what
        if refusal:
            self._last_refusal = what
        if now < self._quiet_until + (60.0 if again else 0.0):
            self._unlogged += 1
            return
        self._quiet_until = now + 0.1
        more = f" (and {self._unlogged} more)" if self._unlogged else ""
        self._unlogged = 0
        self._log(f"link to '{self.there}': {what}{more}")

    def _register(self, channel: Channel) -> None:
        assert self._selector is not None
        wanted = channel.wanted()
        if wanted == channel.events:
            return
        if channel.events:
            self._selector.modify(channel.socket, wanted, channel)
        else:
            self._selector.register(channel.socket, wanted, channel)
        channel.events = wanted

    def _unregister(self, which: socket.socket, channel: Channel) -> None:
        if channel.events and self._selector is not None:
            try:
                self._selector.unregister(which)
            except (KeyError, ValueError):
                pass
            channel.events = 0


def relay_words(here: str, there: str, number: int = 0) -> bytes:
    """What a side says to a relay: who it is, whom it wants, and on which of their links."""
    further = f" {number}" if number else ""
    return f"halocline-relay 1 {here} {there}{further}\n".encode("ascii", "replace")
