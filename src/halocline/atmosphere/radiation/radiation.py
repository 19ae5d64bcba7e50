"""Radiation in a run: fluxes at the ground and heating, from time to time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halocline.atmosphere import _native
from halocline.atmosphere.boundary_layer.turbulence import AirOfColumns
from halocline.atmosphere.land.ground import Ground
from halocline.atmosphere.radiation.radiation_options import RadiationOptions
from halocline.atmosphere.radiation.tables import (
    RadiationTables,
    long_wave_tables,
    short_wave_tables,
)
from halocline.core.sun import nearness, sine_of_height
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.space import Space
from halocline.runtime.running.runner import Runner

Array = NDArray[Any]
kernels = kernels_of(_native)

first_kelvin = 160.0
"""Of the tables of emission [K]."""


class AirRadiation:
    """Heating `long` and `short` by theta_tendency [K s-1] and fluxes, by arguments of kernels.

    The fluxes at the ground are its planes `long_wave_down` and `short_wave_down`. `longitude` and
    `latitude` [degree] are of the whole grid.
    """

    def __init__(
        self,
        options: RadiationOptions,
        run: Runner,
        state: AirOfColumns,
        ground: Ground,
        space: Space,
        dtype: DTypeLike,
        longitude: Array,
        latitude: Array,
        tables: tuple[RadiationTables, RadiationTables] | None = None,
    ) -> None:
        self.options, self.longitude, self.latitude = options, longitude, latitude
        (layers,) = state.dry_theta.axes
        species = state.water.axes[0].entries
        self._space, self._layers, self._dtype = space, layers, dtype
        self.sun = Field("sun", "1", space, place=Place.center, dtype=dtype)
        self.long, self.short = self._results("long"), self._results("short")
        long, short = tables or (long_wave_tables(options), short_wave_tables(options))
        shared = {
            "cloud": species.index("cloud") if "cloud" in species else -1,
            "ice_entry": species.index("ice") if "ice" in species else -1,
            "extra": options.extra_layers,
        }
        below = {name: ground.planes[name] for name in ("skin_temperature", "emissivity")}
        self._long = run.bind(
            kernels["atmosphere_long_wave"],
            state,
            **below,
            **self.long,
            flux_down=ground.planes["long_wave_down"],
            **self._tables("atmosphere_long_wave", long),
        )
        self._short = run.bind(
            kernels["atmosphere_short_wave"],
            state,
            sun=self.sun,
            albedo=ground.planes["albedo"],
            **self.short,
            flux_down=ground.planes["short_wave_down"],
            **self._tables("atmosphere_short_wave", short),
        )
        self._long_numbers = shared | {"tropopause": long.tropopause, "first_kelvin": first_kelvin}
        self._short_numbers = shared | {"tropopause": short.tropopause}

    def update(self, day: float) -> None:
        """Find all again, for a day of the year counted from 0 with its part, UTC."""
        sun = sine_of_height(self.longitude, self.latitude, day)
        self.sun.set_global(np.ascontiguousarray(sun, self._dtype))
        self._long(**self._long_numbers)
        self._short(solar=self.options.solar_constant * nearness(day), **self._short_numbers)

    def _results(self, kind: str) -> dict[str, Field]:
        """Fields that a kernel writes, but the flux at the ground."""
        faces = Axis(self._layers.name, self._layers.size + 1, staggered=True)
        made = {}
        for name, units, axes, place in (
            ("theta_tendency", "K s-1", (self._layers,), Place.center),
            ("upward_flux", "W m-2", (faces,), Place.center),
            ("downward_flux", "W m-2", (faces,), Place.center),
            ("flux_out", "W m-2", (), Place.center),
        ):
            made[name] = Field(
                f"{kind}_wave_{name}", units, self._space, axes=axes, place=place,
                dtype=self._dtype, restart=name == "theta_tendency",
            )  # fmt: skip
        return made

    def _tables(self, kernel: str, tables: RadiationTables) -> dict[str, Field]:
        """Fields of the tables that a kernel takes."""
        made = {}
        for argument in kernels[kernel].arguments:
            if argument.place != Place.none:
                continue
            values = tables.tables[argument.name]
            units = "1" if argument.units == "any" else argument.units
            field = Field(
                argument.name, units, self._space, axes=values.shape, place=Place.none,
                dtype=self._dtype, static=True,
            )  # fmt: skip
            field.set_global(np.ascontiguousarray(values, self._dtype))
            made[argument.name] = field
        return made
