"""Physics of columns in a step: radiation, turbulence, soil; clouds have their own room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import DTypeLike, NDArray

from halocline.atmosphere.boundary_layer.surface_layer_options import SurfaceLayerOptions
from halocline.atmosphere.boundary_layer.turbulence import AirOfColumns, Turbulence
from halocline.atmosphere.boundary_layer.ysu_options import YsuOptions
from halocline.atmosphere.convection.kain_fritsch_options import KainFritschOptions
from halocline.atmosphere.land.ground import Ground
from halocline.atmosphere.land.slab_options import SlabOptions
from halocline.atmosphere.radiation.radiation import AirRadiation
from halocline.atmosphere.radiation.radiation_options import RadiationOptions
from halocline.atmosphere.radiation.tables import RadiationTables
from halocline.core.clock import is_due
from halocline.core.options import Options, option
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.space import Space
from halocline.runtime.running.runner import Runner


@dataclass(frozen=True, kw_only=True)
class ColumnPhysicsOptions(Options):
    """Turbulence, soil, radiation and convection."""

    turbulence: str = option(
        "none", "", "mixing, and fluxes from the ground", choices=("none", "ysu")
    )
    sunlight: str = option(
        "none", "", "radiation of the sun and of the Earth", choices=("none", "rrtmgp")
    )
    convection: str = option(
        "none", "", "clouds smaller than the grid", choices=("none", "kain-fritsch")
    )
    surface_layer: SurfaceLayerOptions = option(SurfaceLayerOptions(), meaning="fluxes")
    ysu: YsuOptions = option(YsuOptions(), meaning="the boundary layer")
    soil: SlabOptions = option(SlabOptions(), meaning="the soil")
    radiation: RadiationOptions = option(RadiationOptions(), meaning="radiation")
    kain_fritsch: KainFritschOptions = option(
        KainFritschOptions(), meaning="clouds smaller than the grid"
    )

    @property
    def acts(self) -> bool:
        """Whether there is any."""
        return {self.turbulence, self.sunlight, self.convection} != {"none"}


class ColumnPhysics:
    """What the options choose, over one `ground`, and `tendencies` that dynamics add up."""

    def __init__(
        self,
        options: ColumnPhysicsOptions,
        run: Runner,
        state: AirOfColumns,
        space: Space,
        dtype: DTypeLike,
        longitude: NDArray[Any],
        latitude: NDArray[Any],
        tables: tuple[RadiationTables, RadiationTables] | None = None,
    ) -> None:
        self.options = options
        self.ground = Ground(options.soil, run, space, dtype)
        common = run, state, self.ground, space, dtype
        self.turbulence: Turbulence | None = None
        self.radiation: AirRadiation | None = None
        if options.turbulence == "ysu":
            self.turbulence = Turbulence(options.surface_layer, options.ysu, *common)
        if options.sunlight == "rrtmgp":
            self.radiation = AirRadiation(
                options.radiation, *common, longitude, latitude, tables=tables
            )

    @property
    def tendencies(self) -> Mapping[str, Sequence[Field]]:
        """Fields at centres by `theta_tendency`, `water_tendency`, `u_tendency`, `v_tendency`."""
        found: dict[str, list[Field]] = {}
        if self.turbulence is not None:
            found = {name: [field] for name, field in self.turbulence.tendencies.items()}
        if self.radiation is not None:
            heating = [
                some["theta_tendency"] for some in (self.radiation.long, self.radiation.short)
            ]
            found.setdefault("theta_tendency", []).extend(heating)
        return found

    @property
    def restart_fields(self) -> Sequence[Field]:
        """What the next step needs besides the air."""
        made = [*self.ground.planes.values(), self.ground.soil_temperature]
        if self.turbulence is not None:
            made.append(self.turbulence.boundary_layer_depth)
        if self.radiation is not None:
            made += [some["theta_tendency"] for some in (self.radiation.long, self.radiation.short)]
        return [field for field in made if field.restart]

    def step(self, dt: float, elapsed: float, day: float) -> None:
        """Find the tendencies of a step of `dt` [s], `elapsed` [s] after the start of the run.

        `day` is that of the year, counted from 0, with its part, UTC.

        1. radiation, when its interval has passed  2. turbulence  3. soil, if there are both
        """
        if self.radiation is not None and is_due(elapsed, dt, self.options.radiation.interval):
            self.radiation.update(day)
        if self.turbulence is not None:
            self.turbulence.step(dt)
        if self.turbulence is not None and self.radiation is not None:
            self.ground.step(dt)
