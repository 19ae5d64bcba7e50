"""Moving values between two ways of holding the same global points, from any ranks to any ranks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime import _native
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.record.recorder import Partners, Recorder
from halocline.runtime.transfer.matching import Index32, Match, match
from halocline.runtime.transfer.side import Index, Side

Flats = Sequence[NDArray[Any]]
"""One array (rows, places) per block, of one field."""
Kind = tuple[tuple[int, int], ...]
"""Rows (0: none here) and bytes of an item, of each field."""
Span = tuple[int, int, int]
"""Rows of an array: first, how many, step."""
aligned = 8
"""Parts of a message begin at multiples of this [bytes]."""
stamp = np.dtype(np.int64)
"""The time at which a message was begun, at the end of one that is stamped [ns]."""


class Transfer:
    """Brings values at global points from where a rank has them to where ranks want them.

    `source` and `target` say what this rank has and wants (`Side()`: nothing); who gives what to
    whom is found once, in a call for all ranks of `communicator`, and no rank keeps a table of all
    points. Points that nobody wants stay where they are; values that nobody has are left as they
    are, `missing` has their (block, place) here. Where ranks share the components of a source,
    each gives its own.

    A call moves any number of fields in one message per pair of ranks, and none within a rank:

        transfer([[flat]], [[other]])

    Where all ranks can tell who has what, as `known`, nothing is asked; all of them or none share
    components then.

    Each field is the flat arrays of its blocks, alike on all ranks in rows per component and bytes
    of an item; a rank without source or target may give None for it. Only ranks that have or want
    something need to call.

    Messages that are `stamped` end with the time of day at which they were begun; `begun` is the
    latest of those that came last [ns], 0 where none did.
    """

    def __init__(
        self,
        source: Side,
        target: Side,
        communicator: Communicator,
        *,
        known: Match | None = None,
        recorder: Recorder | None = None,
        name: str = "transfer",
        stamped: bool = False,
    ) -> None:
        self.communicator, self.recorder, self.name = communicator, recorder, name
        self.stamped, self.begun = stamped, 0
        self.source, self.target = source, target
        alike = known is not None and source.components is None and target.components is None
        self._components = None if alike else _components(source, target, communicator)
        shared = self._components is not None
        found = known or match(source, target, communicator, every=shared)
        me = communicator.rank
        self.missing = found.missing
        from_me = [link for link in found.give if link.rank == me]
        to_me = [link for link in found.take if link.rank == me]
        self.local = list(zip(from_me, to_me, strict=True))
        self.give = [link for link in found.give if link.rank != me]
        self.take = [link for link in found.take if link.rank != me]
        self._plans: dict[tuple[Kind, Kind], _Plan] = {}

    def of_components(self, has: Index, wants: Index) -> Transfer:
        """The same for other components of the arrays on both sides; a call for all ranks."""
        other = copy(self)
        other.source = replace(self.source, components=has)
        other.target = replace(self.target, components=wants)
        other._components = _components(other.source, other.target, self.communicator)
        other._plans = {}
        return other

    def __call__(
        self, given: Sequence[Flats] | None = None, wanted: Sequence[Flats] | None = None
    ) -> None:
        """Move the values of some fields."""
        self.start(given, wanted)()

    def start(
        self, given: Sequence[Flats] | None = None, wanted: Sequence[Flats] | None = None
    ) -> Callable[[], None]:
        """Begin to move values; the call that this gives waits for them and puts them in place.

        `given` may change as soon as this returns.
        """
        kinds = _kind(given), _kind(wanted)
        if kinds not in self._plans:
            self._plans[kinds] = _Plan(self, *kinds)
        return self._plans[kinds].start(given or [], wanted or [])

    def shared(self, giver: int, taker: int) -> tuple[Index, Index] | None:
        """Components that go from rank to rank, as places among those of both; None: all rows."""
        if self._components is None:
            return None
        has, wants = self._components[giver][0], self._components[taker][1]
        _, at_giver, at_taker = np.intersect1d(has, wants, True, return_indices=True)
        return at_giver, at_taker


def _components(
    source: Side, target: Side, communicator: Communicator
) -> list[tuple[Index, Index]] | None:
    """Components that each rank has and wants, None where no rank shares them."""
    own = [
        None if side.components is None else np.asarray(side.components, np.int64)
        for side in (source, target)
    ]
    missing = any(c is None and s.numbers for c, s in zip(own, (source, target), strict=True))
    all_ranks = communicator.broadcast(communicator.gather((*own, missing)))
    if all(has is None and wants is None for has, wants, _ in all_ranks):
        return None
    strange = [rank for rank, (_, _, missing) in enumerate(all_ranks) if missing]
    assert not strange, f"ranks {strange} do not say which components they have or want"
    none = np.zeros(0, np.int64)
    return [(none if a is None else a, none if b is None else b) for a, b, _ in all_ranks]


@dataclass
class _Packing:
    """All parts of the messages of one direction, for the native packer; `tail` bytes come last."""

    tail: int = 0

    parts: Any = field(default_factory=_native.Parts)
    arrays: list[tuple[int, int, int, int]] = field(default_factory=list)  # field, block, row, step
    ranks: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    def add(
        self,
        rank: int,
        links: Sequence[tuple[int, Index32]],
        kind: Kind,
        components: Index | None,
        side: Side,
    ) -> None:
        """Append the message to or from a rank; wide items come first.

        `links` are (block, places) and `components` places among those of this side.
        """
        size = 0
        for number in sorted(range(len(kind)), key=lambda n: (-kind[n][1], n)):
            rows, item = kind[number]
            spans = _spans(_rows(components, rows, side))
            for block, places in links:
                for ((first, count, step),) in spans:
                    at = len(self.arrays)
                    self.parts.add(at, len(self.ranks), size, item, 0, count, places)
                    self.arrays.append((number, block, first, step))
                    size += count * places.size * item
            size += -size % aligned
        if size:
            self.ranks.append(rank)
            self.sizes.append(size + self.tail)


class _Plan:
    """What a call with fields of some kinds does; the buffers of the last call are kept."""

    def __init__(self, transfer: Transfer, given: Kind, wanted: Kind) -> None:
        self.transfer = transfer
        me = transfer.communicator.rank
        tail = stamp.itemsize if transfer.stamped else 0
        self.send, self.receive = _Packing(tail), _Packing(tail)
        for rank, links in groupby(transfer.give, key=lambda link: link.rank):
            both = transfer.shared(me, rank)
            places = [(link.source, link.places) for link in links]
            self.send.add(rank, places, given, both and both[0], transfer.source)
        for rank, links in groupby(transfer.take, key=lambda link: link.rank):
            both = transfer.shared(rank, me)
            places = [(link.target, link.places) for link in links]
            self.receive.add(rank, places, wanted, both and both[1], transfer.target)
        self.copies, self.copied = _native.Copies(), list[tuple[bool, int, int, int, int]]()
        self._add_copies(given, wanted)
        self._spare: list[tuple[NDArray[np.uint8], NDArray[np.uint8]]] = []

    def _add_copies(self, given: Kind, wanted: Kind) -> None:
        """What goes from block to block of this rank."""
        transfer = self.transfer
        if not transfer.local:
            return
        assert len(given) == len(wanted), f"{len(given)} fields given, {len(wanted)} wanted"
        me = transfer.communicator.rank
        has, wants = transfer.shared(me, me) or (None, None)
        for number, ((rows, item), (other, same)) in enumerate(zip(given, wanted, strict=True)):
            assert item == same, f"items of {item} bytes are given, of {same} wanted"
            pair = _rows(has, rows, transfer.source), _rows(wants, other, transfer.target)
            assert pair[0].size == pair[1].size, f"{rows} rows are given, {other} wanted"
            for from_rows, to_rows in _spans(*pair):
                for give, take in transfer.local:
                    at = len(self.copied)
                    self.copied += [
                        (False, number, give.source, from_rows[0], from_rows[2]),
                        (True, number, take.target, to_rows[0], to_rows[2]),
                    ]
                    self.copies.add(at, at + 1, item, from_rows[1], give.places, take.places)

    def start(self, given: Sequence[Flats], wanted: Sequence[Flats]) -> Callable[[], None]:
        begin = _native.now_ns()
        out, back = self._buffers()
        leaving, arriving = _cut(out, self.send.sizes), _cut(back, self.receive.sizes)
        table = _table([_row(given[n][b], first, step) for n, b, first, step in self.send.arrays])
        self.send.parts.pack(table, _addresses(leaving), 0, len(self.send.parts))
        if self.transfer.stamped:
            for message in leaving:
                message[-stamp.itemsize :].view(stamp)[0] = time.time_ns()
        wait = self.transfer.communicator.begin(
            list(zip(self.send.ranks, leaving, strict=True)),
            list(zip(self.receive.ranks, arriving, strict=True)),
        )
        self.copies.run(
            _table([_row((wanted if to else given)[n][b], f, s) for to, n, b, f, s in self.copied])
        )

        def finish() -> None:
            wait()
            if self.transfer.stamped:
                ends = [int(message[-stamp.itemsize :].view(stamp)[0]) for message in arriving]
                self.transfer.begun = max(ends, default=0)
            into = [_row(wanted[n][b], first, step) for n, b, first, step in self.receive.arrays]
            self.receive.parts.unpack(_table(into), _addresses(arriving))
            self._spare.append((out, back))
            recorder = self.transfer.recorder
            if recorder is not None and (leaving or arriving):
                sizes = (
                    list(zip(one.ranks, one.sizes, strict=True))
                    for one in (self.send, self.receive)
                )
                recorder.exchange(self.transfer.name, Partners.of(*sizes), begin)

        return finish

    def _buffers(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        if self._spare:
            return self._spare.pop()
        out, back = (np.empty(sum(one.sizes), np.uint8) for one in (self.send, self.receive))
        return out, back


def _kind(fields: Sequence[Flats] | None) -> Kind:
    kind = []
    for flats in fields or []:
        shapes = {(flat.shape[0], flat.dtype.itemsize) for flat in flats}
        assert len(shapes) <= 1, f"blocks of one field differ in rows or items: {shapes}"
        for flat in flats:
            even = flat.shape[1] <= 1 or flat.strides[1] == flat.itemsize or not flat.size
            assert flat.ndim == 2 and even, "a flat array has rows of neighbouring places"
            assert flat.itemsize in (1, 2, 4, 8), f"items of {flat.itemsize} bytes are not moved"
        kind.append(shapes.pop() if shapes else (0, 1))
    return tuple(kind)


def _rows(components: Index | None, rows: int, side: Side) -> Index:
    """Rows of some of the components that a side has, in its arrays of so many rows."""
    if components is None or side.components is None:
        return np.arange(rows)
    inner = rows // max(side.components.size, 1)
    return (components[:, np.newaxis] * inner + np.arange(inner)).ravel()


def _spans(*rows: Index) -> list[tuple[Span, ...]]:
    """Lists of rows, of one length, cut into spans of even steps in all of them.

    >>> _spans(np.array([0, 2, 4, 5]), np.array([0, 1, 2, 3]))
    [((0, 3, 2), (0, 3, 1)), ((5, 1, 1), (3, 1, 1))]
    """
    spans, at, size = [], 0, rows[0].size
    steps = [np.diff(part) for part in rows]
    while at < size:
        end = at + 1
        while end < size and all(step[end - 1] == step[at] for step in steps):
            end += 1
        spans.append(
            tuple(
                (int(part[at]), end - at, int(step[at]) if end > at + 1 else 1)
                for part, step in zip(rows, steps, strict=True)
            )
        )
        at = end
    return spans


def _row(flat: NDArray[Any], first: int, step: int) -> tuple[int, int]:
    """Address of a row of a flat array, and from one row to the next after `step` [bytes]."""
    return flat.__array_interface__["data"][0] + first * flat.strides[0], step * flat.strides[0]


def _table(rows: list[tuple[int, int]]) -> NDArray[np.int64]:
    return np.array(rows, np.int64).reshape(-1, 2)


def _addresses(views: Sequence[NDArray[np.uint8]]) -> NDArray[np.int64]:
    return np.array([view.__array_interface__["data"][0] for view in views], np.int64)


def _cut(buffer: NDArray[np.uint8], sizes: Sequence[int]) -> list[NDArray[np.uint8]]:
    """Consecutive parts of a buffer."""
    ends: Iterator[int] = iter(np.cumsum(sizes).tolist())
    return [buffer[end - size : end] for size, end in zip(sizes, ends, strict=True)]
