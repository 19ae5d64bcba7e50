"""Bringing the values at some sea points to one rank."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.fields import Field


def pick(field: Field, sea_numbers: NDArray[np.integer[Any]]) -> NDArray[Any] | None:
    """Values of a field on points at some sea points, outer + (numbers,), on rank 0.

    `sea_numbers` are distinct global numbers; None on other ranks; a call for all ranks.
    """
    assert field.on == "points", f"{field.name} does not lie on sea points"
    layout = field.layout
    pieces = []
    for block, values in zip(layout.blocks, field.owned, strict=True):
        numbers = np.asarray(block.sea_numbers[: block.owned_points])
        _, places, here = np.intersect1d(sea_numbers, numbers, True, return_indices=True)
        pieces.append((places, np.ascontiguousarray(values[..., here])))
    everyone = field.decomposition.communicator.gather((layout.components, pieces))
    if everyone is None:
        return None
    whole = np.zeros((*field.outer, len(sea_numbers)), field.dtype)
    for components, parts in everyone:
        for places, values in parts:
            if field.by_component and components is not None:
                for component, row in zip(components, values, strict=True):
                    whole[component][..., places] = row
            else:
                whole[..., places] = values
    return whole
