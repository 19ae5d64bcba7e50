"""Wind and heat by bulk formulas, from air in files and the sea's surface."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.core.constants import gravity, von_karman
from halocline.core.errors import UserError
from halocline.ocean import _native
from halocline.ocean.bulk_options import BulkOptions
from halocline.runtime.fields.field import Field, pair
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner

if TYPE_CHECKING:
    from halocline.ocean.model import OceanState
    from halocline.ocean.options import OceanOptions

kernels = kernels_of(_native)
of_air = {
    "short_wave": "W m-2",
    "long_wave": "W m-2",
    "wind_speed": "m s-1",
    "air_temperature": "degree C",
    "air_humidity": "g kg-1",
}
"""Fields of the air at centres that files give."""


class BulkFluxes:
    """Stress and heat of one ocean; `air` and `wind` are what files give."""

    def __init__(self, options: OceanOptions, state: OceanState, run: Runner) -> None:
        bulk = self.options = options.forcing.bulk
        if options.wind.file or options.forcing.heat.file:
            raise UserError(
                "Bulk formulas give stress and heat, but files do too. Leave out ocean.wind.file"
                " and ocean.forcing.heat.file, or ocean.forcing.bulk.file."
            )

        def made(name: str, units: str, place: Place = Place.center) -> Field:
            return Field(name, units, state.space, place=place, dtype=state.dtype)

        fields = {name: made(name, units) for name, units in of_air.items()}
        fields["short_wave"] = state.short_wave
        self.air = list(fields.values())
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

    @property
    def variables(self) -> tuple[str, ...]:
        """Of the files, one for each field of `air`."""
        of: BulkOptions = self.options
        return of.short_wave, of.long_wave, of.speed, of.temperature, of.humidity

    def __call__(self) -> None:
        """Stress and heat flux of the old surface."""
        self.heat(**self.numbers, gravity=gravity, karman=von_karman)
        self.stress(density=self.reference)
