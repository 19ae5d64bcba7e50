"""What a rank has of the values of one variable, and how it is shared with the others."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.fields.dealt import Dealt
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.transfer.sharing import Index, Ownership, Sharing, of_one_rank, share
from halocline.runtime.transfer.sharing import of_dealt as share_dealt
from halocline.runtime.writing.frame_writing import Held


@dataclass(frozen=True)
class Source:
    """Rows by columns of a variable: who owns what, and this rank's own.

    Columns that nobody owns and values that are not finite get `fill`, if there is one.
    """

    rows: int
    sharing: Sharing
    dtype: np.dtype[Any]
    held: Held
    fill: float | None = None


class Columns:
    """Where the sea points of fields lie among the columns of a file; remembers who owns them."""

    def __init__(self, target: Index, width: int, fill: float | None = None) -> None:
        self.target, self.width, self.fill = target, width, fill
        self._known: dict[tuple[str, str, int], Ownership] = {}

    @classmethod
    def of_whole(cls, field: Field) -> Self:
        """All sea points, or all cells, of the grid of a field."""
        world = field.decomposition.world
        if field.place.planar:
            return cls(np.flatnonzero(world.mask), world.mask.size)
        return cls(np.arange(world.sea_points), world.sea_points)

    def source(self, field: Field) -> Source:
        """The newest values of a field."""
        rows, layout = prod(field.outer), field.layout
        if field.dealt is not None:
            return of_dealt(field.blocks[0], field.dealt, fill=self.fill)
        if field.place == Place.none:
            return of_first_rank(field.blocks[0].reshape(rows, 1), fill=self.fill)
        inner = prod(field.outer[1:]) if field.by_component else 0
        key = layout.name, field.place, inner
        if key not in self._known:
            self._known[key] = share(
                field.decomposition, layout, field.place, self.target, self.width,
                inner=inner,
            )  # fmt: skip
        ownership = self._known[key]
        storage = field.storage(layout)
        pieces = {
            piece.block: (storage.flat[piece.block], starts) for piece, starts in ownership.local
        }
        return Source(rows, ownership.sharing, field.dtype, Held(pieces), self.fill)


_start = np.zeros(1, np.int64)


def of_first_rank(values: NDArray[Any], *, fill: float | None = None) -> Source:
    """A table (rows, columns) that rank 0 owns; its shape and type are the same on all ranks."""
    held = Held({0: (np.ascontiguousarray(values), _start)})
    return Source(values.shape[0], of_one_rank(values.shape[1]), values.dtype, held, fill)


def of_columns(
    values: NDArray[Any], sharing: Sharing, rank: int, *, fill: float | None = None
) -> Source:
    """Values (rows, own columns) of a rank in a sharing of one piece per rank."""
    pieces = {
        piece.block: (np.ascontiguousarray(values), piece.ends - piece.lengths)
        for piece in sharing.pieces
        if piece.rank == rank
    }
    return Source(values.shape[0], sharing, values.dtype, Held(pieces), fill)


def of_dealt(values: NDArray[Any], dealt: Dealt, *, fill: float | None = None) -> Source:
    """Values (own items, ...) of a rank, as one row of all items."""
    whole = share_dealt(dealt, prod(values.shape[1:]))
    return of_columns(values.reshape(1, -1), whole, dealt.rank, fill=fill)
