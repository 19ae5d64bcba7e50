"""The model of nutrient, phytoplankton, zooplankton and detritus behind the door of biologies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from halocline.biogeochemistry import _native
from halocline.biogeochemistry.biology import Biology
from halocline.biogeochemistry.npzd.options import NpzdOptions, seconds_per_day
from halocline.biogeochemistry.reacting_state import ReactingState
from halocline.core.names import Quantity
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.running.runner import Runner

kernels = kernels_of(_native)


def _nitrogen(name: str, standard_name: str, meaning: str) -> Quantity:
    return Quantity(name, standard_name, "mmol m-3", f"{meaning}, as nitrogen")


class Npzd(Biology):
    """Four tracers that pass nitrogen on to each other."""

    options_kind = NpzdOptions
    tracers = (
        _nitrogen("N", "mole_concentration_of_nitrate_in_sea_water", "nutrient"),
        _nitrogen(
            "P",
            "mole_concentration_of_phytoplankton_expressed_as_nitrogen_in_sea_water",
            "phytoplankton",
        ),
        _nitrogen(
            "Z",
            "mole_concentration_of_zooplankton_expressed_as_nitrogen_in_sea_water",
            "zooplankton",
        ),
        _nitrogen(
            "D",
            "mole_concentration_of_organic_detritus_expressed_as_nitrogen_in_sea_water",
            "detritus",
        ),
    )
    diagnostics = {
        "primary_production": Quantity(
            "primary_production",
            "net_primary_production_of_biomass_expressed_as_carbon_per_unit_volume_in_sea_water",
            "mg m-3 s-1",
            "net primary production of carbon",
        ),
        "chlorophyll": Quantity(
            "chlorophyll",
            "mass_concentration_of_chlorophyll_in_sea_water",
            "mg m-3",
            "chlorophyll of phytoplankton",
        ),
    }
    elements = {"nitrogen": ("N", "P", "Z", "D")}
    environment = ("temperature", "light")
    seconds = 2e-8

    def __init__(self, options: NpzdOptions) -> None:
        self.options, self.numbers = options, options.numbers

    @property
    def sinking(self) -> Mapping[str, float]:
        """Phytoplankton and detritus."""
        options = self.options
        return {
            "P": options.phytoplankton_sinking / seconds_per_day,
            "D": options.detritus_sinking / seconds_per_day,
        }

    @property
    def attenuation(self) -> Mapping[str, float]:
        """By the chlorophyll of phytoplankton."""
        return {"P": self.options.attenuation * self.options.chlorophyll_per_nitrogen}

    def start_values(self) -> Mapping[str, float]:
        """Nutrient, and little of the others."""
        return {"N": 4.0, "P": 0.1, "Z": 0.1, "D": 0.1}

    def settle(self, state: ReactingState) -> Sequence[Field]:
        """Make the fields that are shown; a restart needs none."""
        self.primary_production, self.chlorophyll = (
            state.on_levels(one.short_name, one.units) for one in self.diagnostics.values()
        )
        return []

    def step(self, run: Runner, state: ReactingState, dt: float) -> None:
        """Advance the tracers of `state` by `dt` [s].

        1. reaction
        """
        # 1. reaction
        run(
            kernels["npzd_react"],
            state,
            primary_production=self.primary_production,
            numbers=self.numbers,
            dt=dt,
        )

    def show(self, name: str, run: Runner, state: ReactingState) -> Field:
        """Production of the last step, or chlorophyll."""
        if name == "primary_production":
            return self.primary_production
        with self.chlorophyll.change() as owned:
            for array, tracer in zip(owned, state.tracer.read(), strict=True):
                array[...] = self.options.chlorophyll_per_nitrogen * tracer[1]
        return self.chlorophyll
