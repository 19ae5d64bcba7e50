"""The connections of a link, which one thread makes, reads, writes and mends."""

from __future__ import annotations

import selectors
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

from halocline.core.errors import UserError
from halocline.link import frames
from halocline.link.channel import Channel, Lost
from halocline.link.credentials import Credentials, name_matches
from halocline.link.dialling import Dialling, longest_pause
from halocline.link.frames import FrameError, Greeting, Kind, LinkFrame, pack
from halocline.link.link_state import LinkState, megabyte
from halocline.link.options import LinkOptions, address
from halocline.link.trouble_log import TroubleLog

handshake_seconds = 10.0
most_strangers = 32
"""Connections that have not yet shown who they are; the oldest goes when one more comes."""
most_channels = 64
queued_at_most = 64 * 1024
gone_after = 2 * longest_pause
"""Who is unconnected so long [s] while it comes anew is gone: it would have come back."""


class Connections:
    """All connections to the other site, and the thread that serves them.

    The thread holds `state.changed` but where it waits for the network; what others call here they
    call while they hold it, but `listen`, `start`, `ring` and `stop`.
    """

    def __init__(
        self,
        options: LinkOptions,
        state: LinkState,
        *,
        here: str,
        there: str,
        number: int,
        folder: Path,
        log: Callable[[str], None],
    ) -> None:
        self.options, self.state, self.there = options, state, there
        self.channels: list[Channel] = []
        self._credentials = Credentials(options, folder)
        words = relay_words(here, there, number) if options.relay else b""
        server = bool(options.listen) or (bool(options.relay) and here < there)
        self._dialling = Dialling(options, self._credentials, words, server=server)
        self._trouble = TroubleLog(state, there, log)
        self._told: tuple[int, int] = (0, 0)
        self._unconnected_since = 0.0
        self._cut = 0
        self._selector: selectors.BaseSelector | None = None
        self._listener: socket.socket | None = None
        self._bell: tuple[socket.socket, socket.socket] | None = None
        self.thread: threading.Thread | None = None

    @property
    def port(self) -> int:
        """The port where this side listens."""
        assert self._listener is not None
        return int(self._listener.getsockname()[1])

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

    def start(self) -> None:
        """Begin to serve."""
        self.listen()
        self._selector = selectors.DefaultSelector()
        self._bell = socket.socketpair()
        for end in self._bell:
            end.setblocking(False)
        self._selector.register(self._bell[0], selectors.EVENT_READ)
        if self._listener is not None:
            self._selector.register(self._listener, selectors.EVENT_READ)
        self._unconnected_since = time.monotonic()
        self.thread = threading.Thread(target=self._run, name="link", daemon=True)
        self.thread.start()

    def ring(self) -> None:
        """Wake the thread."""
        assert self._bell is not None
        try:
            self._bell[1].send(b"!")
        except (BlockingIOError, OSError):
            pass

    def stop(self) -> None:
        """End the thread and all connections."""
        with self.state.changed:
            self.state.ended = True
        if self.thread is not None:
            self.ring()
            self.thread.join()
            self.thread = None
        for channel in self.channels:
            channel.close()
        self.channels.clear()
        for own in (self._listener, self._selector, *(self._bell or ())):
            if own is not None:
                own.close()
        self._listener = None

    def has_room(self) -> bool:
        """Whether this side has room for more than it has told."""
        return self.state.inbox.consumed - self._told[1] > megabyte

    def _run(self) -> None:
        try:
            self._turn()
        except Exception as error:  # the run must hear of it, not wait for ever
            with self.state.changed:
                self.state.failure = f"The link to '{self.there}' broke down: {error!r}"
                self.state.changed.notify_all()

    def _turn(self) -> None:
        assert self._selector is not None
        while True:
            with self.state.changed:
                if self.state.ended:
                    return
                pause = self._advance(time.monotonic())
                self.state.changed.notify_all()
            events = self._selector.select(pause)
            with self.state.changed:
                self._handle(events)

    def _handle(self, events: list[tuple[selectors.SelectorKey, int]]) -> None:
        """Read what came."""
        ready = {key.data for key, _ in events if key.data is not None}
        ready.update(channel for channel in self.channels if channel.again)
        for key, _ in events:
            if key.fileobj is self._listener:
                self._accept()
            elif self._bell is not None and key.fileobj is self._bell[0]:
                try:
                    self._bell[0].recv(4096)
                except BlockingIOError:
                    pass
        for channel in ready:
            if channel in self.channels:
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
            greeting = Greeting(
                self.state.nonce, self.state.other_nonce, *self._state(), self.state.hello
            )
            channel.put(pack(Kind.hello, payload=greeting.pack()))

    def _refuse(self, channel: Channel, why: str) -> None:
        """Tell the other side why, if its certificate is good; it closes, or is too late."""
        if channel.state == "greeting":
            channel.put(pack(Kind.refused, payload=why.encode()))
            channel.write()
        channel.begun = time.monotonic()
        channel.refuse()
        self.state.counts.connections_refused += 1
        self._trouble.tell(f"{channel.where}: {why}", refusal=True)

    def _state(self) -> tuple[int, int]:
        """Pieces that this side has, and bytes of all that the other may send."""
        return self.state.inbox.expected, self.state.inbox.consumed + self.options.buffer * megabyte

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
            self.state.inbox.accept(frame.number, frame.flags, frame.payload)
            self.state.counts.pieces_doubled = self.state.inbox.doubled
        elif frame.kind is Kind.received:
            if len(frame.payload) != 8:
                raise FrameError("a broken word of what it has")
            self.state.outbox.received(frame.number, int.from_bytes(frame.payload, "big"))
        elif frame.kind is Kind.ping:
            if channel.queued < megabyte:
                channel.put(pack(Kind.pong, frame.number))
        elif frame.kind is Kind.pong:
            seconds = (time.monotonic_ns() - frame.number) / 1e9
            if 0.0 <= seconds <= handshake_seconds:
                self.state.counts.round_trip(seconds)
        else:
            raise FrameError("a second greeting")

    def _greet(self, channel: Channel, greeting: Greeting) -> None:
        """The other side is who it should be; is it in this session?"""
        strange = greeting.other not in (frames.nobody, self.state.nonce)
        restarted = self.state.met and greeting.own != self.state.other_nonce
        if strange or restarted or greeting.own == frames.nobody:
            why = f"'{self.there}' comes from another session than the one under way here"
            self._refuse(channel, why)
            if restarted and greeting.other == frames.nobody:
                self._end_if_gone()
            return
        self.state.outbox.received(greeting.received, greeting.limit)
        if not self.state.met:
            self.state.other_nonce, self.state.other_hello = greeting.own, greeting.hello
            self.state.met = True
        channel.state = "up"
        self.state.counts.connections += 1
        if channel.slot is not None:
            self._dialling.came_up(channel.slot)
        if self._cut:
            self._cut -= 1
            self.state.counts.cuts_mended += 1
        self.state.changed.notify_all()

    def _end_if_gone(self) -> None:
        """The other side comes as at its start; that with which this one ran does not."""
        if not self.up() and time.monotonic() - self._unconnected_since > gone_after:
            self.state.failure = (
                f"The other site, '{self.there}', was started anew: the run that it was in has"
                " ended there. This one stops too; go on with 'halocline resume' at both, from a"
                " moment for which both have a restart."
            )
            self.state.changed.notify_all()

    def _advance(self, now: float) -> float:
        """All that time brings; how long nothing more is to be done [s]."""
        self._dial(now)
        self._drop_silent(now)
        self._confirm()
        self._fill(now)
        self._lose_patience(now)
        for channel in self.channels:
            self._register(channel)
        if any(channel.again for channel in self.channels):
            return 0.0
        return self._pause(now)

    def _pause(self, now: float) -> float:
        coming = [now + 1.0]
        coming += [
            channel.said + self.options.keep_alive
            for channel in self.channels
            if channel.state == "up"
        ]
        coming += self._dialling.coming(self._used())
        return max(min(coming) - now, 0.001)

    def up(self) -> list[Channel]:
        return [channel for channel in self.channels if channel.state == "up"]

    def _used(self) -> set[int | None]:
        return {channel.slot for channel in self.channels}

    def _dial(self, now: float) -> None:
        """Connect again what is not connected."""
        for slot in self._dialling.due(self._used(), now):
            try:
                channel = self._dialling.begin()
            except (OSError, UserError) as error:
                self._trouble.tell(f"cannot reach {self._dialling.where}: {error}")
                continue
            channel.slot, channel.begun, channel.heard = slot, now, now
            self.channels.append(channel)

    def _accept(self) -> None:
        """Take new connections; of those that have not shown who they are the oldest goes."""
        assert self._listener is not None
        for _ in range(most_strangers):
            try:
                raw, sender = self._listener.accept()
            except OSError:
                return
            strangers = [channel for channel in self.channels if channel.state != "up"]
            if len(strangers) >= most_strangers:
                self._lose(strangers[0], "too many connections at once", refusal=True)
            try:
                context = self._credentials.context(server=True)
                channel = Channel(raw, f"{sender[0]}", context, server=True, relay=b"")
                channel.connected()
            except (OSError, UserError) as error:
                raw.close()
                self._trouble.tell(f"cannot take a connection from {sender[0]}: {error}")
                continue
            channel.begun = channel.heard = time.monotonic()
            self.channels.append(channel)

    def _drop_silent(self, now: float) -> None:
        """End connections that do not come up, or from which nothing is heard."""
        silence = min(max(self.options.patience / 4, 3 * self.options.keep_alive), 30.0)
        for channel in [*self.channels]:
            if channel.state == "up":
                if now - channel.heard > silence:
                    self._lose(channel, f"nothing was heard for {silence:g} s")
            elif now - channel.begun > (30.0 if channel.state == "asking" else handshake_seconds):
                self._lose(channel, "it did not come up in time", refusal=channel.slot is None)
        up = self.up()
        for channel in up[: max(0, len(up) - most_channels)]:
            self._lose(channel, "more connections than a link has", refusal=True)

    def _confirm(self) -> None:
        """Tell what was received, once for all that came."""
        up = self.up()
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
        free = {channel for channel in self.up() if channel.queued < queued_at_most}
        while free:
            channel = min(free, key=self.state.outbox.load)
            piece = self.state.outbox.take(channel, all_of_them=self.state.leaving)
            if piece is None:
                break
            channel.put(pack(Kind.piece, piece.number, piece.payload, piece.flags))
            channel.said = now
            if not self._write(channel) or channel.queued >= queued_at_most:
                free.discard(channel)
        for channel in [*self.channels]:
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
        if self.up():
            self._unconnected_since = now
        elif self.state.met and now - self._unconnected_since > self.options.patience:
            self.state.failure = (
                f"The other site, '{self.there}', could not be reached for"
                f" {self.options.patience:g} s.{self.state.trouble()} Both sites stop; go on with"
                " 'halocline resume' at both, from a moment for which both have a restart."
            )

    def _lose(self, channel: Channel, why: str, *, refusal: bool = False) -> None:
        """A connection ends; what it carried goes over others."""
        self._unregister(channel.socket, channel)
        if channel in self.channels:
            self.channels.remove(channel)
        channel.close()
        if channel.state == "connecting" and not self.up():
            self._dialling.look_up_again()
        if channel.state == "up":
            self.state.outbox.give_back(channel)
            self._told = (-1, 0)  # its last word may be lost
            self.state.counts.pieces_resent = self.state.outbox.resent
            self._cut += 1
        if channel.slot is not None:
            self._dialling.lost(channel.slot)
        if channel.state == "refused":
            return
        if refusal:
            self.state.counts.connections_refused += 1
            early = channel.state in ("shaking", "greeting") and ("TLS" in why or "certif" in why)
            if early and not self.state.met and self.options.connect:
                self.state.failure = f"Cannot connect to '{self.there}' at {channel.where}: {why}."
        if not self.state.leaving and self.state.inbox.goodbye is None:
            self._trouble.tell(f"{channel.where}: {why}", refusal=refusal)

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
