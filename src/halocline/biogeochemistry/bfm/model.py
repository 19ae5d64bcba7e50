"""The model BFM behind the door of biologies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from halocline.biogeochemistry import _native
from halocline.biogeochemistry.bfm import tracers as table
from halocline.biogeochemistry.bfm.options import BfmOptions
from halocline.biogeochemistry.biology import Biology
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
    "primary_production": Quantity(
        "primary_production",
        "net_primary_production_of_biomass_expressed_as_carbon_per_unit_volume_in_sea_water",
        "mg m-3 s-1",
        "growth of phytoplankton less its respiration, as carbon, of the last step",
    ),
    "bacterial_production": Quantity(
        "bacterial_production",
        "",
        "mg m-3 s-1",
        "growth of bacteria less their respiration, as carbon, of the last step",
    ),
}
chlorophyll = Quantity(
    "chlorophyll",
    "mass_concentration_of_chlorophyll_in_sea_water",
    "mg m-3",
    "chlorophyll of all phytoplankton",
)


floor_boxes = ("Q1c", "Q1n", "Q1p", "Q6c", "Q6n", "Q6p", "Q6s", "Q5c")
"""What lies on the floor, dissolved, particulate and calcite [mg m-2, mmol m-2]."""


class Bfm(Biology):
    """Fifty-one tracers: nutrients, plankton of nine groups, organic matter, carbon."""

    options_kind = BfmOptions
    tracers = table.tracers
    diagnostics = {**productions, "chlorophyll": chlorophyll}
    elements = table.elements
    environment = ("temperature", "light", "calcite_saturation")

    def __init__(self, options: BfmOptions) -> None:
        self.options = options
        self.numbers, self.sinking_numbers = options.native(), options.native_of_sinking()

    def start_values(self) -> Mapping[str, float]:
        """The homogeneous state of the preset."""
        return table.homogeneous_start()

    def settle(self, state: ReactingState) -> None:
        """Make the fields of the productions, and what counts cells."""
        self.shown = {name: state.on_levels(name, some.units) for name, some in productions.items()}
        self.shown["chlorophyll"] = state.on_levels("chlorophyll", chlorophyll.units)
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

    @property
    def kept(self) -> Sequence[Field]:
        """What lies on the floor."""
        return [self.floor]

    @property
    def sums(self) -> Mapping[str, GlobalSums]:
        """Those of what lies on the floor."""
        return {"floor contents": self.floor_sums}

    def outside(self) -> Mapping[str, float]:
        """What of each element lies on the floor; a call for all ranks."""
        floors, areas = self.floor.read(), self.area.read()
        numbers = range(len(floor_boxes))
        terms = [
            [floor[n].astype(np.float64) * area for floor, area in zip(floors, areas, strict=True)]
            for n in numbers
        ]
        found = self.floor_sums(terms)
        return {
            element: float(sum(found[n] for n in numbers if floor_boxes[n][2] == letter))
            for element, letter in table.letters.items()
        }

    def step(self, run: Runner, state: ReactingState, dt: float) -> None:
        """Advance the tracers of `state` by `dt` [s].

        1. reaction  2. sinking, and the floor
        """
        # 1. reaction
        run(
            kernels["bfm_react"],
            state,
            **{name: self.shown[name] for name in productions},
            cut_cells=self.cut_cells,
            numbers=self.numbers,
            dt=dt,
        )
        # 2. sinking, and the floor
        run(kernels["bfm_sink"], state, floor=self.floor, numbers=self.sinking_numbers, dt=dt)

    def show(self, name: str, run: Runner, state: ReactingState) -> Field:
        """A production of the last step, or chlorophyll."""
        field = self.shown[name]
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
