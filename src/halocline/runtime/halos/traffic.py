"""The messages of one halo exchange: which rows of which fields share a message, how many bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.fields.freshness import Depths
from halocline.runtime.fields.memory import Memory, host
from halocline.runtime.fields.place import Direction, Place
from halocline.runtime.halos.choices import HaloChoice
from halocline.runtime.halos.patterns import Pattern, Piece

Addresses = NDArray[np.int64]


@dataclass(frozen=True)
class Item:
    """What all ranks know of one stale field: where it lies, how deep, its numbers and rows.

    With a `direction` it is a component of a vector and changes sign beyond some sides.
    """

    place: Place
    depths: Depths
    dtype: np.dtype[Any]
    rows: int
    direction: Direction = ""

    def __str__(self) -> str:
        rows = "1 row" if self.rows == 1 else f"{self.rows} rows"
        return f"{rows} of {self.dtype} at {self.place} to depth {depth_words(self.depths)}"


def depth_words(depths: Depths) -> str:
    """Depths in words, those of all sides as one number where they are alike.

    >>> depth_words((2, 2, 2, 2)), depth_words((1, 0, 0, 2))
    ('2', '1 west, 2 north')
    """
    if len(set(depths)) == 1:
        return str(depths[0])
    sides = zip(depths, ("west", "east", "south", "north"), strict=True)
    return ", ".join(f"{depth} {side}" for depth, side in sides if depth)


@dataclass(frozen=True)
class Signature:
    """What identifies an exchange on all ranks: the layout and its fields."""

    layout: str
    items: tuple[Item, ...]

    def __str__(self) -> str:
        return f"{self.layout}: " + ", ".join(str(item) for item in self.items)


@dataclass(frozen=True)
class MessagePart:
    """Rows of one field in a message: one piece between two blocks."""

    field: int
    first_row: int
    rows: int
    piece: Piece
    offset: int  # bytes from the begin of the message


@dataclass(frozen=True)
class Message:
    """What goes to, or comes from, one rank at once; `number` counts those of one rank."""

    peer: int
    number: int
    parts: tuple[MessagePart, ...]
    size: int  # bytes


class Traffic:
    """All messages of one rank in one stage of an exchange, on both sides in the same order."""

    def __init__(
        self,
        items: Sequence[Item],
        patterns: Sequence[Pattern],
        choice: HaloChoice,
        memory: Memory = host,
    ) -> None:
        self.items, self.patterns, self.memory = tuple(items), tuple(patterns), memory
        self.send = list(_messages(items, [p.send for p in patterns], choice))
        self.receive = list(_messages(items, [p.receive for p in patterns], choice))

    def only(self, peers: set[int]) -> Traffic:
        """The messages to and from some ranks."""
        return self._with(lambda message: message.peer in peers)

    def without(self, peers: set[int]) -> Traffic:
        """The messages to and from all other ranks."""
        return self._with(lambda message: message.peer not in peers)

    def _with(self, wanted: Callable[[Message], bool]) -> Traffic:
        chosen = copy(self)
        chosen.send = [message for message in self.send if wanted(message)]
        chosen.receive = [message for message in self.receive if wanted(message)]
        return chosen

    @property
    def count(self) -> int:
        """Messages sent."""
        return len(self.send)

    @property
    def bytes(self) -> int:
        """Bytes sent."""
        return sum(message.size for message in self.send)

    def copies(self, blocks: int) -> Any:
        """Copies between blocks of this rank, native."""
        copies = self.memory.copies()
        for field, (item, pattern) in enumerate(zip(self.items, self.patterns, strict=True)):
            for piece in pattern.local:
                copies.add(
                    field * blocks + piece.source,
                    field * blocks + piece.target,
                    item.dtype.itemsize,
                    item.rows,
                    piece.source_index,
                    piece.target_index,
                )
        return copies

    def turns(self, blocks: int) -> Any:
        """Changes of sign of what came from the other side, native; None where there are none."""
        turns = self.memory.turns()
        for field, (item, pattern) in enumerate(zip(self.items, self.patterns, strict=True)):
            if item.direction:
                for at, places in pattern.turned[item.direction].items():
                    turns.add(field * blocks + at, item.dtype.itemsize, item.rows, places)
        return turns if len(turns) else None

    def parts(self, messages: Sequence[Message], blocks: int) -> Any:
        """Native packer of the messages: message n fills buffer n."""
        parts = self.memory.parts()
        for buffer, message in enumerate(messages):
            for part in message.parts:
                block = part.piece.source if part.piece.source >= 0 else part.piece.target
                place = part.piece.source_index
                if part.piece.source < 0:
                    place = part.piece.target_index
                item = self.items[part.field].dtype.itemsize
                parts.add(
                    part.field * blocks + block,
                    buffer,
                    part.offset,
                    item,
                    part.first_row,
                    part.rows,
                    place,
                )
        return parts


def _messages(
    items: Sequence[Item], pieces: Sequence[dict[int, list[Piece]]], choice: HaloChoice
) -> Iterator[Message]:
    for peer in sorted({peer for by_peer in pieces for peer in by_peer}):
        mine = [by_peer.get(peer, []) for by_peer in pieces]
        values = [sum(piece.values for piece in found) for found in mine]
        row_bytes = [n * item.dtype.itemsize for n, item in zip(values, items, strict=True)]
        for number, group in enumerate(_groups(items, row_bytes, choice)):
            parts, offset = [], 0
            for field, first, rows in group:
                for piece in mine[field]:
                    parts.append(MessagePart(field, first, rows, piece, offset))
                    offset += rows * piece.values * items[field].dtype.itemsize
            yield Message(peer, number, tuple(parts), offset)


Group = list[tuple[int, int, int]]  # field, first row, rows


def _groups(items: Sequence[Item], row_bytes: list[int], choice: HaloChoice) -> Iterator[Group]:
    """Rows that share a message. Wide numbers come first, so that all are aligned in buffers."""
    order = sorted(range(len(items)), key=lambda field: -items[field].dtype.itemsize)
    order = [field for field in order if row_bytes[field] and items[field].rows]
    if choice.grouping == "aggregated":
        if order:
            yield [(field, 0, items[field].rows) for field in order]
    elif choice.grouping == "per-field":
        for field in order:
            yield [(field, 0, items[field].rows)]
    else:
        yield from _segments(order, items, row_bytes, choice)


def _segments(
    order: list[int], items: Sequence[Item], row_bytes: list[int], choice: HaloChoice
) -> Iterator[Group]:
    """As many rows as fit into a segment, at least one."""
    group: Group = []
    room = choice.segment
    for field in order:
        if group and choice.grouping == "segments":
            yield group
            group, room = [], choice.segment
        row = 0
        while row < items[field].rows:
            fit = max(0, min(room // row_bytes[field], items[field].rows - row))
            if not fit and group:
                yield group
                group, room = [], choice.segment
                continue
            fit = max(fit, 1)
            group.append((field, row, fit))
            row += fit
            room -= fit * row_bytes[field]
    if group:
        yield group
