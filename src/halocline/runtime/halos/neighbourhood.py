"""Halos by neighbourhood collectives on a graph of who gives to whom."""

from __future__ import annotations

from typing import Any

from halocline.runtime.halos.buffers import Arrays, Packed, wait_all
from halocline.runtime.halos.choices import HaloChoice
from halocline.runtime.halos.derived_types import Bindings, Types
from halocline.runtime.halos.traffic import Traffic


def _graph(comm: Any, traffic: Traffic) -> Any:
    """A communicator whose neighbours are the ranks that give and take; a call for all ranks."""
    sources = [message.peer for message in traffic.receive]
    targets = [message.peer for message in traffic.send]
    return comm.Create_dist_graph_adjacent(sources, targets)


class Neighbours:
    """One all-to-all of packed buffers among neighbours, persistent or not."""

    def __init__(self, comm: Any, traffic: Traffic, blocks: int, choice: HaloChoice) -> None:
        from mpi4py import MPI

        self.packed, self.graph = Packed(traffic, blocks), _graph(comm, traffic)
        sides = [
            [side.memory, ([m.size for m in messages], side.begin), MPI.BYTE]
            for side, messages in (
                (self.packed.send, traffic.send),
                (self.packed.receive, traffic.receive),
            )
        ]
        self._sides = sides
        self._request: Any = None
        self.persistent = choice.mechanism == "neighbours-persistent"
        if self.persistent:
            self._request = self.graph.Neighbor_alltoallv_init(*sides)

    def start(self, arrays: Arrays) -> None:
        self.packed.pack(arrays)
        if self.persistent:
            self._request.Start()
        else:
            self._request = self.graph.Ineighbor_alltoallv(*self._sides)

    def finish(self, arrays: Arrays) -> None:
        wait_all([self._request])
        self.packed.unpack(arrays)

    def free(self) -> None:
        if self.persistent:
            self._request.Free()
        self.graph.Free()


class TypedNeighbours:
    """One all-to-all among neighbours straight from and to the fields, by derived types."""

    def __init__(self, comm: Any, traffic: Traffic, blocks: int, choice: HaloChoice) -> None:
        self.traffic, self.graph = traffic, _graph(comm, traffic)
        self.types = Types(traffic, blocks)
        self.bound = Bindings(self._bind, self._unbind)
        self._request: Any = None

    def _bind(self, arrays: Arrays) -> list[list[Any]]:
        from mpi4py import MPI

        sides = []
        for messages in (self.traffic.send, self.traffic.receive):
            kinds = self.types.make(messages, arrays)
            sides.append([MPI.BOTTOM, [1] * len(kinds), [0] * len(kinds), kinds])
        return sides

    def _unbind(self, sides: list[list[Any]]) -> None:
        for _, _, _, kinds in sides:
            for kind in kinds:
                kind.Free()

    def start(self, arrays: Arrays) -> None:
        self._request = self.graph.Ineighbor_alltoallw(*self.bound(arrays))

    def finish(self, arrays: Arrays) -> None:
        wait_all([self._request])

    def free(self) -> None:
        self.bound.free()
        self.graph.Free()


def persistent_collectives_work() -> bool:
    """Whether the library has persistent collectives (MPI-4; Open MPI had them before)."""
    from mpi4py import MPI

    vendor, version = MPI.get_vendor()
    return MPI.VERSION >= 4 or (vendor == "Open MPI" and version >= (5,))
