"""Halos through memory that the ranks of a node share; messages to ranks on other nodes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from halocline.runtime import _native
from halocline.runtime.halos.buffers import Arrays, Buffers, Packed, addresses, buffer_bytes, line
from halocline.runtime.halos.choices import HaloChoice
from halocline.runtime.halos.messages import Persistent
from halocline.runtime.halos.traffic import Addresses, Message, Traffic
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.ranks.shared_memory import Bytes, SharedWindow, node_of


class Segments:
    """What the ranks of a node share for one exchange.

    A segment holds where the messages of each rank begin; a counter for each rank that has put a
    message here, one for what this rank has packed, one for what it has taken; and two buffers used
    in turn, so that a sender waits only for what was taken two exchanges ago. Counters have
    cache lines of their own unless `gap` is 8 bytes.
    """

    def __init__(
        self,
        communicator: Communicator,
        exposed: Sequence[Message],
        half: int,
        gap: int,
        factor: int,
    ) -> None:
        self.node = node_of(communicator)
        size = self.node.size
        self.gap, self._counters = gap, _whole_lines(8 * (size + 1))
        self._buffers = self._counters + _whole_lines((size + 2) * gap)
        self.window = SharedWindow(communicator, self._buffers + 2 * half)
        table = self._table(self.node.here)
        table[size] = half
        for message, begin in zip(exposed, Buffers(exposed).begin, strict=True):
            table[self.node.ranks.index(message.peer)] = begin * factor
        if self.node.comm is not None:
            self.node.comm.Barrier()

    def _table(self, place: int) -> Any:
        return self.window.segments[place][: 8 * (self.node.size + 1)].view(np.int64)

    def views(self, messages: Sequence[Message], sizes: Sequence[int], half: int) -> list[Bytes]:
        """Half buffers of messages in the segments of their peers."""
        found = []
        for message, size in zip(messages, sizes, strict=True):
            place = self.node.ranks.index(message.peer)
            table = self._table(place)
            begin = self._buffers + half * int(table[-1]) + int(table[self.node.here])
            found.append(self.window.segments[place][begin : begin + size])
        return found

    def own(self, messages: Sequence[Message], sizes: Sequence[int], half: int) -> list[Bytes]:
        """Half buffers of messages in this rank's segment."""
        table = self._table(self.node.here)
        begins = [
            self._buffers + half * int(table[-1]) + int(table[self.node.ranks.index(m.peer)])
            for m in messages
        ]
        return [self.window.own[b : b + n] for b, n in zip(begins, sizes, strict=True)]

    def _flags(self, places: Sequence[tuple[int, int]]) -> Addresses:
        """Counters as (rank's place, number there)."""
        return addresses(
            [self.window.segments[p][self._counters + n * self.gap :] for p, n in places]
        )

    def put_by(self, messages: Sequence[Message]) -> Addresses:
        """Counters here of what the senders of messages have put."""
        here = self.node.here
        return self._flags([(here, self.node.ranks.index(m.peer)) for m in messages])

    def put_to(self, messages: Sequence[Message]) -> Addresses:
        """Counters at the receivers of messages that this rank has put."""
        here = self.node.here
        return self._flags([(self.node.ranks.index(m.peer), here) for m in messages])

    def packed(self, ranks: Sequence[int]) -> Addresses:
        """Counters of exchanges that ranks have packed."""
        return self._flags([(self.node.ranks.index(r), self.node.size) for r in ranks])

    def taken(self, ranks: Sequence[int]) -> Addresses:
        """Counters of exchanges that ranks have taken."""
        return self._flags([(self.node.ranks.index(r), self.node.size + 1) for r in ranks])


def _whole_lines(size: int) -> int:
    return -(-size // line) * line


class Shared:
    """Reads from, or puts into, the memory of the neighbours on the same node."""

    def __init__(
        self,
        communicator: Communicator,
        comm: Any,
        traffic: Traffic,
        blocks: int,
        choice: HaloChoice,
    ) -> None:
        ranks = set(node_of(communicator).ranks)
        self.near, far = traffic.only(ranks), traffic.without(ranks)
        self.comm, self.far = comm, None
        if far.send or far.receive:
            self.far = Persistent(comm, far, blocks, HaloChoice())
        self.reads = choice.mechanism == "shared-read"
        self.counted = choice.mechanism == "shared-count"
        send, receive = self.near.send, self.near.receive
        exposed, factor = send if self.reads else receive, 2 if self.counted else 1
        self.shared = Segments(
            communicator,
            exposed,
            half=factor * buffer_bytes(exposed),
            gap=8 if choice.dense else line,
            factor=factor,
        )
        here, peers = [communicator.rank], [m.peer for m in send]
        if self.reads:
            come = self.shared.packed([m.peer for m in receive])
            tell = self.shared.packed(here)
        else:
            come, tell = self.shared.put_by(receive), self.shared.put_to(send)
        taken, take = self.shared.taken(peers), self.shared.taken(here)
        self.moves = self._moves(blocks, _native.Signals(taken, tell, come, take))

    def _moves(self, blocks: int, signals: Any) -> Any:
        """Native packers whose buffers are those of the segments, for both halves."""
        send, receive = self.near.send, self.near.receive
        self.packed = Packed(self.near, blocks)
        packer, unpacker = self.packed.packer, self.packed.unpacker
        sizes = [[message.size for message in messages] for messages in (send, receive)]
        if self.counted:
            words = [[-(-size // 4) for size in side] for side in sizes]
            sizes = [[8 * n for n in side] for side in words]
        place_out = self.shared.own if self.reads else self.shared.views
        place_in = self.shared.views if self.reads else self.shared.own
        out = np.stack([addresses(place_out(send, sizes[0], half)) for half in (0, 1)])
        into = np.stack([addresses(place_in(receive, sizes[1], half)) for half in (0, 1)])
        if not self.counted:
            return _native.SharedMoves(packer, unpacker, signals, out, into)
        sent = np.stack([self.packed.send.table, np.array(words[0], np.int64)])
        received = np.stack([self.packed.receive.table, np.array(words[1], np.int64)])
        return _native.CountedMoves(packer, unpacker, signals, out, into, sent, received)

    def start(self, arrays: Arrays) -> None:
        if self.far is not None:
            self.far.start(arrays)
            self._progress(self.moves.may_start)
        self.moves.start(arrays.table)

    def finish(self, arrays: Arrays) -> None:
        if self.far is not None:
            self.far.finish(arrays)
            self._progress(self.moves.may_finish)
        self.moves.finish(arrays.table)

    def _progress(self, ready: Callable[[], bool]) -> None:
        """Let messages to other nodes go on until `ready`."""
        while not ready():
            self.comm.Iprobe()
            os.sched_yield()

    def free(self) -> None:
        if self.far is not None:
            self.far.free()
        self.shared.window.free()
