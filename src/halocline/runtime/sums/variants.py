"""Adding a few numbers over all ranks: every way behind one call.

A reduction adds a vector of float64 element by element over all ranks and gives all ranks the same
bits. It may be split: `start` hands in this rank's numbers and `finish` waits for the sums.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.ranks.communicator import Communicator, Ranks
from halocline.runtime.sums.choice import SumChoice, require
from halocline.runtime.sums.messages import MessageSums
from halocline.runtime.sums.one_sided import OneSidedSums
from halocline.runtime.sums.shared import NodeThenNetwork, SharedSums

Values = NDArray[np.float64]


class PendingSum(Protocol):
    """A sum that is under way."""

    def finish(self) -> Values:
        """The sums; a call for all ranks, in the same order on all."""


class Reduction(Protocol):
    """Sums over all ranks of vectors of one length."""

    def start(self, values: Values) -> PendingSum:
        """Begin to add `values`, which may be changed afterwards; for all ranks in one order.

        A sum has to be finished before the fourth after it begins.
        """

    def add(self, values: Values) -> Values:
        """The sums of `values`; a call for all ranks."""

    def free(self) -> None:
        """Give back what the sums needed; a call for all ranks."""


class Known:
    """Sums that are there already."""

    def __init__(self, values: Values) -> None:
        self.values = values

    def finish(self) -> Values:
        return self.values


class Single:
    """The sum over one rank."""

    def start(self, values: Values) -> PendingSum:
        return Known(self.add(values))

    def add(self, values: Values) -> Values:
        return values.copy()

    def free(self) -> None:
        pass


class AllReduce:
    """MPI's all-reduce, done in `start`."""

    def __init__(self, communicator: Ranks, choice: SumChoice, count: int) -> None:
        self.communicator = communicator

    def start(self, values: Values) -> PendingSum:
        return Known(self.add(values))

    def add(self, values: Values) -> Values:
        return self.communicator.sum(values)

    def free(self) -> None:
        pass


class NonBlockingAllReduce:
    """MPI's non-blocking all-reduce."""

    def __init__(self, communicator: Ranks, choice: SumChoice, count: int) -> None:
        self.comm = communicator.comm.Dup()

    def start(self, values: Values) -> PendingSum:
        return NonBlocking(self.comm, values.copy())

    def add(self, values: Values) -> Values:
        return self.start(values).finish()

    def free(self) -> None:
        self.comm.Free()


class NonBlocking:
    """A non-blocking all-reduce under way."""

    def __init__(self, comm: Any, values: Values) -> None:
        self._values, self._sums = values, np.empty_like(values)
        self._request = comm.Iallreduce(self._values, self._sums)

    def finish(self) -> Values:
        self._request.Wait()
        return self._sums


def reduction(communicator: Communicator, choice: SumChoice, count: int) -> Reduction:
    """Make the sums of `count` numbers ready; a call for all ranks.

    Ranks that a plan imagines are one.
    """
    if communicator.size == 1 or not isinstance(communicator, Ranks):
        return Single()
    require(choice, communicator)
    if choice.way:
        return _ways[choice.way](communicator, choice, count)
    return _patterns[choice.pattern](communicator, choice, count)


_ways: dict[str, Callable[[Ranks, SumChoice, int], Reduction]] = {
    "messages": MessageSums,
    "one-sided": OneSidedSums,
    "shared": SharedSums,
}
_patterns: dict[str, Callable[[Ranks, SumChoice, int], Reduction]] = {
    "all-reduce": AllReduce,
    "non-blocking": NonBlockingAllReduce,
    "node-then-network": NodeThenNetwork,
}
