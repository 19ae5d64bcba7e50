"""Options of what lies below the air."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.start.start_reading import StartFile
from halocline.core.errors import UserError
from halocline.core.options import Options, option
from halocline.grids.horizontal.grid import Grid

Array = NDArray[np.float64]


class GroundPlanes(NamedTuple):
    """What lies below the air at the start, shape (nj, ni)."""

    land: Array  # 1 on land, 0 at sea
    skin: Array  # temperature [K]
    deep: Array  # temperature below soil and ice [K]
    ice: Array | None = None  # 1 on sea ice


freezing_sea = 271.35
"""Temperature below sea ice [K]."""


def planes_of_start(file: StartFile, grid: Grid) -> GroundPlanes:
    """The ground of a start, with soil as warm in the depth as the lowest layer of the air.

    More than half of land makes a cell land, more than half of ice one at sea ice.
    """
    needed = ("land", "skin_temperature", "temperature")
    missing = [name for name in needed if name not in file.names]
    if missing:
        raise UserError(
            f"atmosphere.ground.kind = 'start', but {file.path} has no {', '.join(missing)}. Make"
            " it from an analysis with land and the temperature of the surface, or choose another"
            " kind."
        )
    file.check_grid(grid)
    land = (file.read("land", 0) > 0.5).astype(float)
    ice = np.zeros_like(land)
    if "ice" in file.names:
        ice = ((file.read("ice", 0) > 0.5) & (land == 0.0)).astype(float)
    deep = np.where(ice > 0.0, freezing_sea, file.read("temperature", 0)[0])
    return GroundPlanes(land, file.read("skin_temperature", 0), deep, ice)


@dataclass(frozen=True, kw_only=True)
class GroundOptions(Options):
    """Land and sea, and their temperature at the start."""

    kind: str = option(
        "sea",
        "",
        "land, sea, land from `west` to `east`, or as in the file of the start: land, sea ice and"
        " the temperature of the skin",
        choices=("land", "sea", "strip", "start"),
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

    def planes(self, grid: Grid) -> GroundPlanes:
        """Land and temperatures where no file has them."""
        land = self.land(grid)
        skin = np.where(land > 0.5, self.land_temperature, self.sea_temperature)
        deep = np.full(land.shape, self.deep_temperature)
        return GroundPlanes(land, skin, deep)

    def place(self, grid: Grid) -> tuple[Array, Array]:
        """Longitude and latitude of centres [degree], shape (nj, ni)."""
        if grid.longitude is not None and grid.latitude is not None:
            return grid.longitude, grid.latitude
        if grid.spherical:
            x, y = np.broadcast_arrays(grid.x, grid.y[:, None])
            return x.copy(), y.copy()
        return np.full(grid.shape, self.longitude), np.full(grid.shape, self.latitude)
