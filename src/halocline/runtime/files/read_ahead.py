"""Records read one ahead in the background, and mistakes in them told by all ranks alike."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

from halocline.core.errors import UserError
from halocline.runtime import _native
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.record.recorder import Recorder

Value = TypeVar("Value")


class RecordError(UserError):
    """A mistake in a record; of those that ranks find the one with the least number is told."""

    def __init__(self, words: str, number: int = 0) -> None:
        super().__init__(words)
        self.number = number


class _Reading:
    """The reading of one record, here or in a thread of its own."""

    def __init__(self, read: Callable[[int], Any], record: int) -> None:
        self.read, self.record = read, record
        self.begin = self.end = 0  # [ns]
        self.failure: Exception | None = None
        self.result: Any = None

    def run(self) -> None:
        self.begin = _native.now_ns()
        try:
            self.result = self.read(self.record)
        except Exception as error:
            self.failure = error
        self.end = _native.now_ns()


_threads: set[threading.Thread] = set()
"""Those that were started and not yet waited for."""


def end_readings() -> None:
    """Let all readings in the background come to their end, whoever began them.

    For what fails before it could close what it had opened: a reading that goes on would meet what
    the process does next with the same libraries, which know only one thread.
    """
    for thread in list(_threads):
        _end(thread)


def _end(thread: threading.Thread) -> None:
    thread.join()
    _threads.discard(thread)


class ReadAhead(Generic[Value]):
    """Reads records by number; the one that is expected next, while the model computes.

    A thread lives no longer than the reading of its record. `read` runs in one thread at a time;
    what it gives goes through `share` when the record is taken, where all ranks may take part. The
    recorder gets "input: reading", wherever it was done, "input: waiting for a record", the part of
    it for which the model stood still, and "input: sharing", in which all ranks meet.
    """

    def __init__(
        self,
        read: Callable[[int], Any],
        communicator: Communicator,
        recorder: Recorder,
        share: Callable[[Any], Value] | None = None,
    ) -> None:
        self.read, self.communicator, self.recorder = read, communicator, recorder
        self.share = share
        self._thread: threading.Thread | None = None
        self._ahead: _Reading | None = None

    def take(self, record: int) -> Value:
        """The values of a record; a call for all ranks, on which all fail if one does."""
        with self.recorder.time("input: waiting for a record", "input"):
            self.wait()
            reading, self._ahead = self._ahead, None
            if reading is None or reading.record != record:
                reading = _Reading(self.read, record)
                reading.run()
        self.recorder.add_beside("input: reading", reading.begin, reading.end, "input")
        if reading.failure is not None and not isinstance(reading.failure, UserError):
            raise reading.failure
        with self.recorder.time("input: sharing", "input"):
            agree(self.communicator, reading.failure)
            found: Value = reading.result if self.share is None else self.share(reading.result)
        return found

    def prepare(self, record: int) -> None:
        """Begin to read a record in the background unless that is done already."""
        if self._ahead is not None and self._ahead.record == record:
            return
        self.wait()
        self._ahead = _Reading(self.read, record)
        self._thread = threading.Thread(target=self._ahead.run, name=f"read ahead {record}")
        _threads.add(self._thread)
        self._thread.start()

    def wait(self) -> None:
        """Let a reading in the background come to its end: afterwards there is no thread."""
        if self._thread is not None:
            _end(self._thread)
            self._thread = None


def agree(communicator: Communicator, failure: UserError | None) -> None:
    """Raise the same mistake on all ranks if any has one; a call for all ranks."""
    failed = communicator.maximum(np.array([float(failure is not None)]))
    if not failed[0]:
        return
    number = failure.number if isinstance(failure, RecordError) else 0
    own = None if failure is None else (number, communicator.rank, str(failure))
    everyone = communicator.gather(own)
    words = None if everyone is None else min(some for some in everyone if some is not None)[2]
    raise UserError(communicator.broadcast(words))
