"""Currents and a level that changes, as the wave model takes them into its step.

Action N = F / sigma moves with c_g + U, turns by gradients of depth and current, and shifts in
frequency (docs/waves.md, "Currents and water level"). Where neither currents nor a level are given,
nothing of this is made.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.constants import gravity
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.field import Entry, Field, pair
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner
from halocline.waves import _native
from halocline.waves.frequency_shift import double_angles, tail_ratio
from halocline.waves.spatial_propagation import schemes
from halocline.waves.turning import direction_faces, map_turning

if TYPE_CHECKING:
    from halocline.waves.model import WaveModel

kernels = kernels_of(_native)
Array = NDArray[Any]
surface = {"current_u": "m s-1", "current_v": "m s-1", "sea_level": "m"}
"""What is given at the cells, for the end of a step, with its units."""
at_points = {
    "depth_change": "m s-1",
    "slope_x": "1",
    "slope_y": "1",
    "convergence": "s-1",
    "stretching": "s-1",
    "shearing": "s-1",
    "rotation": "rad s-1",
}
"""What the kernel `water_at_points` makes of it besides the depth, with units."""


@dataclass(frozen=True)
class WaterThatMoves:
    """What is to be known of the water before a model is made."""

    changes: bool  # whether currents or level change in time
    rises: bool  # whether the level is another one than that of the grid's depths
    taken: bool  # whether others give them, so that restarts must hold them
    least_depth: float  # where there is less, waves find so much [m]


class MovingWater:
    """The water of one wave model: fields named as in the contracts of the kernels."""

    def __init__(self, model: WaveModel, facts: WaterThatMoves) -> None:
        self.model, self.facts = model, facts
        self.options = model.options.frequency_shift
        self.spectrum, self.depth, self.cell_of_point = (
            model.spectrum, model.depth, model.cell_of_point,
        )  # fmt: skip
        self.wavenumber, self.group_velocity = model.wavenumber, model.group_velocity
        self._prepare_planes()
        self._prepare_points()
        self._prepare_tables()
        self.turning_steps = self.shift_steps = 1
        self.shifts = False

    def _prepare_planes(self) -> None:
        """What is given at cells: at the begin and the end of a step, and in its middle."""
        m, grid = self.model, self.model.grid
        center: dict[str, Any] = {"place": Place.center}
        self.given = {name: m.new_field(name, units, **center) for name, units in surface.items()}
        self.before = {
            name: m.new_field(f"{name}_before", units, restart=True, **center)
            for name, units in surface.items()
        }
        self.transport_u = m.new_field("transport_u", "m s-1", **center)
        self.transport_v = m.new_field("transport_v", "m s-1", **center)
        pair(self.given["current_u"], self.given["current_v"])
        pair(self.transport_u, self.transport_v)
        depth = np.where(grid.mask, grid.depth, 0.0)
        wide, tall = (np.broadcast_to(length, grid.shape) for length in (grid.dx, grid.dy))
        self.still_depth = m.static_field("still_depth", "m", depth, **center)
        self.cell_width = m.static_field("cell_width", "m", wide, **center)
        self.cell_height = m.static_field("cell_height", "m", tall, **center)
        self.inverse_width = m.static_field("inverse_width", "m-1", 1.0 / wide, **center)
        self.in_propagation = {
            "current_u": self.transport_u,
            "current_v": self.transport_v,
            "inverse_width": self.inverse_width,
        }

    def _prepare_points(self) -> None:
        m = self.model
        self.point_level = m.new_field("point_level", "m")
        for name, units in at_points.items():
            setattr(self, name, m.new_field(name, units))
        self.point_current = m.new_field("point_current", "m s-1", (2,))
        turning = map_turning(m.grid, m.options.turning)
        self.map_turning = m.static_field("map_turning", "rad m-1", turning, place=Place.point)
        self.through_ends = m.new_field("through_ends", "m2 Hz-1 rad-1", (2,))
        self.fastest_turning = m.new_field("fastest_turning", "rad s-1")
        self.fastest_shift = m.new_field("fastest_shift", "s-1")
        self.relative_u = m.new_field("relative_u", "m s-1")
        self.relative_v = m.new_field("relative_v", "m s-1")
        self.shown: dict[str, Field] = {
            "current_u": Entry(self.point_current, 0, "current_u", "m s-1"),
            "current_v": Entry(self.point_current, 1, "current_v", "m s-1"),
            "sea_level": self.point_level,
        }

    def _prepare_tables(self) -> None:
        m, spectral = self.model, self.model.spectral
        self.sigma = m.static_field("sigma", "rad s-1", spectral.sigma)
        self.precise_sigma = m.static_field("sigma", "rad s-1", spectral.sigma, dtype=np.float64)
        faces = direction_faces(spectral)
        doubles = [faces[:, 0] ** 2 - faces[:, 1] ** 2, 2.0 * faces[:, 0] * faces[:, 1]]
        table = np.column_stack([faces, *doubles])
        self.direction_face = m.static_field("direction_face", "1", table)
        self.double_angle = m.static_field("double_angle", "1", double_angles(spectral))

    @property
    def restart_fields(self) -> list[Field]:
        """The water of now, where others gave it."""
        return [*self.before.values()] if self.facts.taken else []

    def give(self, values: Mapping[str, Array], numbers: NDArray[np.integer[Any]]) -> None:
        """Set currents [m s-1] and level [m] of the end of a step at ascending sea numbers."""
        for name, some in values.items():
            self._set(self.given[name], numbers, some)

    def _set(self, field: Field, numbers: NDArray[np.integer[Any]], values: Array) -> None:
        def plane(block: Any) -> Array:
            assert isinstance(block, Block)
            owned = np.zeros(block.shape)
            wanted = block.sea_numbers[: block.owned_points]
            here = block.point_j[: block.owned_points], block.point_i[: block.owned_points]
            owned[here] = values[np.searchsorted(numbers, wanted)]
            j0, j1, i0, i1, _ = block.box
            return owned[j0:j1, i0:i1]

        field.set_from(plane)

    def settle(self, run: Runner) -> None:
        """Begin with the water that was given, as if it had been so before."""
        self._remember()
        self.begin(run, still=True)
        self.end(run, still=True)

    def resume(self, run: Runner) -> None:
        """Go on with the water that a restart holds, of the end of the step before it."""
        self._arrive(run, self.before)

    def _remember(self) -> None:
        for name, field in self.before.items():
            field.copy(self.given[name])

    def begin(self, run: Runner, *, still: bool = False) -> None:
        """Make of the water in the middle of the step what waves need, and find the sub-steps."""
        if not (self.facts.changes or still):
            return
        for name, target in (("current_u", self.transport_u), ("current_v", self.transport_v)):
            pairs = zip(self.before[name].read(), self.given[name].read(), strict=True)
            means = [0.5 * (before + after) for before, after in pairs]
            with target.change() as owned:
                for array, mean in zip(owned, means, strict=True):
                    array[...] = mean
        per_second = 0.0 if still else 1.0 / self.model.time_step
        self._look(run, self.transport_u, self.transport_v, 0.5, per_second)
        if self.facts.rises:
            self._disperse(run)
            run(kernels["crossing_rates"], self, crossing_rate=self.model.crossing_rate)
        self._find_steps(run)

    def end(self, run: Runner, *, still: bool = False) -> None:
        """Go on to the water of the end of the step, for the sources and for output."""
        if not (self.facts.changes or still):
            return
        self._arrive(run, self.given)
        self._remember()

    def _arrive(self, run: Runner, water: Mapping[str, Field]) -> None:
        """Make of the water of one moment what sources and output need."""
        weight = 1.0 if water is self.given else 0.0
        self._look(run, water["current_u"], water["current_v"], weight, 0.0)
        if self.facts.rises:
            self._disperse(run)

    def _look(self, run: Runner, u: Field, v: Field, weight: float, per_second: float) -> None:
        run(
            kernels["water_at_points"],
            self,
            current_u=u,
            current_v=v,
            level_before=self.before["sea_level"],
            level_after=self.given["sea_level"],
            weight=weight,
            per_second=per_second,
            least_depth=self.facts.least_depth,
        )

    def _disperse(self, run: Runner) -> None:
        run(kernels["linear_dispersion"], self, sigma=self.precise_sigma, gravity=gravity)

    def turn(self, run: Runner) -> None:
        """Shift in direction over half a global step."""
        options, spectral = self.model.options.turning, self.model.spectral
        length = 0.5 * self.model.time_step / self.turning_steps
        run(
            kernels["turn_in_currents"],
            self,
            step=length / spectral.direction_width,
            steps=self.turning_steps,
            scheme=schemes[options.scheme],
            most=options.maximum_courant * spectral.direction_width / length,
            refraction=float(options.refraction),
        )

    def shift(self, run: Runner) -> None:
        """Shift in frequency over half a global step."""
        if not (self.options.enabled and self.shifts):
            return
        spectral = self.model.spectral
        run(
            kernels["shift_frequencies"],
            self,
            step=0.5 * self.model.time_step / self.shift_steps / math.log(spectral.factor),
            steps=self.shift_steps,
            scheme=schemes[self.options.scheme],
            open=self.options.open_ends,
            tail=tail_ratio(spectral),
        )

    def relative_wind(self, run: Runner) -> Mapping[str, Field]:
        """The wind as sources feel it, less a share of the current."""
        share = self.model.options.wind_relative
        if not share:
            return {}
        wind = {name: getattr(self.model, name) for name in ("wind_u", "wind_v")}
        run(kernels["relative_wind"], self, **wind, share=share)
        return {"wind_u": self.relative_u, "wind_v": self.relative_v}

    def _find_steps(self, run: Runner) -> None:
        """Numbers of sub-steps from what is fastest on the whole grid, the same on all ranks."""
        m = self.model
        half, spectral = 0.5 * m.time_step, m.spectral
        run(kernels["fastest_changes"], self)
        fastest = [
            max(float(array.max(initial=0.0)) for array in field.read())
            for field in (self.fastest_turning, self.fastest_shift)
        ]
        here = np.array([*fastest, *self._crossings().ravel()])
        turning, shifting, *crossing = m.decomposition.communicator.maximum(here)
        longest = m.options.directional_step or math.inf
        room = 0.5 * m.options.turning.maximum_courant * spectral.direction_width
        longest = min(longest, room / max(turning, 1e-30))
        self.turning_steps = max(1, math.ceil(half / longest * (1.0 - 1e-12)))
        longest = self.options.maximum_courant * math.log(spectral.factor) / max(shifting, 1e-30)
        self.shift_steps = max(1, math.ceil(half / longest * (1.0 - 1e-12)))
        self.shifts = bool(shifting > 0.0)
        rates = np.array(crossing).reshape(2, 1 + spectral.frequencies)
        m.set_sub_steps(rates[:, 1:] + rates[:, :1])

    def _crossings(self) -> NDArray[np.float64]:
        """Greatest rates on this rank at which currents (first) and waves of each frequency cross
        cells in x and in y [s-1], shape (2, 1 + frequencies)."""
        m = self.model
        found = np.zeros((2, 1 + m.spectral.frequencies))
        planes = (
            self.transport_u, self.transport_v, self.inverse_width, m.cell_aspect, m.crossing_rate,
        )  # fmt: skip
        for u, v, inverse, aspect, rate in zip(*(plane.read() for plane in planes), strict=True):
            wide, tall = inverse.astype(np.float64), aspect.astype(np.float64)
            tall = np.where(wide > 0.0, tall, 0.0)
            x = np.concatenate([(np.abs(u) * wide)[None], rate])
            y = np.concatenate([(np.abs(v) * wide * tall)[None], rate * tall])
            found = np.maximum(found, [x.max(axis=(1, 2)), y.max(axis=(1, 2))])
        return found
