"""The wave model: what it holds and the list that is its step."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halocline.core import constants
from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.blocks import Block, Hand
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.running.bound import local_count
from halocline.runtime.running.calls import BoundCall
from halocline.runtime.running.runner import Runner
from halocline.waves import _native
from halocline.waves.dispersion import linear_dispersion
from halocline.waves.momentum import (
    MomentumFluxes,
    StokesTransport,
    momentum_outputs,
    of_air,
    of_sources,
    of_transport,
    wind_stress,
)
from halocline.waves.moving_water import MovingWater, WaterThatMoves
from halocline.waves.sea_ice import SeaIce
from halocline.waves.source_integration import (
    COUNTERS,
    PHASES,
    SourcePackage,
)
from halocline.waves.spatial_propagation import (
    axes_along,
    block_transparencies,
    cells_of_points,
    propagation_arrays,
    schemes,
    sub_step_times,
    sub_steps,
    sub_steps_of,
    travel,
)
from halocline.waves.spectrum import SpectralGrid
from halocline.waves.turning import turning_arrays, turning_steps
from halocline.waves.waves_options import WavesOptions, source_package, source_settings

kernels = kernels_of(_native)
Numbers = NDArray[np.integer[Any]]


wind_outputs = {"wind_speed": "m s-1", "wind_direction": "degree"}
surface_outputs = {**wind_outputs, "drag_coefficient": "1", "charnock": "1"}
"""Units of what the kernel `surface_parameters` gives."""
water_outputs = {"current_u": "m s-1", "current_v": "m s-1", "sea_level": "m"}
"""Units of what is shown of the water."""


class WaveModel:
    """Spectra on one decomposed grid.

    Fields are attributes named as in the contracts of the kernels.
    """

    def __init__(
        self,
        grid: Grid,
        spectral: SpectralGrid,
        options: WavesOptions,
        decomposition: Decomposition,
        time_step: float,
        *,
        dtype: DTypeLike = np.float32,
        water: WaterThatMoves | None = None,
    ) -> None:
        self.grid, self.spectral, self.options = grid, spectral, options
        self.decomposition, self.time_step, self.dtype = decomposition, time_step, np.dtype(dtype)
        self.water: MovingWater | None = None
        self.spectrum = self.new_field(
            "spectrum", "m2 Hz-1 rad-1", (decomposition.component_axis,), restart=True
        )
        self._ice: SeaIce | None = None
        self._boundary: tuple[Numbers, NDArray[Any]] | None = None
        self._bound: dict[bytes, list[BoundCall]] = {}
        self._bound_by: Runner | None = None
        self._prepare_propagation()
        self._prepare_turning()
        self._prepare_surface()
        self._prepare_sources()
        if water is not None:
            self.move_water(water)

    def move_water(self, facts: WaterThatMoves) -> None:
        """Before the first step: the water moves. What the depth makes may change from now on."""
        self._prepare_depth(static=False)
        self.crossing_rate.static = not facts.rises
        self.water = MovingWater(self, facts)

    def new_field(
        self, name: str, units: str, axes: Sequence[Axis | int] = (), **more: Any
    ) -> Field:
        """A field on the points, if not said otherwise, in the precision of the model."""
        more.setdefault("dtype", self.dtype)
        return Field(name, units, self.decomposition, axes=axes, **more)

    def static_field(
        self, name: str, units: str, values: NDArray[Any], place: Place = Place.none, **more: Any
    ) -> Field:
        """A field of a table, or of values on the whole grid, that does not change."""
        horizontal = {Place.none: 0, Place.point: 1}.get(place, 2)
        more.setdefault("axes", values.shape[: values.ndim - horizontal])
        more.setdefault("static", True)
        field = self.new_field(name, units, place=place, **more)
        field.set_global(values.astype(field.dtype))
        return field

    def _prepare_propagation(self) -> None:
        """Static fields of `propagate_space`, and the sub-steps of each frequency."""
        spectral, grid = self.spectral, self.grid
        if grid.curvilinear is not None:
            raise UserError(
                "Waves propagate on regular grids only, but the grid is curvilinear. Use a file"
                " with one longitude per column and one latitude per row."
            )
        arrays = propagation_arrays(grid, spectral)
        frequency, direction = np.divmod(np.arange(spectral.components), spectral.directions)
        table: dict[str, Any] = {"axes": (self.decomposition.component_axis,), "dtype": np.int32}
        self.frequency_of = self.static_field("frequency_of", "1", frequency, **table)
        self.direction_of = self.static_field("direction_of", "1", direction, **table)
        self.cell_of_point = self.new_field("cell_of_point", "1", dtype=np.int32, static=True)
        self.cell_of_point.set_per_block(cells_of_points)
        self.fixed_point = self.static_field(
            "fixed_point", "1", arrays["fixed_point"], place=Place.point, dtype=np.int32
        )
        center = Place.center
        self.cell_area = self.static_field("cell_area", "1", arrays["cell_area"], center)
        self.cell_aspect = self.static_field("cell_aspect", "1", arrays["cell_aspect"], center)
        rates = arrays["crossing_rate"]
        self.crossing_rate = self.static_field("crossing_rate", "s-1", rates, center)
        self.transparency_x = self.new_field("transparency_x", "1", place=Place.x_face, static=True)
        self.transparency_y = self.new_field("transparency_y", "1", place=Place.y_face, static=True)
        self._set_transparencies()
        along = self.options.propagation.along
        self.travel = self.static_field("travel", "1", travel(spectral, along))
        counts = sub_steps(
            spectral,
            arrays["crossing_rate"],
            arrays["cell_aspect"],
            self.time_step,
            along=along,
            spatial_step=self.options.spatial_step,
        )
        self.sub_step_counts = counts

    @property
    def sub_steps(self) -> NDArray[np.int32]:
        """Sub-steps of propagation of each frequency in a global step."""
        most: NDArray[np.int32] = self.sub_step_counts.max(axis=0)
        return most

    def set_sub_steps(self, fastest: NDArray[np.float64]) -> None:
        """Choose sub-steps for the fastest crossing of cells in x and y [s-1] by frequency."""
        self.sub_step_counts = sub_steps_of(
            fastest,
            self.spectral,
            self.time_step,
            along=self.options.propagation.along,
            spatial_step=self.options.spatial_step,
        )

    def _prepare_turning(self) -> None:
        """Static fields of `turn_directions`, and its number of steps in half a global step."""
        options, half = self.options.turning, 0.5 * self.time_step
        self.turning_steps = turning_steps(
            self.grid, self.spectral, options, half, self.options.directional_step
        )
        arrays = turning_arrays(self.grid, self.spectral, options, half / self.turning_steps)
        points = {"place": Place.point}
        self.turning_x = self.static_field("turning_x", "rad s-1", arrays["turning_x"], **points)
        self.turning_y = self.static_field("turning_y", "rad s-1", arrays["turning_y"], **points)
        self.direction_face = self.static_field("direction_face", "1", arrays["direction_face"])
        self.turns = bool(arrays["turning_x"].any() or arrays["turning_y"].any())

    def _prepare_surface(self) -> None:
        """Fields of the water and the air at the sea points."""
        self._prepare_depth(static=True)
        for name in ("wind_u", "wind_v"):
            for when in ("", "_before", "_after"):
                setattr(self, name + when, self.new_field(name + when, "m s-1"))
        self.friction_velocity = self.new_field("friction_velocity", "m s-1", restart=True)
        for name, units in surface_outputs.items():
            setattr(self, name, self.new_field(name, units))
        self.ice = self.new_field("ice", "1")
        self.open_water = self.new_field("open_water", "1")
        self.open_water.set_from(lambda block: np.ones(block.owned_points))
        self.air_sea_difference = self.new_field("air_sea_difference", "K")

    def _prepare_depth(self, *, static: bool) -> None:
        """The depth, and what waves of each frequency are over it."""
        depth = self.grid.at_points(self.grid.depth)
        wavenumber, group_velocity = linear_dispersion(depth, self.spectral.frequency)
        points: dict[str, Any] = {"place": Place.point, "static": static}
        self.depth = self.static_field("depth", "m", depth, **points)
        self.wavenumber = self.static_field("wavenumber", "rad m-1", wavenumber, **points)
        self.group_velocity = self.static_field("group_velocity", "m s-1", group_velocity, **points)

    def _prepare_sources(self) -> None:
        """The source package, its options as the kernel wants them, and its fields."""
        self.package: SourcePackage | None = None
        self.roughness = self.new_field("roughness", "m", restart=True)
        self.fluxes: MomentumFluxes | None = None
        if self.options.physics == "none":
            if self.options.momentum_fluxes:
                raise UserError(
                    "waves.momentum_fluxes are those of the source terms, but waves.physics ="
                    " 'none'. Choose 'ST2' or 'ST4', or leave them out."
                )
            return
        if self.options.momentum_fluxes:
            self.fluxes = MomentumFluxes(self)
        self.package = source_package(self.options)
        self.source_settings = source_settings(self.options, self.spectral).native(
            self.options.physics
        )
        self.source_memory = self.new_field(
            "source_memory", "1", (self.package.memory,), restart=True
        )
        self.source_steps = self.new_field("source_steps", "1")
        table: dict[str, Any] = {"place": Place.none, "dtype": np.int64}
        self.counters = self.new_field("counters", "1", (len(COUNTERS),), **table)
        self.phase_times = self.new_field("phase_times", "ns", (len(PHASES),), **table)

    def _set_transparencies(self) -> None:
        """What islands and ice let through."""
        options = self.options.propagation
        ice = None if self._ice is None else (self._ice.numbers, self._ice.concentration)
        planes = {
            block: block_transparencies(self.grid, options, block, ice)
            for block in self.decomposition.planes.blocks
            if isinstance(block, Block)
        }
        self.transparency_x.set_per_block(lambda block: planes[block]["transparency_x"])
        self.transparency_y.set_per_block(lambda block: planes[block]["transparency_y"])

    def _set_points(self, field: Field, numbers: Numbers, values: NDArray[Any]) -> None:
        """Set the owned points of a field from values at ascending sea numbers."""

        def owned(block: Block | Hand) -> NDArray[Any]:
            wanted = block.sea_numbers[: block.owned_points]
            return values[np.searchsorted(numbers, wanted)]

        field.set_from(owned)

    def set_wind_brackets(
        self,
        numbers: Numbers,
        before: tuple[NDArray[Any], ...],
        after: tuple[NDArray[Any], ...],
    ) -> None:
        """Set eastward and northward wind [m s-1] at two times.

        `numbers` are ascending sea numbers, those of the owned points among them.
        """
        for name, first, second in zip(("wind_u", "wind_v"), before, after, strict=True):
            self._set_points(getattr(self, f"{name}_before"), numbers, first)
            self._set_points(getattr(self, f"{name}_after"), numbers, second)

    def interpolate_wind(self, run: Runner, weight: float, along_arc: bool) -> None:
        """Wind now, between the two times; `weight` is that of the later one."""
        run(kernels["interpolate_wind"], self, weight=weight, along_arc=along_arc)

    def set_ice(self, numbers: Numbers, concentration: NDArray[Any]) -> None:
        """Set the sea-ice concentration [1].

        `numbers` are ascending sea numbers: those that `numbers_around` gives for a reach of 1.
        Where ice is closed, waves are gone at once; where it opens, they begin from none.
        """
        self._set_points(self.ice, numbers, concentration)
        if self._ice is None and not concentration.any():
            return
        if self._ice is None or not np.array_equal(concentration, self._ice.concentration):
            self._ice = SeaIce(numbers, concentration, self.options.propagation.closed_ice)
            open_water = self._ice.open_water(self.options.ice_effect)
            self._set_points(self.open_water, numbers, open_water)
            self._set_transparencies()
            self._ice.clear(self.spectrum)

    def set_air_sea_difference(self, numbers: Numbers, difference: NDArray[Any]) -> None:
        """Set the temperature of the air less that of the sea [K], as the wind is set."""
        self._set_points(self.air_sea_difference, numbers, difference)

    def set_spectra(self, at: Callable[[Numbers], NDArray[Any]]) -> None:
        """Set all spectra; `at(sea numbers)` gives (component, point) [m2 Hz-1 rad-1]."""
        few = 2048
        memory = self.spectrum.memory
        for values, block in zip(self.spectrum.owned, self.spectrum.layout.blocks, strict=True):
            for first in range(0, block.owned_points, few):
                last = min(first + few, block.owned_points)
                memory.write(values[:, first:last], at(block.sea_numbers[first:last]))
        self.spectrum.written()
        if self._ice is not None:
            self._ice.clear(self.spectrum)

    def set_boundary(self, numbers: Numbers, spectra: NDArray[Any]) -> None:
        """Give spectra (component, number) [m2 Hz-1 rad-1] of sea points on the active boundary.

        `numbers` ascend.
        """
        self._boundary = numbers, spectra

    def hold_boundary(self) -> None:
        """Put the given spectra onto the active boundary."""
        if self._boundary is None:
            return
        numbers, spectra = self._boundary
        layout = self.spectrum.layout
        rows = slice(None) if layout.components is None else layout.components
        with self.spectrum.change() as owned:
            for values, block in zip(owned, layout.blocks, strict=True):
                own = np.asarray(block.sea_numbers[: block.owned_points])
                _, given, here = np.intersect1d(numbers, own, True, return_indices=True)
                values[:, here] = spectra[rows][:, given]
        if self._ice is not None:
            self._ice.clear(self.spectrum)

    diagnostics = (
        *("wind_u", "wind_v", "friction_velocity", "depth", "ice"),
        *surface_outputs,
        *water_outputs,
        *momentum_outputs,
    )
    """Output fields besides the mean parameters."""

    def diagnose(self, names: Sequence[str], run: Runner) -> dict[str, Field]:
        """Fields of the air and the water by short name."""
        if not surface_outputs.keys().isdisjoint(names):
            self._diagnose_surface(run)
        found = {name: self._of_water(name) for name in names if name in water_outputs}
        found |= self._of_momentum(names, run)
        return {name: getattr(self, name) for name in names if name not in found} | found

    def _of_momentum(self, names: Sequence[str], run: Runner) -> dict[str, Field]:
        """What waves carry, and what passes between air, waves and ocean."""
        found: dict[str, Field] = {}
        if not of_transport.keys().isdisjoint(names):
            self._stokes_transport.compute(run)
            found |= self._stokes_transport.fields
        if not of_air.keys().isdisjoint(names):
            own = {name: getattr(self, name) for name in ("wind_u", "wind_v")}
            u, v = (own | dict(self.felt_wind(run))).values()
            wind_stress(self._wind_stress, (u, v), self.friction_velocity)
            found |= self._wind_stress
        if self.fluxes is not None:
            found |= self.fluxes.fields
        elif missing := [name for name in names if name in of_sources]:
            raise UserError(
                f"'{missing[0]}' is computed with waves.momentum_fluxes = true only. Set it, or"
                " leave the field out."
            )
        return {name: field for name, field in found.items() if name in names}

    @cached_property
    def _stokes_transport(self) -> StokesTransport:
        return StokesTransport(self)

    @cached_property
    def _wind_stress(self) -> dict[str, Field]:
        return {name: self.new_field(name, units) for name, units in of_air.items()}

    def _diagnose_surface(self, run: Runner) -> None:
        """Wind over the ground; drag and Charnock's parameter of the wind over the water."""
        constant = {
            "height": 10.0,
            "von_karman": constants.von_karman,
            "gravity": constants.gravity,
            "missing": math.nan,
        }
        run(kernels["surface_parameters"], self, **constant)
        felt = self.felt_wind(run)
        if felt:
            unused = {name: self.new_field(name, units) for name, units in wind_outputs.items()}
            run(kernels["surface_parameters"], self, **felt, **unused, **constant)

    def _of_water(self, name: str) -> Field:
        """A field of the current or the level, 0 where the water rests."""
        if self.water is None:
            return self.new_field(name, water_outputs[name])
        return self.water.shown[name]

    @cached_property
    def point_current(self) -> Field:
        """Current along x and y at the points, after the last step [m s-1]."""
        if self.water is None:
            return self.new_field("point_current", "m s-1", (2,))
        return self.water.point_current

    def felt_wind(self, run: Runner) -> Mapping[str, Field]:
        """The wind relative to moving water, if sources feel it, by the names of the wind."""
        return {} if self.water is None else self.water.relative_wind(run)

    def step(self, run: Runner, number: int) -> None:
        """Advance by one global step, the `number`-th since a fixed date.

        1. turning, first half  2. given spectra of the active boundary  3. propagation in space
        4. turning, second half  5. source terms

        Where water moves, waves shift in frequency beside the turning.
        """
        if self.water is not None:
            self.water.begin(run)

        # 1. turning along great circles, by depth and currents, and shift in frequency
        self._turn(run)
        if self.water is not None:
            self.water.shift(run)

        # 2. spectra of the active boundary, where they are given
        self.hold_boundary()

        # 3. propagation in space: the slower a frequency, the fewer its sub-steps
        for sub_step, propagate in enumerate(self._propagation(run)):
            propagate(x_first=(number + sub_step) % 2 == 0)

        # 4. shift and turning again, so that space and spectrum are split evenly
        if self.water is not None:
            self.water.shift(run)
        self._turn(run)
        if self.water is not None:
            self.water.end(run)

        # 5. source terms, each point with steps of its own
        if self.package is not None:
            before = self.phase_seconds()
            if self.fluxes is not None:
                self.fluxes.begin(run)
            run(
                kernels[self.package.integrate.__name__],
                self,
                options=self.source_settings,
                package=self.package.native_options,
                duration=self.time_step,
                timed=True,
                wave_stress=None if self.fluxes is None else self.fluxes.from_sources,
                **self.felt_wind(run),
            )
            if self.fluxes is not None:
                self.fluxes.end(run)
            for name, seconds in self.phase_seconds().items():
                run.recorder.count(f"sources: {name}", seconds - before[name])

    def _propagation(self, run: Runner) -> list[BoundCall]:
        """Propagation in space by sub-step, of the components that move in it."""
        if self._bound_by is not run:
            self._bound, self._bound_by = {}, run
        key = self.sub_step_counts.tobytes()
        if key not in self._bound:
            self._bound[key] = self._bind_propagation(run)
        return self._bound[key]

    def _bind_propagation(self, run: Runner) -> list[BoundCall]:
        scalars = self.options.propagation.scalars(self.spectral)
        kernel = kernels["propagate_space"]
        fields: dict[str, Field] = {}
        if self.water is not None:
            kernel, fields = kernels["propagate_in_currents"], self.water.in_propagation
            along_x, along_y = axes_along(self.options.propagation.along)
            scalars |= {"along_x": along_x, "along_y": along_y}
        calls = []
        for sub_step, times in enumerate(sub_step_times(self.sub_step_counts, self.time_step)):
            moving = int((self.sub_steps > sub_step).sum()) * self.spectral.directions
            spectrum = self.spectrum.part(slice(moving))
            call = run.bind(
                kernel,
                self,
                spectrum=spectrum,
                spatial_step=self.static_field("spatial_step", "s", times),
                components=local_count(spectrum),
                **fields,
                **scalars,
            )
            calls.append(call)
        return calls

    def _turn(self, run: Runner) -> None:
        """Shift in direction over half a global step."""
        if self.water is not None:
            self.water.turn(run)
            return
        if not self.turns:
            return
        run(
            kernels["turn_directions"],
            self,
            step=0.5 * self.time_step / self.turning_steps / self.spectral.direction_width,
            steps=self.turning_steps,
            scheme=schemes[self.options.turning.scheme],
        )

    def phase_seconds(self) -> dict[str, float]:
        """Time of this rank's threads inside the source terms, phase by phase [s], over threads."""
        total = sum(array for array in self.phase_times.read())
        threads = int(os.environ.get("OMP_NUM_THREADS", "1") or 1)
        return {
            name: 1e-9 * float(time) / threads
            for name, time in zip(PHASES, np.atleast_1d(total), strict=True)
        }

    def source_counts(self, communicator: Communicator) -> dict[str, int]:
        """Points advanced, their sub-steps, lanes times sub-steps, tiles; over all ranks."""
        local = np.zeros(len(COUNTERS))
        if self.package is not None:
            local += sum(array for array in self.counters.read())
        total = communicator.sum(local)
        return {name: int(value) for name, value in zip(COUNTERS, total, strict=True)}
