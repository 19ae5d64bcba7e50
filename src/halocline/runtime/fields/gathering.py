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
    """Global array of `field` on rank 0 (outer + (nj, ni) or outer + (sea points,))."""
    decomposition, layout = field.decomposition, field.layout
    communicator, world = decomposition.communicator, decomposition.world
    assert field.dealt is None, "what is dealt stays where it is"
    if field.place == Place.none:
        return field.blocks[0].copy() if communicator.rank == 0 else None
    pieces = [
        (_places(field, block), np.ascontiguousarray(values))
        for block, values in zip(layout.blocks, field.owned, strict=True)
    ]
    everyone = communicator.gather((layout.components, pieces))
    if everyone is None:
        return None
    shape = world.mask.shape if field.place.planar else (world.sea_points,)
    whole = np.zeros((*field.outer, *shape), field.dtype)
    for components, parts in everyone:
        for places, values in parts:
            if field.place.planar:
                j0, j1, i0, i1 = places
                whole[..., j0:j1, i0:i1] = values
            elif field.by_component and components is not None:
                for component, row in zip(components, values, strict=True):
                    whole[component][..., places] = row
            else:
                whole[..., places] = values
    return whole


def _places(field: Field, block: Any) -> Any:
    if field.place == Place.point:
        return block.sea_numbers[: block.owned_points]
    assert isinstance(block, Block)
    r = block.rectangle
    return r.j0, r.j1, r.i0, r.i1
