"""Sums over a tree of ranks by messages; a master that collects is the root of a flat tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.ranks.communicator import Ranks
from halocline.runtime.sums.choice import SumChoice

Values = NDArray[np.float64]

tags = 64
"""Sums under way at a time that messages tell apart."""


class MessageSums:
    """Sums that children send to their parents, and results that parents send to their children."""

    def __init__(self, communicator: Ranks, choice: SumChoice, count: int) -> None:
        self.comm = communicator.comm.Dup()
        rank, size = communicator.rank, communicator.size
        branching = choice.branching or size
        self.parent = (rank - 1) // branching if rank else None
        first = rank * branching + 1
        self.children = range(first, min(size, first + branching))
        self._sequence = 0

    def start(self, values: Values) -> MessagePending:
        """Begin a sum."""
        self._sequence += 1
        return MessagePending(self, values, self._sequence % tags)

    def add(self, values: Values) -> Values:
        return self.start(values).finish()

    def free(self) -> None:
        self.comm.Free()


class MessagePending:
    """A sum by messages under way."""

    def __init__(self, sums: MessageSums, values: Values, tag: int) -> None:
        self._sums, self._tag, self._values = sums, tag, values.copy()
        self._from_children = np.empty((len(sums.children), values.size))
        self._requests: list[Any] = [
            sums.comm.Irecv(buffer, child, tag)
            for buffer, child in zip(self._from_children, sums.children, strict=True)
        ]
        if not sums.children:
            self._requests = [sums.comm.Isend(self._values, sums.parent, tag)]

    def finish(self) -> Values:
        sums, tag = self._sums, self._tag
        _wait_all(self._requests)
        result = self._values
        for values in self._from_children:
            result += values
        if sums.parent is not None:
            if sums.children:
                sums.comm.Send(result, sums.parent, tag)
            result = np.empty_like(result)
            sums.comm.Recv(result, sums.parent, tag)
        _wait_all([sums.comm.Isend(result, child, tag) for child in sums.children])
        return result


def _wait_all(requests: list[Any]) -> None:
    from mpi4py import MPI

    MPI.Request.Waitall(requests)
