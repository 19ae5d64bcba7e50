"""Memory that all ranks of a node see, and flags in it that order who writes and who reads."""

from __future__ import annotations

import os
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from halocline.runtime import _native
from halocline.runtime.ranks.communicator import Communicator, Ranks

Bytes = NDArray[np.uint8]
Flags = NDArray[np.uint64]

line = 64  # bytes of a cache line: flags of two writers never share one
flags_per_line = line // 8

post = _native.post
posted = _native.posted
wait_for = _native.wait_for
wait_for_all = _native.wait_for_all


class Node:
    """The ranks that share memory with this one.

    `ranks` are their numbers in the communicator, in order; `here` is this rank's place among
    them. The environment variable HALOCLINE_RANKS_PER_NODE cuts a machine into smaller nodes.
    """

    def __init__(self, communicator: Communicator) -> None:
        self.comm: Any = None
        self.ranks = [communicator.rank]
        if isinstance(communicator, Ranks) and communicator.size > 1:
            from mpi4py import MPI

            self.comm = communicator.comm.Split_type(MPI.COMM_TYPE_SHARED)
            if self.comm.Get_size() > len(os.sched_getaffinity(0)):
                _native.set_spins(1)
            at_most = int(os.environ.get("HALOCLINE_RANKS_PER_NODE", "0"))
            if at_most:
                self.comm = self.comm.Split(self.comm.Get_rank() // at_most)
            self.ranks = self.comm.allgather(communicator.rank)
        self.here = self.ranks.index(communicator.rank)

    @property
    def size(self) -> int:
        return len(self.ranks)


def node_of(communicator: Communicator) -> Node:
    """The node of this rank; the first call is for all ranks."""
    node = _nodes.get(communicator)
    if node is None:
        node = _nodes[communicator] = Node(communicator)
    return node


_nodes: WeakKeyDictionary[Communicator, Node] = WeakKeyDictionary()


class SharedWindow:
    """`size` bytes of every rank of a node, zero at first, readable and writable by all of them.

    `segments[n]` is the memory of rank `node.ranks[n]`; each begins on a cache line, sizes may
    differ from rank to rank. Making and freeing one is a call for all ranks.

    >>> from halocline.runtime.ranks.communicator import Alone
    >>> window = SharedWindow(Alone(), 128)
    >>> flags = window.own[:line].view(np.uint64)
    >>> post(flags, 0, 7)
    >>> wait_for(flags, 0, 7), posted(flags, 0, 8)
    (None, False)
    """

    def __init__(self, communicator: Communicator, size: int) -> None:
        self.node = node_of(communicator)
        self._window: Any = None
        if self.node.comm is None:
            self.segments = [_from_line(np.zeros(size + line, np.uint8), size)]
            return
        from mpi4py import MPI

        sizes = self.node.comm.allgather(size)
        whole = -(-size // line) * line + line
        self._window = MPI.Win.Allocate_shared(whole, 1, comm=self.node.comm)
        self.segments = [
            _from_line(np.frombuffer(self._window.Shared_query(n)[0], np.uint8), sizes[n])
            for n in range(self.node.size)
        ]
        self.own[:] = 0
        self.node.comm.Barrier()

    @property
    def own(self) -> Bytes:
        """The memory of this rank."""
        return self.segments[self.node.here]

    def of(self, rank: int) -> Bytes:
        """The memory of a rank of this node, by its number in the communicator."""
        return self.segments[self.node.ranks.index(rank)]

    def free(self) -> None:
        """Give the memory back; views of it must not be used any more."""
        self.segments = []
        if self._window is not None:
            self._window.Free()
            self._window = None


def _from_line(raw: Bytes, size: int) -> Bytes:
    """`size` bytes from the first cache line on: at the same place in all processes."""
    start = -raw.ctypes.data % line
    return raw[start : start + size]
