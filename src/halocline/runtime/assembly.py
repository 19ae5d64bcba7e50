"""Any range of a file's bytes, assembled on one rank from what all ranks own.

A file holds fields one after the other in global order: tables of rows (the axes before the
horizontal ones) by columns (sea points, or cells). A range of bytes is up to three rectangles of
each table; every rank sends the rank that writes it its part of them in one message. No rank ever
holds more than a range, and no range knows the decomposition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.blocks import Block
from halocline.runtime.fields import Field

Bytes: TypeAlias = NDArray[np.uint8]
Index: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class Share:
    """What a rank owns of a table: the columns of each block, and the rows (None: all)."""

    rows: Index | None
    columns: tuple[Index, ...]


@dataclass(frozen=True)
class Rectangle:
    """Rows and columns of a table, and where they lie in the range [byte]."""

    table: Table
    rows: tuple[int, int]
    columns: tuple[int, int]
    begin: int


class Table:
    """A field as rows by columns in a file, at `offset` [byte]; made on all ranks together."""

    def __init__(self, field: Field, offset: int) -> None:
        self.field, self.offset = field, offset
        world = field.decomposition.world
        self.dtype = field.dtype.newbyteorder("<")
        width = {"points": world.sea_points, "cells": world.mask.size, "none": 1}
        self.rows, self.columns = prod(field.outer), width[field.on]
        self.end = offset + self.rows * self.columns * self.dtype.itemsize
        self.land = ~world.mask.reshape(-1) if field.on == "cells" else None
        communicator = field.decomposition.communicator
        self.rank = communicator.rank
        self.shares: Sequence[Share] = communicator.broadcast(communicator.gather(_share(field)))

    def rectangles(self, begin: int, end: int) -> Iterator[Rectangle]:
        """What the bytes [begin, end) of the file hold of this table."""
        size = self.dtype.itemsize
        first = (max(begin, self.offset) - self.offset) // size
        last = (min(end, self.end) - self.offset) // size
        while first < last:
            row, column = divmod(first, self.columns)
            if column or last - first < self.columns:
                stop = min(last, (row + 1) * self.columns)
                rows, columns = (row, row + 1), (column, column + stop - first)
            else:
                stop = last - last % self.columns
                rows, columns = (row, stop // self.columns), (0, self.columns)
            yield Rectangle(self, rows, columns, self.offset + first * size - begin)
            first = stop

    def values(self, block: int, rows: slice, columns: slice) -> NDArray[Any]:
        """Some of what this rank's block owns; not copied where it lies in rows."""
        owned = self.field.owned[block]
        horizontal = 2 if self.field.on == "cells" else 1
        if self.field.on == "none":
            owned = owned[..., np.newaxis]
        split = owned.ndim - horizontal
        table = owned.reshape(prod(owned.shape[:split]), *owned.shape[split:])[rows]
        return table.reshape(table.shape[0], -1)[:, columns]


def _share(field: Field) -> Share:
    """What this rank owns of a field."""
    communicator, layout = field.decomposition.communicator, field.layout
    rows = None
    if field.by_component and layout.components is not None:
        inner = prod(field.outer[1:])
        rows = (np.asarray(layout.components)[:, np.newaxis] * inner + np.arange(inner)).ravel()
    if field.on == "none":
        return Share(rows, (np.arange(1 if communicator.rank == 0 else 0),))
    columns = []
    for block in layout.blocks:
        if field.on == "points":
            columns.append(np.asarray(block.sea_numbers[: block.owned_points], np.int64))
        else:
            assert isinstance(block, Block)
            r, width = block.rectangle, field.decomposition.world.mask.shape[1]
            cells = np.arange(r.j0, r.j1)[:, np.newaxis] * width + np.arange(r.i0, r.i1)
            columns.append(cells.ravel())
    assert all((np.diff(numbers) > 0).all() for numbers in columns), "columns are in file order"
    return Share(rows, tuple(columns))


@dataclass(frozen=True)
class _Cut:
    """The part of a rectangle that one block of a rank owns, there and here."""

    block: int
    local_rows: slice
    local_columns: slice
    rows: slice | Index  # in the rectangle
    columns: slice | Index

    @property
    def shape(self) -> tuple[int, int]:
        def length(part: slice) -> int:
            return int(part.stop - part.start)

        return length(self.local_rows), length(self.local_columns)


