"""Bringing a whole field to one rank, in an order that no decomposition shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.place import Place

if TYPE_CHECKING:
    from halocline.runtime.fields.field import Field


def gather(field: Field) -> NDArray[Any] | None:
    """Global array of `field` on rank 0, of the shape `field.shape`."""
    communicator, layout = field.decomposition.communicator, field.layout
    assert field.dealt is None, "what is dealt stays where it is"
    if field.place == Place.none:
        return field.blocks[0].copy() if communicator.rank == 0 else None
    pieces = [
        (_held(field, block), np.ascontiguousarray(values))
        for block, values in zip(layout.blocks, field.owned, strict=True)
    ]
    everyone = communicator.gather((layout.components, pieces))
    if everyone is None:
        return None
    whole = np.zeros(field.shape, field.dtype)
    for components, parts in everyone:
        for places, values in parts:
            if field.place.planar:
                j0, i0 = places
                rows, columns = values.shape[-2:]
                whole[..., j0 : j0 + rows, i0 : i0 + columns] = values
            elif field.by_component and components is not None:
                for component, row in zip(components, values, strict=True):
                    whole[component][..., places] = row
            else:
                whole[..., places] = values
    return whole


def _held(field: Field, block: Any) -> Any:
    """Global numbers of the owned points of a block, or the first row and column that it owns."""
    if field.place == Place.point:
        return block.sea_numbers[: block.owned_points]
    assert isinstance(block, Block)
    return block.rectangle.j0, block.rectangle.i0
