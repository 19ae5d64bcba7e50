"""Options of the atmosphere."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.atmosphere.air_column import AirColumn
from halocline.atmosphere.climate_options import HeldSuarezOptions
from halocline.atmosphere.column_physics import ColumnPhysicsOptions
from halocline.atmosphere.coordinate import AirLayerOptions
from halocline.atmosphere.diagnostics.options import AirDiagnosticsOptions
from halocline.atmosphere.dynamics_options import (
    AcousticOptions,
    AirAdvectionOptions,
    AirMixingOptions,
    UpperDampingOptions,
)
from halocline.atmosphere.land.ground_options import GroundOptions
from halocline.atmosphere.microphysics.clouds import MicrophysicsOptions
from halocline.atmosphere.sides.options import AirSideOptions
from halocline.atmosphere.start.options import AnalysisOptions
from halocline.atmosphere.starting_air import AirStartOptions
from halocline.atmosphere.terrain import MountainOptions
from halocline.core.errors import UserError
from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class AtmosphereOptions(Options):
    """The atmosphere's dynamics and its start."""

    layers: AirLayerOptions = option(AirLayerOptions(), meaning="the layers")
    mountain: MountainOptions = option(MountainOptions(), meaning="the ground")
    air: AirColumn = option(AirColumn(), meaning="the air at rest that a run begins with")
    base: AirColumn | None = option(
        None, meaning="what the model's fields are less: air at rest; that of `air` if not given"
    )
    start: AirStartOptions = option(AirStartOptions(), meaning="what is in that air")
    sides: AirSideOptions = option(
        AirSideOptions(), meaning="values at sides that are neither joined nor mirrors"
    )
    analysis: AnalysisOptions = option(
        AnalysisOptions(), meaning="analyses, and how they are brought to the layers"
    )
    acoustic: AcousticOptions = option(AcousticOptions(), meaning="acoustic steps")
    advection: AirAdvectionOptions = option(AirAdvectionOptions(), meaning="advection")
    mixing: AirMixingOptions = option(AirMixingOptions(), meaning="mixing")
    damping: UpperDampingOptions = option(UpperDampingOptions(), meaning="waves below the top")
    microphysics: MicrophysicsOptions = option(
        MicrophysicsOptions(), meaning="clouds and precipitation; with them the air is moist"
    )
    physics: ColumnPhysicsOptions = option(
        ColumnPhysicsOptions(), meaning="turbulence, soil and radiation of columns"
    )
    ground: GroundOptions = option(GroundOptions(), meaning="land and sea, for physics")
    diagnostics: AirDiagnosticsOptions = option(
        AirDiagnosticsOptions(), meaning="what output may show besides the state"
    )
    rotation: float = option(
        0.0,
        "s-1",
        "Coriolis parameter of a turning plane; on the globe it follows from the latitude",
        at_least=-1e-3,
        at_most=1e-3,
    )
    rotation_gradient: float = option(
        0.0, "s-1 m-1", "by which it grows northward from the middle of the grid", at_least=-1e-9,
        at_most=1e-9,
    )  # fmt: skip
    shallow: bool = option(
        False,
        "",
        "on the globe, without what rotation and curvature do upward and upward wind feels of them,"
        " as hydrostatic models have it",
    )
    hydrostatic: bool = option(
        False,
        "",
        "pressure is the weight of what lies above, and upward wind follows from how layers move:"
        " no sound goes upward; for cells much wider than waves are deep. Shallow, on the globe",
        source="Skamarock et al. (2019), NCAR/TN-556, section 3.2.4",
    )
    filter_latitude: float = option(
        45.0,
        "degree",
        "on a grid with poles, poleward of which waves along rows that are too short for the step"
        " are filtered; 90: nowhere",
        at_least=0.0,
        at_most=90.0,
        source="Skamarock et al. (2019), NCAR/TN-556, section 4.1",
    )
    held_suarez: HeldSuarezOptions = option(
        HeldSuarezOptions(), meaning="a climate by simple returns, in place of physics"
    )
    stages: int = option(
        3,
        "1",
        "of a step: 3, or 2 (a half and a whole one), which bear shorter steps and odd orders of"
        " advection only",
        at_least=2,
        at_most=3,
        source="Wicker and Skamarock (2002), Mon. Wea. Rev. 130, 2088",
    )
    parted_above: float = option(
        0.0,
        "1",
        "Courant number of the wind, the greatest along each axis added up, above which dynamics"
        " and clouds make a step in as many equal parts as it takes; 0: never",
        at_least=0.0,
        at_most=2.0,
    )
    least_parts: int = option(
        1, "1", "of a step that is parted, however slow the wind is", at_least=1, at_most=100
    )
    most_parts: int = option(
        100, "1", "of a step that is parted; a wind that asks for more is refused", at_least=1,
        at_most=1000,
    )  # fmt: skip
    courant_interval: int = option(
        10, "1", "steps between looks at how far the wind goes in a step; 0: never", at_least=0
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        orders = self.advection.order, self.advection.vertical_order
        if self.stages == 2 and not all(order % 2 for order in orders):
            raise UserError(
                f"atmosphere.stages = 2 with advection of order {orders[0]} along layers and"
                f" {orders[1]} across: even orders grow in any step of two stages. Use odd ones"
                " (atmosphere.advection.order, vertical_order), or 3 stages."
            )
        if self.least_parts > self.most_parts:
            raise UserError(
                f"atmosphere.least_parts = {self.least_parts}, but atmosphere.most_parts ="
                f" {self.most_parts}. Give fewer at least, or more at most."
            )
        if self.hydrostatic and self.damping.depth and self.damping.rate:
            raise UserError(
                f"atmosphere.damping.rate = {self.damping.rate:g} s-1 damps upward wind in acoustic"
                " steps, which atmosphere.hydrostatic = true has not. Give"
                " atmosphere.damping.rate = 0 and a return_rate [s-1], as 0.003."
            )
        if self.ground.kind == "start" and not self.start.file:
            raise UserError(
                "atmosphere.ground.kind = 'start', but atmosphere.start.file names no file. Name"
                " one of `halocline analysis`, or choose another kind."
            )
        if self.analysis.files and not self.start.file:
            raise UserError(
                "atmosphere.analysis.files names analyses, but atmosphere.start.file no file to"
                " make of them. Name one, such as 'results/analysis/start.nc'."
            )

    @property
    def is_shallow(self) -> bool:
        return self.shallow or self.hydrostatic

    @property
    def most_courant(self) -> float:
        """How far the wind may go along one axis in a step [cells] (Wicker and Skamarock 2002).

        >>> AtmosphereOptions().most_courant, AtmosphereOptions(stages=2).most_courant
        (1.42, 0.3)
        """
        borne = {2: 1.73, 3: 1.61, 4: 1.26, 5: 1.42, 6: 1.08}
        if self.stages == 2:
            borne = {3: 0.88, 5: 0.3}
        return min(borne[self.advection.order], borne[self.advection.vertical_order])

    @property
    def species(self) -> tuple[str, ...]:
        """Entries of `water` that the air holds, vapour first; none in dry air."""
        scheme = self.microphysics.chosen
        return scheme.species if scheme else ()

    @property
    def base_air(self) -> AirColumn:
        return self.base or self.air
