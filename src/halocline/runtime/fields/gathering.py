"""Bringing a whole field to one rank, in an order that no decomposition shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.doubles import fill_doubles
from halocline.runtime.fields.ownership import owned_by_all
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.sides import side_of
from halocline.runtime.transfer.matching import Match, PointLink
from halocline.runtime.transfer.side import Side
from halocline.runtime.transfer.transfer import Transfer

if TYPE_CHECKING:
    from halocline.runtime.fields.field import Field


def gather(field: Field) -> NDArray[Any] | None:
    """Global array of `field` on rank 0, of the shape `field.shape`; 0 where nobody has a value."""
    communicator = field.decomposition.communicator
    assert field.dealt is None, "what is dealt stays where it is"
    first = communicator.rank == 0
    if field.place == Place.none:
        return field.read()[0].copy() if first else None
    fill_doubles(field)
    if communicator.size == 1:
        return _of_one_rank(field)
    source, target = side_of(field), Side(components=_components(field) if first else None)
    transfer = Transfer(source, target, communicator, known=_match(field, source), name="gather")
    whole = np.zeros(field.shape if first else 0, field.dtype)
    wanted = [[whole.reshape(int(np.prod(field.outer)), -1)]] if first else None
    transfer([field.storage(field.layout).read()], wanted)
    return whole if first else None


def _of_one_rank(field: Field) -> NDArray[Any]:
    """The same where one rank has all: a copy block by block, without numbers of values."""
    whole = np.zeros(field.shape, field.dtype)
    for values, block in zip(field.read(), field.layout.blocks, strict=True):
        if isinstance(block, Block) and field.place.planar:
            j0, j1, i0, i1 = block.world.owned(block.rectangle, field.place)
            whole[..., j0:j1, i0:i1] = values
        else:
            numbers = block.sea_numbers[: block.owned_points].astype(np.intp)
            for row in np.ndindex(field.outer):
                whole[row][numbers] = values[row]
    return whole


def _components(field: Field) -> NDArray[np.int64] | None:
    return np.arange(field.outer[0]) if field.by_component else None


def _match(field: Field, source: Side) -> Match:
    """Every rank gives what it owns to rank 0, which knows what that is."""
    decomposition, layout = field.decomposition, field.layout
    rank = decomposition.communicator.rank
    give = [PointLink(0, n, 0, places.astype(np.int32)) for n, places in enumerate(source.places)]
    take = []
    if rank == 0:
        take = [
            PointLink(owned.rank, owned.block, 0, owned.numbers.astype(np.int32))
            for owned in owned_by_all(decomposition, layout, field.place, shared=field.by_component)
        ]
    elif layout.components is not None and not field.by_component:
        give = []
    return Match(give, sorted(take, key=lambda link: link.rank), np.empty((0, 2), np.int64))
