"""One connection of a link: from the first packet to frames over TLS, without ever waiting."""

from __future__ import annotations

import selectors
import socket
import ssl
import struct
from collections import deque
from collections.abc import Iterator
from typing import Any

from halocline.link.frames import FrameReader, LinkFrame

reads_in_turn = 64
ready_word = b"ready\n"


class Lost(Exception):
    """The connection is at its end; says why. `refusal`: by one side's will, not by the network."""

    def __init__(self, why: str, *, refusal: bool = False) -> None:
        super().__init__(why)
        self.refusal = refusal


class Channel:
    """A connection; its state: connecting, asking a relay, shaking (TLS), greeting, up, refused."""

    def __init__(
        self, raw: socket.socket, where: str, context: ssl.SSLContext, *, server: bool, relay: bytes
    ) -> None:
        raw.setblocking(False)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self.socket: socket.socket = raw
        self.where = where
        self.state = "connecting"
        self.slot: int | None = None
        self.begun = self.heard = self.said = 0.0
        self.events = 0
        self.queued = 0
        self.again = False
        self._context = context
        self._server = server
        self._relay = relay
        self._answer = b""
        self._wants_write = True
        self._queue: deque[memoryview] = deque()
        self._reader = FrameReader()

    def connected(self) -> None:
        """TCP is there: ask the relay, or begin with TLS."""
        if self._relay:
            self.socket.send(self._relay)  # some dozen bytes: they fit
            self.state = "asking"
        else:
            self._begin_tls()

    def _begin_tls(self) -> None:
        self.state = "shaking"
        self.socket = self._context.wrap_socket(
            self.socket,
            server_side=self._server,
            do_handshake_on_connect=False,
        )

    def wanted(self) -> int:
        """Events to wait for."""
        if self.state == "connecting":
            return selectors.EVENT_WRITE
        writing = self._wants_write if self.state == "shaking" else bool(self._queue)
        return selectors.EVENT_READ | (selectors.EVENT_WRITE if writing else 0)

    def advance(self) -> None:
        """Go on with what comes before the greeting; Lost if that fails."""
        try:
            if self.state == "connecting":
                number = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                if number:
                    raise OSError(number, "")
                self.connected()
            if self.state == "asking":
                self._hear_relay()
            if self.state == "shaking":
                self._shake()
        except OSError as error:
            raise lost(error) from None

    def _hear_relay(self) -> None:
        """Read the relay's word, not a byte more: what follows is TLS."""
        while self.state == "asking":
            try:
                byte = self.socket.recv(1)
            except BlockingIOError:
                return
            if not byte:
                raise Lost("the relay has closed the connection")
            self._answer += byte
            if byte == b"\n" or len(self._answer) > 200:
                if self._answer != ready_word:
                    words = self._answer[:200].decode("ascii", "replace").strip()
                    raise Lost(f"the relay says: {words!r}", refusal=True)
                self._begin_tls()

    def _shake(self) -> None:
        assert isinstance(self.socket, ssl.SSLSocket)
        try:
            self.socket.do_handshake()
        except ssl.SSLWantReadError:
            self._wants_write = False
        except ssl.SSLWantWriteError:
            self._wants_write = True
        else:
            self.state = "greeting"

    def certificate(self) -> Any:
        """That of the other side, verified."""
        assert isinstance(self.socket, ssl.SSLSocket)
        return self.socket.getpeercert()

    def put(self, data: bytes) -> None:
        """Bytes to write after all others."""
        self._queue.append(memoryview(data))
        self.queued += len(data)

    def write(self) -> None:
        """Write what the network takes."""
        try:
            while self._queue:
                count = self.socket.send(self._queue[0])
                self.queued -= count
                rest = self._queue[0][count:]
                if len(rest):
                    self._queue[0] = rest
                else:
                    self._queue.popleft()
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError):
            return
        except OSError as error:
            raise lost(error) from None

    def read(self) -> Iterator[LinkFrame]:
        """Frames that are there; `again` says whether more may be."""
        self.again = True
        for _ in range(reads_in_turn):
            try:
                count = self.socket.recv_into(self._reader.room())
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError):
                self.again = False
                return
            except OSError as error:
                raise lost(error) from None
            if not count:
                raise Lost("the connection was closed")
            frame = self._reader.filled(count)
            if frame is not None:
                yield frame

    def refuse(self) -> None:
        """Nothing more is written but the reason; what the other side says is not heard.

        To close at once, with bytes of it unread, would reset the connection before it hears why.
        """
        self.state = "refused"
        if not self.queued:
            self._say_no_more()

    def _say_no_more(self) -> None:
        try:
            socket.socket.shutdown(self.socket, socket.SHUT_WR)
        except OSError as error:
            raise lost(error) from None

    def drain(self) -> None:
        """Read what comes without looking at it; Lost when the other side has closed."""
        if self.queued:
            self.write()
            if not self.queued:
                self._say_no_more()
        self.again = False
        try:
            for _ in range(reads_in_turn):
                if not socket.socket.recv(self.socket, 65536):
                    raise Lost("refused")
        except BlockingIOError:
            return
        except OSError as error:
            raise lost(error) from None

    def close(self) -> None:
        """End it at once."""
        try:
            self.socket.close()
        except OSError:
            pass


def lost(error: OSError) -> Lost:
    """What an error of the system or of TLS means."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return Lost(f"its certificate is refused: {error.verify_message}", refusal=True)
    if isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError):
        return Lost("the connection was closed")
    if isinstance(error, ssl.SSLError):
        reason = str(error.reason or error.args[-1]).lower().replace("_", " ")
        if " alert " in reason:  # in OpenSSL's words with the name of some version before it
            reason = f"the other site answers '{reason.partition(' alert ')[2]}'"
        return Lost(f"TLS fails: {reason}", refusal=True)
    import os

    return Lost(error.strerror or os.strerror(error.errno or 0) or str(error))


def congestion_window(own: socket.socket) -> int:
    """Bytes that TCP may have on its way (segments times their size, of Linux); 0: unknown."""
    try:
        words = own.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
    except (OSError, AttributeError):
        return 0
    numbers = struct.unpack_from("24I", words, 8)
    return int(numbers[2] * numbers[18])  # tcpi_snd_mss, tcpi_snd_cwnd
