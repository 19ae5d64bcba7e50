"""Wind and heat by bulk formulas, from air in files and the sea's surface."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.core.clock import Date
from halocline.core.constants import gravity, von_karman
from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.ocean import _native
from halocline.ocean.radiation import Radiation
from halocline.runtime.fields.field import Field, pair
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner

if TYPE_CHECKING:
    from halocline.ocean.model import OceanState
    from halocline.ocean.options import OceanOptions

kernels = kernels_of(_native)
of_air = {
    "wind_speed": "m s-1",
    "air_temperature": "degree C",
    "air_humidity": "g kg-1",
}
"""Fields of the air at centres that files always give."""


class BulkFluxes:
    """Stress and heat of one ocean; `air`, with its variables, and `wind` are what files give."""

    def __init__(self, options: OceanOptions, grid: Grid, state: OceanState, run: Runner) -> None:
        bulk = self.options = options.forcing.bulk
        if options.wind.file or options.forcing.heat.file:
            raise UserError(
                "Bulk formulas give stress and heat, but files do too. Leave out ocean.wind.file"
                " and ocean.forcing.heat.file, or ocean.forcing.bulk.file."
            )

        def made(name: str, units: str, place: Place = Place.center) -> Field:
            return Field(name, units, state.space, place=place, dtype=state.dtype)

        fields = {name: made(name, units) for name, units in of_air.items()}
        self.wind_speed = fields["wind_speed"]
        self.air = [
            (bulk.speed, self.wind_speed),
            (bulk.temperature, fields["air_temperature"]),
            (bulk.humidity, fields["air_humidity"]),
        ]
        fields["long_wave"] = made("long_wave", "W m-2")
        self.radiation: Radiation | None = None
        if bulk.radiation == "files":
            self.air.append((bulk.short_wave, state.short_wave))
            self.air.append((bulk.long_wave, fields["long_wave"]))
        else:
            cloud = made("cloud", "1")
            if isinstance(bulk.cloud, str):
                self.air.append((bulk.cloud, cloud))
            names = "air_temperature", "air_humidity", "long_wave"
            above = {name: fields[name] for name in names} | {"cloud": cloud}
            self.radiation = Radiation(bulk, grid, state, run, above)
        self.wind = [made("air_u", "m s-1", Place.corner), made("air_v", "m s-1", Place.corner)]
        pair(*self.wind)
        self.evaporation = made("evaporation", "kg m-2 s-1")
        drag = made("air_drag", "kg m-2 s-1")
        self.heat = run.bind(
            kernels["ocean_bulk_heat"], state, **fields, evaporation=self.evaporation, air_drag=drag
        )
        self.stress = run.bind(
            kernels["ocean_bulk_stress"],
            state,
            air_drag=drag,
            air_u=self.wind[0],
            air_v=self.wind[1],
        )
        self.numbers = {"height": bulk.height, "density": bulk.air_density}
        self.reference = options.density.reference

    def update(self, moment: Date) -> None:
        """Set what formulas make of the air of a moment."""
        if self.radiation is not None:
            self.radiation.update(moment)

    def __call__(self) -> None:
        """Stress and heat flux of the old surface."""
        if self.radiation is not None:
            self.radiation.long_wave()
        self.heat(**self.numbers, gravity=gravity, karman=von_karman)
        self.stress(density=self.reference)
