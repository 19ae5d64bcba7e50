"""Missing values in files: which lie over the sea of the model, and filling of the others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halocline.grids.axes import Axis
from halocline.grids.grid import Grid

Mask = NDArray[np.bool_]
Index = NDArray[np.int64]
Array = NDArray[np.float64]


def open_sea(grid: Grid, longitude: Axis, latitude: Axis) -> Mask:
    """Cells of a file's grid (latitude, longitude) that have nothing but model sea around them.

    Around means within one spacing of the file (or of the model, if that is wider): closer to
    a coast, the land masks of the two may differ.
    """
    x, land = grid.x, ~grid.mask
    if grid.periodic_x:
        x = np.concatenate([x - 360.0, x, x + 360.0])
        land = np.tile(land, (1, 3))
    counts = np.zeros((land.shape[0] + 1, land.shape[1] + 1), np.int64)
    counts[1:, 1:] = land.cumsum(axis=0).cumsum(axis=1)
    places = grid.x[0] + np.mod(longitude.values - grid.x[0], 360.0)
    reach_x = max(longitude.spacing, abs(grid.step_x)) + 1e-6
    reach_y = max(latitude.spacing, abs(grid.step_y)) + 1e-6
    west = np.searchsorted(x, places - reach_x)[None, :]
    east = np.searchsorted(x, places + reach_x)[None, :]
    south = np.searchsorted(grid.y, latitude.values - reach_y)[:, None]
    north = np.searchsorted(grid.y, latitude.values + reach_y)[:, None]
    lands = counts[north, east] - counts[south, east] - counts[north, west] + counts[south, west]
    return (lands == 0) & ((north - south) * (east - west) > 0)


def nearest_valid(
    valid: Mask, wanted: Mask, longitude: Axis, latitude: Axis
) -> tuple[tuple[Index, Index], tuple[Index, Index]]:
    """Places (j, i) that are wanted but not valid, and for each the nearest valid place."""
    edge = valid & _beside(~valid, bool(longitude.period))
    target, source = np.argwhere(wanted & ~valid), np.argwhere(edge)
    angles = np.deg2rad(latitude.values), np.deg2rad(longitude.values)

    def vectors(places: Index) -> Array:
        phi, lam = angles[0][places[:, 0]], angles[1][places[:, 1]]
        return np.stack([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)])

    to, of = vectors(target), vectors(source)
    nearest = np.zeros(len(target), np.int64)
    for start in range(0, len(target), 64):
        part = slice(start, start + 64)
        closeness = sum(to[axis, part, None] * of[axis, None, :] for axis in range(3))
        nearest[part] = np.argmax(closeness, axis=1)
    return (target[:, 0], target[:, 1]), (source[nearest, 0], source[nearest, 1])


def _beside(mask: Mask, periodic: bool) -> Mask:
    """Cells with one of their eight neighbours in `mask`."""
    padded = np.pad(mask, ((1, 1), (0, 0)))
    padded = np.pad(padded, ((0, 0), (1, 1)), mode="wrap" if periodic else "constant")
    nj, ni = mask.shape
    beside = np.zeros_like(mask)
    for j in range(3):
        for i in range(3):
            beside |= padded[j : j + nj, i : i + ni]
    return beside
