"""Calls of kernels done again with other halos, to see which halo values the answer depends on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.decomposition import Decomposition, Layout
from halocline.runtime.fields.field import Field, Storage
from halocline.runtime.fields.freshness import all_around
from halocline.runtime.fields.kernel import Argument, Kernel
from halocline.runtime.fields.place import Place
from halocline.runtime.halos.exchange import HaloExchange, Request

Flat = list[NDArray[Any]]
Kept = dict[int, Flat]  # copies of arguments, by their place among the arguments


@dataclass(frozen=True)
class HeldArgument:
    """An argument of a kernel with the memory it is bound to: some `rows` of a field."""

    argument: Argument
    field: Field
    storage: Storage
    rows: slice

    @property
    def flat(self) -> Flat:
        return [array[self.rows] for array in self.storage.flat]

    @property
    def memory(self) -> tuple[Storage, int, int]:
        """What tells which memory it is."""
        return self.storage, self.rows.start, self.rows.stop

    @property
    def fresh(self) -> int:
        """How deep the halo is fresh in all rows [cells]."""
        return min(self.storage.fresh.of(self.rows))

    @property
    def reads(self) -> bool:
        return self.argument.access != "write" and self.field.place != Place.none

    @property
    def checkable(self) -> bool:
        """Whether its halo is read and may hold NaN."""
        return self.reads and not self.field.static and self.field.dtype.kind == "f"

    @property
    def judged(self) -> bool:
        """Whether its values after a call tell what the call has read."""
        return (
            self.argument.writes and self.field.place != Place.none and self.field.dtype.kind == "f"
        )


@dataclass
class Call:
    """One call of a kernel under examination.

    `again` does it once more, `fresh` is how deep each argument's halo is, `before` are the values
    of what it writes before it, `after` those of all that a trial changes after it.
    """

    kernel: Kernel
    layout: Layout
    held: list[HeldArgument]
    exchanged: list[int]
    fresh: list[int]
    before: Kept
    again: Callable[[], None]
    after: Kept = field(default_factory=dict)

    def unpromised(self, halo: int) -> list[int]:
        """Arguments whose halos hold NaN somewhere."""
        if not isinstance(self.layout.blocks[0], Block):
            return []
        return [at for at, h in enumerate(self.held) if h.checkable and self.fresh[at] < halo]


class Trials:
    """Does calls again. Only `true_inputs` is a call for all ranks."""

    def __init__(self, decomposition: Decomposition, exchange: HaloExchange) -> None:
        self.decomposition, self.exchange = decomposition, exchange
        self._ring = lru_cache(maxsize=None)(self._ring_of)

    def true_inputs(self, call: Call) -> Kept:
        """What the call began with, with the halos of all its inputs filled to full depth."""
        halo = self.decomposition.world.halo
        restore(call, call.before)
        wanted = sorted({*call.unpromised(halo), *call.exchanged})
        requests = [
            Request(h.flat, h.field.place, all_around(halo), h.field.direction)
            for h in (call.held[n] for n in wanted)
        ]
        if requests:
            self.exchange(call.layout, requests)
        return copies(call, call.after)

    def answer(self, call: Call, true: Kept, at: int, ring: int, value: float = np.nan) -> Kept:
        """What the call gives if a halo holds `value` from `ring` cells outside on."""
        restore(call, true)
        if ring:
            self.poison(call.layout, call.held[at], ring, value)
        call.again()
        return copies(call, call.before)

    def poison(
        self,
        layout: Layout,
        item: HeldArgument,
        ring: int,
        value: float = np.nan,
        leading: int | None = None,
    ) -> None:
        """Put a value into the halos of all or the leading rows from `ring` cells outside on."""
        places = self._ring(layout.name, item.field.place, ring)
        for flat, index in zip(item.flat, places, strict=True):
            flat[:leading, index] = value

    def _ring_of(self, layout_name: str, place: Place, ring: int) -> list[NDArray[np.int32]]:
        """Places of every block's halo that are at least `ring` cells outside."""
        layout = next(x for x in self.decomposition.layouts if x.name == layout_name)
        halo = self.decomposition.world.halo
        far = self.exchange.pattern(layout_name, place, all_around(halo))
        near = self.exchange.pattern(layout_name, place, all_around(ring - 1))
        return [np.setdiff1d(far.halo(at), near.halo(at)) for at in range(len(layout.blocks))]


def copies(call: Call, which: Sequence[int] | Kept) -> Kept:
    """Copies of some arguments, halos included."""
    return {at: [array.copy() for array in call.held[at].flat] for at in which}


def restore(call: Call, kept: Kept) -> None:
    """Put copies back."""
    for at, arrays in kept.items():
        for array, values in zip(call.held[at].flat, arrays, strict=True):
            array[...] = values


def owned(item: HeldArgument, flat: Flat) -> Flat:
    """The owned values of flat arrays of an argument."""
    blocks = item.storage.layout.blocks
    if item.field.place == Place.point:
        return [a[:, : b.owned_points] for a, b in zip(flat, blocks, strict=True)]
    found = []
    for array, block in zip(flat, blocks, strict=True):
        assert isinstance(block, Block)
        j0, j1, i0, i1, _ = block.box_of(item.field.place)
        cells = array.reshape(len(array), block.shape[0], block.row_length)
        found.append(cells[:, j0:j1, i0:i1])
    return found


def bits(values: NDArray[Any]) -> NDArray[Any]:
    """Numbers as whole numbers of the same bits, so that NaN equals NaN."""
    return np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")


def difference(call: Call, one: Kept, other: Kept) -> str:
    """The first block in which two answers differ; empty if none."""
    for at in one:
        item = call.held[at]
        if not item.judged:
            continue
        pairs = zip(owned(item, one[at]), owned(item, other[at]), strict=True)
        for block, (a, b) in zip(call.layout.blocks, pairs, strict=True):
            if (bits(a) != bits(b)).any():
                return f"block {block.number} on rank {block.rank}"
    return ""
