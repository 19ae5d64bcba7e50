"""Cases of the fluxes between air and sea."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from halocline.component.case.case import Case, named
from halocline.core.clock import Clock
from halocline.core.names import Quantity, quantities
from halocline.core.options import option
from halocline.coupler.component import FluxComponent
from halocline.coupler.options import FluxOptions, given, into_ocean, stresses, taken
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.ranks.once_per_node import once_per_node
from halocline.runtime.running.runner import Plan


@dataclass(frozen=True, kw_only=True)
class FluxCase(Case):
    """A member that computes what others exchange at the surface of the sea, on its own grid."""

    component: str = named("air-sea-fluxes")
    precision: str = option(
        "float64", "", "precision of its arrays", choices=("float32", "float64")
    )
    fluxes: FluxOptions = option(FluxOptions(), meaning="bulk formulas")

    imports: ClassVar[tuple[str, ...]] = taken
    exports: ClassVar[Mapping[str, Quantity]] = {
        name: quantities[name] for name in dict.fromkeys((*given, *taken))
    }

    def build(
        self,
        clock: Clock,
        communicator: Communicator,
        *,
        check_halos: bool = False,
        plan: Plan | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> FluxComponent:
        """The fluxes on their grid."""
        return FluxComponent(
            once_per_node(communicator, self.build_grid),
            self.fluxes,
            clock,
            communicator,
            decomposition=self.decomposition,
            precision=self.precision,
            check_halos=check_halos,
            plan=plan,
        )

    def gives(self) -> Mapping[str, Quantity]:
        """All fields; the stress that is left for the ocean is what that knows as the wind's."""
        left = {
            name: replace(quantities[name], standard_name=quantities[stress].standard_name)
            for name, stress in zip(into_ocean, stresses, strict=True)
        }
        return {**self.exports, **left}

    @property
    def cost(self) -> float:
        """Of a value of the state and a step [s]."""
        return 1e-7

    def state_values(self, grid: Grid) -> int:
        """What others give it."""
        return len(taken) * grid.depth.size
