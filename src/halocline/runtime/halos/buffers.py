"""What all ways of exchanging halos share: buffers, packers, waiting."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.halos.traffic import Addresses, Message, Traffic

polls = 20  # before a wait gives its core to others
line = 64  # bytes


class Arrays:
    """Where the fields of an exchange lie: address and row stride [bytes] of every flat array."""

    def __init__(self, table: Addresses) -> None:
        self.table = table
        self.key = table.tobytes()


class Mechanism(Protocol):
    """One way to move the messages of one exchange; made, started and freed by all ranks."""

    def start(self, arrays: Arrays) -> None:
        """Send; the fields' owned values must not change before `finish`."""

    def finish(self, arrays: Arrays) -> None:
        """Wait, and fill the halos."""

    def free(self) -> None:
        """Give back what the message-passing library holds."""


def wait_all(requests: Sequence[Any]) -> None:
    """Wait for all requests: look a few times, then yield between looks."""
    from mpi4py import MPI

    test = MPI.Request.Testall
    for _ in range(polls):
        if test(requests):
            return
    while not test(requests):
        os.sched_yield()


class Buffers:
    """One buffer for many messages, each on cache lines of its own; addresses for the packer."""

    def __init__(
        self, messages: Sequence[Message], memory: NDArray[np.uint8] | None = None
    ) -> None:
        self.begin = starts(messages)
        self.memory = np.empty(buffer_bytes(messages), np.uint8) if memory is None else memory
        self.views = [
            self.memory[begin : begin + message.size]
            for begin, message in zip(self.begin, messages, strict=True)
        ]
        self.table = addresses(self.views)


def starts(messages: Sequence[Message]) -> list[int]:
    """Where each message begins in a buffer for all of them [bytes]."""
    sizes = [-(-message.size // line) * line for message in messages]
    return np.concatenate([[0], np.cumsum(sizes)])[:-1].astype(int).tolist()


def buffer_bytes(messages: Sequence[Message]) -> int:
    """Size of a buffer for all of the messages [bytes]."""
    return sum(-(-message.size // line) * line for message in messages)


def addresses(views: Sequence[NDArray[Any]]) -> Addresses:
    """Addresses of arrays, for native calls; the arrays must live on."""
    return np.array([view.__array_interface__["data"][0] for view in views], np.int64)


class Packed:
    """Buffers of both directions and the native packers between them and the fields."""

    def __init__(
        self,
        traffic: Traffic,
        blocks: int,
        send: NDArray[np.uint8] | None = None,
        receive: NDArray[np.uint8] | None = None,
    ) -> None:
        self.traffic = traffic
        self.send, self.receive = Buffers(traffic.send, send), Buffers(traffic.receive, receive)
        self.packer = traffic.parts(traffic.send, blocks)
        self.unpacker = traffic.parts(traffic.receive, blocks)
        self._parts = len(self.packer)

    def pack(self, arrays: Arrays) -> None:
        self.packer.pack(arrays.table, self.send.table, 0, self._parts)

    def unpack(self, arrays: Arrays) -> None:
        self.unpacker.unpack(arrays.table, self.receive.table)
