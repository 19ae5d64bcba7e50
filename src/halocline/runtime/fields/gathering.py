"""Bringing a whole field to one rank, in an order that no decomposition shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.fields.place import Place
from halocline.runtime.fields.sides import side_of, whole_side_of
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
        return field.blocks[0].copy() if first else None
    target = whole_side_of(field) if first else Side()
    transfer = Transfer(side_of(field), target, communicator, name="gather")
    whole = np.zeros(field.shape if first else 0, field.dtype)
    rows = int(np.prod(field.outer))
    wanted = [[whole.reshape(rows, -1)]] if first else None
    transfer([field.storage(field.layout).flat], wanted)
    return whole if first else None
