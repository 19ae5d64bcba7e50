"""Halos by two-sided messages of packed buffers: blocking or not, persistent, partitioned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from halocline.core.errors import UserError
from halocline.runtime.halos.buffers import Arrays, Packed, wait_all
from halocline.runtime.halos.choices import HaloChoice
from halocline.runtime.halos.traffic import Message, Traffic


class Messages:
    """Non-blocking sends and receives of packed buffers."""

    def __init__(self, comm: Any, traffic: Traffic, blocks: int, choice: HaloChoice) -> None:
        from mpi4py import MPI

        self.comm, self.packed, self.send_first = comm, Packed(traffic, blocks), choice.send_first
        self._send = [
            ([view, MPI.BYTE], message.peer, message.number)
            for message, view in zip(traffic.send, self.packed.send.views, strict=True)
        ]
        self._receive = [
            ([view, MPI.BYTE], message.peer, message.number)
            for message, view in zip(traffic.receive, self.packed.receive.views, strict=True)
        ]
        self._under_way: list[Any] = []

    def start(self, arrays: Arrays) -> None:
        comm = self.comm
        if not self.send_first:
            self._under_way = [comm.Irecv(*message) for message in self._receive]
        self.packed.pack(arrays)
        self._under_way += [comm.Isend(*message) for message in self._send]
        if self.send_first:
            self._under_way += [comm.Irecv(*message) for message in self._receive]

    def finish(self, arrays: Arrays) -> None:
        wait_all(self._under_way)
        self._under_way = []
        self.packed.unpack(arrays)

    def free(self) -> None:
        pass


class Blocking(Messages):
    """Blocking sends, one after the other, into receives that all ranks have begun before.

    With `send_first` it is the receives that block, one after the other, after sends that do not.
    """

    def start(self, arrays: Arrays) -> None:
        comm = self.comm
        if not self.send_first:
            self._under_way = [comm.Irecv(*message) for message in self._receive]
        self.packed.pack(arrays)
        if self.send_first:
            self._under_way = [comm.Isend(*message) for message in self._send]
            return
        for message in self._send:
            comm.Send(*message)

    def finish(self, arrays: Arrays) -> None:
        if self.send_first:
            for message in self._receive:
                self.comm.Recv(*message)
        super().finish(arrays)


class Persistent:
    """Persistent requests of packed buffers."""

    def __init__(self, comm: Any, traffic: Traffic, blocks: int, choice: HaloChoice) -> None:
        from mpi4py import MPI

        self.packed, self.send_first = Packed(traffic, blocks), choice.send_first
        self._send = [
            comm.Send_init([view, MPI.BYTE], message.peer, message.number)
            for message, view in zip(traffic.send, self.packed.send.views, strict=True)
        ]
        self._receive = [
            comm.Recv_init([view, MPI.BYTE], message.peer, message.number)
            for message, view in zip(traffic.receive, self.packed.receive.views, strict=True)
        ]
        self._all = self._receive + self._send
        self._start = MPI.Prequest.Startall

    def start(self, arrays: Arrays) -> None:
        if not self.send_first:
            self._start(self._receive)
        self.packed.pack(arrays)
        self._start(self._send)
        if self.send_first:
            self._start(self._receive)

    def finish(self, arrays: Arrays) -> None:
        wait_all(self._all)
        self.packed.unpack(arrays)

    def free(self) -> None:
        for request in self._all:
            request.Free()


class Partitioned:
    """Partitioned sends: what is packed leaves while the next field is being packed (MPI-4)."""

    def __init__(self, comm: Any, traffic: Traffic, blocks: int, choice: HaloChoice) -> None:
        from mpi4py import MPI

        if not partitioned_works(comm.Get_size()):
            raise UserError(
                "Halo exchange 'partitioned': the partitioned messages of this MPI library hang"
                " where a rank has several neighbours (open-mpi/ompi issue 12969). Use"
                " 'persistent'."
            )
        self.packed = Packed(traffic, blocks)
        self._send = [
            comm.Psend_init([view, MPI.BYTE], _partitions(message), message.peer, message.number)
            for message, view in zip(traffic.send, self.packed.send.views, strict=True)
        ]
        self._receive = [
            comm.Precv_init([view, MPI.BYTE], _partitions(message), message.peer, message.number)
            for message, view in zip(traffic.receive, self.packed.receive.views, strict=True)
        ]
        self._all = self._receive + self._send
        self._start = MPI.Prequest.Startall
        self._ready = [
            (first, last, self._send[at], begin, end)
            for at, first, last, begin, end in _readiness(traffic.send)
        ]

    def start(self, arrays: Arrays) -> None:
        self._start(self._all)
        pack, buffers = self.packed.packer.pack, self.packed.send.table
        for first, last, request, begin, end in self._ready:
            pack(arrays.table, buffers, first, last)
            if end > begin:
                request.Pready_range(begin, end - 1)

    def finish(self, arrays: Arrays) -> None:
        wait_all(self._all)
        self.packed.unpack(arrays)

    def free(self) -> None:
        for request in self._all:
            request.Free()


def partitioned_works(ranks: int) -> bool:
    """Whether the library has partitioned messages, and they come with so many ranks."""
    from mpi4py import MPI

    vendor, version = MPI.get_vendor()
    if vendor == "Open MPI":
        return version >= (5,) and ranks <= 2
    return MPI.VERSION >= 4


def _partitions(message: Message) -> int:
    """Equal partitions of a message: at most one per field, a divisor of its bytes."""
    fields = len({part.field for part in message.parts})
    return next(n for n in range(min(fields, message.size), 0, -1) if message.size % n == 0)


def _readiness(messages: Sequence[Message]) -> list[tuple[int, int, int, int, int]]:
    """After packing parts [first, last), partitions [begin, end) of message `at` are whole.

    Tuples are (at, first, last, begin, end), one per field of every message.
    """
    found, first = [], 0
    for at, message in enumerate(messages):
        partitions, begin, last = _partitions(message), 0, first
        for part, after in zip(message.parts, (*message.parts[1:], None), strict=True):
            last += 1
            if after is not None and after.field == part.field:
                continue
            packed = message.size if after is None else after.offset
            end = packed * partitions // message.size
            found.append((at, first, last, begin, end))
            first, begin = last, end
    return found
