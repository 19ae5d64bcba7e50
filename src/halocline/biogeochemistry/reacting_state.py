"""Tracers with the water around them: what transport moves and biology reads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import DTypeLike

from halocline.biogeochemistry.transport import TransportState
from halocline.core.names import Quantity, quantities
from halocline.grids.vertical.levels import VerticalGrid
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place

shown_on_levels = {
    "temperature": quantities["temperature"],
    "salinity": quantities["salinity"],
    "light": Quantity(
        "light",
        "downwelling_photosynthetic_photon_flux_in_sea_water",
        "umol m-2 s-1",
        "light for plants in the cells, of the last step",
    ),
}
"""What is around the tracers and can be shown, on all levels."""
shown_at_surface = {name: quantities[name] for name in ("short_wave", "wind_speed")}
"""The same at the surface."""


class ReactingState(TransportState):
    """Fields of the transport, and of the water and air around the tracers.

    `longitude` and `latitude` are 0 on Cartesian grids, unless the environment sets them.

    An environment fills them before every step; names are those of the arguments of kernels.
    """

    tracer_attenuation: Field
    mixing_stays = False

    def __init__(
        self,
        grid: VerticalGrid,
        tracers: Sequence[str],
        decomposition: Decomposition,
        dtype: DTypeLike = np.float64,
    ) -> None:
        super().__init__(grid, tracers, decomposition, dtype)
        self.temperature = self.on_levels("temperature", "degree C")
        self.salinity = self.on_levels("salinity", "1")
        self.light = self.on_levels("light", "umol m-2 s-1")
        self.calcite_saturation = self.on_levels("calcite_saturation", "1")
        self.calcite_saturation.fill(1.0)
        self.short_wave = self.on_plane("short_wave", "W m-2")
        self.wind_speed = self.on_plane("wind_speed", "m s-1")
        self.ice_fraction = self.on_plane("ice_fraction", "1")
        self.air_carbon_dioxide = self.on_plane("air_carbon_dioxide", "1e-6")
        self.surface_light = self.on_plane("surface_light", "umol m-2 s-1")
        self.attenuation = self.on_plane("attenuation", "m-1")
        self.depth = self.static("depth", "m", grid.depth, Place.none, self.levels)
        self.longitude = self.on_plane("longitude", "degree")
        self.latitude = self.on_plane("latitude", "degree")
        plane = grid.horizontal
        if plane.spherical or plane.curvilinear is not None:
            center = plane.at(Place.center)
            self.longitude.set_global(center.x.astype(dtype))
            self.latitude.set_global(center.y.astype(dtype))

    def integrate(self, field: Field, column: Field) -> None:
        """Set `column` to the integral of `field` over depth."""
        given = zip(field.read(), self.volume.read(), self.area.read(), strict=True)
        with column.change() as owned:
            for to, (values, volume, area) in zip(owned, given, strict=True):
                to[...] = (values * volume).sum(axis=0) / area
