"""Halos by derived types of MPI: messages straight from and to the fields' own memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.halos.buffers import Arrays, wait_all
from halocline.runtime.halos.choices import HaloChoice
from halocline.runtime.halos.traffic import Addresses, Message, Traffic

kept_bindings = 8  # sets of field addresses for which types and requests are kept


class Types:
    """Derived types that describe every message in the fields' own memory."""

    def __init__(self, traffic: Traffic, blocks: int) -> None:
        self.traffic, self.blocks = traffic, blocks

    def make(self, messages: Sequence[Message], arrays: Arrays) -> list[Any]:
        return [self._message(message, arrays.table) for message in messages]

    def _message(self, message: Message, table: Addresses) -> Any:
        """A structure over fields and pieces, each rows of indexed places, at absolute places."""
        from mpi4py import MPI

        places, kinds = [], []
        for part in message.parts:
            piece = part.piece
            block = piece.source if piece.source >= 0 else piece.target
            index = piece.source_index if piece.source >= 0 else piece.target_index
            address, stride = table[part.field * self.blocks + block].tolist()
            item = self.traffic.items[part.field].dtype.itemsize
            value = MPI.BYTE.Create_contiguous(item)
            row = value.Create_indexed(*_runs(index))
            kinds.append(row.Create_hvector(part.rows, 1, stride))
            places.append(address + part.first_row * stride)
            value.Free()
            row.Free()
        whole = MPI.Datatype.Create_struct([1] * len(kinds), places, kinds).Commit()
        for kind in kinds:
            kind.Free()
        return whole


def _runs(index: NDArray[np.int32]) -> tuple[list[int], list[int]]:
    """Lengths and starts of stretches of neighbouring places."""
    cuts = np.flatnonzero(np.diff(index) != 1) + 1
    starts_at = np.concatenate([[0], cuts])
    lengths = np.diff(np.concatenate([starts_at, [index.size]]))
    return lengths.tolist(), index[starts_at].tolist()


class Bindings:
    """What was made for the addresses of the fields; a few sets are kept (swapped time levels)."""

    def __init__(self, make: Callable[[Arrays], Any], free: Callable[[Any], None]) -> None:
        self._make, self._free = make, free
        self._kept: dict[bytes, Any] = {}

    def __call__(self, arrays: Arrays) -> Any:
        if arrays.key not in self._kept:
            if len(self._kept) == kept_bindings:
                self._free(self._kept.pop(next(iter(self._kept))))
            self._kept[arrays.key] = self._make(arrays)
        return self._kept[arrays.key]

    def free(self) -> None:
        while self._kept:
            self._free(self._kept.popitem()[1])


class TypedMessages:
    """Non-blocking or persistent messages straight from and to the fields, by derived types."""

    def __init__(self, comm: Any, traffic: Traffic, blocks: int, choice: HaloChoice) -> None:
        self.comm, self.traffic, self.types = comm, traffic, Types(traffic, blocks)
        self.persistent, self.send_first = choice.mechanism == "persistent", choice.send_first
        self.bound = Bindings(self._bind, self._unbind)
        self._under_way: list[Any] = []

    def _bind(self, arrays: Arrays) -> tuple[list[Any], list[Any], list[Any]]:
        """Types, sends and receives: requests if persistent, else what the calls are given."""
        from mpi4py import MPI

        def of(messages: Sequence[Message]) -> tuple[list[Any], list[Any]]:
            kinds = self.types.make(messages, arrays)
            calls = [
                ([MPI.BOTTOM, 1, kind], message.peer, message.number)
                for kind, message in zip(kinds, messages, strict=True)
            ]
            return kinds, calls

        send_types, send = of(self.traffic.send)
        receive_types, receive = of(self.traffic.receive)
        if self.persistent:
            send = [self.comm.Send_init(*call) for call in send]
            receive = [self.comm.Recv_init(*call) for call in receive]
        return send_types + receive_types, send, receive

    def _unbind(self, bound: tuple[list[Any], list[Any], list[Any]]) -> None:
        kinds, send, receive = bound
        if self.persistent:
            for request in send + receive:
                request.Free()
        for kind in kinds:
            kind.Free()

    def start(self, arrays: Arrays) -> None:
        from mpi4py import MPI

        _, send, receive = self.bound(arrays)
        comm = self.comm
        if self.persistent:
            ordered = send + receive if self.send_first else receive + send
            MPI.Prequest.Startall(ordered)
            self._under_way = ordered
        elif self.send_first:
            self._under_way = [comm.Isend(*call) for call in send]
            self._under_way += [comm.Irecv(*call) for call in receive]
        else:
            self._under_way = [comm.Irecv(*call) for call in receive]
            self._under_way += [comm.Isend(*call) for call in send]

    def finish(self, arrays: Arrays) -> None:
        wait_all(self._under_way)
        self._under_way = []

    def free(self) -> None:
        self.bound.free()
