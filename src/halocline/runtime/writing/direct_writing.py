"""Writing by ranks of the model: through one of them, or some blocks by each."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from halocline.core.errors import UserError
from halocline.runtime.files.disk import File, disk
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.writing.frame_writing import HeldRuns, Sums, write_together
from halocline.runtime.writing.frames import Frame, FrameBlock, FrameRoute, cut_frame, page
from halocline.runtime.writing.mail import Mail
from halocline.runtime.writing.pen import Pen
from halocline.runtime.writing.targets import Target
from halocline.runtime.writing.writing_options import WritingOptions


@dataclass
class Job:
    """A frame to be written: to what, what this rank has of it, and which output it is of.

    `order` counts the outputs of a run. `begins` says that the file is not there yet.
    """

    name: str
    order: int
    target: Target
    frame: Frame
    held: Sequence[HeldRuns]
    begins: bool
    group: int
    written: Callable[[float], None]  # told how long it took until the frame was complete [s]
    begin: float = field(default_factory=time.perf_counter)


class Direct:
    """Ranks of the model assemble and write blocks.

    'first', 'gathered', 'blocked' and 'buffered' write through rank 0, 'separate' through a rank
    of each output's own, 'shared' through all ranks. The last blocks of 'buffered' and 'separate'
    are written behind the model.
    """

    def __init__(
        self, name: str, communicator: Communicator, mail: Mail, pen: Pen, options: WritingOptions
    ) -> None:
        self.name, self.options = name, options
        self.communicator, self.mail, self.pen = communicator, mail, pen
        self._routes: dict[tuple[str, int], tuple[Frame, FrameRoute]] = {}

    def writers(self, order: int) -> Sequence[int]:
        """The ranks that write an output; the first of them is its clerk."""
        size = self.communicator.size
        if self.name == "shared":
            return range(size)
        # The last ranks first: Tolman (2003), section 5.1, where their load is least.
        return [(size - 1 - order) % size] if self.name == "separate" else [0]

    def clerk(self, order: int) -> int:
        """The rank that keeps the files of an output."""
        return self.writers(order)[0]

    def write(self, job: Job) -> None:
        """Write a frame; a call for all ranks."""
        writers = self.writers(job.order)
        route = self._route(job, writers)
        sums: Sums = np.zeros(len(job.frame.range_ends), np.uint32)
        if len(writers) > 1:
            self._together(job, route, sums)
            return
        mine = writers[0] == self.mail.rank
        if mine and job.begins:
            self.pen.do(job.target.begin)
        target = job.target
        write_together(self.mail, route, job.held, self.pen, target, target.base, sums)
        if mine:
            complete_behind(self.pen, target, sums, job)
            if self.name not in ("buffered", "separate"):
                self.pen.drain()

    def _together(self, job: Job, route: FrameRoute, sums: Sums) -> None:
        """All ranks write some blocks; rank 0 completes the frame when all are on disk."""
        target, clerk = job.target, self.mail.rank == 0
        if job.begins:
            if clerk:
                self.pen.do(target.begin)
                self.pen.drain()
            self.communicator.broadcast(None)
        part = OpenTarget(target)
        sink = target if clerk else part
        write_together(self.mail, route, job.held, self.pen, sink, target.base, sums)
        self.pen.do(part.finish)
        self.pen.drain()
        complete_from_all(self.communicator, self.pen, sums, job)

    def _route(self, job: Job, writers: Sequence[int]) -> FrameRoute:
        base = job.target.base % page if len(writers) > 1 else 0
        key = job.name, base
        known = self._routes.get(key)
        if known is None or known[0] is not job.frame:
            if len(self._routes) > 64:
                self._routes.clear()
            known = job.frame, FrameRoute(job.frame, self._blocks(job.frame, base, writers))
            self._routes[key] = known
        return known[1]

    def _blocks(self, frame: Frame, base: int, writers: Sequence[int]) -> list[FrameBlock]:
        size = frame.size
        if self.name == "blocked" or self.name == "buffered":
            size = -(-frame.size // self.options.blocks)
        if self.name == "shared" or self.name == "separate":
            size = self.options.block_size
        if self.name == "buffered":
            size = max(size, smallest_block)
        return cut_frame(frame, base, writers, max(size, 1))


smallest_block = 1 << 20
"""Smaller blocks than this cost more messages than they save memory [byte]."""


class OpenTarget:
    """The file of a target on a rank that writes to it without being its clerk."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._file: File | None = None

    def file(self) -> File:
        if self._file is None:
            self._file = disk().open(self.target.written)
        return self._file

    def failure(self, error: OSError) -> UserError:
        return self.target.failure(error)

    def finish(self) -> None:
        """When this returns, all that was written is on the disk."""
        if self._file is None:
            return
        try:
            self._file.sync()
        except OSError as error:
            raise self.failure(error) from None
        finally:
            self._file.close()
            self._file = None


def complete_behind(pen: Pen, target: Target, sums: Sums, job: Job | None = None) -> None:
    """Let the pen make a frame count after all that it was given, or give it up."""

    def task() -> None:
        if pen.failure is not None:
            target.give_up()
            return
        try:
            target.complete(sums)
        except OSError as error:
            target.give_up()
            raise target.failure(error) from None
        if job is not None:
            job.written(time.perf_counter() - job.begin)

    pen.do(task, always=True)


def complete_from_all(communicator: Communicator, pen: Pen, sums: Sums, job: Job) -> None:
    """Rank 0 makes a frame count of which all ranks have written parts, if all of them could."""
    everyone = communicator.gather((sums, pen.failure is None))
    if everyone is None:
        return
    if not all(good for _, good in everyone):
        job.target.give_up()
        return
    complete_behind(pen, job.target, np.bitwise_xor.reduce([part for part, _ in everyone]), job)
    pen.drain()
