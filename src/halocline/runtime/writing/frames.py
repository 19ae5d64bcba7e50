"""Frames: the bytes that one output call writes, as tables whose columns the ranks share.

A frame is a record of a growing file, or a restart file. Its tables have rows (the axes before the
horizontal ones) and columns (places) in the order of the file. It is cut into blocks, each of which
one rank writes; a block is up to three areas of each table that it touches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from halocline.runtime.writing.sharing import OwnedRuns, Sharing


@dataclass(frozen=True)
class Table:
    """Rows by columns at `offset` [byte] of a frame.

    `held` is the type of the values on the ranks, `stored` that in the file with its byte order.
    Columns that nobody owns hold `fill`, as do values that are not finite; without it such values
    are written as they are, and columns that nobody owns are zero.
    """

    name: str
    offset: int
    rows: int
    sharing: Sharing
    held: np.dtype[Any]
    stored: np.dtype[Any]
    fill: float | None = None

    @property
    def columns(self) -> int:
        return self.sharing.width

    def rows_of(self, runs: OwnedRuns) -> int:
        """How many rows the block of some runs holds."""
        return self.rows if runs.rows is None else runs.rows.size

    @property
    def end(self) -> int:
        return self.offset + self.rows * self.columns * self.stored.itemsize


@dataclass(frozen=True)
class TableArea:
    """Rows and columns of a table, and the first byte of them in a block."""

    table: int
    rows: tuple[int, int]
    columns: tuple[int, int]
    begin: int


@dataclass(frozen=True)
class Cut:
    """What a block's runs have of an area: its local rows, and some of its packed columns."""

    area: TableArea
    runs: OwnedRuns
    rows: tuple[int, int]
    first: int
    last: int
    size: int  # bytes, packed as they are held


@dataclass(frozen=True)
class FrameBlock:
    """Bytes [begin, end) of a frame, and the rank that writes them."""

    begin: int
    end: int
    writer: int


@dataclass(frozen=True)
class Frame:
    """Tables one after the other, and the ranges that have a checksum each.

    `range_ends` are the ends of the ranges; `hole` is the first of four bytes that no checksum
    covers, because it lies there itself (-1: none).
    """

    tables: tuple[Table, ...]
    size: int
    range_ends: tuple[int, ...]
    hole: int = -1

    def whole_numbers(self, begin: int, end: int) -> tuple[int, int]:
        """Bytes [begin, end), and the other bytes of numbers that lie across these edges."""
        for table in self.tables:
            size = table.stored.itemsize
            if table.offset < begin < table.end:
                begin -= (begin - table.offset) % size
            if table.offset < end < table.end:
                end += -(end - table.offset) % size
        return begin, end

    def areas(self, begin: int, end: int) -> Iterator[TableArea]:
        """What bytes [begin, end), whole numbers, hold of the tables."""
        for number, table in enumerate(self.tables):
            size = table.stored.itemsize
            first = (max(begin, table.offset) - table.offset) // size
            last = (min(end, table.end) - table.offset) // size
            while first < last:
                row, column = divmod(first, table.columns)
                if column or last - first < table.columns:
                    stop = min(last, (row + 1) * table.columns)
                    rows, columns = (row, row + 1), (column, column + stop - first)
                else:
                    stop = last - last % table.columns
                    rows, columns = (row, stop // table.columns), (0, table.columns)
                yield TableArea(number, rows, columns, table.offset + first * size - begin)
                first = stop

    def cuts(self, areas: Sequence[TableArea], rank: int) -> list[Cut]:
        """What a rank has of some areas, in the order in which it packs them."""
        result = []
        for area in areas:
            table = self.tables[area.table]
            (r0, r1), (c0, c1) = area.rows, area.columns
            for runs in table.sharing.owned:
                if runs.rank != rank:
                    continue
                rows = (r0, r1)
                if runs.rows is not None:
                    low, high = np.searchsorted(runs.rows, rows)
                    rows = int(low), int(high)
                first, last = runs.packed(c0), runs.packed(c1)
                count = (rows[1] - rows[0]) * (last - first)
                if count:
                    size = count * table.held.itemsize
                    result.append(Cut(area, runs, rows, first, last, size))
        return result


@dataclass
class FrameRoute:
    """The blocks of a frame in the order in which they are written, and who sends what for each."""

    frame: Frame
    blocks: Sequence[FrameBlock]
    _cuts: dict[tuple[int, int], tuple[list[Cut], int]] = field(default_factory=dict)

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """The bytes that are assembled for each block: whole numbers."""
        return [self.frame.whole_numbers(block.begin, block.end) for block in self.blocks]

    @cached_property
    def areas(self) -> list[list[TableArea]]:
        return [list(self.frame.areas(*span)) for span in self.spans]

    @cached_property
    def with_gaps(self) -> list[bool]:
        """Whether some bytes of a block's span come from nobody."""
        result = []
        for (begin, end), areas in zip(self.spans, self.areas, strict=True):
            covered = 0
            for area in areas:
                table = self.frame.tables[area.table]
                (r0, r1), (c0, c1) = area.rows, area.columns
                if not table.sharing.unowned[0].size:
                    covered += (r1 - r0) * (c1 - c0) * table.stored.itemsize
            result.append(covered < end - begin)
        return result

    @cached_property
    def rounds(self) -> list[list[int]]:
        """Numbers of the blocks in turns: the first of every writer, then the second, and so on."""
        turn: dict[int, int] = {}
        result: list[list[int]] = []
        for number, block in enumerate(self.blocks):
            at = turn.get(block.writer, 0)
            turn[block.writer] = at + 1
            if at == len(result):
                result.append([])
            result[at].append(number)
        return result

    def part(self, block: int, rank: int) -> tuple[list[Cut], int]:
        """What a rank has of a block, and its bytes."""
        key = block, rank
        if key not in self._cuts:
            cuts = self.frame.cuts(self.areas[block], rank)
            self._cuts[key] = cuts, sum(cut.size for cut in cuts)
        return self._cuts[key]

    def of_writer(self, writer: int) -> list[int]:
        """Numbers of the blocks that a rank writes."""
        return [number for number, block in enumerate(self.blocks) if block.writer == writer]


def cut_frame(
    frame: Frame,
    base: int,
    writers: Sequence[int],
    block_size: int,
    *,
    round_robin: bool = False,
) -> list[FrameBlock]:
    """Blocks of about `block_size` bytes for some writers, of a frame at `base` of a file.

    The writers get equal spans of the file, or its blocks in turn. No page of the file is written
    by two of them: blocks begin with a page, and what begins or ends within one belongs to the
    first writer.
    """
    step = page if len(writers) > 1 else 1
    count = max(1, -(-frame.size // block_size))
    edges = [-(-(base + n * frame.size // count) // step) * step - base for n in range(1, count)]
    tail = (base + frame.size) // step * step - base
    inner = sorted({edge for edge in [*edges, tail] if 0 < edge < frame.size})
    ends = [*inner, frame.size]
    blocks = []
    for n, (begin, end) in enumerate(zip([0, *inner], ends, strict=True)):
        at = n % len(writers) if round_robin else n * len(writers) // len(ends)
        whole = end < frame.size or (base + end) % step == 0
        blocks.append(FrameBlock(begin, end, writers[at] if whole else writers[0]))
    return blocks


page = 1 << 16
"""No memory page of a machine that writes files is larger than this [byte]."""
