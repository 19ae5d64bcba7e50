"""Who takes part: one process alone, or the ranks of MPI."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.ranks.launched import end_with_launcher, ranks_started, under_mpi

transfer_tag = 20_000
"""Tag of the messages of `begin`, so that halos may be exchanged while they are under way."""
Buffers = Sequence[tuple[int, NDArray[Any]]]
"""The other rank and a contiguous buffer, of each message."""


class Communicator(Protocol):
    """What the runtime needs of a message-passing library."""

    rank: int
    size: int

    def exchange(
        self,
        send: Sequence[tuple[int, NDArray[Any]]],
        receive: Sequence[tuple[int, NDArray[Any]]],
    ) -> None:
        """Send every buffer to its rank and fill every receive buffer from its rank."""

    def begin(self, send: Buffers, receive: Buffers) -> Callable[[], None]:
        """The same without waiting: buffers are not touched until the call that this gives.

        Ranks that begin several of these begin them in one order.
        """

    def one_to_each(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give rank n number n; the numbers from all ranks. A call for all ranks."""

    def sum(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Element-wise sum over ranks."""

    def maximum(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Element-wise maximum over ranks."""

    def gather(self, item: Any) -> list[Any] | None:
        """All ranks' items on rank 0 in rank order, None elsewhere."""

    def broadcast(self, item: Any) -> Any:
        """Rank 0's item on all ranks."""

    def abort(self, code: int) -> None:
        """End all ranks."""


class Alone:
    """One process without MPI."""

    rank = 0
    size = 1

    def exchange(
        self,
        send: Sequence[tuple[int, NDArray[Any]]],
        receive: Sequence[tuple[int, NDArray[Any]]],
    ) -> None:
        assert not send and not receive, "a process alone has no partner"

    def begin(self, send: Buffers, receive: Buffers) -> Callable[[], None]:
        self.exchange(send, receive)
        return lambda: None

    def one_to_each(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        assert self.size == 1, "a process alone has no partner"
        return numbers

    def sum(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return values

    def maximum(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return values

    def gather(self, item: Any) -> list[Any] | None:
        return [item]

    def broadcast(self, item: Any) -> Any:
        return item

    def abort(self, code: int) -> None:
        os._exit(code)


class Ranks:
    """The ranks of an MPI communicator (mpi4py)."""

    def __init__(self, comm: Any) -> None:
        self.comm = comm
        self.rank = int(comm.Get_rank())
        self.size = int(comm.Get_size())

    def exchange(
        self,
        send: Sequence[tuple[int, NDArray[Any]]],
        receive: Sequence[tuple[int, NDArray[Any]]],
    ) -> None:
        from mpi4py import MPI

        requests = [self.comm.Irecv([buffer, MPI.BYTE], source) for source, buffer in receive]
        requests += [self.comm.Isend([buffer, MPI.BYTE], target) for target, buffer in send]
        MPI.Request.Waitall(requests)

    def begin(self, send: Buffers, receive: Buffers) -> Callable[[], None]:
        from mpi4py import MPI

        comm, tag = self.comm, transfer_tag
        requests = [comm.Irecv([buffer, MPI.BYTE], source, tag) for source, buffer in receive]
        requests += [comm.Isend([buffer, MPI.BYTE], target, tag) for target, buffer in send]

        def wait() -> None:
            MPI.Request.Waitall(requests)

        return wait

    def one_to_each(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        numbers = np.ascontiguousarray(numbers, np.int64)
        found = np.empty_like(numbers)
        self.comm.Alltoall(numbers, found)
        return found

    def sum(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        from mpi4py import MPI

        total = np.empty_like(values)
        self.comm.Allreduce(values, total, MPI.SUM)
        return total

    def maximum(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        from mpi4py import MPI

        total = np.empty_like(values)
        self.comm.Allreduce(values, total, MPI.MAX)
        return total

    def gather(self, item: Any) -> list[Any] | None:
        result: list[Any] | None = self.comm.gather(item, 0)
        return result

    def broadcast(self, item: Any) -> Any:
        return self.comm.bcast(item, 0)

    def abort(self, code: int) -> None:
        self.comm.Abort(code)


@lru_cache(maxsize=1)
def world() -> Communicator:
    """All ranks of this run; MPI is loaded only if a launcher started more than one."""
    if not under_mpi():
        return Alone()
    end_with_launcher()
    from mpi4py import MPI

    if MPI.COMM_WORLD.Get_size() == 1:  # as after the launcher's death: MPI then starts one alone
        raise SystemExit(_alone_words())
    return Ranks(MPI.COMM_WORLD)


def _alone_words() -> str:
    return (
        f"halocline: {ranks_started()} ranks were started, but MPI knows only this one. Has the"
        " launcher ended, or does mpi4py belong to another MPI than the launcher? Set up with the"
        " site's MPI, or start with the mpiexec beside this Python."
    )
