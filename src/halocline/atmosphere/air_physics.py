"""Physics of columns in the step of the atmosphere: what it reads, and what it does to the air."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from halocline.atmosphere import _native
from halocline.atmosphere.column_physics import ColumnPhysics
from halocline.atmosphere.convection.convection import Convection
from halocline.atmosphere.dynamics.physics_air import PhysicsAir
from halocline.atmosphere.dynamics.state import AirFields
from halocline.atmosphere.land.ground_options import GroundPlanes
from halocline.atmosphere.options import AtmosphereOptions
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner

kernels = kernels_of(_native)


class AirPhysics:
    """Turbulence, soil, radiation and convection of one atmosphere.

    `first(name)` makes the array of a forcing, and says whether it is the first that does.
    `evaporation` is what the ground has given to moist air since the start of the run [kg m-2].
    """

    def __init__(
        self,
        run: Runner,
        state: AirFields,
        air: PhysicsAir,
        options: AtmosphereOptions,
        grid: Grid,
        first: Callable[[str], int],
    ) -> None:
        self.state, self.air = state, air
        if not state.species:
            self.air.water = dry_water(state)
        place = options.ground.place(grid)
        self.columns = ColumnPhysics(
            options.physics, run, self.air, state.space, state.dtype, *place
        )
        self.convection: Convection | None = None
        if options.physics.convection == "kain-fritsch":
            self.convection = Convection(options.physics.kain_fritsch, run, state, air)
        self.calls = self._forces(run, first)
        self.evaporation: Field | None = None
        if state.species and self.columns.turbulence is not None:
            self.evaporation = Field(
                "evaporation_total", "kg m-2", state.space, place=Place.center, dtype=np.float64,
                restart=True,
            )  # fmt: skip
            flux = self.columns.ground.planes["vapor_flux"]
            collect = kernels["atmosphere_collect"]
            self._collect = run.bind(collect, amount=flux, total=self.evaporation)

    def start(self, below: GroundPlanes, restarted: bool) -> None:
        """Set the ground, but for what a restart holds. Under dry air land does not evaporate."""
        ground = self.columns.ground
        held = [field for field in self.restart_fields if restarted]
        kept = [[array.copy() for array in field.read()] for field in held]
        ground.cover(*below)
        for field, arrays in zip(held, kept, strict=True):
            with field.change() as owned:
                for array, values in zip(owned, arrays, strict=True):
                    array[...] = values
        if not self.state.species:
            ground.moisture_availability.fill(0.0)

    @property
    def restart_fields(self) -> Sequence[Field]:
        """What the next step needs besides the air."""
        clouds = self.convection.restart_fields if self.convection else ()
        risen = [self.evaporation] if self.evaporation else []
        return [*self.columns.restart_fields, *risen, *clouds]

    def step(self, dt: float, elapsed: float, day: float) -> None:
        """Find rates of change in a step of `dt` [s] from the state of its beginning.

        `elapsed` [s] is since the start of the run, `day` that of the year from 0, UTC.

        1. what physics reads  2. physics  3. what evaporates
        """
        # 1. what physics reads
        self.air.update()
        # 2. physics
        self.columns.step(dt, elapsed, day)
        if self.convection is not None:
            self.convection.step(dt, elapsed)
        # 3. what evaporates
        if self.evaporation is not None:
            self._collect(factor=dt)

    def force(self) -> None:
        """Add them to the forcings of the step, by the mass at its beginning."""
        for call in self.calls:
            call()

    def _forces(self, run: Runner, first: Callable[[str], int]) -> list[Callable[[], None]]:
        """Calls that add up what acts on u, v, theta and water."""
        turbulence, radiation = self.columns.turbulence, self.columns.radiation
        calls: list[Callable[[], None]] = []
        mass = {"mass": self.state.old_mass}
        clouds = self.convection.fields if self.convection is not None else {}
        wetting: dict[str, Field | None] = {
            "water_physics": None,
            "convective_wetting": clouds.get("convective_wetting"),
        }
        if turbulence is not None and self.state.species:
            wetting["water_physics"] = turbulence.tendencies["water_tendency"]
        if any(wetting.values()):
            first("water")
            calls.append(run.bind(kernels["atmosphere_force_water"], self.state, **wetting, **mass))
        if turbulence is not None:
            for name in ("u", "v"):
                fresh, found = (
                    first(name),
                    {f"{name}_physics": turbulence.tendencies[f"{name}_tendency"]},
                )
                call = run.bind(kernels[f"atmosphere_force_{name}"], self.state, **found, **mass)
                calls.append(partial(call, fresh=fresh))
        heating: dict[str, Field | None] = {
            "turbulent_heating": None
            if turbulence is None
            else turbulence.tendencies["theta_tendency"],
            "long_wave_heating": None if radiation is None else radiation.long["theta_tendency"],
            "short_wave_heating": None if radiation is None else radiation.short["theta_tendency"],
            "convective_heating": clouds.get("convective_heating"),
            "dry_theta": self.air.dry_theta,
            "water": self.state.old_water if self.state.species else None,
            "water_forcing": self.state.water_forcing if any(wetting.values()) else None,
        }
        fresh = first("theta")
        call = run.bind(kernels["atmosphere_force_theta"], self.state, **heating, **mass)
        return [*calls, partial(call, fresh=fresh)]


def dry_water(state: AirFields) -> Field:
    """Vapour of air that has none."""
    species = Axis("species", entries=("vapor",))
    made = Field(
        "water", "1", state.space, axes=(species, state.layers), place=Place.center,
        dtype=state.dtype, static=True,
    )  # fmt: skip
    made.fill(0.0)
    return made
