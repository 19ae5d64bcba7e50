"""Who owns which columns of a table in a file: all ranks work it out alike, without a message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.dealt import Dealt
from halocline.runtime.fields.decomposition import Decomposition, Layout
from halocline.runtime.fields.ownership import (
    OwnedValues,
    component_rows,
    owned_by_all,
    places_of,
)
from halocline.runtime.fields.place import Place

Index: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class OwnedRuns:
    """Columns that one block of a rank owns, as runs in the order of the file.

    `rows` are those that the block holds (None: all). The columns of all runs, one after the other,
    are its packed columns.
    """

    rank: int
    block: int
    starts: Index
    lengths: Index
    rows: Index | None = None

    @cached_property
    def ends(self) -> Index:
        """Packed columns up to the end of each run."""
        return np.cumsum(self.lengths)

    def packed(self, column: int) -> int:
        """How many of the packed columns lie before `column`."""
        at = int(np.searchsorted(self.starts, column, "right")) - 1
        if at < 0:
            return 0
        length = int(self.lengths[at])
        return int(self.ends[at]) - length + min(column - int(self.starts[at]), length)


@dataclass(frozen=True)
class Sharing:
    """The columns of a table, and the runs that blocks own of them; nobody owns the others."""

    width: int
    owned: tuple[OwnedRuns, ...]

    @cached_property
    def unowned(self) -> tuple[Index, Index]:
        """Runs (starts, lengths) of columns that nobody owns."""
        change = np.zeros(self.width + 1, np.int64)
        for runs in self.owned:
            np.add.at(change, runs.starts, 1)
            np.add.at(change, runs.starts + runs.lengths, -1)
        owned = np.cumsum(change)[:-1] > 0
        edges = np.flatnonzero(np.diff(np.concatenate([[True], owned, [True]]))).reshape(-1, 2)
        return edges[:, 0].copy(), edges[:, 1] - edges[:, 0]


@dataclass(frozen=True)
class Ownership:
    """A sharing, and where this rank has its runs: starts in each block's storage."""

    sharing: Sharing
    local: tuple[tuple[OwnedRuns, Index], ...]


@lru_cache(maxsize=256)
def of_one_rank(width: int, rank: int = 0) -> Sharing:
    """One rank owns all columns."""
    whole = OwnedRuns(rank, 0, np.zeros(1, np.int64), np.full(1, width, np.int64))
    return Sharing(width, (whole,))


@lru_cache(maxsize=256)
def of_dealt(dealt: Dealt, width: int) -> Sharing:
    """A table of one row in which every item has `width` columns."""
    edges = np.flatnonzero(np.diff(dealt.ranks, prepend=-1, append=-1))
    first, lengths, ranks = edges[:-1], np.diff(edges), dealt.ranks[edges[:-1]]
    owned = [
        OwnedRuns(int(rank), 0, first[ranks == rank] * width, lengths[ranks == rank] * width)
        for rank in np.unique(ranks)
    ]
    return Sharing(dealt.ranks.size * width, tuple(owned))


def share_points(
    decomposition: Decomposition,
    layout: Layout,
    target: Index,
    width: int,
    *,
    inner: int = 0,
) -> Ownership:
    """How the sea points of a grid, each with its column in `target` (-1: none), are shared.

    Where ranks share the components of a field, each of these has `inner` rows (0: it has none).
    """
    in_parts = inner > 0 and layout.components is not None
    return _ownership(
        decomposition.communicator.rank,
        width,
        (
            (
                owned,
                target[owned.numbers],
                np.arange(owned.numbers.size),
                component_rows(decomposition, owned.rank, inner) if in_parts else None,
            )
            for owned in owned_by_all(decomposition, layout, Place.point, shared=in_parts)
        ),
    )


def share_planes(
    decomposition: Decomposition, layout: Layout, place: Place, target: Index, width: int
) -> Ownership:
    """How the values of a planar place, each with its column in `target` (-1: none), are shared.

    `target` has the global shape of the place.
    """
    return _ownership(
        decomposition.communicator.rank,
        width,
        _planes(decomposition, layout, place, target),
    )


def _ownership(
    me: int, width: int, owned: Iterable[tuple[OwnedValues, Index, Index, Index | None]]
) -> Ownership:
    """Of what blocks own: columns, where values lie in memory, and rows."""
    everyone, local = [], []
    for one, columns, places, rows in owned:
        here = np.flatnonzero(columns >= 0)
        here = here[np.argsort(columns[here], kind="stable")]
        starts, lengths, own = _runs(columns[here], places[here])
        runs = OwnedRuns(one.rank, one.block, starts, lengths, rows)
        if lengths.size:
            everyone.append(runs)
            if one.rank == me:
                local.append((runs, own))
    return Ownership(Sharing(width, tuple(everyone)), tuple(local))


def _planes(
    decomposition: Decomposition, layout: Layout, place: Place, target: Index
) -> Iterator[tuple[OwnedValues, Index, Index, None]]:
    """Blocks of all ranks; where values lie in memory is right for those of this rank only."""
    columns = target.ravel()
    for owned in owned_by_all(decomposition, layout, place):
        places = np.arange(owned.numbers.size)
        if owned.rank == decomposition.communicator.rank:
            block = layout.blocks[owned.block]
            assert isinstance(block, Block)
            places = places_of(block.box_of(place)[:4], block.row_length)
        yield owned, columns[owned.numbers], places, None


def _runs(columns: Index, places: Index) -> tuple[Index, Index, Index]:
    """Runs in which both advance by one: first columns, lengths, first places."""
    if not columns.size:
        return columns, columns, places
    breaks = np.flatnonzero((np.diff(columns) != 1) | (np.diff(places) != 1)) + 1
    first = np.concatenate([[0], breaks])
    lengths = np.diff(np.concatenate([first, [columns.size]]))
    return columns[first], lengths, places[first]
