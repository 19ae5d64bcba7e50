"""Upward wind at the ground of a start: that of air which follows the ground."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.place import Place

Array = NDArray[np.float64]


def rise_along(grid: Grid, ground: Array, u: Array, v: Array) -> Array:
    """Upward wind [m s-1] at centres over a ground [m] by wind at western and southern faces.

    Means of u dh/dx and v dh/dy on the faces around; over a pole the slope is that to the cell
    beyond it.
    """
    topology, (rows, columns) = grid.topology, grid.shape
    wide = topology.widened(ground, (1, 1, 1, 1), nearest=True)
    both = (
        (u, Place.x_face, np.diff(wide[1:-1], axis=1), grid.at(Place.x_face).dx),
        (v, Place.y_face, np.diff(wide[:, 1:-1], axis=0), grid.at(Place.y_face).dy),
    )
    found = []
    for wind, place, rise, distance in both:
        slope = rise[: wind.shape[0], : wind.shape[1]]
        found.append(topology.widened(wind * slope / distance, (0, 1, 0, 1), place))
    x, y = found[0][:rows, : columns + 1], found[1][: rows + 1, :columns]
    return np.asarray(0.5 * (x[:, 1:] + x[:, :-1] + y[1:] + y[:-1]))
