"""Options of what lies below the air."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.core.options import Options, option
from halocline.grids.horizontal.grid import Grid

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class GroundOptions(Options):
    """Land and sea, and their temperature at the start."""

    kind: str = option(
        "sea", "", "land, sea, or land from `west` to `east`", choices=("land", "sea", "strip")
    )
    west: float = option(0.0, "1", "x of the grid at which a strip of land begins")
    east: float = option(0.0, "1", "x of the grid at which it ends")
    land_temperature: float = option(
        288.0, "K", "of the skin of land at the start", at_least=150.0, at_most=350.0
    )
    sea_temperature: float = option(
        288.0, "K", "of the skin of the sea, which keeps it", at_least=250.0, at_most=320.0
    )
    deep_temperature: float = option(288.0, "K", "below the soil", at_least=150.0, at_most=350.0)
    longitude: float = option(
        0.0, "degree", "of all of a grid that is flat", at_least=-360.0, at_most=360.0
    )
    latitude: float = option(
        45.0, "degree", "of all of a grid that is flat", at_least=-90.0, at_most=90.0
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind == "strip" and not self.west < self.east:
            raise UserError(
                f"The strip of land from west = {self.west:g} to east = {self.east:g} of"
                " atmosphere.ground is empty. Give a greater `east`."
            )

    def land(self, grid: Grid) -> Array:
        """1 on land, 0 at sea, shape (nj, ni)."""
        if self.kind == "strip":
            inside = (grid.x >= self.west) & (grid.x < self.east)
            return np.broadcast_to(inside.astype(float), grid.shape).copy()
        return np.full(grid.shape, float(self.kind == "land"))

    def place(self, grid: Grid) -> tuple[Array, Array]:
        """Longitude and latitude of centres [degree], shape (nj, ni)."""
        if grid.longitude is not None and grid.latitude is not None:
            return grid.longitude, grid.latitude
        if grid.spherical:
            x, y = np.broadcast_arrays(grid.x, grid.y[:, None])
            return x.copy(), y.copy()
        return np.full(grid.shape, self.longitude), np.full(grid.shape, self.latitude)
