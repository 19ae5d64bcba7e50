"""The model BFM behind the door of biologies."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from halocline.biogeochemistry import _native, air_sea
from halocline.biogeochemistry.bfm import tracers as table
from halocline.biogeochemistry.bfm.options import BfmOptions
from halocline.biogeochemistry.biology import Biology
from halocline.biogeochemistry.carbonate import carbonate_tracers
from halocline.biogeochemistry.reacting_state import ReactingState
from halocline.core.names import Quantity
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner
from halocline.runtime.sums.field_sums import FieldSums
from halocline.runtime.sums.reductions import GlobalSums

kernels = kernels_of(_native)
productions = {
    "gross_production": Quantity(
        "gross_production",
        "",
        "mg m-3 s-1",
        "growth of phytoplankton, as carbon, of the last step",
    ),
    "primary_production": Quantity(
        "primary_production",
        "net_primary_production_of_biomass_expressed_as_carbon_per_unit_volume_in_sea_water",
        "mg m-3 s-1",
        "net primary production of carbon",
    ),
    "bacterial_production": Quantity(
        "bacterial_production",
        "",
        "mg m-3 s-1",
        "net bacterial production of carbon",
    ),
}
chlorophyll = Quantity(
    "chlorophyll",
    "mass_concentration_of_chlorophyll_in_sea_water",
    "mg m-3",
    "chlorophyll of all phytoplankton",
)
integrated = {
    "column_gross_production": Quantity(
        "column_gross_production",
        "gross_primary_productivity_of_biomass_expressed_as_carbon",
        "mg m-2 s-1",
        "growth of phytoplankton over all depths, as carbon, of the last step",
    ),
    "column_primary_production": Quantity(
        "column_primary_production",
        "net_primary_productivity_of_biomass_expressed_as_carbon",
        "mg m-2 s-1",
        "growth of phytoplankton less its respiration over all depths, as carbon, of the last step",
    ),
    "column_bacterial_production": Quantity(
        "column_bacterial_production",
        "",
        "mg m-2 s-1",
        "growth of bacteria less their respiration over all depths, as carbon, of the last step",
    ),
}
"""Integrals over depth, by `column_` and the name of what is integrated."""
floor_boxes = ("Q1c", "Q1n", "Q1p", "Q6c", "Q6n", "Q6p", "Q6s", "Q5c")
"""What lies on the floor, dissolved, particulate and calcite [mg m-2, mmol m-2]."""


class Bfm(Biology):
    """Fifty-one tracers: nutrients, plankton of nine groups, organic matter, carbon."""

    options_kind = BfmOptions
    tracers = table.tracers
    diagnostics = {**productions, "chlorophyll": chlorophyll, **air_sea.on_levels}
    planes = {**integrated, **air_sea.at_surface}
    elements = table.elements
    environment = ("temperature", "salinity", "light", "wind_speed", "calcite_saturation")
    seconds = 4e-7

    def __init__(self, options: BfmOptions) -> None:
        self.options = options
        self.numbers, self.sinking_numbers = options.native(), options.native_of_sinking()

        self.air = air_sea.AirSea(
            options.carbonate,
            options.gases,
            carbonate_tracers(
                self.names,
                carbon="O3c",
                alkalinity="O3h",
                phosphate="N1p",
                silicate="N5s",
                oxygen="O2o",
                carbon_per_mmol=12.0,
            ),
        )

    @property
    def attenuation(self) -> Mapping[str, float]:
        """By chlorophyll and detritus."""
        taken = self.options.attenuation
        green = dict.fromkeys((f"{group}l" for group in table.phytoplankton), taken.chlorophyll)
        return {**green, "R6c": taken.detritus}

    def start_values(self) -> Mapping[str, float]:
        """The homogeneous state of the preset."""
        return table.homogeneous_start()

    def settle(self, state: ReactingState) -> Sequence[Field]:
        """Make its fields; what lies on the floor, and of the air, is kept in restarts."""
        kept = self.air.settle(state)
        on_levels = {**productions, "chlorophyll": chlorophyll}
        self.shown: dict[str, Field | None] = {
            **{name: state.on_levels(name, some.units) for name, some in on_levels.items()},
            **{name: state.on_plane(name, some.units) for name, some in integrated.items()},
        }
        decomposition = state.space.decomposition
        self.floor = Field(
            "floor",
            "m",
            state.space,
            axes=(Axis("floor", entries=floor_boxes),),
            place=Place.center,
            dtype=state.dtype,
            restart=True,
        )
        self.cut_cells = Field(
            "cut_cells", "1", decomposition, axes=(2,), place=Place.none, dtype=np.int64
        )
        self.communicator = decomposition.communicator
        self.area, self.floor_sums = state.area, FieldSums(self.floor, len(floor_boxes))
        return [self.floor, *kept]

    def show_only(self, names: Collection[str]) -> Sequence[str]:
        """Keep no field of what is neither shown nor integrated: each is a 51st of the tracers."""
        wanted = {*names, *(name.removeprefix("column_") for name in names)}
        left_out = [name for name in self.shown if name not in wanted]
        self.shown |= dict.fromkeys(left_out)
        return [*left_out, *self.air.show_only(names)]

    @property
    def sums(self) -> Mapping[str, GlobalSums]:
        """Those of what lies on the floor, and of what came from the air."""
        return {"floor contents": self.floor_sums, "carbon from the air": self.air.sums}

    def outside(self) -> Mapping[str, float]:
        """What of each element lies on the floor, less carbon from the air; for all ranks."""
        floors, areas = self.floor.read(), self.area.read()
        numbers = range(len(floor_boxes))
        terms = [
            [floor[n].astype(np.float64) * area for floor, area in zip(floors, areas, strict=True)]
            for n in numbers
        ]
        found = self.floor_sums(terms)
        on_floor = {
            element: float(sum(found[n] for n in numbers if floor_boxes[n][2] == letter))
            for element, letter in table.letters.items()
        }
        return {**on_floor, "carbon": on_floor["carbon"] - 12.0 * self.air.taken()}

    def step(self, run: Runner, state: ReactingState, dt: float) -> None:
        """Advance the tracers of `state` by `dt` [s].

        1. pH and saturation  2. reaction  3. sinking, and the floor  4. gases from the air
        """
        # 1. pH and saturation
        self.air.dissociate(run, state)
        # 2. reaction
        run(
            kernels["bfm_react"],
            state,
            **{name: self.shown[name] for name in productions},
            cut_cells=self.cut_cells,
            numbers=self.numbers,
            dt=dt,
        )
        # 3. sinking, and the floor
        run(kernels["bfm_sink"], state, floor=self.floor, numbers=self.sinking_numbers, dt=dt)
        # 4. gases from the air
        self.air.exchange(run, state, dt)

    def show(self, name: str, run: Runner, state: ReactingState) -> Field:
        """A production of the last step, its integral, or chlorophyll."""
        if name in self.air.shown:
            return self.air.shown[name]
        field = self.shown.get(name)
        assert field is not None, f"nobody said that '{name}' would be shown"
        if name in integrated:
            state.integrate(self.show(name.removeprefix("column_"), run, state), field)
        if name == "chlorophyll":
            parts = [table.index[group + "l"] for group in table.phytoplankton]
            with field.change() as owned:
                for array, tracer in zip(owned, state.tracer.read(), strict=True):
                    array[...] = sum(tracer[at] for at in parts)
        return field

    def cut(self) -> tuple[int, int]:
        """Steps of cells that were made in parts, and that were not finished; for all ranks."""
        local = np.zeros(2)
        for array in self.cut_cells.read():
            local += array
        parts, unfinished = self.communicator.sum(local)
        return int(parts), int(unfinished)

    def summary(self) -> str:
        """How often the limiter acted."""
        parts, unfinished = self.cut()
        if not parts:
            return "the limiter did not act"
        rest = f", {unfinished} not to their end" if unfinished else ""
        return f"the limiter cut {parts} steps of cells into parts{rest}"
