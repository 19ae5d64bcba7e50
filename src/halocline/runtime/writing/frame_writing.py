"""Moving a frame from the ranks that hold its values to those that write it.

A rank packs what it has of a block as it lies in memory and sends it in one message. The writer
takes one such part after the other, puts it where it belongs (in the byte order of the file, with
fill values), and hands the block to its pen. No rank holds more than a few blocks.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.runtime import _native
from halocline.runtime.files.checksums import linear, shift
from halocline.runtime.files.classic_files import checksum_size
from halocline.runtime.files.disk import File
from halocline.runtime.writing.frames import Cut, Frame, FrameRoute, Table
from halocline.runtime.writing.mail import Bytes, Letter, Mail, wait
from halocline.runtime.writing.pen import Pen
from halocline.runtime.writing.sharing import Index, OwnedRuns

Sums = NDArray[np.uint32]
"""Linear checksums of the ranges of a frame."""


class Sink(Protocol):
    """A file to which blocks are written."""

    def file(self) -> File:
        """The file, open."""

    def failure(self, error: OSError) -> UserError:
        """What to say where it cannot be written."""


@dataclass
class HeldRuns:
    """The values of a table on this rank: the rows of each block and where its runs begin."""

    blocks: dict[int, tuple[NDArray[Any], Index]]  # by number

    def pack(self, cut: Cut, target: Bytes) -> None:
        """Copy what a cut has of the values, as they lie in memory."""
        values, starts = self.blocks[cut.runs.block]
        low, high = cut.rows
        lengths = cut.runs.lengths
        _native.pack_runs(values[low:high], starts, lengths, cut.first, cut.last, target)


def pack(cuts: Sequence[Cut], held: Sequence[HeldRuns], target: Bytes) -> None:
    """Pack a rank's part of a block; `held` are the values of the frame's tables."""
    at = 0
    for cut in cuts:
        held[cut.area.table].pack(cut, target[at : at + cut.size])
        at += cut.size


def prepare(route: FrameRoute, block: int, target: Bytes) -> None:
    """Give the columns of a block that nobody owns their fill values, and zero what is no table."""
    if route.with_gaps[block]:
        target[:] = 0
    for area in route.areas[block]:
        table = route.frame.tables[area.table]
        if table.fill is not None and table.sharing.unowned[0].size:
            place = _place(target, area, table)
            item = np.array(table.fill, table.stored).tobytes()
            _native.fill_items(place, np.frombuffer(item, np.uint8))


def unpack(route: FrameRoute, block: int, rank: int, packed: Bytes, target: Bytes) -> None:
    """Put what a rank packed where it belongs in a block."""
    at = 0
    for cut in route.part(block, rank)[0]:
        table = route.frame.tables[cut.area.table]
        part = packed[at : at + cut.size]
        at += cut.size
        place = _place(target, cut.area, table)
        length = cut.area.columns[1] - cut.area.columns[0]
        if cut.runs.rows is None:
            _unpack(part, cut, table, place, length)
            continue
        # Rows that lie apart, one by one.
        size = length * table.stored.itemsize
        each = cut.size // (cut.rows[1] - cut.rows[0])
        for n, row in enumerate(cut.runs.rows[cut.rows[0] : cut.rows[1]]):
            begin = (int(row) - cut.area.rows[0]) * size
            here = part[n * each : (n + 1) * each]
            _unpack(here, cut, table, place[begin : begin + size], length)


def _unpack(part: Bytes, cut: Cut, table: Table, place: Bytes, length: int) -> None:
    runs: OwnedRuns = cut.runs
    _native.unpack_runs(
        part, runs.starts, runs.lengths, cut.first, cut.last, cut.area.columns[0],
        place, length, table.held.str, table.stored.str, table.fill,
    )  # fmt: skip


def _place(target: Bytes, area: Any, table: Table) -> Bytes:
    (r0, r1), (c0, c1) = area.rows, area.columns
    size = (r1 - r0) * (c1 - c0) * table.stored.itemsize
    return target[area.begin : area.begin + size]


class Assembler:
    """Brings the blocks of a route that this rank writes together, one after the other.

    While one part is put in its place the next ones are under way. Rank r of those that hold values
    is number `addresses[r]` of the mail; `held` are the values of this rank, if it has any. While
    it waits it does what is to be done `meanwhile`.
    """

    def __init__(
        self,
        mail: Mail,
        route: FrameRoute,
        addresses: Sequence[int],
        held: Sequence[HeldRuns] | None = None,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> None:
        self.mail, self.route, self.addresses, self.held = mail, route, addresses, held
        self.meanwhile = meanwhile
        self._parts = [
            (block, rank, size)
            for block in route.of_writer(mail.rank)
            for rank, address in enumerate(addresses)
            if address != mail.rank and (size := route.part(block, rank)[1])
        ]
        largest = max((size for _, _, size in self._parts), default=0)
        count = min(parts_ahead, len(self._parts))
        self._buffers = [mail.space(n, largest) for n in range(count)]
        self._arriving: deque[Letter] = deque()
        self._at = 0

    def assemble(self, block: int, target: Bytes) -> None:
        """Fill `target` with the bytes of a block's span; blocks in the order of the route."""
        self._receive_more()
        prepare(self.route, block, target)
        if self.held is not None:
            me = self.addresses.index(self.mail.rank)
            cuts, size = self.route.part(block, me)
            buffer = self.mail.space(own_space, size)
            pack(cuts, self.held, buffer)
            unpack(self.route, block, me, buffer, target)
        while self._at < len(self._parts) and self._parts[self._at][0] == block:
            _, rank, size = self._parts[self._at]
            buffer = self._buffers[self._at % len(self._buffers)][:size]
            wait(self._arriving.popleft(), self.meanwhile)
            unpack(self.route, block, rank, buffer, target)
            self._at += 1
            self._receive_more()

    def _receive_more(self) -> None:
        """Begin to receive the next parts, as far as there are buffers."""
        while len(self._arriving) < len(self._buffers):
            at = self._at + len(self._arriving)
            if at == len(self._parts):
                return
            _, rank, size = self._parts[at]
            buffer = self._buffers[at % len(self._buffers)][:size]
            self._arriving.append(self.mail.receive(self.addresses[rank], buffer))


