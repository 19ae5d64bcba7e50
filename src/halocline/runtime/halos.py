"""Halo exchange: all stale fields in one message per neighbour, several blocks per rank."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime import _native
from halocline.runtime.blocks import Block
from halocline.runtime.decomposition import Decomposition, Layout
from halocline.runtime.fields import Where
from halocline.runtime.recorder import Recorder

Index32 = NDArray[np.int32]


@dataclass(frozen=True)
class Piece:
    """Values that one block takes from another: places in the flat arrays of both."""

    source: int  # place among this rank's blocks, -1 if remote
    target: int
    peer: int  # the other rank; this one where both blocks are here
    source_index: Index32
    target_index: Index32


class Pattern:
    """Who gives what to whom for halos of one depth, apart from buffers and messages."""

    def __init__(self, layout: Layout, on: Where, depth: int, ranks: int, rank: int) -> None:
        self.local: list[Piece] = []
        self.send: dict[int, list[Piece]] = {}
        self.receive: dict[int, list[Piece]] = {}
        mine = {b.number: at for at, b in enumerate(layout.blocks)}
        if not layout.blocks or not isinstance(layout.blocks[0], Block):
            return
        world = layout.blocks[0].world
        alone = ranks == 1 or layout.components is not None
        blocks = {b.number: b for b in layout.blocks if isinstance(b, Block)}
        for rectangle in world.rectangles:
            target = blocks.get(rectangle.number) or Block(world, rectangle)
            j, i, target_index = _halo_places(target, on, depth)
            owners = world.owner[target.cell_j[j, i], target.cell_i[j, i]]
            for owner in np.unique(owners[owners >= 0]):
                give = world.rectangles[owner]
                here, there = rectangle.number in mine, int(owner) in mine
                if not (here or there):
                    continue
                chosen = owners == owner
                cells = target.cell_j[j, i][chosen], target.cell_i[j, i][chosen]
                piece = Piece(
                    mine.get(int(owner), -1),
                    mine.get(rectangle.number, -1),
                    rectangle.rank if there and not here else give.rank,
                    _source_places(world, give, on, *cells),
                    target_index[chosen],
                )
                if here and there or alone:
                    self.local.append(piece)
                elif here:
                    self.receive.setdefault(give.rank, []).append(piece)
                else:
                    self.send.setdefault(rectangle.rank, []).append(piece)


def _halo_places(block: Block, on: Where, depth: int) -> tuple[Any, Any, Index32]:
    """Padded cells of the halo up to `depth`, and their places in a flat array."""
    if on == "points":
        points: Index32 = np.arange(block.owned_points, block.points).astype(np.int32)
        j, i = block.point_j[points], block.point_i[points]
        near = block.distance(j, i) <= depth
        return j[near], i[near], points[near]
    j, i = np.indices(block.shape)[:, ~block.owned & block.inside]
    near = block.distance(j, i) <= depth
    j, i = j[near], i[near]
    return j, i, np.asarray(j * block.row_length + i, np.int32)


def _source_places(world: Any, give: Any, on: Where, cell_j: Any, cell_i: Any) -> Index32:
    """Places of owned global cells in the flat array of the block that owns them."""
    if on == "points":
        places: Index32 = world.position[cell_j, cell_i]
        return np.ascontiguousarray(places)
    row_length = Block(world, give).row_length
    h = world.halo
    flat = (cell_j - give.j0 + h) * row_length + cell_i - give.i0 + h
    return np.ascontiguousarray(flat, np.int32)


@dataclass(frozen=True)
class Request:
    """One stale field: its flat arrays cut to the rows wanted, where it lies, how deep."""

    flat: list[NDArray[Any]]
    on: Where
    depth: int


class HaloExchange:
    """Fills halos of many fields at once, packed into one message per neighbouring rank."""

    def __init__(self, decomposition: Decomposition, recorder: Recorder) -> None:
        self.decomposition, self.recorder = decomposition, recorder
        self._buffers: dict[tuple[str, int, int], NDArray[np.uint8]] = {}
        self.pattern = lru_cache(maxsize=None)(self._pattern)

    def _pattern(self, layout_name: str, on: Where, depth: int) -> Pattern:
        layout = next(x for x in self.decomposition.layouts if x.name == layout_name)
        communicator = self.decomposition.communicator
        return Pattern(layout, on, depth, communicator.size, communicator.rank)

    def __call__(self, layout: Layout, requests: list[Request]) -> None:
        """Fill the halos of all `requests`, in the same order on all ranks."""
        patterns = [self.pattern(layout.name, r.on, r.depth) for r in requests]
        send, receive, incoming = [], [], []
        for peer in sorted({peer for p in patterns for peer in p.receive}):
            parts = self._parts(requests, patterns, peer, "receive")
            buffer = self._buffer("receive", peer, parts)
            incoming.append((parts, buffer))
            receive.append((peer, buffer))
        for peer in sorted({peer for p in patterns for peer in p.send}):
            parts = self._parts(requests, patterns, peer, "send")
            buffer = self._buffer("send", peer, parts)
            for request, piece, part in _split(buffer, parts):
                _native.pack(request.flat[piece.source], piece.source_index, part)
            send.append((peer, buffer))
        for request, pattern in zip(requests, patterns, strict=True):
            for piece in pattern.local:
                _native.copy(
                    request.flat[piece.source],
                    piece.source_index,
                    request.flat[piece.target],
                    piece.target_index,
                )
        if send or receive:
            self.decomposition.communicator.exchange(send, receive)
            self.recorder.messages(len(send), sum(buffer.size for _, buffer in send))
        for parts, buffer in incoming:
            for request, piece, part in _split(buffer, parts):
                _native.unpack(part, piece.target_index, request.flat[piece.target])

    def poison(self, layout: Layout, request: Request) -> None:
        """Put NaN into the halos of one field."""
        for piece in _all_targets(self.pattern(layout.name, request.on, request.depth)):
            _native.poison(request.flat[piece.target], piece.target_index)

    @staticmethod
    def _parts(
        requests: list[Request], patterns: list[Pattern], peer: int, way: str
    ) -> list[tuple[Request, Piece]]:
        return [
            (request, piece)
            for request, pattern in zip(requests, patterns, strict=True)
            for piece in getattr(pattern, way).get(peer, [])
        ]

    def _buffer(self, way: str, peer: int, parts: list[tuple[Request, Piece]]) -> NDArray[np.uint8]:
        size = sum(_bytes(request, piece) for request, piece in parts)
        kept = self._buffers.get((way, peer, 0))
        if kept is None or kept.size < size:
            kept = self._buffers[way, peer, 0] = np.empty(size, np.uint8)
        return kept[:size]


def _bytes(request: Request, piece: Piece) -> int:
    any_block = request.flat[0]
    size = any_block.shape[0] * piece.target_index.size * any_block.itemsize
    return -(-size // 8) * 8


def _split(
    buffer: NDArray[np.uint8], parts: list[tuple[Request, Piece]]
) -> list[tuple[Request, Piece, NDArray[Any]]]:
    """Views of the buffer, one per part, typed."""
    views, start = [], 0
    for request, piece in parts:
        kind = request.flat[0]
        count = kind.shape[0] * piece.target_index.size
        part = buffer[start : start + count * kind.itemsize].view(kind.dtype)
        views.append((request, piece, part))
        start += _bytes(request, piece)
    return views


def _all_targets(pattern: Pattern) -> list[Piece]:
    return pattern.local + [piece for pieces in pattern.receive.values() for piece in pieces]
