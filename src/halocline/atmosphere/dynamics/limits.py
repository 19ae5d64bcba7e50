"""Ground that the dynamics do not stand, found before a run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.place import Place

Array = NDArray[np.float64]
steepest = 1.0
"""Slope of the ground between neighbouring cells above which a wind of 10 m/s blows up, or does not
converge as the step is made shorter."""


def refuse_steep(grid: Grid, ground: Array) -> None:
    """Refuse ground, heights at centres [m], that is too steep for layers that follow it."""
    wide = grid.topology.widened(ground, (1, 1, 1, 1), nearest=True)
    rises = np.abs(np.diff(wide[1:-1], axis=1)), np.abs(np.diff(wide[:, 1:-1], axis=0))
    distances = grid.at(Place.x_face).dx, grid.at(Place.y_face).dy
    for along, rise, distance in zip("xy", rises, distances, strict=True):
        rise, distance = np.broadcast_arrays(rise[: len(distance), : distance.shape[1]], distance)
        slope = np.divide(rise, distance, out=np.zeros(rise.shape), where=distance > 0.0)  # poles
        j, i = np.unravel_index(int(slope.argmax()), slope.shape)
        if slope[j, i] > steepest:
            raise UserError(
                f"The ground is too steep for layers that follow it: along {along} it rises by"
                f" {rise[j, i]:.0f} m between cells that are {distance[j, i]:.0f} m apart, at row"
                f" {j}, column {i}, a slope of {slope[j, i]:.2f}; at most {steepest:g} is borne."
                " Smooth the ground, or use a lower or wider mountain."
            )
