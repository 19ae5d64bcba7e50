"""Carbon of a biology: pH and saturation in the water, carbon dioxide and oxygen from the air."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from halocline.biogeochemistry import _native
from halocline.biogeochemistry.carbonate import CarbonateOptions
from halocline.biogeochemistry.gas_exchange import GasExchangeOptions
from halocline.biogeochemistry.reacting_state import ReactingState
from halocline.core.names import Quantity
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.python_kernels import kernel, read, update
from halocline.runtime.running.runner import Runner
from halocline.runtime.sums.field_sums import FieldSums

kernels = kernels_of(_native)
on_levels = {
    "ph": Quantity(
        "ph", "sea_water_ph_reported_on_total_scale", "1", "pH on the total scale of the last step"
    ),
    "calcite_saturation": Quantity(
        "calcite_saturation", "", "1", "saturation state of calcite of the last step"
    ),
    "aragonite_saturation": Quantity(
        "aragonite_saturation", "", "1", "saturation state of aragonite of the last step"
    ),
}
"""What can be shown on all levels."""
at_surface = {
    "carbon_dioxide_uptake": Quantity(
        "carbon_dioxide_uptake",
        "surface_downward_mole_flux_of_carbon_dioxide",
        "mmol m-2 s-1",
        "carbon dioxide that the sea takes from the air",
    ),
    "oxygen_uptake": Quantity(
        "oxygen_uptake",
        "surface_downward_mole_flux_of_molecular_oxygen",
        "mmol m-2 s-1",
        "oxygen that the sea takes from the air",
    ),
}
"""What can be shown at the surface."""


@kernel(
    carbon_dioxide_uptake=read(Place.center, "mmol m-2 s-1"),
    carbon_taken=update(Place.center, "mmol m-2"),
)
def add_up(at: Any, carbon_dioxide_uptake: Any, carbon_taken: Any, dt: float) -> None:
    """Add what the sea takes up in a step of `dt` [s]."""
    at(carbon_taken)[...] += dt * at(carbon_dioxide_uptake)


class AirSea:
    """The carbonate system of one state, and what passes between it and the air."""

    def __init__(
        self, carbonate: CarbonateOptions, gases: GasExchangeOptions, tracers: Any
    ) -> None:
        self.carbonate, self.gases, self.tracers = carbonate.numbers, gases.numbers, tracers
        self.air = gases.air_carbon_dioxide

    def settle(self, state: ReactingState) -> Sequence[Field]:
        """Make the fields of its own; those that a restart holds.

        They are pH, the first guess of the next one, and carbon taken from the air so far.
        """
        self.ph = state.on_levels("ph", "1", restart=True)
        aragonite = state.on_levels("aragonite_saturation", "1")
        self.aragonite_saturation: Field | None = aragonite
        self.carbon_dioxide_uptake = state.on_plane("carbon_dioxide_uptake", "mmol m-2 s-1")
        self.oxygen_uptake = state.on_plane("oxygen_uptake", "mmol m-2 s-1")
        self.carbon_taken = Field(
            "carbon_taken", "mmol m-2", state.space, place=Place.center, dtype=np.float64,
            restart=True,
        )  # fmt: skip
        self.area, self.sums = state.area, FieldSums(self.carbon_taken, 1)
        self.state = state
        state.air_carbon_dioxide.fill(self.air)
        return [self.ph, self.carbon_taken]

    def show_only(self, names: Collection[str]) -> Sequence[str]:
        """Keep no saturation of aragonite, which nothing else reads, unless it is shown."""
        if "aragonite_saturation" in names:
            return []
        self.aragonite_saturation = None
        return ["aragonite_saturation"]

    @property
    def shown(self) -> Mapping[str, Field]:
        """Its fields by name."""
        fields = {
            "ph": self.ph,
            "calcite_saturation": self.state.calcite_saturation,
            "aragonite_saturation": self.aragonite_saturation,
            "carbon_dioxide_uptake": self.carbon_dioxide_uptake,
            "oxygen_uptake": self.oxygen_uptake,
        }
        return {name: field for name, field in fields.items() if field is not None}

    def dissociate(self, run: Runner, state: ReactingState) -> None:
        """Find pH and saturation states."""
        run(
            kernels["carbonate"],
            state,
            ph=self.ph,
            aragonite_saturation=self.aragonite_saturation,
            numbers=self.carbonate,
            of=self.tracers,
        )

    def exchange(self, run: Runner, state: ReactingState, dt: float) -> None:
        """Let gases pass for `dt` [s]."""
        run(
            kernels["air_sea_exchange"],
            state,
            ph=self.ph,
            carbon_dioxide_uptake=self.carbon_dioxide_uptake,
            oxygen_uptake=self.oxygen_uptake,
            numbers=self.carbonate,
            gas=self.gases,
            of=self.tracers,
            dt=dt,
        )
        run(
            add_up,
            carbon_dioxide_uptake=self.carbon_dioxide_uptake,
            carbon_taken=self.carbon_taken,
            dt=dt,
        )

    def taken(self) -> float:
        """Carbon taken from the air since the start [mmol]; a call for all ranks."""
        pairs = zip(self.carbon_taken.read(), self.area.read(), strict=True)
        terms = [taken * area.astype(np.float64) for taken, area in pairs]
        return float(self.sums([terms])[0])
