"""Cases of an ocean with life in it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from halocline.biogeochemistry.biogeochemistry_case import BiogeochemistryCase
from halocline.biogeochemistry.biology_options import BiologyOptions, CarriedOptions
from halocline.biogeochemistry.light import LightOptions
from halocline.biogeochemistry.reacting_state import shown_at_surface
from halocline.biogeochemistry.transport import TransportState
from halocline.component.case.case import named
from halocline.component.streams.field_stream import MapShape
from halocline.core.clock import Clock
from halocline.core.errors import UserError
from halocline.core.names import Quantity
from halocline.core.options import option
from halocline.grids.horizontal.grid import Grid
from halocline.living_ocean.component import LivingOceanComponent
from halocline.living_ocean.ocean_ends import OceanEnds
from halocline.living_ocean.ocean_flow import OceanFlow, OceanSurroundings
from halocline.ocean.case import OceanCase
from halocline.ocean.component import OceanComponent
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.running.runner import Plan

of_the_ocean = ("files", "rotation", "gyres", "mixing", "start_offset")
"""Options of the transport in whose place the ocean stands."""


@dataclass(frozen=True, kw_only=True)
class MovedByOceanOptions(CarriedOptions):
    """How the ocean of the same run moves the tracers of a biology."""

    circulation: str = option(
        "ocean", "", "what moves the tracers: the ocean of the same run", choices=("ocean",)
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        usual = CarriedOptions()
        for name in of_the_ocean:
            if getattr(self, name) != getattr(usual, name):
                raise UserError(
                    f"transport.{name} says how tracers move without an ocean; here the ocean does"
                    " it. Leave it out."
                )


@dataclass(frozen=True, kw_only=True)
class LivingOceanCase(OceanCase):
    """A run of the ocean with tracers of a biology in it."""

    component: str = named("living-ocean")
    biology: BiologyOptions = option(BiologyOptions(), meaning="the model of life in the sea")
    light: LightOptions = option(LightOptions(), meaning="light for plants")
    transport: MovedByOceanOptions = option(
        MovedByOceanOptions(), meaning="how the ocean moves the biology's tracers"
    )

    built: ClassVar[type[OceanComponent]] = LivingOceanComponent

    def _refuse_shared_names(self) -> None:
        """Refuse a biology with fields that are called as the ocean's are."""
        biology, taken = self.life.built_biology, super().map_shapes()
        for name in (*biology.names, *biology.diagnostics, *biology.planes):
            if name in taken:
                raise UserError(
                    f"The biology has a field '{name}', and so has the ocean. Rename"
                    f" [ocean.tracers.passive.{name}]."
                )

    def _refuse_missing_surroundings(self) -> None:
        """Refuse a biology that reads what this ocean does not have."""
        forcing, read = self.ocean.forcing, self.life.built_biology.environment
        lit = forcing.heat.file or forcing.heat.short_wave or forcing.bulk.file
        missing = {
            "light": ("no short wave", "ocean.forcing.heat.short_wave", lit),
            "wind_speed": ("no speed of the wind", "ocean.forcing.bulk.file", forcing.bulk.file),
        }
        for name, (what, where, there) in missing.items():
            if name in read and not there:
                raise UserError(
                    f"biology.model = '{self.biology.model}' needs {name.replace('_', ' ')}, but"
                    f" this ocean has {what}. Set {where}, or take another model."
                )

    @cached_property
    def life(self) -> BiogeochemistryCase:
        """The case of the tracers alone."""
        return BiogeochemistryCase(
            precision=self.precision,
            data_folder=self.data_folder,
            time=self.time,
            grid=self.grid,
            perturbation=self.perturbation,
            transport=self.transport,
            biology=self.biology,
            light=self.light,
        )

    @property
    def living(self) -> dict[str, Quantity]:
        """What maps can hold beside the ocean's, by name; what is around life is the ocean's."""
        ours = ("temperature", "salinity", *shown_at_surface)
        return {name: some for name, some in self.life.shown.items() if name not in ours}

    def build(
        self,
        clock: Clock,
        communicator: Communicator,
        *,
        check_halos: bool = False,
        plan: Plan | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> LivingOceanComponent:
        """The ocean with its grid, and life in it."""
        self._refuse_shared_names()
        self._refuse_missing_surroundings()
        ocean = super().build(clock, communicator, check_halos=check_halos, plan=plan, given=given)
        assert isinstance(ocean, LivingOceanComponent)
        ends = OceanEnds(ocean.model)
        at_once = self.transport.advection == "smolarkiewicz"

        def flow(state: TransportState) -> OceanFlow:
            return OceanFlow(ends, state, at_once=at_once)

        life = self.life.component_in(
            OceanSurroundings(ends), ocean.grid, clock, communicator, run=ocean.run, flow=flow
        )
        ocean.carry(life, ends, list(self.living))
        return ocean

    def lacking(
        self, *, restarted: bool = False, watched: bool = False, given: Collection[str] = ()
    ) -> list[str]:
        """A line on what mixes the ocean but not life, and one on a run without output."""
        mixing, own = self.ocean.mixing, self.transport.horizontal_diffusivity
        along = {"eddies.along": mixing.eddies.along, "diffusivity": mixing.diffusivity}
        names = [f"ocean.mixing.{name}" for name, some in along.items() if some and not own]
        found = super().lacking(restarted=restarted, watched=watched, given=given)
        if not names:
            return found
        return [
            f"life is not mixed by {' and '.join(names)}, which act on temperature and salinity"
            " alone; transport.horizontal_diffusivity, which mixes it along levels, is 0",
            *found,
        ]

    def map_shapes(self) -> dict[str, MapShape]:
        """Where the fields of the ocean and of life lie, and their levels."""
        shapes = self.life.map_shapes()
        return {**super().map_shapes(), **{name: shapes[name] for name in self.living}}

    def described(self) -> dict[str, Quantity]:
        """All fields that maps can hold."""
        return {**super().described(), **self.living}

    def state_values(self, grid: Grid) -> int:
        """Those of the ocean and of life, land included."""
        return super().state_values(grid) + self.life.state_values(grid)

    @cached_property
    def cost(self) -> float:
        """Of a step, divided among the values that the state has [s]."""
        grid = self.build_grid()
        ocean, life = super().state_values(grid), self.life.state_values(grid)
        return (super().cost * ocean + self.life.cost * life) / (ocean + life)
