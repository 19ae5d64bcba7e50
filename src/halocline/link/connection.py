"""STUB for trying: to be replaced."""

from __future__ import annotations

import socket
import struct
import time
from dataclasses import dataclass
from typing import Any

from halocline.core.errors import UserError
from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class LinkOptions(Options):
    """The link."""

    connect: str = option("", "", "host:port of the other site")
    listen: str = option("", "", "host:port here")
    patience: float = option(60.0, "s", "how long")


class Link:
    """Plain."""

    def __init__(self, options: LinkOptions, here: str, there: str) -> None:
        self.options, self.there = options, there
        self.sock: Any = None

    def open(self, hello: bytes) -> bytes:
        """Open."""
        where = self.options.listen or self.options.connect
        host, _, port = where.rpartition(":")
        if self.options.listen:
            server = socket.create_server((host, int(port)))
            server.settimeout(self.options.patience)
            self.sock, _ = server.accept()
            server.close()
        else:
            end = time.monotonic() + self.options.patience
            while True:
                try:
                    self.sock = socket.create_connection((host, int(port)))
                    break
                except OSError:
                    if time.monotonic() > end:
                        raise UserError(f"nobody at {where}") from None
                    time.sleep(0.05)
        self.send(hello)
        return bytes(self.receive())

    def send(self, message: Any) -> None:
        """Send."""
        self.sock.sendall(struct.pack("<cQ", b"m", len(message)) + bytes(message))

    def _read(self, count: int) -> bytes:
        found = b""
        while len(found) < count:
            some = self.sock.recv(count - len(found))
            if not some:
                raise UserError(f"The site '{self.there}' is gone.")
            found += some
        return found

    def receive(self) -> bytearray:
        """Next."""
        kind, size = struct.unpack("<cQ", self._read(9))
        body = self._read(size)
        if kind == b"g":
            raise UserError(f"The site '{self.there}' has left the run: {body.decode()}")
        return bytearray(body)

    def close(self, reason: str = "") -> None:
        """Leave."""
        if self.sock is not None:
            try:
                words = reason.encode()
                self.sock.sendall(struct.pack("<cQ", b"g", len(words)) + words)
            except OSError:
                pass
            self.sock.close()
