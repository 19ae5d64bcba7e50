"""An output server: takes the parts of frames from the model's ranks and writes them.

The servers of a group write the blocks of a frame among them; the first of them, its clerk, makes
files, and makes frames count in the order in which the model wrote them. A restart counts when all
frames before it do, those of other groups included.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from halocline.core.errors import UserError
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.ranks.patience import until
from halocline.runtime.ranks.roles import Roles
from halocline.runtime.record.recorder import Recorder
from halocline.runtime.writing.direct_writing import OpenTarget, complete_behind
from halocline.runtime.writing.frame_writing import Assembler, Sums, write_block
from halocline.runtime.writing.frames import Frame, FrameRoute, cut_frame, page
from halocline.runtime.writing.mail import Letter, Mail
from halocline.runtime.writing.orders import (
    Answer,
    LeaveStream,
    Order,
    ShareReport,
    Stop,
    TakeStream,
    WriteFrame,
    answer_tag,
    done_tag,
    group_tag,
    last_sequence,
    order_tag,
    ready_tag,
)
from halocline.runtime.writing.pen import Pen
from halocline.runtime.writing.record_files import RecordFiles
from halocline.runtime.writing.targets import RecordTarget, Target
from halocline.runtime.writing.writing_options import WritingOptions


@dataclass
class _Pending:
    """A frame, or the leaving of a stream, that the clerk has to complete."""

    sequence: int
    target: Target | None
    sums: Sums
    missing: set[int]
    begin: float
    after: dict[int, int] = field(default_factory=dict)  # frames of other groups that must count
    leave: LeaveStream | None = None


class Server:
    """One server of a run; `serve` returns when the model has stopped."""

    def __init__(
        self, world: Communicator, roles: Roles, options: WritingOptions, round_robin: bool
    ) -> None:
        self.mail, self.roles, self.options = Mail(world), roles, options
        self.round_robin = round_robin
        group = roles.group_of(world.rank)
        assert group is not None, "a rank of the model serves nobody"
        self.group, self.members = group, roles.groups[group]
        self.is_clerk = world.rank == self.members[0]
        self.pen = Pen(options.buffers)
        self.recorder = self.pen.recorder = Recorder()
        self._frames: dict[str, Frame] = {}
        self._files: dict[str, RecordFiles] = {}
        self._pending: deque[_Pending] = deque()
        self._shares: deque[ShareReport] = deque()  # from the pen, to be sent
        self._completed: deque[_Pending] = deque()  # from the pen, to be answered
        self._unfinished = 0  # shares to be passed on and frames to be completed
        self._issued = [0] * len(roles.groups)  # frames ordered so far
        self._counted = [0] * len(roles.groups)  # frames that count
        self._left: set[int] = set()  # groups that have ended
        self._ready: set[int] = set()
        self._sent: list[Letter] = []
        self._early: dict[int, list[tuple[int, ShareReport]]] = {}

    def serve(self) -> None:
        """Carry out orders until the model stops; a failure of the model is raised here too."""
        while True:
            order = self._next_order()
            if isinstance(order, Stop):
                break
            self._carry_out(order)
        if not order.because:
            until(self._all_done)
            if self.is_clerk:
                # No message may be left when the communicator goes.
                self._tell_groups(None)
                until(self._all_left)
        self.pen.drain()
        self.pen.close()
        part = self.recorder.part(self.mail.rank, len(self.roles.nodes), {"role": "output server"})
        self._answer(
            Answer(last_sequence, self.pen.seconds, self._failure(), self.pen.most_bytes, part)
        )
        until(lambda: all(request.Test() for request in self._sent))
        if not order.because:  # all is written; what the model comes to after that ends both
            order = self._next_order()
            assert isinstance(order, Stop), "nothing is written after a stop"
        if order.because:
            raise UserError(order.because)
        self.mail.free()

    def _all_done(self) -> bool:
        self._look_around()
        return not self._unfinished

    def _all_left(self) -> bool:
        self._look_around()
        return len(self._left) == len(self.roles.groups) - 1

    def _next_order(self) -> Order:
        found: list[Order] = []

        def arrived() -> bool:
            self._look_around()
            got = self.mail.arrived(order_tag)
            if got is not None:
                found.append(got[1])
            return bool(found)

        with self.recorder.time("waiting for orders", "wait"):
            until(arrived)
        return found[0]

    def _carry_out(self, order: TakeStream | WriteFrame | LeaveStream) -> None:
        if isinstance(order, TakeStream):
            self._take(order)
        elif isinstance(order, LeaveStream):
            if order.group == self.group and self.is_clerk:
                sums: Sums = np.zeros(0, np.uint32)
                now = time.perf_counter()
                self._unfinished += 1
                self._pending.append(_Pending(order.sequence, None, sums, set(), now, leave=order))
        else:
            if order.frame is not None:
                self._frames[order.name] = order.frame
            after = dict(enumerate(self._issued)) if order.restart is not None else {}
            self._issued[order.group] += 1
            if order.group == self.group:
                self._write(order, after)

    def _take(self, order: TakeStream) -> None:
        files = RecordFiles(order.plan)
        self._files[order.plan.name] = files
        if order.group == self.group and self.is_clerk:
            self.pen.do(lambda: files.go_on(order.number))

    def _write(self, order: WriteFrame, after: dict[int, int]) -> None:
        """Receive and write this server's blocks of a frame."""
        target: Target
        if order.restart is not None:
            target = order.restart
        else:
            target = RecordTarget(self._files[order.name], order.number, order.record)
        frame = self._frames[order.name]
        sums: Sums = np.zeros(len(frame.range_ends), np.uint32)
        begin = time.perf_counter()
        if order.begins:
            self._make_file(order, target)
        if self.is_clerk:
            total = np.zeros_like(sums)
            self._unfinished += 1
            self._pending.append(
                _Pending(order.sequence, target, total, set(self.members), begin, after)
            )
            for source, share in self._early.pop(order.sequence, []):
                self._take_share(source, share)
        route = route_of(frame, order.base, self.members, self.options, self.round_robin)
        sink = target if self.is_clerk else OpenTarget(target)
        assembler = Assembler(self.mail, route, self.roles.model, meanwhile=self._look_around)
        with self.recorder.time("output: assembling", "output"):
            for block in route.of_writer(self.mail.rank):
                write_block(self.pen, sink, order.base, block, sums, assembler)
        if isinstance(sink, OpenTarget):
            self.pen.do(sink.finish)
        self._unfinished += 1
        self.pen.do(
            lambda: self._shares.append(ShareReport(order.sequence, sums, self._failure())),
            always=True,
        )

    def _make_file(self, order: WriteFrame, target: Target) -> None:
        """The clerk makes a file; the others wait until it is there."""
        if self.is_clerk:
            if order.restart is None:
                # The records of the file before this one count first.
                until(self._nothing_pending)
            self.pen.do(target.begin)
            self.pen.drain()
            for server in self.members[1:]:
                self._sent.append(self.mail.post(server, order.sequence, ready_tag))
            return
        until(lambda: self._is_ready(order.sequence))

    def _nothing_pending(self) -> bool:
        self._look_around()
        return not self._pending

    def _is_ready(self, sequence: int) -> bool:
        self._look_around()
        while (got := self.mail.arrived(ready_tag)) is not None:
            self._ready.add(got[1])
        return sequence in self._ready

    def _look_around(self) -> None:
        """Pass on what the pen has done, take in what others have, complete what can be.

        A server does so whatever it waits for: others may wait for what it has to pass on.
        """
        while self._shares:
            share = self._shares.popleft()
            self._unfinished -= 1
            if self.is_clerk:
                self._take_share(self.mail.rank, share)
            else:
                self._sent.append(self.mail.post(self.members[0], share, done_tag))
        while (got := self.mail.arrived(done_tag)) is not None:
            self._take_share(*got)
        while (news := self.mail.arrived(group_tag)) is not None:
            group, count = news[1]
            if count is None:
                self._left.add(group)
            else:
                self._counted[group] = count
        while self._pending and self._can_complete(self._pending[0]):
            self._complete(self._pending.popleft())
        while self._completed:
            self._tell(self._completed.popleft())
            self._unfinished -= 1
        self._sent = [request for request in self._sent if not request.Test()]

    def _take_share(self, server: int, share: ShareReport) -> None:
        for pending in self._pending:
            if pending.sequence == share.sequence:
                pending.sums ^= share.sums
                pending.missing.discard(server)
                if share.failure and self.pen.failure is None:
                    self.pen.failure = UserError(share.failure)
                return
        # Another server was faster than this one.
        self._early.setdefault(share.sequence, []).append((server, share))

    def _can_complete(self, pending: _Pending) -> bool:
        others = all(
            self._counted[group] >= count
            for group, count in pending.after.items()
            if group != self.group
        )
        return not pending.missing and others

    def _complete(self, pending: _Pending) -> None:
        """Let the pen make a frame count, or close a stream, and then say so."""
        if pending.target is not None:
            complete_behind(self.pen, pending.target, pending.sums)
        elif pending.leave is not None:
            files = self._files[pending.leave.name]
            self.pen.do(files.finish if pending.leave.finish else files.hand_over)
        self.pen.do(lambda: self._completed.append(pending), always=True)

    def _tell(self, pending: _Pending) -> None:
        seconds = time.perf_counter() - pending.begin
        self._answer(Answer(pending.sequence, seconds, self._failure(), self.pen.most_bytes))
        if pending.target is not None:
            self._counted[self.group] += 1
            self._tell_groups(self._counted[self.group])

    def _tell_groups(self, count: int | None) -> None:
        """Tell the clerks of other groups how many frames count; None: that no more will."""
        for group, members in enumerate(self.roles.groups):
            if group != self.group:
                self._sent.append(self.mail.post(members[0], (self.group, count), group_tag))

    def _answer(self, answer: Answer) -> None:
        self._sent.append(self.mail.post(self.roles.model[0], answer, answer_tag))

    def _failure(self) -> str:
        return str(self.pen.failure) if self.pen.failure is not None else ""


def route_of(
    frame: Frame, base: int, servers: tuple[int, ...], options: WritingOptions, round_robin: bool
) -> FrameRoute:
    """Who of some servers writes what of a frame: the model's ranks work it out alike."""
    blocks = cut_frame(frame, base % page, servers, options.block_size, round_robin=round_robin)
    return FrameRoute(frame, blocks)
