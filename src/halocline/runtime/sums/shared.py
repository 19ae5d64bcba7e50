"""Sums over the ranks of a node through memory that they share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime import _native
from halocline.runtime.ranks.communicator import Ranks
from halocline.runtime.ranks.shared_memory import SharedWindow, line, node_of
from halocline.runtime.sums.choice import SumChoice

Values = NDArray[np.float64]
Where = tuple[int, int]

nowhere: Where = (0, 0)
apart = 2 * line
"""Distance that keeps two ranks' numbers apart, also from fetching lines in pairs [byte]."""


class SharedSums:
    """Sums by entries in shared memory: numbers of one rank that others wait for.

    An entry holds one vector per slot; the sums go round the slots, so that several may be under
    way and nobody waits for an entry to be free.
    """

    def __init__(self, communicator: Ranks, choice: SumChoice, count: int) -> None:
        kind = _native.SumBySentinels if choice.signal == "sentinels" else _native.SumByFlags
        size = 8 * (kind.words_before + count)
        at_master = choice.pattern in ("collect", "node-then-network")
        near = at_master and not choice.padded
        node = node_of(communicator)
        here, ranks = node.here, node.size
        stride = _rounded(size, apart)
        packed = _rounded(ranks * size, apart) if near else ranks * stride
        entries = packed + stride if at_master else 2 * stride
        mine = entries * (here == 0 or not at_master)
        self._window = window = SharedWindow(communicator, _native.sum_slots * mine)
        base = [int(segment.ctypes.data) for segment in window.segments]

        def up(rank: int) -> Where:
            if at_master:
                return base[0] + rank * (size if near else stride), entries
            return base[rank], entries

        def down(rank: int) -> Where:
            return (base[0] + packed, entries) if at_master else (base[rank] + stride, entries)

        branching = choice.branching or ranks
        children = range(here * branching + 1, min(ranks, here * branching + branching + 1))
        everyone = choice.pattern == "everyone"
        self._native: Any = kind(
            count,
            [up(rank) for rank in (range(ranks) if everyone else children)],
            up(here) if here or everyone else nowhere,
            down((here - 1) // branching) if here and not everyone else nowhere,
            down(here) if children and not everyone else nowhere,
            everyone,
        )
        node.comm.Barrier()

    def start(self, values: Values) -> SharedPending:
        """Begin a sum."""
        return SharedPending(self._native, values)

    def add(self, values: Values) -> Values:
        sums = np.empty(values.size)
        self._native.add(values, sums)
        return sums

    def free(self) -> None:
        self._native = None
        self._window.free()


class SharedPending:
    """A sum in shared memory under way."""

    def __init__(self, native: Any, values: Values) -> None:
        self._native, self._sums = native, np.empty(values.size)
        self._sequence = native.start(values)

    def finish(self) -> Values:
        self._native.finish(self._sequence, self._sums)
        return self._sums


class NodeThenNetwork(SharedSums):
    """Sums over each node in shared memory, then over one rank of every node by all-reduce."""

    def __init__(self, communicator: Ranks, choice: SumChoice, count: int) -> None:
        from mpi4py import MPI

        super().__init__(communicator, choice, count)
        leads = node_of(communicator).here == 0
        comm = communicator.comm.Split(0 if leads else MPI.UNDEFINED)
        self._leaders = comm if leads else None

    def start(self, values: Values) -> SharedPending:
        return NodePending(self._native, values, self._leaders)

    def add(self, values: Values) -> Values:
        return self.start(values).finish()

    def free(self) -> None:
        super().free()
        if self._leaders is not None:
            self._leaders.Free()


class NodePending(SharedPending):
    """A sum over nodes under way; `leaders` are one rank of each, where this is one of them."""

    def __init__(self, native: Any, values: Values, leaders: Any) -> None:
        super().__init__(native, values)
        self._leaders = leaders

    def finish(self) -> Values:
        self._native.gather(self._sequence, self._sums)
        if self._leaders is not None:
            from mpi4py import MPI

            self._leaders.Allreduce(MPI.IN_PLACE, self._sums)
        self._native.spread(self._sequence, self._sums)
        return self._sums


def _rounded(size: int, unit: int) -> int:
    return -(-size // unit) * unit