def _cuts(share: Share, rectangle: Rectangle) -> Iterator[_Cut]:
    (r0, r1), (c0, c1) = rectangle.rows, rectangle.columns
    rows: slice | Index = slice(0, r1 - r0)
    local_rows = slice(r0, r1)
    if share.rows is not None:
        first, last = np.searchsorted(share.rows, (r0, r1))
        local_rows, rows = slice(int(first), int(last)), share.rows[first:last] - r0
    for block, numbers in enumerate(share.columns):
        first, last = (int(n) for n in np.searchsorted(numbers, (c0, c1)))
        if first < last and local_rows.start < local_rows.stop:
            columns = _as_slice(numbers[first:last] - c0)
            yield _Cut(block, local_rows, slice(first, last), rows, columns)


def _as_slice(numbers: Index) -> slice | Index:
    """Consecutive numbers as a slice, which is faster."""
    first, last = int(numbers[0]), int(numbers[-1])
    return slice(first, last + 1) if last - first + 1 == numbers.size else numbers


def pack(rectangles: Sequence[Rectangle]) -> Bytes:
    """What this rank owns of some rectangles, one part after the other."""
    rank = rectangles[0].table.rank if rectangles else 0
    packed = np.empty(packed_size(rectangles, rank), np.uint8)
    at = 0
    for rectangle in rectangles:
        table = rectangle.table
        for cut in _cuts(table.shares[rank], rectangle):
            size = prod(cut.shape) * table.dtype.itemsize
            values = table.values(cut.block, cut.local_rows, cut.local_columns)
            packed[at : at + size].view(table.dtype).reshape(cut.shape)[...] = values
            at += size
    return packed


def packed_size(rectangles: Sequence[Rectangle], rank: int) -> int:
    """Bytes that `pack` gives on a rank."""
    return sum(
        prod(cut.shape) * rectangle.table.dtype.itemsize
        for rectangle in rectangles
        for cut in _cuts(rectangle.table.shares[rank], rectangle)
    )


def unpack(rectangles: Sequence[Rectangle], rank: int, packed: Bytes, target: Bytes) -> None:
    """Put what a rank packed where it belongs in the range `target`."""
    at = 0
    for rectangle in rectangles:
        dtype = rectangle.table.dtype
        view = _view(rectangle, target)
        for cut in _cuts(rectangle.table.shares[rank], rectangle):
            size = prod(cut.shape) * dtype.itemsize
            part = packed[at : at + size].view(dtype).reshape(cut.shape)
            if isinstance(cut.rows, slice) or isinstance(cut.columns, slice):
                view[cut.rows, cut.columns] = part
            else:
                view[np.ix_(cut.rows, cut.columns)] = part
            at += size


def clear_land(rectangles: Sequence[Rectangle], target: Bytes) -> None:
    """Zero on land, where some decompositions hold cells and others do not."""
    for rectangle in rectangles:
        if rectangle.table.land is not None:
            first, last = rectangle.columns
            _view(rectangle, target)[:, rectangle.table.land[first:last]] = 0


def _view(rectangle: Rectangle, target: Bytes) -> NDArray[Any]:
    """The rectangle's place in a range, as rows by columns."""
    (r0, r1), (c0, c1) = rectangle.rows, rectangle.columns
    dtype = rectangle.table.dtype
    size = (r1 - r0) * (c1 - c0) * dtype.itemsize
    place = target[rectangle.begin : rectangle.begin + size]
    return place.view(dtype).reshape(r1 - r0, c1 - c0)


def assemble(
    tables: Sequence[Table], ranges: Sequence[tuple[int, int]], communicator: Any
) -> Iterator[tuple[int, Bytes]]:
    """The bytes of all ranges: rank r gets ranges r, r + size, ... with their numbers.

    A call for all ranks, all of which must use up the iterator alike.
    """
    size, rank = communicator.size, communicator.rank
    for first in range(0, len(ranges), size):
        round_ = ranges[first : first + size]
        wanted = [[part for t in tables for part in t.rectangles(*span)] for span in round_]
        send = [(writer, pack(wanted[writer])) for writer in range(len(round_))]
        own = send[rank][1] if rank < len(round_) else None
        mine = wanted[rank] if own is not None else []
        receive = [
            (other, np.empty(packed_size(mine, other), np.uint8))
            for other in range(size)
            if other != rank
        ]
        communicator.exchange(
            [(writer, data) for writer, data in send if writer != rank and data.size],
            [(other, data) for other, data in receive if data.size],
        )
        if own is None:
            continue
        begin, end = round_[rank]
        target = np.zeros(end - begin, np.uint8)
        for other, data in [(rank, own), *receive]:
            unpack(mine, other, data, target)
        clear_land(mine, target)
        del send, receive, own, data
        yield first + rank, target
        del target
