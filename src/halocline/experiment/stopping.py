"""Ending a run cleanly: signals and wall time become one decision of all ranks."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import numpy as np

from halocline.runtime.communicator import Communicator
from halocline.runtime.writers import Writers

codes = {0: "", 1: "a signal", 2: "SIGINT", 3: "the wall time", 4: "a failure to write"}
signals = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1)
"""SIGUSR1 is what a launcher of MPI passes on without ending the ranks."""


def hold_back() -> None:
    """Let SIGUSR1 wait until a run listens: at the start of a rank nobody else would take it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})


class Stopping:
    """Whether the run has to end before its time, asked once a step by all ranks alike."""

    def __init__(
        self,
        communicator: Communicator,
        walltime: float | None = None,
        writers: Writers | None = None,
    ) -> None:
        self.communicator, self.writers = communicator, writers
        self.started = time.monotonic()
        self.walltime = walltime
        self.longest_step = 0.0
        self._last = self.started
        self._code = 0

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Catch the signals that ask for an end; a second SIGINT ends at once."""
        previous = {number: signal.signal(number, self._caught) for number in signals}
        held_back = signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR1})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held_back)
            for number, handler in previous.items():
                signal.signal(number, handler)

    def _caught(self, number: int, frame: FrameType | None) -> None:
        if self._code and number == signal.SIGINT:
            raise KeyboardInterrupt
        self._code = 2 if number == signal.SIGINT else 1

    def asked(self) -> str:
        """Why to stop now, or an empty text; a call for all ranks.

        What some rank could not write is said here, to all.
        Wall time is kept by stopping when the longest step so far would no longer fit twice.
        """
        now = time.monotonic()
        self.longest_step = max(self.longest_step, now - self._last)
        self._last = now
        code = self._code
        if self.walltime is not None:
            over = now - self.started + 2.0 * self.longest_step > self.walltime
            code = max(code, 3 if over else 0)
        if self.writers is not None and self.writers.failed:
            code = 4
        code = int(self.communicator.maximum(np.array([float(code)]))[0])
        if code == 4 and self.writers is not None:
            self.writers.raise_failure()
        return codes[code]
