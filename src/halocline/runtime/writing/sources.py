"""What a rank has of the values of one variable, and how it is shared with the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.fields.dealt import Dealt
from halocline.runtime.fields.doubles import fill_doubles
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.writing.frame_writing import HeldRuns
from halocline.runtime.writing.sharing import (
    Index,
    Ownership,
    Sharing,
    of_one_rank,
    share_planes,
    share_points,
)
from halocline.runtime.writing.sharing import of_dealt as share_dealt

Rows: TypeAlias = Sequence[int] | Index
Mask: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True)
class TableSource:
    """Rows by columns of a variable: who owns what, and this rank's own.

    Columns that nobody owns and values that are not finite get `fill`, if there is one.
    """

    rows: int
    sharing: Sharing
    dtype: np.dtype[Any]
    held: HeldRuns
    fill: float | None = None


class Columns:
    """Which values of fields lie in which columns of a file; remembers who owns them.

    A map of `rows` and `columns` of the grid (of the rows and columns of a place: faces west and
    south of these cells) has `fill` where it is dry, below the sea floor too. Without them a file
    holds all that is owned as it is: the list of sea points, or whole planes.
    """

    def __init__(
        self, rows: Rows | None = None, columns: Rows | None = None, fill: float | None = None
    ) -> None:
        self.rows, self.columns, self.fill = rows, columns, fill
        self._known: dict[tuple[Any, ...], Ownership] = {}
        self._dry: dict[tuple[Any, ...], list[Mask]] = {}

    def source(self, field: Field) -> TableSource:
        """The newest values of a field; a call for all ranks."""
        fill_doubles(field)
        rows, layout = prod(field.outer), field.layout
        if field.dealt is not None:
            return of_dealt(field.read()[0], field.dealt, fill=self.fill)
        if field.place == Place.none:
            return of_first_rank(field.read()[0].reshape(rows, 1), fill=self.fill)
        inner = prod(field.outer[1:]) if field.by_component else 0
        key = field.decomposition, layout.name, field.place, inner
        if key not in self._known:
            self._known[key] = self._share(field, inner)
        ownership, flat = self._known[key], self._shown(field)
        held = {runs.block: (flat[runs.block], starts) for runs, starts in ownership.local}
        return TableSource(rows, ownership.sharing, field.dtype, HeldRuns(held), self.fill)

    def _share(self, field: Field, inner: int) -> Ownership:
        decomposition, layout = field.decomposition, field.layout
        target, width = self._target(field)
        if field.place.planar:
            return share_planes(decomposition, layout, field.place, target, width)
        if self.rows is not None:
            target = target[decomposition.world.mask]
        return share_points(decomposition, layout, target, width, inner=inner)

    def _target(self, field: Field) -> tuple[Index, int]:
        """Column of every value of a place, -1 where it has none, and how many columns there are.

        Of a field on points in a map it is that of every cell.
        """
        space = field.space
        place = field.place if field.place.planar or self.rows is None else Place.center
        shape = space.shape(place)
        if self.rows is None or self.columns is None:
            return np.arange(prod(shape)).reshape(shape), prod(shape)
        target = np.full(shape, -1, np.int64)
        width = len(self.rows) * len(self.columns)
        chosen = np.ix_(np.asarray(self.rows), np.asarray(self.columns))
        target[chosen] = np.arange(width).reshape(len(self.rows), len(self.columns))
        if self.fill is not None:
            target[space.wet_levels_at(place, *np.indices(shape)) == 0] = -1
        return target, width

    def _shown(self, field: Field) -> list[NDArray[Any]]:
        """The values on the host; for maps with levels a copy without those below the sea floor."""
        flat = field.storage(field.layout).read()
        levels = field.levels
        if self.fill is None or levels is None or not field.place.planar:
            return flat
        key = field.space, field.place, levels
        if key not in self._dry:
            self._dry[key] = [_dry(field, block) for block in field.layout.blocks]
        shown = []
        for values, dry in zip(flat, self._dry[key], strict=True):
            copy = values.copy()
            copy.reshape(-1, *dry.shape)[:, dry] = np.nan
            shown.append(copy)
        return shown


def _dry(field: Field, block: Any) -> Mask:
    """What a block owns below the sea floor, (levels, places in its flat memory)."""
    j0, j1, i0, i1, _ = block.box_of(field.place)
    wet = field.space.wet_in(block, field.place, field.levels)
    dry = np.zeros((wet.shape[0], block.shape[0], block.row_length), bool)
    dry[:, j0:j1, i0:i1] = ~wet
    return dry.reshape(wet.shape[0], -1)


_start = np.zeros(1, np.int64)


def of_first_rank(values: NDArray[Any], *, fill: float | None = None) -> TableSource:
    """A table (rows, columns) that rank 0 owns; its shape and type are the same on all ranks."""
    held = HeldRuns({0: (np.ascontiguousarray(values), _start)})
    return TableSource(values.shape[0], of_one_rank(values.shape[1]), values.dtype, held, fill)


def of_columns(
    values: NDArray[Any], sharing: Sharing, rank: int, *, fill: float | None = None
) -> TableSource:
    """Values (rows, own columns) of a rank in a sharing of one block per rank."""
    held = {
        runs.block: (np.ascontiguousarray(values), runs.ends - runs.lengths)
        for runs in sharing.owned
        if runs.rank == rank
    }
    return TableSource(values.shape[0], sharing, values.dtype, HeldRuns(held), fill)


def of_dealt(values: NDArray[Any], dealt: Dealt, *, fill: float | None = None) -> TableSource:
    """Values (own items, ...) of a rank, as one row of all items."""
    whole = share_dealt(dealt, prod(values.shape[1:]))
    return of_columns(values.reshape(1, -1), whole, dealt.rank, fill=fill)
