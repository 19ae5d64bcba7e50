"""Off-line transport of tracers by a given circulation: the core of OPATM.

Lazzari et al. (2010), doi:10.5194/bg-7-1455-2010; equation 1 of Cheptsov et al. (2009) without
reactions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halocline.biogeochemistry.boundaries import TracerBoundaryOptions
from halocline.biogeochemistry.circulation import (
    GyreOptions,
    RotationOptions,
    at_rest,
    gyres,
    rotation,
)
from halocline.biogeochemistry.circulation_files import CirculationFileOptions
from halocline.biogeochemistry.profiles import ProfileOptions, profile_at
from halocline.biogeochemistry.restoring import RestoringOptions
from halocline.biogeochemistry.start_file import StartFileOptions, from_file, negative
from halocline.biogeochemistry.tracer_start import check_shape, shapes, starting
from halocline.component.forcing.field_places import FieldPlaces
from halocline.core.errors import UserError, nearest
from halocline.core.options import Options, option
from halocline.grids.vertical.file_field import WantedPoints
from halocline.grids.vertical.levels import VerticalGrid
from halocline.numerics import _native
from halocline.numerics.stream_function import LevelFluxes
from halocline.numerics.tracer_courant import outflow
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field, pair
from halocline.runtime.fields.kernel import Kernel, kernels_of
from halocline.runtime.fields.load import Work
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.space import Space
from halocline.runtime.files.read_ahead import agree
from halocline.runtime.running.runner import Runner
from halocline.runtime.sums.field_sums import FieldSums
from halocline.runtime.sums.reductions import MadeTerms

Array = NDArray[np.float64]
kernels = kernels_of(_native)
reach = 2
"""Halo that a step needs [cells]."""
work = Work(plane=0.0, halo=0.3, message=0.5)
"""What a step costs beside its cells, land taken for as long as sea (weights of 1).

Measured, before land below the floor was left out, with 13 to 51 tracers on 40 levels: some 6 ns
per cell and tracer, on parts of 42 to 100 % sea. A halo value, packed, sent and unpacked, takes
some 2 ns, a message 5 us.
"""
tracer_group = 13
"""Number of tracers per pass of the fused kernel.

