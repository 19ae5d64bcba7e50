"""Sums at a master by one-sided communication: MPI puts and gets between windows."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.ranks.communicator import Ranks
from halocline.runtime.sums.choice import SumChoice

Values = NDArray[np.float64]

slots = 12
"""Sums go round the slots of a window; at most a third of them may be under way."""

spins = 100
"""Looks at a flag before each further one gives the core to others."""


class OneSidedSums:
    """Sums that all ranks put into, or the master gets from, windows of MPI.

    The numbers of a rank and slot lie in `numbers` of the master ('collect') or of the rank itself
    ('fetch'); the result is put into `results` of every rank. With 'flags' the number of the sum is
    put after the numbers have arrived; with 'barriers' all ranks meet.
    """

    def __init__(self, communicator: Ranks, choice: SumChoice, count: int) -> None:
        self.comm = communicator.comm.Dup()
        self.rank, self.size, self.choice = communicator.rank, communicator.size, choice
        self._sequence = 0
        self.under_way: set[int] = set()
        kept = self.size if self.rank == 0 and choice.pattern == "collect" else 1
        self.numbers, self.numbers_window = self._window((slots, kept, count))
        self.results, self.results_window = self._window((slots, count))
        flags = self.size if self.rank == 0 else 1
        self.flags, self.flags_window = self._window((slots, flags))

    def _window(self, shape: tuple[int, ...]) -> tuple[Values, Any]:
        from mpi4py import MPI

        window = MPI.Win.Allocate(8 * int(np.prod(shape)), 8, comm=self.comm)
        raw: Any = window.tomemory()
        memory = np.frombuffer(raw, np.float64).reshape(shape)
        memory[...] = 0.0
        self.comm.Barrier()
        window.Lock_all(MPI.MODE_NOCHECK)
        return memory, window

    def start(self, values: Values) -> OneSidedPending:
        """Begin a sum: put this rank's numbers where the master finds them."""
        self._sequence += 1
        slot, sequence = self._sequence % slots, self._sequence
        assert sequence - slots // 3 not in self.under_way, "too many sums under way"
        self.under_way.add(sequence)
        values = values.copy()
        if self.rank == 0 or self.choice.pattern == "fetch":
            self.numbers[slot, 0] = values
            self.numbers_window.Sync()
        else:
            place = (slot * self.size + self.rank) * values.size
            self.put(self.numbers_window, values, 0, place)
        if self.choice.signal == "flags" and self.rank:
            self.signal(sequence, 0, slot * self.size + self.rank)
        return OneSidedPending(self, sequence, values)

    def add(self, values: Values) -> Values:
        return self.start(values).finish()

    def put(self, window: Any, values: Values, rank: int, place: int) -> None:
        """Put numbers into a window and wait until they are there."""
        window.Put(values, rank, place)
        window.Flush(rank)

    def signal(self, sequence: int, rank: int, place: int) -> None:
        """Tell a rank that what was put is there."""
        self.put(self.flags_window, np.array([float(sequence)]), rank, place)

    def wait(self, sequence: int, place: int) -> None:
        """Wait for a flag of this rank; looking lets MPI make progress."""
        flags, looks = self.flags[sequence % slots], 0
        while flags[place] < sequence:
            looks += 1
            if looks > spins:
                os.sched_yield()
            self.comm.Iprobe()
            self.flags_window.Sync()

    def free(self) -> None:
        for window in (self.numbers_window, self.results_window, self.flags_window):
            window.Unlock_all()
            window.Free()
        self.comm.Free()


class OneSidedPending:
    """A one-sided sum under way."""

    def __init__(self, sums: OneSidedSums, sequence: int, values: Values) -> None:
        self._sums, self._sequence, self._values = sums, sequence, values

    def finish(self) -> Values:
        sums, slot = self._sums, self._sequence % slots
        barriers = sums.choice.signal == "barriers"
        if barriers:
            sums.comm.Barrier()
        if sums.rank == 0:
            for rank in range(1, sums.size):
                self._values += self._from(rank)
            for rank in range(1, sums.size):
                place = slot * self._values.size
                sums.put(sums.results_window, self._values, rank, place)
                if not barriers:
                    sums.signal(self._sequence, rank, slot)
        if barriers:
            sums.comm.Barrier()
        elif sums.rank:
            sums.wait(self._sequence, 0)
        if sums.rank:
            sums.results_window.Sync()
            self._values[:] = sums.results[slot]
        sums.under_way.remove(self._sequence)
        return self._values

    def _from(self, rank: int) -> Values:
        """The numbers of another rank, at the master."""
        sums, slot = self._sums, self._sequence % slots
        if sums.choice.signal == "flags":
            sums.wait(self._sequence, rank)
        if sums.choice.pattern == "collect":
            sums.numbers_window.Sync()
            return sums.numbers[slot, rank]
        values = np.empty_like(self._values)
        sums.numbers_window.Get(values, rank, slot * values.size)
        sums.numbers_window.Flush(rank)
        return values
