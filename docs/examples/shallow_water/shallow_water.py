"""A shallow-water model on a C-grid: case, kernels and step, in NumPy.

The scheme conserves mass to round-off and, but for the time stepping, potential enstrophy (Sadourny
1975, The Dynamics of Finite-Difference Models of the Shallow-Water Equations, J. Atmos. Sci. 32,
680-689); steps have three stages and are of third order (Shu and Osher 1988, J. Comput. Phys. 77,
439-471).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from halocline.component.case.case import Case, named
from halocline.component.component import Component
from halocline.core.names import Quantity
from halocline.core.options import Options, option
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.python_kernels import kernel, read, update, write
from halocline.runtime.running.runner import Runner
from halocline.runtime.sums.field_sums import FieldSums

center, x_face, y_face, corner = Place.center, Place.x_face, Place.y_face, Place.corner
least_thickness = 1e-3  # [m]; divides no water by nothing


@dataclass(frozen=True, kw_only=True)
class WaterOptions(Options):
    """A layer of water on a turning plane; at the start a balanced jet, and a bump on it."""

    gravity: float = option(9.81, "m s-2", "acceleration of gravity", at_least=0.1)
    coriolis: float = option(1e-4, "s-1", "Coriolis parameter", at_least=1e-9)
    jet: float = option(20.0, "m s-1", "greatest velocity of the jet, along x")
    width: float = option(2e5, "m", "half the width of the jet, and the radius of the bump")
    bump: float = option(5.0, "m", "height of the bump in the middle")


@dataclass(frozen=True, kw_only=True)
class ShallowWaterCase(Case):
    """A run of the shallow-water model."""

    component: str = named("shallow-water")
    precision: str = option("float64", "", "precision of all fields", choices=("float64",))
    water: WaterOptions = option(WaterOptions(), meaning="the layer of water")

    exports: ClassVar[Mapping[str, Quantity]] = {
        some.short_name: some
        for some in (
            Quantity("thickness", "", "m", "thickness of the layer"),
            Quantity("velocity_x", "sea_water_x_velocity", "m s-1", "velocity along x"),
            Quantity("velocity_y", "sea_water_y_velocity", "m s-1", "velocity along y"),
            Quantity("vorticity", "", "1", "relative vorticity over the Coriolis parameter"),
        )
    }

    def build(self, clock, communicator, *, check_halos=False, plan=None, given=None):
        """The model with its grid."""
        return ShallowWater(self, clock, communicator, check_halos=check_halos, plan=plan)

    def state_values(self, grid):
        """Thickness and two velocities in each cell."""
        return 3 * grid.depth.size

    @property
    def cost(self):
        """Measured on one core [s]: NumPy passes over the arrays some fifty times."""
        return 6e-8


def keeper(place, units):
    """A kernel that keeps what is there at the beginning of a step."""

    @kernel(now=read(place, units), old=write(place, units))
    def keep(at, now, old):
        at(old)[...] = at(now)

    return keep


@kernel(
    thickness=read(center, "m", west=1), u=read(x_face, "m s-1"), flux_x=write(x_face, "m2 s-1")
)
def flow_x(at, thickness, u, flux_x):
    """Volume flux along x."""
    at(flux_x)[...] = 0.5 * (at(thickness, i=-1) + at(thickness)) * at(u)


@kernel(
    thickness=read(center, "m", south=1), v=read(y_face, "m s-1"), flux_y=write(y_face, "m2 s-1")
)
def flow_y(at, thickness, v, flux_y):
    """Volume flux along y."""
    at(flux_y)[...] = 0.5 * (at(thickness, j=-1) + at(thickness)) * at(v)


@kernel(
    thickness=read(center, "m"), bottom=read(center, "m"), u=read(x_face, "m s-1", east=1),
    v=read(y_face, "m s-1", north=1), head=write(center, "m2 s-2"),
)  # fmt: skip
def bernoulli(at, thickness, bottom, u, v, head, gravity):
    """Bernoulli function: potential of the surface and kinetic energy."""
    kinetic = 0.25 * (at(u) ** 2 + at(u, i=1) ** 2 + at(v) ** 2 + at(v, j=1) ** 2)
    at(head)[...] = gravity * (at(thickness) + at(bottom)) + kinetic


@kernel(
    thickness=read(center, "m", west=1, south=1), u=read(x_face, "m s-1", south=1),
    v=read(y_face, "m s-1", west=1), inside=read(corner, "1"), share=read(corner, "1"),
    turning=write(corner, "s-1"), potential=write(corner, "m-1 s-1"),
)  # fmt: skip
def vorticity_at_corners(
    at, thickness, u, v, inside, share, turning, potential, coriolis, dx, dy
):  # fmt: skip
    """Vorticity (no slip is felt at walls) and, over thickness, potential vorticity."""
    at(turning)[...] = at(inside) * ((at(v) - at(v, i=-1)) / dx - (at(u) - at(u, j=-1)) / dy)
    south = at(thickness, j=-1) + at(thickness, j=-1, i=-1)
    mean = at(share) * (at(thickness) + at(thickness, i=-1) + south)  # of the wet cells around
    at(potential)[...] = (coriolis + at(turning)) / np.maximum(mean, least_thickness)


@kernel(
    flux_x=read(x_face, "m2 s-1", east=1), flux_y=read(y_face, "m2 s-1", north=1),
    old_thickness=read(center, "m"), thickness=update(center, "m"),
)  # fmt: skip
def fill(at, flux_x, flux_y, old_thickness, thickness, part, dt, dx, dy):
    """One stage of the thickness: new = (1 - part) old + part (new + dt rate)."""
    rate = (at(flux_x) - at(flux_x, i=1)) / dx + (at(flux_y) - at(flux_y, j=1)) / dy
    at(thickness)[...] = (1.0 - part) * at(old_thickness) + part * (at(thickness) + dt * rate)


@kernel(
    flux_y=read(y_face, "m2 s-1", west=1, north=1), head=read(center, "m2 s-2", west=1),
    potential=read(corner, "m-1 s-1", north=1), open_x=read(x_face, "1"),
    old_u=read(x_face, "m s-1"), u=update(x_face, "m s-1"),
)  # fmt: skip
def push_x(at, flux_y, head, potential, open_x, old_u, u, part, dt, dx):
    """One stage of the velocity along x."""
    across = at(flux_y) + at(flux_y, i=-1) + at(flux_y, j=1) + at(flux_y, j=1, i=-1)
    turned = 0.125 * (at(potential) + at(potential, j=1)) * across
    rate = at(open_x) * (turned - (at(head) - at(head, i=-1)) / dx)
    at(u)[...] = (1.0 - part) * at(old_u) + part * (at(u) + dt * rate)


@kernel(
    flux_x=read(x_face, "m2 s-1", east=1, south=1), head=read(center, "m2 s-2", south=1),
    potential=read(corner, "m-1 s-1", east=1), open_y=read(y_face, "1"),
    old_v=read(y_face, "m s-1"), v=update(y_face, "m s-1"),
)  # fmt: skip
def push_y(at, flux_x, head, potential, open_y, old_v, v, part, dt, dy):
    """One stage of the velocity along y."""
    across = at(flux_x) + at(flux_x, j=-1) + at(flux_x, i=1) + at(flux_x, j=-1, i=1)
    turned = -0.125 * (at(potential) + at(potential, i=1)) * across
    rate = at(open_y) * (turned - (at(head) - at(head, j=-1)) / dy)
    at(v)[...] = (1.0 - part) * at(old_v) + part * (at(v) + dt * rate)


@kernel(
    u=read(x_face, "m s-1", east=1), v=read(y_face, "m s-1", north=1),
    turning=read(corner, "s-1", east=1, north=1),
    velocity_x=write(center, "m s-1"), velocity_y=write(center, "m s-1"),
    vorticity=write(center, "1"),
)  # fmt: skip
def on_centers(at, u, v, turning, velocity_x, velocity_y, vorticity, coriolis):
    """Velocity and vorticity at the centres, for output."""
    at(velocity_x)[...] = 0.5 * (at(u) + at(u, i=1))
    at(velocity_y)[...] = 0.5 * (at(v) + at(v, j=1))
    south = at(turning) + at(turning, i=1)
    north = at(turning, j=1) + at(turning, j=1, i=1)
    at(vorticity)[...] = 0.25 * (south + north) / coriolis


class ShallowWater(Component):
    """One layer of water on a Cartesian grid; sides that are not joined are closed."""

    parts = 1.0, 1.0 / 4.0, 2.0 / 3.0  # of the stages of a step

    def __init__(self, case, clock, communicator, *, check_halos=False, plan=None):
        self.plane, self.options, self.step_length = case.build_grid(), case.water, clock.step
        self.cut = Decomposition(
            self.plane.mask, self.plane.topology, halo=1,
            options=case.decomposition, communicator=communicator,
        )  # fmt: skip
        self.run = Runner(self.cut, check_halos=check_halos, plan=plan)
        self.keep = []
        for name, units, place in (("thickness", "m", center), ("u", "m s-1", x_face),
                                   ("v", "m s-1", y_face)):  # fmt: skip
            now = self.field(name, units, place, restart=True)
            old = self.field(f"old_{name}", units, place)
            self.keep.append(self.run.bind(keeper(place, units), now=now, old=old))
        self.field("flux_x", "m2 s-1", x_face)
        self.field("flux_y", "m2 s-1", y_face)
        self.field("head", "m2 s-2", center)
        self.field("turning", "s-1", corner)
        self.field("potential", "m-1 s-1", corner)
        for name in ("velocity_x", "velocity_y"):
            self.field(name, "m s-1", center)
        self.field("vorticity", "1", center)
        self.mean = FieldSums(self.thickness, 2)
        self.constants()

    def field(self, name, units, place, **more):
        """Make a field; kernels find it by its name."""
        made = Field(name, units, self.cut, place=place, dtype=np.float64, **more)
        setattr(self, name, made)
        return made

    def set(self, name, plane):
        """Set a field from a plane, as many rows and columns of it as its place has."""
        field = getattr(self, name)
        rows, columns = self.plane.topology.shape(field.place)
        field.set_global(np.asarray(plane, np.float64)[:rows, :columns])

    def constants(self):
        """The bottom, and which faces and corners lie in the water."""
        mask, grid = self.plane.mask, self.plane
        wet = np.pad(mask, ((1, 1), (0, 0)), "wrap" if grid.periodic_y else "constant")
        wet = np.pad(wet, ((0, 0), (1, 1)), "wrap" if grid.periodic_x else "constant")
        self.open = {"u": wet[1:-1, :-1] & wet[1:-1, 1:], "v": wet[:-1, 1:-1] & wet[1:, 1:-1]}
        around = sum(wet[j : j + grid.y.size + 1, i : i + grid.x.size + 1].astype(int)
                     for j in (0, 1) for i in (0, 1))  # fmt: skip
        for name, units, place, plane in (
            ("bottom", "m", center, -grid.depth),
            ("open_x", "1", x_face, self.open["u"]),
            ("open_y", "1", y_face, self.open["v"]),
            ("inside", "1", corner, around == 4),
            ("share", "1", corner, 1.0 / np.maximum(around, 1)),
        ):
            self.field(name, units, place, static=True)
            self.set(name, plane)

    def restart_fields(self):
        """The state."""
        return [self.thickness, self.u, self.v]

    def start(self, time, restarted):
        """A jet held by the slope of the surface, and a bump."""
        if restarted:
            return
        o, grid = self.options, self.plane
        x, y = grid.x - grid.x.mean(), (grid.y - grid.y.mean())[:, None]
        surface = -o.coriolis * o.jet * o.width / o.gravity * np.tanh(y / o.width)
        surface = surface + o.bump * np.exp(-(x**2 + y**2) / o.width**2)
        self.set("thickness", np.where(grid.mask, grid.depth + surface, 0.0))
        self.set("u", self.open["u"] * o.jet / np.cosh(y / o.width) ** 2)
        self.set("v", 0.0 * self.open["v"])

    def step(self, time):
        """Advance by one step.

        1. keep the state  2. three stages: fluxes and vorticity, then the state
        """
        run, dt = self.run, self.step_length.total_seconds()
        dx, dy = self.plane.step_x, self.plane.step_y
        # 1. keep the state
        for keep in self.keep:
            keep()
        # 2. three stages
        for part in self.parts:
            self.flow()
            run(fill, self, part=part, dt=dt, dx=dx, dy=dy)
            run(push_x, self, part=part, dt=dt, dx=dx)
            run(push_y, self, part=part, dt=dt, dy=dy)

    def flow(self):
        """Volume fluxes, Bernoulli function and vorticity of the state."""
        run, o = self.run, self.options
        run(flow_x, self)
        run(flow_y, self)
        run(bernoulli, self, gravity=o.gravity)
        dx, dy = self.plane.step_x, self.plane.step_y
        run(vorticity_at_corners, self, coriolis=o.coriolis, dx=dx, dy=dy)

    def diagnose(self, names, time):
        """Thickness, velocity and vorticity at the centres."""
        self.flow()
        self.run(on_centers, self, coriolis=self.options.coriolis)
        return {name: getattr(self, name) for name in names}

    def summary(self):
        """The mean thickness of the water."""
        columns = self.thickness.read()
        total, points = self.mean([columns, [np.ones_like(column) for column in columns]])
        return f"mean thickness: {total / points:.15g} m"
