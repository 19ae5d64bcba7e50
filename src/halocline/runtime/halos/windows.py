"""Halos by one-sided puts and gets of MPI-3, ordered by fences, by posts, or by flags.

A put goes from the packed buffer of the sender into the window of the receiver; a get comes out of
the window of the sender, where it packed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from halocline.runtime import _native
from halocline.runtime.halos.buffers import (
    Arrays,
    Buffers,
    Packed,
    addresses,
    buffer_bytes,
    line,
    polls,
)
from halocline.runtime.halos.choices import HaloChoice
from halocline.runtime.halos.traffic import Addresses, Message, Traffic
from halocline.runtime.ranks.shared_memory import Bytes


class Window:
    """A window with `halves` buffers, used in turn, for the messages that other ranks move.

    Behind them lies a counter for each message: `arrived` for those that this rank receives,
    `taken` for those that it sends.
    """

    def __init__(
        self, comm: Any, traffic: Traffic, blocks: int, *, puts: bool, halves: int
    ) -> None:
        from mpi4py import MPI

        self.comm, self.puts = comm, puts
        exposed = traffic.receive if puts else traffic.send
        half = buffer_bytes(exposed)
        counters = max(halves * half, line)
        received, sent = len(traffic.receive), len(traffic.send)
        self.window = MPI.Win.Allocate(counters + 8 * (received + sent), 1, comm=comm)
        memory: Bytes = np.asarray(self.window.tomemory(), np.uint8)
        memory[:] = 0
        parts = [memory[n * half : (n + 1) * half] for n in range(halves)]
        self.packed = [
            Packed(traffic, blocks, receive=part) if puts else Packed(traffic, blocks, send=part)
            for part in parts
        ]
        flags = memory[counters:].view(np.uint64)
        self.arrived = addresses([flags[n:] for n in range(received)])
        self.taken = addresses([flags[received + n :] for n in range(sent)])
        begin = Buffers(exposed, parts[0]).begin
        flag = [counters + 8 * n for n in range(received + sent)]
        none = [0] * max(received, sent)
        # Of each message that this rank sends: where the receiver's window has it and its counter.
        self.into = _tell(comm, traffic.receive, begin if puts else none, half, flag, traffic.send)
        # Of each message that it receives: the same in the sender's window.
        self.out_of = _tell(
            comm, traffic.send, none if puts else begin, half, flag[received:], traffic.receive
        )
        self._moves = [
            self._places(traffic, packed, number) for number, packed in enumerate(self.packed)
        ]

    def _places(self, traffic: Traffic, packed: Packed, half: int) -> list[tuple[Any, int, Any]]:
        """What Put or Get are called with, for each message."""
        from mpi4py import MPI

        moved = traffic.send if self.puts else traffic.receive
        views = packed.send.views if self.puts else packed.receive.views
        places = self.into if self.puts else self.out_of
        return [
            ([view, MPI.BYTE], message.peer, [begin + half * far_half, message.size, MPI.BYTE])
            for message, view, (begin, far_half, _) in zip(moved, views, places, strict=True)
        ]

    def move(self, half: int = 0) -> None:
        """Put all messages, or get them."""
        act = self.window.Put if self.puts else self.window.Get
        for call in self._moves[half]:
            act(*call)


def _tell(
    comm: Any,
    messages: Sequence[Message],
    begin: Sequence[int],
    half: int,
    flag: Sequence[int],
    others: Sequence[Message],
) -> list[list[int]]:
    """Tell the other side of each of `messages` where it lies here [byte]; hear of `others`."""
    said = [np.array([begin[n], half, flag[n]], np.int64) for n in range(len(messages))]
    heard = [np.zeros(3, np.int64) for _ in others]
    requests = [comm.Irecv(box, other.peer) for box, other in zip(heard, others, strict=True)]
    requests += [comm.Isend(box, m.peer) for box, m in zip(said, messages, strict=True)]
    for request in requests:
        request.Wait()
    return [box.tolist() for box in heard]


class Fence:
    """Puts or gets, all ranks waiting for all: one fence for a put, two for a get."""

    def __init__(self, comm: Any, traffic: Traffic, blocks: int, choice: HaloChoice) -> None:
        self.puts = choice.mechanism.startswith("put")
        self.shared = Window(comm, traffic, blocks, puts=self.puts, halves=2 if self.puts else 1)
        self.shared.window.Fence()
        self._half = 0

    def start(self, arrays: Arrays) -> None:
        self.shared.packed[self._half].pack(arrays)
        if not self.puts:
            self.shared.window.Fence()
        self.shared.move(self._half)

    def finish(self, arrays: Arrays) -> None:
        self.shared.window.Fence()
        self.shared.packed[self._half].unpack(arrays)
        if self.puts:
            # The next puts go to the other half: who is late may still read this one.
            self._half = 1 - self._half

    def free(self) -> None:
        from mpi4py import MPI

        self.shared.window.Fence(MPI.MODE_NOSUCCEED)
        self.shared.window.Free()


class Post:
    """Puts or gets among neighbours only: post, start, complete, wait."""

    def __init__(self, comm: Any, traffic: Traffic, blocks: int, choice: HaloChoice) -> None:
        self.puts = choice.mechanism.startswith("put")
        self.shared = Window(comm, traffic, blocks, puts=self.puts, halves=1)
        everyone = comm.Get_group()
        receivers = everyone.Incl(sorted({message.peer for message in traffic.send}))
        senders = everyone.Incl(sorted({message.peer for message in traffic.receive}))
        everyone.Free()
        self._reached_by, self._reaches = (
            (senders, receivers) if self.puts else (receivers, senders)
        )

    def start(self, arrays: Arrays) -> None:
        window, packed = self.shared.window, self.shared.packed[0]
        if self.puts:
            self._expose()
            packed.pack(arrays)
        else:
            packed.pack(arrays)
            self._expose()
        if self._reaches.size:
            window.Start(self._reaches)
            self.shared.move()
            if self.puts:
                window.Complete()

    def _expose(self) -> None:
        if self._reached_by.size:
            self.shared.window.Post(self._reached_by)

    def finish(self, arrays: Arrays) -> None:
        window = self.shared.window
        if self._reaches.size and not self.puts:
            window.Complete()
        if self._reached_by.size:
            window.Wait()
        self.shared.packed[0].unpack(arrays)

    def free(self) -> None:
        self.shared.window.Free()
        self._reached_by.Free()
        self._reaches.Free()


class Flags:
    """Puts or gets in one everlasting passive epoch; counters say what came and what was taken.

    Two puts have no order: the data are flushed before the counter follows.
    """

    def __init__(self, comm: Any, traffic: Traffic, blocks: int, choice: HaloChoice) -> None:
        from mpi4py import MPI

        self.comm, self.traffic = comm, traffic
        self.puts = choice.mechanism.startswith("put")
        self.shared = Window(comm, traffic, blocks, puts=self.puts, halves=2)
        comm.Barrier()
        self.shared.window.Lock_all(MPI.MODE_NOCHECK)
        self._number = np.zeros(1, np.uint64)
        self._arrive = self._signals(traffic.send, self.shared.into)
        self._take = self._signals(traffic.receive, self.shared.out_of)
        self._count = 0

    def _signals(self, messages: Sequence[Message], places: list[list[int]]) -> list[Any]:
        from mpi4py import MPI

        origin, kind = [self._number, MPI.UINT64_T], MPI.UINT64_T
        return [
            (origin, message.peer, [flag, 1, kind], MPI.REPLACE)
            for message, (_, _, flag) in zip(messages, places, strict=True)
        ]

    def _signal(self, signals: list[Any]) -> None:
        self._number[0] = self._count
        for signal in signals:
            self.shared.window.Accumulate(*signal)
        self.shared.window.Flush_all()

    def _wait(self, flags: Addresses, count: int) -> None:
        """Wait for counters in this rank's window, driving the library's progress meanwhile."""
        for looks in range(1 << 62):
            self.shared.window.Sync()
            if _native.reached(flags, count):
                return
            self.comm.Iprobe()
            if looks > polls:
                os.sched_yield()

    def start(self, arrays: Arrays) -> None:
        self._count += 1
        half = self._count % 2
        self._wait(self.shared.taken, max(self._count - 2, 0))
        self.shared.packed[half].pack(arrays)
        if self.puts:
            self.shared.move(half)
            self.shared.window.Flush_all()
        else:
            self.shared.window.Sync()
        self._signal(self._arrive)

    def finish(self, arrays: Arrays) -> None:
        half = self._count % 2
        self._wait(self.shared.arrived, self._count)
        if not self.puts:
            self.shared.move(half)
            self.shared.window.Flush_all()
        self.shared.packed[half].unpack(arrays)
        self._signal(self._take)

    def free(self) -> None:
        self.shared.window.Unlock_all()
        self.shared.window.Free()