parts_ahead = 4
"""Parts of blocks that arrive at once."""

own_space = parts_ahead
"""Number of the memory for a rank's own part."""


def add_sums(frame: Frame, begin: int, data: Bytes, sums: Sums) -> None:
    """Add what bytes from `begin` of a frame give to the linear checksums of its ranges."""
    end = begin + data.size
    number = bisect_right(frame.range_ends, begin)
    while number < len(frame.range_ends):
        low = frame.range_ends[number - 1] if number else 0
        high = frame.range_ends[number]
        if low >= end:
            break
        for first, last in _around(frame.hole, max(begin, low), min(end, high)):
            left = high - last
            if last <= frame.hole < high:
                left -= checksum_size
            value = shift(linear(data[first - begin : last - begin]), left)
            sums[number] ^= np.uint32(value)
        number += 1


def _around(hole: int, begin: int, end: int) -> list[tuple[int, int]]:
    """The parts of [begin, end) before and after the four bytes at `hole`."""
    if hole < 0:
        parts = [(begin, end)]
    else:
        parts = [(begin, min(end, hole)), (max(begin, hole + 4), end)]
    return [(first, last) for first, last in parts if first < last]


def write_block(
    pen: Pen, sink: Sink, base: int, block: int, sums: Sums, assembler: Assembler
) -> None:
    """Assemble a block of this rank and let the pen write it; its checksums go into `sums`."""
    route = assembler.route
    begin, end = route.spans[block]
    wanted = route.blocks[block]
    number, target = pen.block(end - begin)
    assembler.assemble(block, target)
    data = target[wanted.begin - begin : wanted.end - begin]

    def task() -> None:
        add_sums(route.frame, wanted.begin, data, sums)
        try:
            sink.file().write(data, base + wanted.begin)
        except OSError as error:
            raise sink.failure(error) from None

    pen.do(task, number)


Sent = tuple[Letter, Bytes]


def send_parts(
    mail: Mail, route: FrameRoute, blocks: Sequence[int], held: Sequence[HeldRuns], space: int
) -> list[Sent]:
    """Pack, into kept memory from number `space` on, and begin to send parts of others' blocks."""
    sent: list[Sent] = []
    for block in blocks:
        writer = route.blocks[block].writer
        cuts, size = route.part(block, mail.rank)
        if writer != mail.rank and size:
            buffer = mail.space(space + len(sent), size)
            pack(cuts, held, buffer)
            sent.append((mail.send(writer, buffer), buffer))
    return sent


ahead = 4
"""Turns of blocks that a rank sends before it waits for the first of them to be taken."""


def write_together(
    mail: Mail,
    route: FrameRoute,
    held: Sequence[HeldRuns],
    pen: Pen,
    sink: Sink,
    base: int,
    sums: Sums,
) -> None:
    """Send and write, on ranks that all hold values, turn by turn.

    Returns when others have this rank's parts; the pen may still write its blocks to the `sink`.
    """
    everyone = range(mail.size)
    assembler = Assembler(mail, route, everyone, held)
    under_way: deque[list[Sent]] = deque()
    for number, turn in enumerate(route.rounds):
        if len(under_way) >= ahead:
            wait_for_all(under_way.popleft())
        space = own_space + 1 + number % ahead * mail.size
        under_way.append(send_parts(mail, route, turn, held, space))
        for block in turn:
            if route.blocks[block].writer == mail.rank:
                write_block(pen, sink, base, block, sums, assembler)
    for sent in under_way:
        wait_for_all(sent)


def wait_for_all(sent: Sequence[Sent]) -> None:
    """Wait until others have these messages."""
    for request, _ in sent:
        wait(request)
