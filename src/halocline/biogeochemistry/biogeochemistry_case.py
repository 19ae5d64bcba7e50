"""Cases of tracers that are moved and react with each other."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.biogeochemistry.biogeochemistry_component import BiogeochemistryComponent
from halocline.biogeochemistry.biology import Biology
from halocline.biogeochemistry.biology_options import BiologyOptions, CarriedOptions
from halocline.biogeochemistry.case import TransportCase
from halocline.biogeochemistry.environment import Environment
from halocline.biogeochemistry.file_surroundings import FileSurroundings
from halocline.biogeochemistry.light import Light, LightOptions
from halocline.biogeochemistry.reacting_state import shown_at_surface, shown_on_levels
from halocline.biogeochemistry.season import Season, SeasonOptions
from halocline.biogeochemistry.transport import TransportOptions
from halocline.component.case.case import named
from halocline.component.forcing.field_records import RecordSource
from halocline.core.clock import Clock
from halocline.core.errors import UserError
from halocline.core.names import Quantity
from halocline.core.options import option
from halocline.grids.vertical.levels import VerticalGrid
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.ranks.once_per_node import once_per_node
from halocline.runtime.running.runner import Plan


@dataclass(frozen=True, kw_only=True)
class BiogeochemistryCase(TransportCase):
    """A run of tracers that are moved by a circulation and react with each other."""

    component: str = named("biogeochemistry")
    transport: CarriedOptions = option(CarriedOptions(), meaning="what moves the tracers")
    biology: BiologyOptions = option(BiologyOptions(), meaning="the model of life in the sea")
    light: LightOptions = option(LightOptions(), meaning="light for plants")
    season: SeasonOptions = option(
        SeasonOptions(), meaning="water and light around the tracers, by formulas"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.transport.tracers:
            raise UserError(
                "transport.tracers are those of the biology. Leave them out of the case file."
            )

    @cached_property
    def built_biology(self) -> Biology:
        """The model of life in the sea."""
        return self.biology.build()

    @property
    def shown(self) -> Mapping[str, Quantity]:
        """Tracers, what the biology shows besides, and what is around them, by name."""
        biology = self.built_biology
        return {
            **shown_on_levels,
            **shown_at_surface,
            **{one.short_name: one for one in biology.tracers},
            **biology.diagnostics,
            **biology.planes,
        }

    @property
    def without_levels(self) -> Collection[str]:
        """What of it has no levels."""
        return {*self.built_biology.planes, *shown_at_surface}

    @property
    def tracer_names(self) -> list[str]:
        """Names of the tracers, in their order."""
        return self.built_biology.names

    def build(
        self,
        clock: Clock,
        communicator: Communicator,
        *,
        check_halos: bool = False,
        plan: Plan | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> BiogeochemistryComponent:
        """The tracers with their grid, circulation, surroundings and biology."""
        levels = once_per_node(communicator, self.build_levels)
        surroundings = self._surroundings(levels, clock)
        return self.component_in(
            surroundings,
            levels,
            clock,
            communicator,
            check_halos=check_halos,
            plan=plan,
            merging=once_per_node(communicator, lambda: self.merging),
        )

    def component_in(
        self,
        surroundings: Environment,
        levels: VerticalGrid,
        clock: Clock,
        communicator: Communicator,
        **more: Any,
    ) -> BiogeochemistryComponent:
        """The tracers in given surroundings; `more` goes to `BiogeochemistryComponent`."""
        return BiogeochemistryComponent(
            levels,
            self._carried(),
            self.biology.build(),
            surroundings,
            Light(self.found_light, levels.horizontal, (clock.start, clock.end)),
            self.biology.start,
            clock,
            communicator,
            decomposition=self.decomposition,
            precision=self.precision,
            perturbation=self.perturbation,
            **more,
        )

    @property
    def found_light(self) -> LightOptions:
        """Options of light with the paths of its files."""
        files = self.light.map
        return replace(self.light, map=replace(files, file=self.find_all(files.file)))

    def _surroundings(self, levels: VerticalGrid, clock: Clock) -> Environment:
        """Those of the files of the circulation, or by formulas."""
        if self.transport.circulation != "files":
            return Season(self.season, levels)
        files, merging = self.circulation_files, self.merging
        theirs = levels if merging is None else merging.fine
        period = clock.start, clock.end
        source = RecordSource(files, files.variables, theirs.horizontal, period, "environment")
        return FileSurroundings(source, merging)

    def _carried(self) -> TransportOptions:
        """Options of the transport, with the biology's tracers and how fast they sink."""
        found = self.found_transport()
        own = {name: 86400.0 * speed for name, speed in self.built_biology.sinking.items()}
        return replace(found, tracers=self.tracer_names, sinking={**own, **found.sinking})

    @cached_property
    def cost(self) -> float:
        """Expected time for a tracer, cell and step on one core [s]."""
        return super().cost + self.built_biology.seconds / len(self.tracer_names)

    def column_weights(self) -> NDArray[np.float64]:
        """What columns cost: wet cells react."""
        return self.built_biology.column_weights(self.build_levels())
