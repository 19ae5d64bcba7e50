"""Ending a run cleanly: signals and wall time become one decision of all ranks."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

import numpy as np

from halocline.core.errors import UserError
from halocline.experiment.ending import code_file
from halocline.experiment.run_log import RunLog
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.ranks.launched import launcher_here
from halocline.runtime.writing.writers import Writers

codes = {0: "", 1: "a signal", 2: "SIGINT", 3: "the wall time"}
failed, gone = 4, 5
"""What ends a run on all ranks with a message of its own: a failure to write, a folder lost."""

signals = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP)
"""SIGUSR1 is what a launcher of MPI passes on without ending the ranks."""

_early: list[int] = []  # signals that came before a run listened


@contextmanager
def stop_signals(caught: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Have the signals that ask for an end caught; under nohup a lost terminal asks for none."""
    ignored = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    wanted = [number for number in signals if not (number == signal.SIGHUP and ignored)]
    before = {number: signal.signal(number, caught) for number in wanted}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def hold_back() -> None:
    """Keep a SIGUSR1 until a run listens: at the start of a rank nobody else would take it."""
    signal.signal(signal.SIGUSR1, lambda number, frame: _early.append(number))


def ask_the_launcher(number: int, frame: FrameType | None) -> None:
    """Catch a signal on a rank that takes no steps: mpiexec, on this node, tells the others."""
    launcher = launcher_here()
    if launcher and number != signal.SIGUSR1:
        os.kill(launcher, signal.SIGUSR1)


class Stopping:
    """Whether the run has to end before its time, asked by all ranks alike.

    That is after each interval of the schedule: a step, where there is one member.
    """

    def __init__(
        self,
        communicator: Communicator,
        walltime: float | None = None,
        writers: Sequence[Writers] = (),
        folder_gone: Callable[[], str] = str,
        log: RunLog | None = None,
    ) -> None:
        self.communicator, self.writers, self.folder_gone = communicator, writers, folder_gone
        self.log = log
        self.started = time.monotonic()
        self.walltime = walltime
        self.longest_step = 0.0
        self._last = self.started
        self._code = 0

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Catch the signals that ask for an end; a second one ends at once."""
        with stop_signals(self._caught):
            if _early:
                self._code = 1
            yield

    def _caught(self, number: int, frame: FrameType | None) -> None:
        if self._code and code_file not in os.environ:  # else the launching process ends all
            raise KeyboardInterrupt
        self._code = 2 if number == signal.SIGINT else 1

    def asked(self) -> str:
        """Why to stop now, or an empty text; a call for all ranks.

        What some rank could not write is said here, to all, and that the folder of results is gone.
        Wall time is kept by stopping when the longest step so far would no longer fit twice.
        """
        now = time.monotonic()
        self.longest_step = max(self.longest_step, now - self._last)
        self._last = now
        code = self._code
        if self.walltime is not None:
            over = now - self.started + 2.0 * self.longest_step > self.walltime
            code = max(code, 3 if over else 0)
        failures = [writers.failed for writers in self.writers]  # each looks at its messages
        code = failed if any(failures) else code
        lost = self.folder_gone() if self.communicator.rank == 0 else ""
        code = gone if lost else code
        told = self.log is not None and bool(self.log.waiting)
        found = self.communicator.maximum(np.array([float(code), float(told)]))
        if found[1] and self.log is not None:
            self.log.deliver(self.communicator)
        code = int(found[0])
        if code == gone:
            raise UserError(self.communicator.broadcast(lost))
        if code == failed:
            self._raise_failure()
        return codes[code]

    def _raise_failure(self) -> None:
        """Say on all ranks what some could not write."""
        words = next((some.failure for some in self.writers if some.failure), "")
        everyone = self.communicator.broadcast(self.communicator.gather(words))
        raise UserError(next(words for words in everyone if words))
