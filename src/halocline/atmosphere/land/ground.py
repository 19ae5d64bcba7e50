"""The ground in a step: its planes, and the soil below."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halocline.atmosphere import _native
from halocline.atmosphere.land.land_use import covers
from halocline.atmosphere.land.slab_options import SlabOptions, soil_depth
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.space import Space
from halocline.runtime.running.runner import Runner

Array = NDArray[Any]
kernels = kernels_of(_native)

kept = {
    "skin_temperature": "K",
    "roughness": "m",
    "short_wave_down": "W m-2",
    "long_wave_down": "W m-2",
}
"""Units of planes that a restart holds, beside the soil's temperature."""

given = {
    "land": "1",
    "deep_temperature": "K",
    "moisture_availability": "1",
    "albedo": "1",
    "emissivity": "1",
    "soil_heat_capacity": "J m-3 K-1",
}
"""The same of planes that stay."""

found = {"heat_flux": "W m-2", "vapor_flux": "kg m-2 s-1", "ground_flux": "W m-2"}
"""The same of planes of every step."""

unbound = ("roughness", "moisture_availability")
"""Planes that the soil does not need."""


class Ground:
    """Planes of land and sea, as attributes by the names of arguments of kernels."""

    def __init__(self, options: SlabOptions, run: Runner, space: Space, dtype: DTypeLike) -> None:
        self.options = options
        center, soil = Place.center, Axis("soil", coordinates=soil_depth, units="m")
        self.planes = {
            name: Field(name, units, space, place=center, dtype=dtype, restart=name in kept)
            for name, units in (kept | given | found).items()
        }
        self.soil_temperature = Field(
            "soil_temperature", "K", space, axes=(soil,), place=center, dtype=dtype, restart=True
        )
        self.soil_depth = Field(
            "soil_depth", "m", space, axes=(soil,), place=Place.none, dtype=dtype, static=True
        )
        self.soil_depth.set_global(np.array(soil_depth, dtype))
        self._balance = run.bind(
            kernels["atmosphere_slab"],
            soil_temperature=self.soil_temperature,
            soil_depth=self.soil_depth,
            **{name: self.planes[name] for name in (kept | given | found) if name not in unbound},
        )

    def __getattr__(self, name: str) -> Field:
        try:
            return self.__dict__["planes"][name]
        except KeyError:
            raise AttributeError(name) from None

    def cover(self, land: Array, skin: Array, deep: Array, ice: Array | None = None) -> None:
        """Set all planes from those of the whole grid: 1 on land, temperatures [K], 1 on ice.

        Land has the cover of the options, sea ice is land covered by ice; soil goes from the skin's
        temperature to the deep one.
        """
        ice = np.zeros_like(land) if ice is None else ice
        of_land, of_sea, of_ice = self.options.land_cover, covers["water"][0], covers["ice"][1]

        def of_cover(name: str) -> Array:
            on_land, at_sea, on_ice = (getattr(some, name) for some in (of_land, of_sea, of_ice))
            return np.where(ice > 0.5, on_ice, np.where(land > 0.5, on_land, at_sea))

        for name in ("albedo", "emissivity", "moisture_availability", "roughness"):
            self._set(self.planes[name], of_cover(name))
        capacity = of_cover("thermal_inertia") / self.options.diffusivity**0.5
        self._set(self.planes["soil_heat_capacity"], capacity)
        for name, values in (
            ("land", np.maximum(land, ice)),
            ("skin_temperature", skin),
            ("deep_temperature", deep),
        ):
            self._set(self.planes[name], values)
        middle = np.cumsum(soil_depth) - 0.5 * np.array(soil_depth)
        part = (middle - middle[0]) / (sum(soil_depth) + soil_depth[-1] - middle[0])
        self._set(self.soil_temperature, skin + part[:, None, None] * (deep - skin))

    def step(self, dt: float) -> None:
        """Balance the energy of the skin over a step [s], with the fluxes that the planes hold."""
        self._balance(dt=dt, diffusivity=self.options.diffusivity)

    @staticmethod
    def _set(field: Field, values: Array) -> None:
        field.set_global(np.ascontiguousarray(values, field.dtype))
