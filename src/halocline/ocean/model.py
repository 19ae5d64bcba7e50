"""The ocean's primitive equations: fields, and one leapfrog step.

Hydrostatic and Boussinesq, on the B-grid, with a free surface that is implicit in time (Smith et
al. 2010, The Parallel Ocean Program reference manual, LAUR-10-01853; Dukowicz and Smith 1994, J.
Geophys. Res. 99, 7991).
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halocline.core.constants import gravity
from halocline.grids.horizontal.grid import Grid
from halocline.grids.vertical.levels import VerticalGrid
from halocline.numerics.chebyshev_steps import sweep_steps
from halocline.numerics.elliptic import EllipticOperator, nine_point_of, time_step_shift
from halocline.numerics.solver import EllipticSolver
from halocline.numerics.solver_options import SolverOptions
from halocline.ocean import _native
from halocline.ocean.bottom_cells import add_bottom_cells
from halocline.ocean.eddies import Eddies
from halocline.ocean.entered import Entered, add_entered
from halocline.ocean.metrics import (
    CornerMetrics,
    area_ratio,
    least_around,
    least_length,
    metric_viscosity,
    open_faces,
)
from halocline.ocean.options import OceanOptions
from halocline.ocean.relaxation import Relaxation
from halocline.ocean.rotation import coriolis
from halocline.ocean.stokes_drift import StokesDrift, drift_names
from halocline.ocean.surface_forcing import SurfaceForcing, transmitted
from halocline.ocean.tracer_transport import tracer_transport
from halocline.ocean.vertical_mixing import vertical_mixing
from halocline.ocean.viscous import StressViscosity
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field, pair
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.space import Space
from halocline.runtime.ranks.once_per_node import once_per_node
from halocline.runtime.running.runner import Runner

Array = NDArray[np.float64]
kernels = kernels_of(_native)
reach = 2
"""Halo of a step [cells]: it reads one around corners, and the last block owns one row more."""
wide = 128
"""Cells along both sides of a grid whose halos are as deep as sweeps of the solver."""
names = ("temperature", "salinity")
laplacian_planes = ("viscous_east", "viscous_north", "viscous_turn", "cross_x", "cross_y")


def halo_of(grid: Grid, solver: SolverOptions) -> int:
    """Halo [cells]: as deep as a step reads, or a sweep of the solver on wide grids without a fold.

    With sweeps the solver exchanges once in eight iterations; bits are the same.
    """
    sweeps = solver.sweeps and min(grid.shape) >= wide and not grid.topology.fold
    return sweep_steps() if sweeps else reach


@dataclass(frozen=True)
class Weights:
    """A step from the old to the new level: `tau` [s], `alpha` weight of the new one [1].

    `gamma` is the weight of the present one; `outer` that of old and new density in the pressure.
    alpha tau is the same for both kinds, so that one operator serves both.
    """

    tau: float
    alpha: float
    gamma: float
    outer: float

    @classmethod
    def leapfrog(cls, dt: float) -> Weights:
        """Weights of thirds (Dukowicz and Smith 1994)."""
        return cls(2.0 * dt, 1.0 / 3.0, 1.0 / 3.0, 0.25)

    @classmethod
    def forward(cls, dt: float) -> Weights:
        """A first step, whose old and present levels are one."""
        return cls(dt, 2.0 / 3.0, 1.0 / 3.0, 0.0)


class OceanState:
    """Fields of the ocean; names are those of the arguments of the kernels."""

    def __init__(
        self,
        levels: VerticalGrid,
        decomposition: Decomposition,
        options: OceanOptions,
        dtype: DTypeLike = np.float64,
    ) -> None:
        axis = Axis("depth", coordinates=tuple(levels.depth.tolist()), units="m")
        self.space = Space(decomposition, levels=axis, wet_levels=levels.wet_levels)
        self.levels, self.dtype = axis, dtype
        passive = options.tracers.passive
        of_entries = ("degree C", "1e-3", *(some.unit for some in passive.values()))
        self.tracers = Axis("tracer", entries=(*names, *passive), entry_units=of_entries)
        center, corner = Place.center, Place.corner
        for prefix in ("old_", "", "new_"):
            kept = prefix != "new_"
            self.add(f"{prefix}tracer", "1", center, self.tracers, axis, restart=kept)
            self.add(f"{prefix}layer", "m", center, restart=kept)
            self.add(f"{prefix}surface", "m2 s-2", center, restart=kept)
            self.add(f"{prefix}heat_store", "K m", center, restart=kept)
            self.add(f"{prefix}density", "kg m-3", center, axis)
            for name in ("u", "v"):
                self.add(f"{prefix}{name}", "m s-1", corner, axis, restart=kept)
                self.add(f"{prefix}mean_{name}", "m s-1", corner, restart=kept)
            self.pair(f"{prefix}u", f"{prefix}v")
            self.pair(f"{prefix}mean_u", f"{prefix}mean_v")
        self.add("pressure", "m2 s-2", center, axis)
        self.add("stability", "s-2", center, axis)
        self.diapycnal_diffusivity = self.add("vertical_diffusivity", "m2 s-1", center, axis)
        self.nonlocal_share: Field | None = None
        self.salinity_excess: Field | None = None
        self.bottom_share: Field | None
        self.corner_bottom_share: Field | None
        self.pressure_slope: Field | None
        self.mixing_convergence: Field | None = None
        self.friction_x: Field | None = None
        self.friction_y: Field | None = None
        self.add("right_side", "m3 s-2", center)
        for name in ("force", "auxiliary"):
            units = "m s-2" if name == "force" else "m s-1"
            self.add(f"{name}_x" if name == "force" else f"{name}_u", units, corner)
            self.add(f"{name}_y" if name == "force" else f"{name}_v", units, corner)
        self.pair("force_x", "force_y")
        self.pair("auxiliary_u", "auxiliary_v")
        metrics = CornerMetrics.of(levels.horizontal)
        self._geometry(levels, options, metrics)
        add_bottom_cells(self, levels)
        self._mixing(levels, options, metrics)
        self._surface_fluxes(levels, options)
        add_entered(self, options)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Field: ...

    def add(self, name: str, units: str, place: Place, *axes: Axis, **more: Any) -> Field:
        """A field of the state by the name of an argument of kernels; `more` goes to `Field`."""
        made = Field(name, units, self.space, axes=axes, place=place, dtype=self.dtype, **more)
        setattr(self, name, made)
        return made

    def pair(self, x: str, y: str) -> None:
        """Make two fields the components of a vector."""
        pair(getattr(self, x), getattr(self, y))

    def add_static(
        self, name: str, units: str, place: Place, values: NDArray[Any], *axes: Axis
    ) -> None:
        """A field that stays as it is; `values` are spread over its axes."""
        field = self.add(name, units, place, *axes, static=True)
        field.set_global(np.broadcast_to(values, field.shape).astype(self.dtype))

    def _geometry(
        self, levels: VerticalGrid, options: OceanOptions, metrics: CornerMetrics
    ) -> None:
        grid, center, corner = levels.horizontal, Place.center, Place.corner
        count = levels.thickness.size
        self.add_static("area", "m2", center, np.maximum(grid.area, least_length**2))
        self.add_static("floor_level", "1", center, count - levels.wet_levels)
        self.add_static(
            "corner_floor", "1", corner, count - least_around(levels, levels.wet_levels)
        )
        self.add_static("corner_depth", "m", corner, least_around(levels, levels.floor))
        self.add_static("corner_dx", "m", corner, metrics.dx)
        self.add_static("corner_dy", "m", corner, metrics.dy)
        self.add_static("curvature_x", "m-1", corner, metrics.curvature_x)
        self.add_static("curvature_y", "m-1", corner, metrics.curvature_y)
        self.add_static("coriolis", "s-1", corner, coriolis(grid, options.rotation))
        self.add_static("thickness", "m", Place.none, levels.thickness, self.levels)
        self.add_static("spacing", "m", Place.none, levels.spacing, self.levels)
        wide = np.append(levels.spacing, 0.5 * levels.thickness[-1])
        self.add_static("depths", "m", Place.none, levels.depth, self.levels)
        self.add_static("to_surface", "m", Place.none, wide, self.space.interfaces)

    def _mixing(self, levels: VerticalGrid, options: OceanOptions, metrics: CornerMetrics) -> None:
        grid, mixing, corner = levels.horizontal, options.mixing, Place.corner
        x_face, y_face = map(grid.at, (Place.x_face, Place.y_face))
        along_x, along_y = x_face.dy / x_face.dx, y_face.dx / y_face.dy
        open_x, open_y = open_faces(levels)
        self.add_static(
            "x_conductance", "m2 s-1", Place.x_face, mixing.diffusivity * along_x * open_x
        )
        self.add_static(
            "y_conductance", "m2 s-1", Place.y_face, mixing.diffusivity * along_y * open_y
        )
        if mixing.viscous.scheme != "laplacian":
            for name in laplacian_planes:
                setattr(self, name, None)
            return
        length = mixing.viscosity_length
        east = mixing.viscosity * y_face.dy / np.maximum(y_face.dx, 1.0)
        east *= area_ratio(y_face.dx, y_face.dy, length)
        self.add_static("viscous_east", "m2 s-1", Place.y_face, east)
        north = mixing.viscosity * x_face.dx / np.maximum(x_face.dy, 1.0)
        north *= area_ratio(x_face.dx, x_face.dy, length)
        self.add_static("viscous_north", "m2 s-1", Place.x_face, north)
        viscosity = mixing.viscosity * area_ratio(metrics.dx, metrics.dy, length)
        for name, plane in metric_viscosity(metrics, viscosity).items():
            self.add_static(name, "s-1", corner, plane)

    def _surface_fluxes(self, levels: VerticalGrid, options: OceanOptions) -> None:
        center = Place.center
        for name, units in (("wind", "Pa"), ("stress", "m2 s-2")):
            for axis in ("x", "y"):
                self.add(f"{name}_{axis}", units, Place.corner)
            self.pair(f"{name}_x", f"{name}_y")
        self.add("heat_flux", "W m-2", center)
        self.add("short_wave", "W m-2", center)
        self.add("temperature_target", "degree C", center, restart=True)
        self.add("salinity_target", "1e-3", center, restart=True)
        self.add("rain", "m s-1", center)
        light = transmitted(levels.interfaces, options.forcing.heat.water_type)
        self.add_static("transmitted", "1", Place.none, light, self.space.interfaces)
        self.add("water_flux", "m s-1", center)
        self.add("surface_flux", "1", Place.center, self.tracers)


class Ocean:
    """The ocean on one grid."""

    def __init__(
        self,
        levels: VerticalGrid,
        options: OceanOptions,
        decomposition: Decomposition,
        run: Runner,
        dt: float,
        *,
        dtype: DTypeLike = np.float64,
    ) -> None:
        self.levels, self.options, self.run, self.dt = levels, options, run, dt
        self.start_share = 1.0  # of the pressure of density, while a sea at rest begins to move
        self.state = OceanState(levels, decomposition, options, dtype)
        leapfrog = Weights.leapfrog(dt)
        self.shift = time_step_shift(gravity, leapfrog.alpha, leapfrog.tau, dt)
        numbers = once_per_node(
            decomposition.communicator, lambda: nine_point_of(levels, self.shift)
        )
        operator = EllipticOperator(numbers, decomposition)
        self.solver = EllipticSolver(operator, run, options.solver)
        self.forcing = SurfaceForcing(levels, options, self.state, run)
        self.relaxation = Relaxation(levels, options, self.state, run)
        self.drivers = (self.forcing, self.relaxation)
        self.entered = Entered(self.state, self.forcing, self.relaxation, run)
        self._bind()

    def bound(self, name: str, **given: Any) -> Any:
        """A call of a kernel of the ocean, of this name, on the state and what is given besides."""
        return self.run.bind(kernels[f"ocean_{name}"], self.state, **given)

    def _bind(self) -> None:
        run, s, bound = self.run, self.state, self.bound
        self.stokes: StokesDrift | None = None
        self.of_old = bound("density", tracer=s.old_tracer, density=s.old_density, depth=s.depths)
        self.of_now = bound("density", depth=s.depths)
        self.of_new = bound("density", tracer=s.new_tracer, density=s.new_density, depth=s.depths)
        self.stability = bound("stability", tracer=s.old_tracer, depth=s.depths)
        self.mix = vertical_mixing(s, self.options, bound)
        self.eddies: Eddies | None = None
        if self.options.mixing.eddies.act:
            self.eddies = Eddies(s, self.levels, self.options, bound)
        self.checkerboard = bound("checkerboard")
        self.tracers = tracer_transport(s, self.levels, self.options, run, bound)
        self.pressure = bound("pressure", spacing=s.to_surface)
        self.viscous: StressViscosity | None = None
        if self.options.mixing.viscous.scheme != "laplacian":
            self.viscous = StressViscosity(s, self.levels, self.options.mixing, bound)
        self.momentum = bound("momentum")
        self.auxiliary = bound("auxiliary")
        self.right_side = bound("right_side")
        self.first_guess = bound("first_guess")
        self.mean_velocity = bound("mean_velocity")
        self.velocity = bound("velocity")
        self.averages = [bound("average_velocity"), bound("average_tracers")]
        self.filters = [bound("filter_velocity"), bound("filter_tracers")]

    def take_drift(self) -> StokesDrift:
        """Before the first step: waves will give their drift."""
        self.stokes = StokesDrift(self)
        self.changing = (*self.changing, *drift_names)
        self.momentum = self.bound("momentum")
        return self.stokes

    def carrying(self) -> AbstractContextManager[None]:
        """In this context the velocity of the present level is that which carries water."""
        return nullcontext() if self.stokes is None else self.stokes.carrying()

    def densities(self) -> None:
        """Density of the old and the present level, after tracers were set."""
        self.of_old(numbers=self.options.density.numbers)
        self.of_now(numbers=self.options.density.numbers)

    def step(self, number: int) -> None:
        """Advance by dt; `number` counts the steps since time began.

        A step after which levels are averaged is done in two halves.
        """
        every, scheme = self.options.averaging, self.options.time_filter.scheme
        special = scheme != "robert" and every > 0 and number % every == 1 % every
        if special and scheme == "matsuno":
            self.matsuno(number)
        elif special:
            for _ in range(2):
                self.advance(Weights.leapfrog(self.dt), number)
                self.average()
        else:
            self.advance(Weights.leapfrog(self.dt), number)
            if scheme == "robert":
                self.filter()
            self.rotate()

    def first_step(self) -> None:
        """A forward step by dt, from one level."""
        self.advance(Weights.forward(self.dt))
        self.rotate()

    def advance(self, w: Weights, number: int = 0) -> None:
        """Compute the new level: the baroclinic part, the surface and the mean velocity, their sum.

        `number` counts the steps. The sum belongs to neither phase, as in POP.
        """
        with self.run.recorder.time("baroclinic"):
            self.baroclinic(w, number)
        with self.run.recorder.time("barotropic"):
            self.barotropic(w)
        self.velocity()

    def baroclinic(self, w: Weights, number: int = 0) -> None:
        """Tracers, and velocity without its mean over the column.

        1. fluxes at the surface, mixing and eddies of the old level  2. tracers, and
        boxes that are drawn to targets  3. pressure  4. baroclinic velocity
        """
        o, width = self.options, self.options.tile_columns
        # 1. fluxes at the surface, mixing and eddies of the old level
        self.forcing.fluxes()
        self.stability(gravity=gravity, numbers=o.density.numbers)
        self.mix()
        if self.eddies:
            self.eddies(width)
        if o.checkerboard:
            self.checkerboard(rate=o.checkerboard / (w.tau * gravity))
        # 2. tracers, boxes that are drawn to targets, light and freezing
        with self.carrying():
            self.tracers(tau=w.tau, width=width, number=number)
        self.relaxation(w.tau)
        self.forcing.warm(w.tau)
        self.entered.add(w.tau)
        # 3. pressure
        self.of_new(numbers=o.density.numbers)
        weight = self.start_share * gravity / o.density.reference
        self.pressure(weight=weight, outer=w.outer)
        # 4. baroclinic velocity
        if self.viscous:
            self.viscous(w.tau, width)
        if self.stokes:
            self.stokes.force()
        drag = {"drag": o.mixing.drag, "drag_speed": o.mixing.drag_speed}
        self.momentum(tau=w.tau, alpha=w.alpha, gamma=w.gamma, **drag, width=width)

    def barotropic(self, w: Weights) -> None:
        """The surface, and the mean velocity.

        1. mean velocity without the new surface  2. elliptic equation  3. mean velocity
        """
        s = self.state
        self.auxiliary(tau=w.tau, alpha=w.alpha, gamma=w.gamma)
        self.right_side(tau=w.tau, alpha=w.alpha, shift=self.shift)
        if self.stokes:
            self.stokes.follow()
            self.stokes.diverge(tau=w.tau, alpha=w.alpha)
        self.first_guess()
        self.solver.solve(s.right_side, s.new_surface).require()
        self.mean_velocity(tau=w.tau, alpha=w.alpha)

    changing: tuple[str, ...] = (
        *("tracer", "layer", "surface", "heat_store", "density", "u", "v", "mean_u", "mean_v"),
        "entered",
    )

    def rotate(self) -> None:
        """Present becomes old, new becomes present."""
        for name in self.changing:
            old, now, new = (getattr(self.state, p + name) for p in ("old_", "", "new_"))
            old.swap(now)
            now.swap(new)

    def average(self) -> None:
        """Means of neighbouring levels are the old and the present one."""
        for average in self.averages:
            average()
        if self.stokes:
            self.stokes.average()
        self.entered.average()
        self.densities()

    def filter(self) -> None:
        """Filter the present and the new level (Robert and Asselin, Williams), and densities."""
        given = self.options.time_filter
        for part in self.filters:
            part(strength=given.strength, share=given.share)
        if self.stokes:
            self.stokes.filter(strength=given.strength, share=given.share)
        self.entered.filter(given.strength, given.share)
        self.of_now(numbers=self.options.density.numbers)
        if given.share < 1.0:
            self.of_new(numbers=self.options.density.numbers)

    def matsuno(self, number: int) -> None:
        """A step forward from the present level, and again with what that gave as the present.

        The surface of the present stays in the second pass: it is implicit with 2/3 in both.
        """
        for name in self.changing:
            getattr(self.state, f"old_{name}").copy(getattr(self.state, name))
        self.advance(Weights.forward(self.dt), number)
        for name in self.changing:
            if name != "surface":
                getattr(self.state, name).swap(getattr(self.state, f"new_{name}"))
        self.advance(Weights.forward(self.dt), number)
        for name in self.changing:
            getattr(self.state, name).swap(getattr(self.state, f"new_{name}"))
