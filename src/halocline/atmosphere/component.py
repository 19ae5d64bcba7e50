"""The atmosphere with its grid, start and output, as the time loop wants it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.coordinate import HybridCoordinate
from halocline.atmosphere.dynamics.limits import refuse_steep
from halocline.atmosphere.dynamics.model import AirDynamics, halo_of
from halocline.atmosphere.dynamics.physics_air import PhysicsAir
from halocline.atmosphere.dynamics.polar_filter import cut_of, has_poles
from halocline.atmosphere.dynamics.state import AirFields, lies_on_globe, nested_names, prognostic
from halocline.atmosphere.entered_air import EnteredAir, SideAir, ground_fields, grounds
from halocline.atmosphere.land.ground_options import GroundPlanes, planes_of_start
from halocline.atmosphere.microphysics.clouds import Clouds
from halocline.atmosphere.moist_start import MoistStartingAir
from halocline.atmosphere.options import AtmosphereOptions
from halocline.atmosphere.sea_surface import SeaSurface
from halocline.atmosphere.shown_fields import ShownAir
from halocline.atmosphere.sides.file_sides import FileSides
from halocline.atmosphere.sides.given_sides import GivenSides
from halocline.atmosphere.sides.open_sides import OpenSides
from halocline.atmosphere.start.ground_rise import rise_along
from halocline.atmosphere.start.hybrid_column import HybridColumn
from halocline.atmosphere.start.start_reading import StartFile, as_dry_air, less_base, read_start
from halocline.atmosphere.start.water_of_files import water_of_file
from halocline.atmosphere.start_jets import global_jet, jet
from halocline.atmosphere.starting_air import ReferenceColumns, StartColumns, StartingAir
from halocline.atmosphere.taken_fluxes import TakenFluxes
from halocline.atmosphere.watch import AirWatch
from halocline.component.component import Component
from halocline.core.clock import Clock, Date, day_of_year, to_number
from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.running.runner import Plan, Runner

Array = NDArray[np.float64]
center, x_face, y_face = Place.center, Place.x_face, Place.y_face
Index = NDArray[np.int64]


class AtmosphereComponent(Component):
    """The atmosphere on one grid."""

    feedback_rim = (
        4  # rows of its own that the sides of nests with a ratio of 2 or more are made of
    )

    def __init__(
        self,
        grid: Grid,
        options: AtmosphereOptions,
        clock: Clock,
        communicator: Communicator,
        *,
        decomposition: DecompositionOptions | None = None,
        precision: str = "float32",
        check_halos: bool = False,
        plan: Plan | None = None,
    ) -> None:
        if not options.species and options.physics.convection != "none":
            raise UserError(
                f"atmosphere.physics.convection = '{options.physics.convection}' needs air with"
                " water: choose atmosphere.microphysics.scheme = 'kessler', 'wsm6' or 'thompson'."
            )
        limiter = options.advection.limiter
        if options.species and has_poles(grid) and limiter == "monotone":
            raise UserError(
                f"atmosphere.advection.limiter = '{limiter}' on a grid with poles: the filter of"
                " rows near them, where air passes several cells in a step, keeps water from"
                " becoming negative, but not between the values around it. Choose 'positive'."
            )
        if options.held_suarez.acts and not lies_on_globe(grid):
            raise UserError(
                "atmosphere.held_suarez.acts = true needs latitudes: choose a grid on the globe"
                " (grid.kind = 'spherical')."
            )
        self.plane, self.options, self.precision = grid, options, precision
        self.step_length = clock.step
        self.period = clock.start, clock.end
        options.damping.refuse_long(clock.step.total_seconds())
        self.coordinate = HybridCoordinate.of(options.layers, options.base_air)
        ground = self._ground()
        refuse_steep(grid, ground)
        if not options.start.file and options.sides.kind != "nest":
            center, bubble = grid.at(Place.center), options.start.bubble
            bubble.refuse_beside(bubble.nearest(center.x) if grid.spherical else center.x, center.y)
        cut = Decomposition(
            grid.mask,
            grid.topology,
            halo=halo_of(grid.topology),
            options=cut_of(grid, decomposition, communicator.size),
            communicator=communicator,
        )
        self.run = Runner(cut, check_halos=check_halos, plan=plan)
        self.state = AirFields(grid, self.coordinate, cut, options, precision, ground)
        self.given: GivenSides | None = None
        self.open: OpenSides | None = None
        if options.sides.kind == "open":
            self.open = OpenSides(self.run, self.state, grid, options.sides)
        elif options.sides.kind:
            self.given = GivenSides(self.run, self.state, grid, options.sides)
        self.nested = {name: getattr(self.state, name) for name in nested_names(options.species)}
        self.nested |= ground_fields(self.state, grounds(grid, ground))
        self.begins, self.time = clock.start, clock.time
        self.air = PhysicsAir(self.run, self.state)
        self.dynamics = AirDynamics(
            self.run, self.state, options, grid, self.air, self.given or self.open
        )
        self.reference = ReferenceColumns(self.coordinate, options.base_air)
        self.beside: SideAir | None = None
        if self.given and options.sides.kind == "nest":
            ports = self.given.ports()
            self.beside = SideAir(self.state, grid, self.reference, ports, ground)
            self.sides = {**ports, **self.beside.ports}
        self.files: FileSides | None = None
        self.entering: EnteredAir | None = None
        self.clouds: Clouds | None = None
        if (scheme := options.microphysics.chosen) is not None:
            self.clouds = Clouds(scheme, self.run, self.air, self.state.space, precision)
        self.watch = AirWatch(
            self.state, self.run, grid, options, self.clouds, self.dynamics.evaporation,
            list(self.dynamics.convective_totals.values()),
        )  # fmt: skip
        top = self.coordinate.top
        physics = self.dynamics.physics
        self.maps = ShownAir(
            self.run, self.state, self.air, self.clouds, physics, options, grid, top
        )
        self.shown = self.maps.fields
        self.surface = SeaSurface(self.maps, physics, options)
        self.taken = TakenFluxes(self.maps, physics)
        self.ports = self.taken.ports

    def inherited(self) -> Mapping[str, Field]:
        """What a restart holds, but for what has fallen and risen, and the soil, finer here.

        And heights of the ground, with which nests compare their own.
        """
        totals = [*self.watch.fallen, *filter(None, [self.dynamics.evaporation])]
        own = {"skin_temperature", "roughness", "soil_temperature", *(some.name for some in totals)}
        held = [some for some in self.restart_fields() if some.place != Place.none]
        found = {some.name: some for some in held if some.name not in own}
        return {**found, **ground_fields(self.state, grounds(self.plane, self._ground()))}

    def compared(self) -> Mapping[str, Field]:
        """Heights of the ground of the member around it."""
        self.entering = EnteredAir(self.state, self.plane, self.reference)
        return self.entering.around

    def entered(self, new: Callable[[Place], NDArray[np.bool_]]) -> None:
        """Bring air that came over other ground to its own."""
        if self.entering is not None:
            self.entering.settle(self._ground(), new)
            self.entering = None

    def _ground(self) -> Array:
        """Height of the ground [m]: that of the start's file, or of the mountain."""
        o = self.options
        if not o.start.file:
            found = global_jet(o, self.plane)
            return (
                found.ground(self.plane.at(center).y) if found else o.mountain.heights(self.plane)
            )
        with StartFile(Path(o.start.file), HybridColumn.of_coordinate(self.coordinate)) as file:
            file.check_grid(self.plane)
            return file.read("ground", 0)

    def _below(self) -> GroundPlanes:
        """Land and temperatures of the ground: of the start's file, or of the options."""
        o = self.options
        if o.ground.kind != "start":
            return o.ground.planes(self.plane)
        with StartFile(Path(o.start.file), HybridColumn.of_coordinate(self.coordinate)) as file:
            return planes_of_start(file, self.plane)

    def restart_fields(self) -> Sequence[Field]:
        """What is advanced, what it returns to, and what has fallen."""
        held = ("start_u", "start_v", "start_theta") if self.options.damping.return_rate else ()
        energy = ("energy",) if self.dynamics.forcing.energy else ()
        found = [getattr(self.state, name) for name in (*prognostic, *held, *energy)]
        if self.clouds is not None:
            found += [self.state.water, *self.clouds.totals.values()]
        if self.dynamics.physics:
            found += self.dynamics.physics.restart_fields
        return [*found, *self.surface.rain_fields]

    def facts(self) -> dict[str, str | int | float]:
        """Precision, which a restart must share."""
        return {"precision": self.precision}

    def start(self, time: Date, restarted: bool) -> None:
        """Set the air of the start, unless `restarted`, and what follows from the state."""
        self.time = time
        if self.dynamics.physics:
            self.dynamics.physics.start(self._below(), restarted)
        self.surface.start(restarted=restarted)
        self.taken.start()
        if not restarted:
            self._set_start()
        if self.options.sides.kind == "file" and self.given and self.run.plan is None:
            path = Path(self.options.sides.file)
            self.files = FileSides(
                path, self.given, self.coordinate, self.reference, self._ground(), self.period,
                self.options.microphysics.chosen,
            )  # fmt: skip
            self.remarks = self.files.remarks
        self.watch.refuse_long_steps(self.step_length.total_seconds())
        if self.run.plan is None:
            self.air.follow()
            self.watch.begin()

    def _set_start(self) -> None:
        if self.options.start.file:
            self._set_analysis()
        else:
            self._set_column()

    def _set_analysis(self) -> None:
        """The state of a file; dry air is of the same weight as the moist air there."""
        s, column = self.state, HybridColumn.of_coordinate(self.coordinate)
        path = Path(self.options.start.file)
        found = read_start(path, self.plane, column, self.period[0])
        if s.species:
            self._set_water(found, column)
        else:
            found = as_dry_air(found, column)
        for name, values in less_base(found, self.reference)._asdict().items():
            getattr(s, name).set_global(values.astype(s.dtype))
        for name in ("u", "v"):
            getattr(s, name).set_global(found[name].astype(s.dtype))
        rise = np.zeros((s.interfaces.size, *self.plane.shape))
        rise[0] = rise_along(self.plane, found["ground"], found["u"][0], found["v"][0])
        s.w.set_global(rise.astype(s.dtype))

    def _set_water(self, found: Mapping[str, Array], column: HybridColumn) -> None:
        s = self.state
        water = water_of_file(found, s.species, self.options.microphysics.chosen, column)
        for number, name in enumerate(s.species):
            values = water[name].astype(s.dtype)
            s.water.set_cells(partial(_cells, values), at=number)

    def _set_column(self) -> None:
        s, o = self.state, self.options
        ground = self._ground()
        air = self._starting_air()
        x, y = np.broadcast_arrays(self.plane.x, self.plane.y[:, None])
        if self.plane.spherical:
            x = o.start.bubble.nearest(x)

        def part(name: str, j: Index, i: Index) -> NDArray[Any]:
            found: NDArray[Any] = getattr(air.columns(x[j, i], y[j, i], ground[j, i]), name)
            return found.astype(s.dtype)

        for name in StartColumns._fields:
            field: Field = getattr(s, name)
            field.set_cells(partial(part, name))
        if s.species:
            s.water.fill(0.0)
        if isinstance(air, MoistStartingAir):
            for name in ("vapor", "cloud"):
                s.water.set_cells(partial(part, name), at=s.species.index(name))
        s.w.set_cells(lambda j, i: self._rise_at_ground(ground)[:, j, i].astype(s.dtype))
        self._set_wind(air, ground)
        if isinstance(air, StartingAir) and air.jet:
            west, wind = self.plane.at(x_face), air.jet_wind
            s.u.set_cells(lambda j, i: wind(west.x[j, i], west.y[j, i]).astype(s.dtype))
        if self.dynamics.forcing.energy:
            self.dynamics.forcing.energy.start()
        if o.damping.return_rate:
            for name in ("u", "v", "theta"):
                getattr(s, f"start_{name}").copy(getattr(s, name))

    def _starting_air(self) -> StartingAir | MoistStartingAir:
        o = self.options
        if o.start.sounding.kind == "none":
            return StartingAir(self.coordinate, o.air, o.base_air, o.start, jet(o, self.plane))
        if not o.species:
            raise UserError(
                f"atmosphere.start.sounding.kind = '{o.start.sounding.kind}' is moist air, but"
                " atmosphere.microphysics.scheme = 'none' knows no water. Choose 'kessler',"
                " 'wsm6' or 'thompson'."
            )
        return MoistStartingAir(
            self.coordinate, ReferenceColumns(self.coordinate, o.base_air), o.start
        )

    def _set_wind(self, air: StartingAir | MoistStartingAir, ground: NDArray[np.float64]) -> None:
        s, start = self.state, self.options.start
        wide = self.plane.topology.widened(ground, (1, 1, 1, 1), nearest=True)

        def wind(axis: int, j: Index, i: Index) -> NDArray[Any]:
            before = wide[j + 1 - (axis == 1), i + 1 - (axis == 0)]
            middles = air.middles(0.5 * (wide[j + 1, i + 1] + before))
            found = start.shear.wind(middles)[axis] + (start.wind_u, start.wind_v)[axis]
            return found.astype(s.dtype)

        for axis, (field, prefix) in enumerate(((s.u, "x"), (s.v, "y"))):
            field.set_cells(partial(wind, axis))
            passed = [getattr(s, f"{prefix}_open")]
            if sides := self.given or self.open:
                passed += sides.wind_planes(f"{prefix}_")
            with field.change() as owned:
                for array, *faces in zip(owned, *(one.read() for one in passed), strict=True):
                    array *= sum(map(np.abs, faces))

    def _rise_at_ground(self, ground: NDArray[np.float64]) -> NDArray[np.float64]:
        """Upward wind of the start [m s-1]: along the ground, and none above it."""
        start, plane = self.options.start, self.plane
        wide = plane.topology.widened(ground, (1, 1, 1, 1), nearest=True)
        rise = np.zeros((self.state.interfaces.size, *plane.shape))
        rise[0] = start.wind_u * (wide[1:-1, 2:] - wide[1:-1, :-2]) / (2.0 * plane.dx)
        rise[0] += start.wind_v * (wide[2:, 1:-1] - wide[:-2, 1:-1]) / (2.0 * plane.dy)
        return rise

    def step(self, time: Date) -> None:
        """Advance from `time` by one step.

        1. physics of columns  2. in one part or more: dynamics, with transport of water, and
        clouds, at the pressure that these have led to
        """
        seconds = self.step_length.total_seconds()
        parts = self.watch.parts(seconds)
        self.surface.begin_step()
        # 1. physics of columns
        if self.files:
            self.files.bring(time)
        if self.dynamics.physics:
            elapsed = (time - self.begins).total_seconds()
            self.dynamics.physics.step(seconds, elapsed, day_of_year(time))
        # 2. dynamics and clouds
        for number in range(parts):
            if self.given:
                begun = time + number * self.step_length / parts
                self.given.begin_step(begun, self.step_length / parts)
            self.dynamics.step(seconds / parts)
            if self.clouds is not None:
                self.air.update_layers()
                self.clouds.step(seconds / parts)
                self.air.give_back()
        self.time = time + self.step_length
        self.surface.end_step(seconds)
        if self.open:
            self.open.end_faces()
        if self.given:
            self.given.passed(self.time)
        self.watch.look(round(to_number(time) / seconds), time, seconds / parts)

    def diagnose(self, names: Sequence[str], time: Date) -> Mapping[str, Field]:
        """Fields by name."""
        fluxes = [name for name in names if name in self.surface.fields]
        found = self.maps.update([name for name in names if name not in fluxes])
        return {**found, **self.surface.update(fluxes, day_of_year(time))} if fluxes else found

    def expect(self, names: Sequence[str]) -> None:
        """Others give the temperature of the sea, its waves, or fluxes."""
        super().expect(names)
        self.taken.expect(names)

    def took(self, names: Sequence[str], time: Date) -> None:
        """Values at sides came, of a time that lies ahead, or a nest gave back its state; or what
        the sea gives."""
        super().took(names, time)
        if not self.ports.keys().isdisjoint(names):
            self.taken.took()
        elif (
            (given := self.given)
            and self.beside
            and (given.before_time is None or time > self.time)
        ):
            self.beside.settle()
            given.came(time)
        else:
            self.air.follow()

    def settled(self, time: Date) -> None:
        """Set pressure, and look at what there is now."""
        super().settled(time)
        self.time = time
        self.air.follow()
        self.watch.begin()
        self.watch.refuse_long_steps(self.step_length.total_seconds())

    def forget_sides(self) -> None:
        """The member around will give values of now."""
        super().forget_sides()
        if self.given:
            self.given.before_time = None

    def describe(self) -> list[tuple[str, str]]:
        """How far sound goes in acoustic steps."""
        return [("acoustic", self.watch.sound(self.step_length.total_seconds()).words())]

    def close(self) -> None:
        """Close the file of sides."""
        if self.files:
            self.files.close()

    def summary(self) -> str:
        """Dry mass, extremes with places; a call for all ranks."""
        return self.watch.summary()


def _cells(values: NDArray[Any], j: Index, i: Index) -> NDArray[Any]:
    return values[:, j, i]
