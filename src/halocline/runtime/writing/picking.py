"""Bringing values at some sea points from the ranks that own them to those that want them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.decomposition import Decomposition, Layout
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.ownership import Index, component_rows, point_owners
from halocline.runtime.fields.place import Place

Array: TypeAlias = NDArray[Any]
Places: TypeAlias = Sequence[tuple[int, Index, Index]]
"""For each block: its number, which of the points lie there, and where."""


class Picker:
    """Where the sea points of a decomposition are, and who wants which of them from whom."""

    def __init__(self, decomposition: Decomposition) -> None:
        self.decomposition = decomposition
        self.rank = decomposition.communicator.rank
        self._numbers: dict[str, list[Index]] = {}

    @cached_property
    def owners(self) -> Index:
        """The rank that owns each sea point."""
        return point_owners(self.decomposition)

    def places(self, layout: Layout, numbers: Index) -> Places:
        """Where sea points that this rank owns lie in its blocks; one that it lacks is an error."""
        if layout.name not in self._numbers:
            self._numbers[layout.name] = [
                block.sea_numbers[: block.owned_points].astype(np.int64) for block in layout.blocks
            ]
        result, count = [], 0
        for block, here in enumerate(self._numbers[layout.name]):
            at = np.minimum(np.searchsorted(here, numbers), max(here.size - 1, 0))
            which = np.flatnonzero(here[at] == numbers) if here.size else at[:0]
            result.append((block, which, at[which]))
            count += which.size
        assert count == numbers.size, "the points are this rank's"
        return result


@dataclass(frozen=True)
class _Flow:
    """Which points go from rank to rank, as one rank sees it."""

    send: Mapping[int, Places]  # by the rank that gets them
    receive: Mapping[int, Index]  # by the rank that has them: which of those wanted here
    own: Places


class Picking:
    """Brings the sea points that each rank wants there: `wanted` has their numbers by rank.

    All ranks know what all want. Two ranks exchange one message for all fields of a call, and only
    where one has what the other wants.
    """

    def __init__(self, picker: Picker, wanted: Mapping[int, Index]) -> None:
        self.picker, self.wanted = picker, wanted
        self.numbers = wanted.get(picker.rank, np.zeros(0, np.int64))
        self._flows: dict[tuple[str, bool], _Flow] = {}

    def __call__(self, fields: Sequence[Field]) -> list[Array]:
        """The newest values of fields on points, (points wanted here, *outer) of each.

        A call for all ranks.
        """
        flows = [self._flow(field) for field in fields]
        communicator = self.picker.decomposition.communicator
        parcels: dict[int, list[NDArray[np.uint8]]] = {}
        sizes: dict[int, int] = {}
        for field, flow in zip(fields, flows, strict=True):
            for rank, places in flow.send.items():
                values = _values(field, places)
                parcels.setdefault(rank, []).append(values.reshape(-1).view(np.uint8))
            for rank, which in flow.receive.items():
                if rank != self.picker.rank:
                    sizes[rank] = sizes.get(rank, 0) + self._size(field, rank, which)
        arrived = {rank: np.empty(size, np.uint8) for rank, size in sizes.items()}
        communicator.exchange(
            [(rank, np.concatenate(parts)) for rank, parts in parcels.items()],
            list(arrived.items()),
        )
        return [
            self._together(field, flow, arrived) for field, flow in zip(fields, flows, strict=True)
        ]

    def _together(self, field: Field, flow: _Flow, arrived: dict[int, NDArray[np.uint8]]) -> Array:
        """All values of a field; what other ranks sent of it is taken out of `arrived`."""
        rows = prod(field.outer)
        result = np.empty((self.numbers.size, rows), field.dtype)
        for rank, which in flow.receive.items():
            if rank == self.picker.rank:
                values = _values(field, flow.own)
            else:
                size = self._size(field, rank, which)
                values = arrived[rank][:size].view(field.dtype).reshape(which.size, -1)
                arrived[rank] = arrived[rank][size:]
            if values.shape[1] == rows:
                result[which] = values
            else:
                result[np.ix_(which, self._rows(field, rank))] = values
        return result.reshape(self.numbers.size, *field.outer)

    def _size(self, field: Field, rank: int, which: Index) -> int:
        """Bytes that a rank sends of a field."""
        rows = prod(field.outer)
        if _in_parts(field):
            rows = self._rows(field, rank).size
        return int(which.size * rows * field.dtype.itemsize)

    def _rows(self, field: Field, rank: int) -> Index:
        return component_rows(self.picker.decomposition, rank, prod(field.outer[1:]))

    def _flow(self, field: Field) -> _Flow:
        known = field.place in (Place.point, Place.center)
        assert known, f"{field.name} lies neither on sea points nor at centres"
        key = field.layout.name, _in_parts(field)
        if key not in self._flows:
            self._flows[key] = self._make_flow(field)
        return self._flows[key]

    def _make_flow(self, field: Field) -> _Flow:
        cut, me = self.picker.decomposition, self.picker.rank
        everything = np.arange(self.numbers.size)
        send: dict[int, Index] = {}
        receive = {me: everything}
        if _in_parts(field):
            send = dict(self.wanted)
            receive = dict.fromkeys(range(cut.communicator.size), everything)
        elif field.layout.name == cut.home.name:
            owners = self.picker.owners
            send = {rank: numbers[owners[numbers] == me] for rank, numbers in self.wanted.items()}
            theirs = owners[self.numbers]
            receive = {int(rank): np.flatnonzero(theirs == rank) for rank in np.unique(theirs)}
        places = self.picker.places
        return _Flow(
            {
                rank: places(field.layout, numbers)
                for rank, numbers in send.items()
                if rank != me and numbers.size
            },
            {rank: which for rank, which in receive.items() if which.size},
            places(field.layout, self.numbers[receive.get(me, everything[:0])]),
        )


def _in_parts(field: Field) -> bool:
    """Whether every rank has all points, but only of some components."""
    return field.by_component and field.layout.components is not None


def _in_memory(field: Field, number: int, at: Index) -> Index:
    """Where points of a block lie in the rows of its memory."""
    if field.place is Place.point:
        return at
    block = field.layout.blocks[number]
    assert isinstance(block, Block), "fields at centres lie in blocks"
    return np.asarray(block.point_j[at].astype(np.int64) * block.row_length + block.point_i[at])


def _values(field: Field, places: Places) -> Array:
    """Values here (points, rows)."""
    flat = field.storage(field.layout).read()
    count = sum(which.size for _, which, _ in places)
    result = np.empty((count, flat[0].shape[0]), field.dtype)
    for block, which, at in places:
        if which.size:
            result[which] = flat[block][:, _in_memory(field, block, at)].T
    return result
