"""Depth of the mixed layer: where water is heavier than that at 10 m by a threshold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
threshold = 0.03
"""How much heavier water is at the lower end of the layer, at the pressure of the surface [kg m-3]
(de Boyer Montegut et al. 2004, J. Geophys. Res. 109, C12003)."""
reference_depth = 10.0
"""Of the water that it is compared with [m] (the same)."""


def mixed_layer_depth(density: Array, depth: Array, floor_level: Array, floor: Array) -> Array:
    """Of columns [m], shape (j, i); the floor where nothing is so heavy, 0 on land.

    `density` at the pressure of the surface, shape (k, j, i), `depth` of the centres of levels
    [m], counted upward; between centres density is linear.
    """
    wet = np.arange(depth.size)[:, None, None] >= floor_level
    heavy = reference_density(density, depth, wet) + threshold
    found = np.zeros(density.shape[1:], bool)
    result = np.where(wet[-1], floor, 0.0)
    for k in range(depth.size - 2, -1, -1):
        if depth[k] <= reference_depth:
            continue
        above, here = density[k + 1], density[k]
        first = wet[k] & ~found & (here >= heavy)
        rise = np.where(first & (here > above), here - above, 1.0)
        share = np.clip((heavy - above) / rise, 0.0, 1.0)
        here_depth = depth[k + 1] + share * (depth[k] - depth[k + 1])
        result = np.where(first, np.minimum(here_depth, floor), result)
        found |= first
    return result


def reference_density(density: Array, depth: Array, wet: NDArray[np.bool_]) -> Array:
    """Density at 10 m, or of the uppermost level where that is deeper [kg m-3]."""
    below = np.flatnonzero(depth >= reference_depth)
    if not below.size or below[-1] == depth.size - 1:
        return density[-1]
    k = int(below[-1])
    share = (reference_depth - depth[k + 1]) / (depth[k] - depth[k + 1])
    return np.where(wet[k], density[k + 1] + share * (density[k] - density[k + 1]), density[k + 1])
