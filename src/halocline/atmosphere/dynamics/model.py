"""The compressible equations of the air, and one step of them.

Non-hydrostatic, in flux form, on the C-grid, in a coordinate of dry mass (Skamarock et al. 2019, A
Description of the Advanced Research WRF Model Version 4, NCAR/TN-556); docs/atmosphere.md has the
equations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from halocline.atmosphere import _native
from halocline.atmosphere.air_physics import AirPhysics
from halocline.atmosphere.dynamics.forcing import AirForcing
from halocline.atmosphere.dynamics.hydrostatic import HydrostaticStage, air_state
from halocline.atmosphere.dynamics.physics_air import PhysicsAir
from halocline.atmosphere.dynamics.polar_filter import PolarFilter, polar_filter
from halocline.atmosphere.dynamics.pole_wind import pole_wind
from halocline.atmosphere.dynamics.state import AirFields, forced, prognostic
from halocline.atmosphere.dynamics.water_stage import WaterStage
from halocline.atmosphere.options import AtmosphereOptions
from halocline.atmosphere.sides.air_sides import AirSides, AirSideStage
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.topology import Topology
from halocline.runtime.running.calls import BoundCall
from halocline.runtime.running.runner import Runner

kernels = kernels_of(_native)


def halo_of(topology: Topology) -> int:
    """Halo of a step [cells]: values of sixth order at the faces of a cell.

    Velocities on a side that is a mirror are computed too, from values one cell further.
    """
    return 4 if topology.reflects else 3


def short_steps_of_a_third(steps: int) -> int:
    """Acoustic steps of the first stage, a third of a step in which there are `steps`.

    One where there are four, a third longer than the others (Wicker and Skamarock 2002), no longer
    than the others where there are more.

    >>> [short_steps_of_a_third(steps) for steps in (2, 4, 6, 8, 10, 12)]
    [1, 1, 2, 3, 4, 4]
    """
    return 1 if steps <= 4 else -(-steps // 3)


class Stage:
    """One of the stages of a step: the state that it begins with has names of `stage`."""

    def __init__(
        self,
        run: Runner,
        s: AirFields,
        options: AtmosphereOptions,
        forcing: AirForcing,
        prefix: str,
        sides: AirSides | None,
        polar: PolarFilter | None,
        over_poles: Callable[[], None] | None,
    ) -> None:
        self.polar, self.winds, self.over_poles = polar, [s.u_change, s.v_change], over_poles
        self.filtered = [] if s.hydrostatic else [s.w_change, s.geopotential_change]
        self.heat = s.theta_change, getattr(s, f"{prefix}theta"), s.mass_change, s.coordinate.c1
        self.options, self.energy, self.begins = options, forcing.energy, prefix == "old_"
        begun = {name: getattr(s, prefix + name) for name in prognostic}
        given: dict[str, Field | None] = begun | {f"stage_{name}": f for name, f in begun.items()}
        if not s.species:
            given |= dict.fromkeys(("dilution", "x_carried", "y_carried"))
        if not s.sloping:
            given |= dict.fromkeys(("base_pressure", "base_volume"))
        if s.on_globe or not (options.rotation or options.rotation_gradient):
            given["coriolis"] = None
        given |= dict.fromkeys(f"{name}_forcing" for name in forced if name not in forcing.made)

        def bound(name: str, *own: str) -> BoundCall:
            """A kernel bound to these fields, but for the new state, which are its `own`."""
            kernel = kernels[f"atmosphere_{name}"]
            known = {argument.name for argument in kernel.arguments} - set(own)
            return run.bind(kernel, s, **{key: f for key, f in given.items() if key in known})

        self.fluxes = [bound("mass_fluxes"), bound("rise")]
        order, weighted = options.advection.order, options.advection.weighted
        # w before the wind: it looks farther at the geopotential, whose halos are then filled once
        carried = ("wind", "theta") if s.hydrostatic else ("w", "wind", "theta")
        numbers = {"order": order, "vertical_order": options.advection.vertical_order}
        self.tendencies = [
            partial(bound(f"{name}_tendency"), **numbers, weno=int(weighted[name]))
            for name in carried
        ]
        if s.hydrostatic:
            self.tendencies.append(partial(bound("geopotential_tendency"), order=order))
        if s.on_globe:
            turns = (bound(f"turn_{name}") for name in ("uv" if options.is_shallow else "uvw"))
            self.tendencies += [partial(turn, curvature=s.curvature) for turn in turns]
        self.sides = sides.of_stage(begun) if sides else AirSideStage()
        self.push = bound("acoustic_push")
        if not options.damping.depth:
            given |= dict.fromkeys(("w", "w_damping"))
        acoustic = options.acoustic
        damping = {"divergence_damping": acoustic.divergence_damping}
        if not s.hydrostatic:
            damping["off_centring"] = acoustic.off_centring
        columns = bound("hydrostatic_columns" if s.hydrostatic else "acoustic_columns")
        self.columns = partial(columns, **damping)
        self.balance = HydrostaticStage(run, s) if s.hydrostatic else None
        self.new_wind = bound("new_wind", *prognostic)
        self.new_stage = bound("new_stage", *prognostic, "base_pressure", "base_volume")
        self.water: WaterStage | None = None
        if s.species:
            is_forced = "water" in forcing.made
            of_water = options.advection
            self.water = WaterStage(run, s, of_water, prefix, self.sides, polar, forced=is_forced)

    def __call__(self, steps: int, dt: float, *, last: bool) -> None:
        """Tendencies of the state, so many acoustic steps of dt [s], and the new state.

        1. mass fluxes, and what they carry  2. tendencies  3. acoustic steps  4. the new state
        5. water  6. the balance of hydrostatic air
        """
        sides, polar, o = self.sides, self.polar, self.options.acoustic
        # 1. mass fluxes, and what they carry
        for flux in self.fluxes:
            flux()
        if self.energy:
            self.energy.carry(steps * dt, first=self.begins)
        # 2. tendencies
        for tendency in self.tendencies:
            tendency()
        sides.draw()
        # 3. acoustic steps
        for number in range(steps):
            sides.push(dt)
            self.push(dt=dt, external_damping=o.external_damping)
            if polar:
                polar(self.winds)
            self.columns(dt=dt)
            sides.follow((number + 1) * dt, o.divergence_damping * dt)
        sides.settle()
        if polar:
            polar(self.filtered)
            polar.heat(*self.heat)
        # 4. the new state
        self.new_wind(last=int(last))
        sides.wind(steps * dt)
        if self.over_poles:
            self.over_poles()
        self.new_stage(last=int(last))
        # 5. water
        if self.water is not None:
            self.water(steps, dt, last=last)
        # 6. the balance of hydrostatic air
        if self.balance:
            self.balance(steps * dt, last=last)


class AirDynamics:
    """The dynamics of one atmosphere."""

    def __init__(
        self,
        run: Runner,
        state: AirFields,
        options: AtmosphereOptions,
        grid: Grid,
        air: PhysicsAir,
        sides: AirSides | None = None,
    ) -> None:
        self.run, self.state, self.options = run, state, options
        self.air_state = air_state(run, state)
        self.forcing = AirForcing(run, state, options, grid)
        if self.forcing.energy and sides:
            self.forcing.energy.beside(sides)
        self.physics: AirPhysics | None = None
        if options.physics.acts:
            self.physics = AirPhysics(run, state, air, options, grid, self.forcing.first)
        self.draw_water: Callable[[], None] | None = None
        if sides and state.species:
            self.draw_water = sides.force_water(partial(self.forcing.first, "water"))
        polar = polar_filter(run, grid, options.filter_latitude)
        poles = polar, pole_wind(run, grid, state.u, state.v)
        self.first = Stage(run, state, options, self.forcing, "old_", sides, *poles)
        self.later = Stage(run, state, options, self.forcing, "", sides, *poles)

    @property
    def convective_totals(self) -> Mapping[str, Field]:
        """What convection has let fall since the start of the run [kg m-2], by name."""
        clouds = self.physics.convection if self.physics else None
        return clouds.totals if clouds else {}

    @property
    def evaporation(self) -> Field | None:
        """Vapour that the ground has given since the start of the run [kg m-2]."""
        return self.physics.evaporation if self.physics else None

    def step(self, dt: float) -> None:
        """Advance by dt [s] (Wicker and Skamarock 2002).

        1. what forces the air throughout the step  2. stages  3. the energy of eddies
        """
        s, steps = self.state, self.options.acoustic.steps
        for name in prognostic:
            getattr(s, name).swap(getattr(s, f"old_{name}"))
        if s.species:
            s.water.swap(s.old_water)
        energy = self.forcing.energy
        if energy:
            energy.begin()
        # 1. what forces the air throughout the step
        self.forcing(dt)
        if self.physics:
            self.physics.force()
        if self.draw_water is not None:
            self.draw_water()
        # 2. stages
        if self.options.stages == 2:
            self.first(steps // 2, dt / steps, last=False)
        else:
            shorter = short_steps_of_a_third(steps)
            self.first(shorter, dt / (3.0 * shorter), last=False)
            self.later(steps // 2, dt / steps, last=False)
        self.later(steps, dt / steps, last=True)
        # 3. the energy of eddies
        if energy:
            energy.end(dt)
