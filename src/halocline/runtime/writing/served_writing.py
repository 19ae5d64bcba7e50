"""Writing through output servers, as the ranks of the model see it: pack, send, go on."""

from __future__ import annotations

from collections import deque

import numpy as np

from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.ranks.patience import until
from halocline.runtime.ranks.roles import Roles
from halocline.runtime.record.recorder import Recorder
from halocline.runtime.writing.direct_writing import Job
from halocline.runtime.writing.frame_writing import Sent, pack, wait_for_all
from halocline.runtime.writing.frames import Frame, FrameRoute, page
from halocline.runtime.writing.mail import Bytes, Letter, Mail
from halocline.runtime.writing.orders import (
    Answer,
    LeaveStream,
    Order,
    Stop,
    TakeStream,
    WriteFrame,
    answer_tag,
    last_sequence,
    order_tag,
)
from halocline.runtime.writing.restart import RestartTarget
from halocline.runtime.writing.serving import route_of
from halocline.runtime.writing.targets import RecordTarget
from halocline.runtime.writing.writing_options import WritingOptions

most_outstanding = 32
"""Frames that servers may be behind with: small parts of more would fill their memory."""


class Served:
    """Servers write; a rank of the model waits only while they have not taken its last copy."""

    name = "servers"

    def __init__(
        self,
        communicator: Communicator,
        mail: Mail,
        roles: Roles,
        options: WritingOptions,
        round_robin: bool,
    ) -> None:
        self.communicator, self.mail, self.roles = communicator, mail, roles
        self.options, self.round_robin = options, round_robin
        self.failure = ""
        self.most_bytes = 0  # of blocks on a server
        self.written: deque[tuple[str, float]] = deque()  # names and seconds, on rank 0
        self._copies: dict[str, list[tuple[Bytes, list[Sent]]]] = {}  # by output
        self._sequence = 0
        self._names: dict[int, str] = {}
        self._waiting: set[int] = set()
        self._orders: list[Letter] = []
        self._frames: dict[str, Frame] = {}
        self._routes: dict[tuple[str, int], FrameRoute] = {}
        self._groups: dict[str, int] = {}
        self._stopped = 0
        self.recorder: Recorder | None = None
        self.parts: list[bytes] = []  # of the record of the run, on rank 0, when servers have ended

    def group_of(self, job_name: str, order: int, wanted: int) -> int:
        """The group of servers that writes an output."""
        if job_name not in self._groups:
            count = len(self.roles.groups)
            self._groups[job_name] = wanted if 0 <= wanted < count else order % count
        return self._groups[job_name]

    def take(self, job_name: str, target: RecordTarget, order: int, wanted: int) -> None:
        """Hand the files of a stream, which nobody has open, over to the servers."""
        group = self.group_of(job_name, order, wanted)
        self._order(TakeStream(target.files.plan, group, target.number))

    def write(self, job: Job) -> None:
        """Pack this rank's part of a frame and begin to send it; a call for all ranks."""
        self._sequence += 1
        group, target = self.group_of(job.name, job.order, job.group), job.target
        fresh = self._frames.get(job.name) is not job.frame
        self._frames[job.name] = job.frame
        if self.communicator.rank == 0:
            until(lambda: self.look() and len(self._waiting) < most_outstanding)
            self._names[self._sequence] = job.name
            self._waiting.add(self._sequence)
        record = target if isinstance(target, RecordTarget) else None
        self._order(
            WriteFrame(
                self._sequence,
                job.name,
                group,
                job.begins,
                target.base,
                job.frame if fresh else None,
                record.number if record else 0,
                record.record if record else 0,
                target if isinstance(target, RestartTarget) else None,
            )
        )
        self._send(job, self._route(job, group, fresh))

    def leave(self, job_name: str, order: int, wanted: int, *, finish: bool) -> None:
        """Let the servers close the files of a stream; waits until they have, unless `finish`."""
        self._sequence += 1
        group = self.group_of(job_name, order, wanted)
        if self.communicator.rank == 0:
            self._names[self._sequence] = job_name
            self._waiting.add(self._sequence)
        self._order(LeaveStream(self._sequence, job_name, group, finish))
        if self.communicator.rank == 0 and not finish:
            wanted_sequence = self._sequence
            until(lambda: self.look() and wanted_sequence not in self._waiting)

    def wait(self) -> None:
        """Wait until all that was sent is written; a call for all ranks."""
        for sent in self._under_way():
            wait_for_all(sent)
        if self.communicator.rank == 0:
            until(lambda: self.look() and not self._waiting)
        self.communicator.broadcast(None)

    def stop(self) -> None:
        """Wait until servers have written all; they then wait for the end. A call for all ranks."""
        for sent in self._under_way():
            wait_for_all(sent)
        self._order(Stop())
        self._until_stopped()

    def free(self) -> None:
        """Let the servers end, which have stopped; a call for all ranks."""
        self._order(Stop())
        until(lambda: all(request.Test() for request in self._orders))
        self.mail.free()

    def abandon(self, because: str) -> None:
        """Let the servers end with a failure: at once, or after they have stopped."""
        self._order(Stop(because))
        self._until_stopped()

    def _until_stopped(self) -> None:
        if self.communicator.rank == 0:
            servers = len(self.roles.servers)
            until(lambda: self.look() and self._stopped == servers)

    def look(self) -> bool:
        """Take in what the servers have answered, on rank 0; always true."""
        while (got := self.mail.arrived(answer_tag)) is not None:
            answer: Answer = got[1]
            self.failure = self.failure or answer.failure
            self.most_bytes = max(self.most_bytes, answer.most_bytes)
            if answer.sequence == last_sequence:
                self._stopped += 1
                self.parts.append(answer.part)
                continue
            self._waiting.discard(answer.sequence)
            self.written.append((self._names.pop(answer.sequence), answer.seconds))
        return True

    def progress(self) -> None:
        """Let messages go on that need this rank for it."""
        for sent in self._under_way():
            sent[:] = [message for message in sent if not message[0].Test()]

    def _order(self, order: Order) -> None:
        if self.communicator.rank == 0:
            self._orders = [request for request in self._orders if not request.Test()]
            for server in self.roles.servers:
                self._orders.append(self.mail.post(server, order, order_tag))

    def _route(self, job: Job, group: int, fresh: bool) -> FrameRoute:
        servers = self.roles.groups[group]
        key = job.name, job.target.base % page if len(servers) > 1 else 0
        if fresh:
            for old in [known for known in self._routes if known[0] == job.name]:
                del self._routes[old]
        if key not in self._routes:
            if len(self._routes) > 64:
                self._routes.clear()
            self._routes[key] = route_of(
                job.frame, job.target.base, servers, self.options, self.round_robin
            )
        return self._routes[key]

    def _send(self, job: Job, route: FrameRoute) -> None:
        rank = self.communicator.rank
        parts = [(route.blocks[n].writer, *route.part(n, rank)) for n in range(len(route.blocks))]
        parts = [part for part in parts if part[2]]
        buffer, sent = self._free_copy(job.name, sum(size for _, _, size in parts))
        at = 0
        for writer, cuts, size in parts:
            data = buffer[at : at + size]
            pack(cuts, job.held, data)
            sent.append((self.mail.send(writer, data), data))
            if self.recorder is not None:
                self.recorder.sent("output: to servers", writer, size)
            at += size
        if not self.options.copies:
            wait_for_all(sent)

    def _free_copy(self, name: str, size: int) -> tuple[Bytes, list[Sent]]:
        """Memory for a packed share of an output: the oldest, when the servers have taken it."""
        copies = self._copies.setdefault(name, [])
        if len(copies) < max(1, self.options.copies):
            copies.append((np.empty(size, np.uint8), []))
        else:
            buffer, sent = copies.pop(0)
            wait_for_all(sent)
            if buffer.size < size:
                buffer = np.empty(size, np.uint8)
            copies.append((buffer, []))
        return copies[-1]

    def _under_way(self) -> list[list[Sent]]:
        return [sent for copies in self._copies.values() for _, sent in copies]
