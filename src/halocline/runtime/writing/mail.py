"""Messages of the output layer: sent without waiting, waited for without spinning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.ranks.communicator import Communicator, Ranks
from halocline.runtime.ranks.patience import until

Bytes = NDArray[np.uint8]


class Letter(Protocol):
    """A message under way."""

    def Test(self) -> bool:
        """Whether it has arrived, or its buffer is free again."""


class Mail:
    """Messages among ranks by their numbers, apart from all others (a communicator of its own)."""

    def __init__(self, communicator: Communicator) -> None:
        self.rank, self.size = communicator.rank, communicator.size
        self._comm: Any = communicator.comm.Dup() if isinstance(communicator, Ranks) else None
        self._kept: dict[int, Bytes] = {}

    def space(self, number: int, size: int) -> Bytes:
        """Memory for a part of a frame, kept for the next one: new pages cost more than a copy."""
        if number not in self._kept or self._kept[number].size < size:
            self._kept[number] = np.empty(size, np.uint8)
        return self._kept[number][:size]

    def send(self, rank: int, data: Bytes, tag: int = 0) -> Letter:
        """Begin to send; `data` must stay as it is until the request is done."""
        from mpi4py import MPI

        request: Letter = self._comm.Isend([data, MPI.BYTE], rank, tag)
        return request

    def receive(self, rank: int, data: Bytes, tag: int = 0) -> Letter:
        """Begin to receive into `data`."""
        from mpi4py import MPI

        request: Letter = self._comm.Irecv([data, MPI.BYTE], rank, tag)
        return request

    def post(self, rank: int, item: Any, tag: int) -> Letter:
        """Begin to send any object."""
        request: Letter = self._comm.isend(item, rank, tag)
        return request

    def arrived(self, tag: int) -> tuple[int, Any] | None:
        """The next object that has arrived with this tag and who sent it; None if there is none."""
        from mpi4py import MPI

        status = MPI.Status()
        if self._comm is None or not self._comm.Iprobe(MPI.ANY_SOURCE, tag, status):
            return None
        source = status.Get_source()
        return source, self._comm.recv(source=source, tag=tag)

    def free(self) -> None:
        """Give the communicator back; a call for all ranks."""
        if self._comm is not None:
            self._comm.Free()
            self._comm = None


def wait(request: Letter, meanwhile: Callable[[], None] = lambda: None) -> None:
    """Wait for a message, asleep most of the time; `meanwhile` is done at every look."""

    def done() -> bool:
        meanwhile()
        return request.Test()

    until(done)
