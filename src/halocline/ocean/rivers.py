"""Where the water of rivers enters the sea."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.grids.sphere import angles_between, vectors
from halocline.ocean.fresh_water_options import RiverOptions
from halocline.ocean.joined_seas import reached_cells
from halocline.ocean.rotation import is_cartesian
from halocline.runtime.fields.place import Place

Array = NDArray[np.float64]
farthest = 3e5
"""How far from the sea the mouth of a river may be [m]: one farther away is a mistake."""


def river_share(river: RiverOptions, grid: Grid, named: str) -> Array:
    """What cells have of each m3 of a river's water, per area [m-2], shape (nj, ni)."""
    sea = reached_cells(grid)
    once = grid.topology.once(Place.center)
    away = np.where(sea & once, _distances(grid, *river.mouth), np.inf)
    j, i = np.unravel_index(int(np.argmin(away)), away.shape)
    if not away[j, i] <= max(farthest, river.spread):
        raise UserError(
            f"{named}.mouth = {list(river.mouth)} is {away[j, i] / 1e3:.0f} km from the nearest sea"
            " cell of the grid. Move it to the coast, or leave the river out."
        )
    center = grid.at(Place.center)
    x, y = np.broadcast_arrays(center.x, center.y)
    near = sea & (_distances(grid, float(x[j, i]), float(y[j, i])) <= river.spread)
    reached = np.zeros(grid.shape, bool)
    reached[j, i] = True
    while True:
        wide = grid.topology.widened(reached, (1, 1, 1, 1))
        beside = wide[1:-1, :-2] | wide[1:-1, 2:] | wide[:-2, 1:-1] | wide[2:, 1:-1]
        more = reached | (beside & near)
        if np.array_equal(more, reached):
            break
        reached = more
    reached = grid.topology.widened(reached, (0, 0, 0, 0))  # doubles as what they are doubles of
    return reached / (grid.area * (reached & once)).sum()


def _distances(grid: Grid, x: float, y: float) -> Array:
    """From a point to the centres of all cells [m], shape (nj, ni)."""
    center = grid.at(Place.center)
    if is_cartesian(grid):
        return np.hypot(*np.broadcast_arrays(center.x - x, center.y - y))
    to = vectors(center.x, center.y)
    away: Array = grid.radius * angles_between(to, vectors(np.array(x), np.array(y))[:, None, None])
    return np.broadcast_to(away, grid.shape)
