"""Cards to planes and back: every hand gives each rank the components that the rank propagates.

The exchange goes through a few batches of components, so that buffers stay small beside the
two copies of the field.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime import _native
from halocline.runtime.fields.decomposition import Decomposition, Layout
from halocline.runtime.fields.field import Field
from halocline.runtime.record.recorder import Partners, Recorder

batches = 8


def move(field: Field, layout: Layout, recorder: Recorder) -> None:
    """Bring the values of a field to `layout`; halos there are stale afterwards."""
    decomposition = field.decomposition
    if not field.by_component:
        _spread(field, layout)
    elif layout is decomposition.planes:
        _transpose(field, decomposition, recorder, to_planes=True)
    else:
        _transpose(field, decomposition, recorder, to_planes=False)
    field.storage(layout).fresh[:] = 0
    field.now_in(layout)


def _spread(field: Field, layout: Layout) -> None:
    """Give every rank all points of a field that has no component axis."""
    whole = field.decomposition.communicator.broadcast(field.gather())
    storage = field.storage(layout)
    for array, block in zip(storage.arrays, layout.blocks, strict=True):
        array[..., : block.owned_points] = whole[..., block.sea_numbers[: block.owned_points]]


def _transpose(
    field: Field, decomposition: Decomposition, recorder: Recorder, to_planes: bool
) -> None:
    communicator, hands = decomposition.communicator, decomposition.hands
    rank, ranks = communicator.rank, communicator.size
    cards = field.storage(decomposition.home)
    (plane,) = field.storage(decomposition.planes).flat
    components = field.outer[0]
    inner = int(np.prod(field.outer[1:], dtype=int))
    assert inner == 1, "a transposed field has components as its only outer axis"
    sea_points = decomposition.sea_points
    per_rank = hands // ranks

    def held(peer: int, batch: int) -> NDArray[np.int32]:
        return np.arange(peer + batch * ranks, components, ranks * batches, dtype=np.int32)

    def places(peer: int) -> list[tuple[int, int]]:
        """Hands of a rank and how many points each has."""
        numbers = range(peer * per_rank, (peer + 1) * per_rank)
        return [(hand, len(range(hand, sea_points, hands))) for hand in numbers]

    for batch in range(batches):
        own_rows = held(rank, batch)
        local_rows = np.arange(own_rows.size, dtype=np.int32) * batches + batch
        for (hand, _), values in zip(places(rank), cards.flat, strict=True):
            _between(values, own_rows, plane, local_rows, hand, hands, to_planes)
        send, receive, after = [], [], []
        for peer in range(ranks):
            if peer == rank:
                continue
            peer_rows = held(peer, batch)
            cards_buffers = [np.empty((peer_rows.size, n), field.dtype) for _, n in places(rank)]
            plane_buffers = [np.empty((own_rows.size, n), field.dtype) for _, n in places(peer)]
            if to_planes:
                for buffer, values in zip(cards_buffers, cards.flat, strict=True):
                    buffer[...] = values[peer_rows]
            else:
                for buffer, (hand, _) in zip(plane_buffers, places(peer), strict=True):
                    if not buffer.size:
                        continue
                    rows = np.arange(own_rows.size, dtype=np.int32)
                    _native.take_in(plane[batch::batches], rows, hand, hands, buffer)
            out, back = (
                (cards_buffers, plane_buffers) if to_planes else (plane_buffers, cards_buffers)
            )
            send += [(peer, _bytes(buffer)) for buffer in out if buffer.size]
            receive += [(peer, _bytes(buffer)) for buffer in back if buffer.size]
            after.append((peer, peer_rows, back))
        if send or receive:
            begin = _native.now_ns()
            communicator.exchange(send, receive)
            recorder.exchange("transpose", Partners.of(_sizes(send), _sizes(receive)), begin)
        for peer, peer_rows, buffers in after:
            if to_planes:
                rows = np.arange(own_rows.size, dtype=np.int32)
                for buffer, (hand, _) in zip(buffers, places(peer), strict=True):
                    if not buffer.size:
                        continue
                    _native.deal_out(buffer, rows, hand, hands, plane[batch::batches])
            else:
                for buffer, values in zip(buffers, cards.flat, strict=True):
                    values[peer_rows] = buffer


def _between(
    values: NDArray[Any],
    rows: NDArray[np.int32],
    plane: NDArray[Any],
    local_rows: NDArray[np.int32],
    hand: int,
    hands: int,
    to_planes: bool,
) -> None:
    """Copy between a hand and the plane of the same rank."""
    if not rows.size:
        return
    target = plane[local_rows[0] :: batches]
    if to_planes:
        _native.deal_out(values, rows, hand, hands, target)
    else:
        _native.take_in(target, rows, hand, hands, values)


def _bytes(buffer: NDArray[Any]) -> NDArray[np.uint8]:
    return buffer.reshape(-1).view(np.uint8)


def _sizes(messages: Sequence[tuple[int, NDArray[Any]]]) -> list[tuple[int, int]]:
    return [(peer, buffer.nbytes) for peer, buffer in messages]
