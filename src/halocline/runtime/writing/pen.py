"""The pen: writes blocks and whatever follows them in order, while the rank goes on."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from halocline.runtime import _native
from halocline.runtime.record.recorder import Recorder

Bytes = NDArray[np.uint8]
Task = Callable[[], None]


class Pen:
    """Does tasks in the order in which they are given, in a thread of its own where `behind`.

    At most `buffers` blocks are under way; who asks for one more waits. After a failure nothing
    more is done but what is done always: `failure` says what happened.
    """

    def __init__(self, buffers: int = 2, *, behind: bool = True) -> None:
        self.failure: Exception | None = None
        self.recorder: Recorder | None = None  # gets what the tasks take
        self.seconds = 0.0  # spent in tasks
        self.most_bytes = 0  # of all buffers at once
        self._size = 0
        self._buffers: list[Bytes] = [np.empty(0, np.uint8) for _ in range(buffers)]
        self._free: queue.Queue[int] = queue.Queue()
        for number in range(buffers):
            self._free.put(number)
        self._tasks: queue.Queue[tuple[Task, int, bool] | None] = queue.Queue()
        self._thread: threading.Thread | None = None
        if behind:
            self._thread = threading.Thread(target=self._work, name="pen", daemon=True)
            self._thread.start()

    def block(self, size: int) -> tuple[int, Bytes]:
        """A free buffer of `size` bytes and its number, when there is one."""
        number = self._free.get()
        if self._buffers[number].size < size:
            self._buffers[number] = np.empty(size, np.uint8)
            self.most_bytes = max(self.most_bytes, sum(buffer.size for buffer in self._buffers))
        return number, self._buffers[number][:size]

    def do(self, task: Task, buffer: int = -1, *, always: bool = False) -> None:
        """Do `task` after all that were given before, then free the buffer."""
        if self._thread is None:
            self._try(task, buffer, always)
        else:
            self._tasks.put((task, buffer, always))

    def drain(self) -> None:
        """Wait until all tasks are done."""
        if self._thread is not None:
            done = threading.Event()
            self._tasks.put((done.set, -1, True))
            done.wait()

    def close(self) -> None:
        """End the thread when all tasks are done."""
        if self._thread is not None:
            self._tasks.put(None)
            self._thread.join()
            self._thread = None

    def _work(self) -> None:
        while (given := self._tasks.get()) is not None:
            self._try(*given)

    def _try(self, task: Task, buffer: int, always: bool) -> None:
        begin = _native.now_ns()
        try:
            if always or self.failure is None:
                task()
        except Exception as error:  # shown by whoever looks at the failure
            self.failure = self.failure or error
        finally:
            end = _native.now_ns()
            self.seconds += 1e-9 * (end - begin)
            if self.recorder is not None and buffer >= 0:
                self.recorder.add_beside("output: to the disk", begin, end, "output")
            if buffer >= 0:
                self._free.put(buffer)