On 1 MiB of second-level and 16 MiB of last-level cache per core 6 tracers took 1.2 to 1.3 times as
long as 13, and 26 as long; no choice changes a bit.
"""


@dataclass(frozen=True, kw_only=True)
class MixingOptions(Options):
    """Vertical diffusivity: strong in a mixed layer, weak below."""

    surface: float = option(1e-2, "m2 s-1", "diffusivity at the surface", at_least=0)
    depth: float = option(50.0, "m", "of the mixed layer", at_least=0.1)
    background: float = option(1e-5, "m2 s-1", "diffusivity below", at_least=0)


@dataclass(frozen=True, kw_only=True)
class TransportOptions(Options):
    """Tracers and what moves them."""

    moved: ClassVar = {
        "grid_file": "grid.file",
        "levels": "grid.levels.count",
        "thickness": "grid.levels.thickness",
    }
    tracers: list[str] = option(["bell"], "", "names of the tracers, in their order")
    start: dict[str, str] = option(
        {},
        "",
        f"shape at the start by tracer: {', '.join(shapes)}, layers; if not given, the"
        " tracer's name where that is a shape, else layers",
    )
    start_file: StartFileOptions = option(
        StartFileOptions(), meaning="tracers that begin from a file"
    )
    profiles: dict[str, ProfileOptions] = option(
        {},
        "",
        "profiles over depth, by the tracer that begins so, or by a name that others are like",
    )
    boundaries: TracerBoundaryOptions = option(
        TracerBoundaryOptions(), meaning="rivers, deposition and open boundaries"
    )
    restoring: RestoringOptions = option(
        RestoringOptions(), meaning="tracers that are drawn to values from files"
    )
    start_offset: float = option(
        18.0, "degree", "distance of the shapes east of the centre of rotation"
    )
    circulation: str = option(
        "rotation",
        "",
        "what moves the tracers: an analytic circulation (rest: none), or files",
        choices=("rotation", "gyres", "rest", "files"),
    )
    files: CirculationFileOptions = option(
        CirculationFileOptions(), meaning="circulation from files"
    )
    rotation: RotationOptions = option(RotationOptions(), meaning="solid-body rotation")
    gyres: GyreOptions = option(GyreOptions(), meaning="gyres on real coasts")
    limiter: bool = option(
        True, "", "flux limiter: no new extremes, nothing negative", source="Leonard (1991)"
    )
    advection: str = option(
        "limited3",
        "",
        "of third order with a limiter, one direction after the other; or Smolarkiewicz' donor"
        " cells with antidiffusive fluxes, all directions at once",
        choices=("limited3", "smolarkiewicz"),
        source="Leonard (1991); Smolarkiewicz (1983)",
    )
    corrections: int = option(
        1, "1", "antidiffusive steps of Smolarkiewicz' scheme", at_least=0, at_most=1
    )
    horizontal_diffusivity: float = option(0.0, "m2 s-1", "Laplacian diffusivity", at_least=0)
    biharmonic_diffusivity: float = option(
        0.0, "m4 s-1", "biharmonic diffusivity; OGSTM takes 3e9 at 1/24 degree", at_least=0
    )
    mixing: MixingOptions = option(MixingOptions(), meaning="vertical diffusivity")
    tile_bytes: int = option(
        640,
        "byte",
        "length of a row of the tiles that the fused kernel cuts a block into; no choice changes a"
        " bit ('halocline lab decompose' measures)",
        at_least=8,
    )
    sinking: dict[str, float] = option(
        {}, "m day-1", "sinking speed by tracer, 0 if not given; the sea floor is closed"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_names()

    def _check_names(self) -> None:
        """Refuse tracers twice, and tables that name what is no tracer."""
        if not self.tracers or len(set(self.tracers)) < len(self.tracers):
            raise UserError(f"tracers = {self.tracers}: give at least one name, none twice.")
        named = {
            "start": self.start,
            "start_file.variables": self.start_file.variables,
            "restoring.variables": self.restoring.variables,
        }
        if (self.circulation == "files") != bool(self.files.file):
            raise UserError(
                "A circulation from files needs both: transport.circulation = 'files', and the"
                " files in transport.files.file."
            )
        for table, names in {**named, "sinking": dict.fromkeys(self.sinking, "")}.items():
            strange = sorted(set(names) - set(self.tracers))
            if strange:
                some, rest = self.tracers[:12], self.tracers[12:]
                known = ", ".join(some) + f" and {len(rest)} more" * bool(rest)
                raise UserError(
                    f"{table} names '{strange[0]}', which is not among the tracers: {known}."
                    f"{nearest(strange[0], self.tracers)}"
                )
        self.boundaries.check(self.tracers)
        for shape in self.start.values():
            check_shape(shape)
        for name, speed in self.sinking.items():
            if not speed >= 0:
                raise UserError(f"sinking.{name} = {speed} m day-1: it is at least 0.")

    def shape_of(self, tracer: str) -> str:
        """Name of the shape that a tracer has at the start."""
        return self.start.get(tracer, tracer if tracer in shapes else "layers")

    @property
    def analytic(self) -> bool:
        """Whether the circulation is one of closed form, which stays."""
        return self.circulation in ("rotation", "gyres", "rest")

    @property
    def start_centre(self) -> tuple[float, float]:
        """Longitude and latitude of the shapes [degree]."""
        return self.rotation.longitude + self.start_offset, self.rotation.latitude


class TransportState:
    """Fields of the transport; names are those of the arguments of the kernels."""

    x_volume_flux: Field
    y_volume_flux: Field
    z_volume_flux: Field
    next_volume: Field
    surface_water: Field
    outflow: Field
    water_flux: Field
    mixing_stays: ClassVar[bool] = True  # vertical diffusivity is that of the start

    def __init__(
        self,
        grid: VerticalGrid,
        tracers: Sequence[str],
        decomposition: Decomposition,
        dtype: DTypeLike = np.float64,
    ) -> None:
        levels = Axis("depth", coordinates=tuple(grid.depth.tolist()), units="m")
        space = Space(decomposition, levels=levels, wet_levels=grid.wet_levels)
        self.space, self.levels, self.tracers = space, levels, Axis("tracer", entries=(*tracers,))
        axes, center = (self.tracers, levels), Place.center
        self.dtype = dtype

        self.tracer = Field(
            "tracer", "1", space, axes=axes, place=center, dtype=dtype, restart=True
        )
        every_level = np.arange(levels.size)[:, None, None]
        self.volume = self.on_levels("volume", "m3", static=True)
        self.volume.set_cells(lambda j, i: grid.volume_of(every_level, (j, i)))
        self.area = self.static("area", "m2", grid.horizontal.area, center)
        self.thickness = self.static("thickness", "m", grid.thickness, Place.none, levels)
        self.spacing = self.static("spacing", "m", grid.spacing, Place.none, levels)

    @cached_property
    def new_tracer(self) -> Field:
        """A second copy of all tracers, for what cannot change them in their own place."""
        one = self.tracer
        return Field(
            "new_tracer", one.units, one.space, axes=one.axes, place=one.place, dtype=one.dtype
        )

    def on_levels(
        self,
        name: str,
        units: str,
        place: Place = Place.center,
        *,
        static: bool = False,
        restart: bool = False,
    ) -> Field:
        """A new field on levels."""
        return Field(
            name,
            units,
            self.space,
            axes=(self.levels,),
            place=place,
            dtype=self.dtype,
            static=static,
            restart=restart,
        )

    def on_plane(self, name: str, units: str, *, restart: bool = False) -> Field:
        """A new field of one value for each column."""
        return Field(name, units, self.space, place=Place.center, dtype=self.dtype, restart=restart)

    def static(self, name: str, units: str, values: Array, place: Place, *axes: Axis) -> Field:
        """A new field that keeps these values."""
        field = Field(
            name, units, self.space, axes=axes, place=place, dtype=self.dtype, static=True
        )
        field.set_global(values.astype(self.dtype))
        return field

    def set_fluxes(self, fluxes: LevelFluxes) -> None:
        """Set the volume fluxes [m3 s-1]."""
        for axis, place in (("x", Place.x_face), ("y", Place.y_face), ("z", Place.center)):
            name = f"{axis}_volume_flux"
            setattr(self, name, self.on_levels(name, "m3 s-1", place, static=True))
        pair(self.x_volume_flux, self.y_volume_flux)
        for k in range(fluxes.levels):
            here = fluxes.level(k)
            self.x_volume_flux.set_cells(of_plane(here.x), at=k)
            self.y_volume_flux.set_cells(of_plane(here.y), at=k)
            self.z_volume_flux.set_cells(of_plane(here.z), at=k)

    @cached_property
    def vertical_diffusivity(self) -> Field:
        """Diffusivity at lower interfaces, made when first read: files may bring their own."""
        field = self.on_levels("vertical_diffusivity", "m2 s-1", static=self.mixing_stays)
        profile = self.mixing_profile[:, None, None].astype(self.dtype)
        field.set_cells(lambda j, i: profile)
        return field

    def set_mixing(self, grid: VerticalGrid, options: TransportOptions) -> None:
        """Set diffusivities and sinking speeds."""
        horizontal = options.horizontal_diffusivity
        x_face, y_face = map(grid.horizontal.at, (Place.x_face, Place.y_face))
        x = horizontal * x_face.dy / x_face.dx
        y = horizontal * y_face.dx / y_face.dy
        self.x_conductance = self.static("x_conductance", "m2 s-1", x, Place.x_face)
        self.y_conductance = self.static("y_conductance", "m2 s-1", y, Place.y_face)
        self.x_ratio = self.static("x_ratio", "1", x_face.dy / x_face.dx, Place.x_face)
        self.y_ratio = self.static("y_ratio", "1", y_face.dx / y_face.dy, Place.y_face)
        below = np.cumsum(grid.thickness[::-1])[::-1]
        self.mixing_profile: Array = options.mixing.background + options.mixing.surface * np.exp(
            -((below / options.mixing.depth) ** 2)
        )
        speeds = np.array([options.sinking.get(name, 0.0) / 86400.0 for name in options.tracers])
        self.sinking_speed = self.static("sinking_speed", "m s-1", speeds, Place.none, self.tracers)


def of_plane(plane: Array) -> Callable[[Any, Any], Array]:
    """Values (nj, ni) as a function of rows and columns; 0 on the last faces of closed sides."""
    whole = np.pad(plane, ((0, 1), (0, 1)))
    return lambda j, i: whole[j, i]


class Transport:
    """Off-line transport of tracers on one grid."""

    def __init__(
        self,
        grid: VerticalGrid,
        options: TransportOptions,
        decomposition: Decomposition,
        dt: float,
        *,
        dtype: DTypeLike = np.float64,
        kind: type[TransportState] = TransportState,
        start_values: Mapping[str, float] | None = None,
        units: Mapping[str, str] | None = None,
    ) -> None:
        self.start_values, self.units = start_values or {}, units or {}
        if grid.bottom_thickness is not None:
            raise UserError(
                "The transport takes whole cells only, but grid.levels.least_share cuts those at"
                " the floor. Set it to 1."
            )
        if any(grid.mask[pole] for pole in grid.topology.poles):
            raise UserError(
                f"The cells {grid.topology.poles} (row, column) are the poles of the fold of the"
                " grid, whose faces meet themselves: contents are not conserved there. Make them"
                " land, or close the north of the grid: grid.fold = 'none'."
            )
        self.grid, self.options, self.decomposition = grid, options, decomposition
        self.state = kind(grid, options.tracers, decomposition, dtype)
        if options.analytic:
            fluxes = circulation(grid, options)
            check_courant(fluxes, grid, options, dt)
            self.state.set_fluxes(fluxes)
            self.state.next_volume = self.state.volume
        self.state.set_mixing(grid, options)
        check_biharmonic(grid, options, dt)
        self.sums = FieldSums(self.state.tracer, len(options.tracers))

    def set_start(self) -> None:
        """Set all tracers to their start."""
        options, grid, tracer = self.options, self.grid, self.state.tracer
        center = grid.horizontal.on_both_sides(Place.center)
        with tracer.change() as owned:
            for array, block in zip(owned, tracer.layout.blocks, strict=True):
                assert isinstance(block, Block)
                r = block.rectangle
                here = np.s_[r.j0 : r.j1, r.i0 : r.i1]
                x, y = center.x[here], center.y[here]
                wet = grid.is_wet(np.arange(grid.thickness.size)[:, None, None], here)
                for number, name in enumerate(options.tracers):
                    array[number] = wet * self._begin(number, name, x, y)
        self.start_from_files()

    def start_from_files(self) -> None:
        """Set the tracers that begin from a file."""
        options, grid, tracer = self.options, self.grid, self.state.tracer
        if options.start_file.file:
            space, levels = self.state.space, self.state.levels
            places = FieldPlaces(space, Place.center, grid.horizontal, levels)
            found = from_file(options.start_file, places.wanted, self.units)
            failure = None
            for name, values in found.items():
                failure = failure or negative(name, values, places.wanted, options.start_file)
                places.put(values, tracer.part(options.tracers.index(name)))
            agree(self.decomposition.communicator, failure)

    def _begin(self, number: int, name: str, x: Array, y: Array) -> Array:
        """A tracer at its start, without a file, in columns of longitudes and latitudes."""
        options, depth = self.options, self.grid.depth
        if name in options.profiles:
            return profile_at(options.profiles, name, depth, x)
        if name in self.start_values:
            return np.full((depth.size, *np.broadcast(x, y).shape), self.start_values[name])
        return starting(options.shape_of(name), number, x, y, depth, options.start_centre)

    def start_profiles(self, x: float, y: float) -> Array:
        """All tracers at their start at one place, shape (tracers, levels)."""
        options, depth = self.options, self.grid.depth
        at = np.array([[x]]), np.array([[y]])
        columns = [self._begin(n, name, *at)[:, 0, 0] for n, name in enumerate(options.tracers)]
        if options.start_file.file:
            one = WantedPoints(np.array([x]), np.array([y]), depth)
            for name, values in from_file(options.start_file, one, self.units).items():
                columns[options.tracers.index(name)] = values[:, 0]
        return np.stack(columns)

    @property
    def settings(self) -> dict[str, int | bool]:
        """Scalar arguments of the pass, beside the step."""
        return {
            "limited": self.options.limiter,
            "diffusive": self.options.horizontal_diffusivity > 0,
            "width": self.options.tile_bytes // self.state.tracer.dtype.itemsize,
            "group": tracer_group,
        }

    def step(self, run: Runner, state: TransportState, dt: float, number: int) -> None:
        """Advance all tracers of `state` by `dt` [s]; `number` counts the steps.

        1. sweeps along x, y and z (odd steps: y, x, z), sinking and vertical diffusion, in one
           pass, in the tracers' own place unless inner cells are to be computed before their rim
        2. biharmonic diffusion
        """
        # 1. all in one pass, or one after the other
        if self.options.advection == "smolarkiewicz":
            self._one_after_the_other(run, state, dt)
        else:
            new = state.new_tracer if run.overlap else state.tracer
            run(kernel_of(number), state, new_tracer=new, dt=dt, **self.settings)
            if run.overlap:
                state.tracer.swap(new)
        # 2. biharmonic diffusion
        if self.options.biharmonic_diffusivity > 0:
            run(
                kernels["diffuse_biharmonic"],
                state,
                volume=state.next_volume,
                dt=dt,
                diffusivity=self.options.biharmonic_diffusivity,
            )
            state.tracer.swap(state.new_tracer)

    def _one_after_the_other(self, run: Runner, state: TransportState, dt: float) -> None:
        """Donor cells, their correction, horizontal diffusion, sinking, vertical diffusion."""
        run(kernels["advect_upstream"], state, dt=dt)
        state.tracer.swap(state.new_tracer)
        for _ in range(self.options.corrections):
            run(kernels["advect_corrected"], state, dt=dt)
            state.tracer.swap(state.new_tracer)
        if self.options.horizontal_diffusivity > 0:
            run(kernels["diffuse_laplacian"], state, volume=state.next_volume, dt=dt)
            state.tracer.swap(state.new_tracer)
        run(kernels["sinking"], state, volume=state.next_volume, dt=dt)
        run(kernels["vertical_diffusion"], state, volume=state.next_volume, dt=dt)

    def contents(self) -> Array:
        """Content of every tracer, tracer times volume over the whole sea; for all ranks."""
        tracers, volumes = self.state.tracer.read(), self.state.volume.read()

        def contents_of(number: int) -> Iterator[Array]:
            for tracer, volume in zip(tracers, volumes, strict=True):
                yield tracer[number].astype(np.float64) * volume

        def contents() -> Iterator[Iterator[Array]]:
            return map(contents_of, range(len(self.options.tracers)))

        return self.sums(MadeTerms(self.sums.count, contents))

    def extremes(self) -> tuple[Array, Array]:
        """Least and greatest value of every tracer over the whole sea; for all ranks."""
        state, count = self.state, len(self.options.tracers)
        least, greatest = np.full(count, np.inf), np.full(count, -np.inf)
        for tracer, wet in zip(state.tracer.read(), state.tracer.counted, strict=True):
            for number in range(count):
                values = tracer[number][wet]
                least[number] = min(least[number], values.min(initial=np.inf))
                greatest[number] = max(greatest[number], values.max(initial=-np.inf))
        communicator = self.decomposition.communicator
        return -communicator.maximum(-least), communicator.maximum(greatest)


def kernel_of(number: int) -> Kernel:
    """The pass of a step: every second one begins with y."""
    return kernels[f"transport_tracers_{'xy'[number % 2]}_first"]


def circulation(grid: VerticalGrid, options: TransportOptions) -> LevelFluxes:
    """Volume fluxes of the chosen circulation."""
    if options.circulation == "rest":
        return at_rest(grid)
    if options.circulation == "rotation":
        return rotation(grid, options.rotation)
    return gyres(grid, options.gyres)


def check_courant(
    fluxes: LevelFluxes, grid: VerticalGrid, options: TransportOptions, dt: float
) -> None:
    """Refuse a step in which more leaves some cell than it holds."""
    worst = outflow(fluxes, grid, options.horizontal_diffusivity, dt)
    if options.advection == "smolarkiewicz":
        worst = {"all directions": sum(worst.values())}
    name, share = max(worst.items(), key=lambda item: item[1])
    if share > 1.0:
        raise UserError(
            f"In a step of {dt:g} s, {share:.2f} of a cell's volume leaves it along {name}; at most"
            f" 1 may. Use time.step = {0.95 * dt / share:.0f} s or less."
        )


def check_biharmonic(grid: VerticalGrid, options: TransportOptions, dt: float) -> None:
    """Refuse a biharmonic diffusivity that is too great for cells and step."""
    center = grid.horizontal.at(Place.center)
    least = float(np.minimum(center.dx, center.dy)[grid.mask].min(initial=np.inf))
    most = least**4 / (64.0 * dt)
    if options.biharmonic_diffusivity > most:
        raise UserError(
            f"biharmonic_diffusivity = {options.biharmonic_diffusivity:g} m4 s-1 is too great for"
            f" cells of {least:g} m in a step of {dt:g} s. Use at most {most:.2g}."
        )


def error_norms(now: Array, exact: Array, volume: Array) -> dict[str, float]:
    """Errors relative to the exact solution: l1, l2, l_infinity (Williamson et al. 1992, 82-84)."""
    difference = now - exact
    return {
        "l1": float((np.abs(difference) * volume).sum() / (np.abs(exact) * volume).sum()),
        "l2": float(np.sqrt((difference**2 * volume).sum() / (exact**2 * volume).sum())),
        "l_infinity": float(np.abs(difference).max() / np.abs(exact).max()),
    }
