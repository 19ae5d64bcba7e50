"""What comes into the sea at its sides and surface: rivers, deposition, open boundaries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.constants import water_density
from halocline.core.errors import UserError, nearest
from halocline.core.options import Options, option
from halocline.grids.horizontal.grid import Grid
from halocline.grids.sphere import angles_between, vectors
from halocline.grids.vertical.levels import VerticalGrid
from halocline.numerics import _native
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.running.calls import BoundCall
from halocline.runtime.running.runner import Runner
from halocline.runtime.sums.field_sums import FieldSums

if TYPE_CHECKING:
    from halocline.biogeochemistry.transport import TransportState

Array = NDArray[np.float64]
kernels = kernels_of(_native)
seconds_per_day = 86400.0
farthest_mouth = 3e5
"""How far from the sea the mouth of a river may be [m]: one farther away is a mistake."""


@dataclass(frozen=True, kw_only=True)
class RiverSourceOptions(Options):
    """Water that a river brings, and what it holds.

    The flow of the water itself belongs to the circulation; here it carries tracers. Those that
    are not named come with the concentration of the sea at the mouth: they do not change. With
    transport.files.fresh_water all are diluted by the water that the files have.
    """

    mouth: list[float] = option([], "degree", "longitude and latitude")
    flow: float = option(0.0, "m3 s-1", "water, a mean", at_least=0)
    spread: float = option(0.0, "m", "the water enters cells within this distance", at_least=0)
    concentrations: dict[str, float] = option({}, "any", "in the water, by tracer")

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.mouth) != 2:
            raise UserError(f"The mouth of a river is [longitude, latitude]. Got {self.mouth}.")


@dataclass(frozen=True, kw_only=True)
class OpenBoundaryOptions(Options):
    """A box of columns that are drawn to profiles, as through an open boundary.

    A tracer's profile is that of its start in the middle of the box, unless it has a value.
    """

    box: list[float] = option([], "degree", "west, east, south, north")
    time_scale: float = option(
        0.0,
        "day",
        "time in which a difference falls to 1/e; 0: the profiles are held (Dirichlet)",
        at_least=0,
    )
    values: dict[str, float] = option({}, "any", "at all depths, by tracer")

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.box) != 4 or self.box[0] >= self.box[1] or self.box[2] >= self.box[3]:
            raise UserError(
                f"The box of an open boundary is [west, east, south, north]. Got {self.box}."
            )


@dataclass(frozen=True, kw_only=True)
class TracerBoundaryOptions(Options):
    """What enters and leaves through surface and sides, beside the circulation."""

    rivers: dict[str, RiverSourceOptions] = option({}, "", "rivers, by name")
    deposition: dict[str, float] = option(
        {}, "any m day-1", "from the air, per area of the sea, by tracer"
    )
    open: dict[str, OpenBoundaryOptions] = option({}, "", "open boundaries, by name")

    def check(self, tracers: Sequence[str]) -> None:
        """Refuse names that no tracer has, and negative sources."""
        named = {f"rivers.{name}": river.concentrations for name, river in self.rivers.items()}
        named |= {f"open.{name}": boundary.values for name, boundary in self.open.items()}
        for table, values in {**named, "deposition": self.deposition}.items():
            for tracer, value in values.items():
                if tracer not in tracers:
                    raise UserError(
                        f"boundaries.{table} names '{tracer}', which is no tracer."
                        f"{nearest(tracer, tracers)}"
                    )
                if not value >= 0:
                    raise UserError(f"boundaries.{table}: {tracer} = {value}; it is at least 0.")


class Boundaries:
    """Counts what comes in, column by column [tracer times m3], and lets it in after a step.

    `profiles` by open boundary are those of all tracers at their start, (tracers, levels). Where
    the water that enters is `fresh`, it has no tracers, and the water of rivers is part of it.
    """

    def __init__(
        self,
        options: TracerBoundaryOptions,
        grid: VerticalGrid,
        state: TransportState,
        run: Runner,
        dt: float,
        profiles: Mapping[str, Array],
        *,
        fresh: bool = False,
    ) -> None:
        self.options, self.state, self.run, self.dt = options, state, run, dt
        self.fresh = fresh
        self.brought = Field(
            "brought",
            "m3",
            state.space,
            axes=(state.tracers,),
            place=Place.center,
            dtype=np.float64,
            restart=True,
        )
        self._sums = FieldSums(state.area, state.tracers.size)
        self._calls: list[BoundCall] = []
        self._fresh: Field | None = None
        if fresh:
            self._fresh = state.on_plane("fresh_water", "m3")
            boxes = [_inside(some.box, grid.horizontal) for some in options.open.values()]
            closed = ~np.logical_or.reduce([np.zeros(grid.mask.shape, bool), *boxes])
            self._closed = state.static("closed", "1", closed, Place.center)
            self._bind("dilute", fresh_water=self._fresh)
        if options.rivers or options.deposition:
            for tracer, given in self._surface(grid.horizontal):
                some = slice(tracer, tracer + 1)
                parts = {"tracer": state.tracer.part(some), "brought": self.brought.part(some)}
                self._bind("surface_sources", dt=dt, **parts, **given)
        for name, boundary in options.open.items():
            self._bind(
                "draw_to_profiles", **self._opened(boundary, grid.horizontal, profiles[name])
            )

    def _bind(self, name: str, **given: Any) -> None:
        call = self.run.bind(kernels[name], self.state, **{"brought": self.brought, **given})
        self._calls.append(call)

    def _surface(self, grid: Grid) -> Iterator[tuple[int, dict[str, Field]]]:
        """Tracer and water that enter uppermost cells, for each of the tracers that do, by number.

        The others need no planes of zeros.
        """
        source, water = (defaultdict[str, Array](partial(np.zeros, grid.shape)) for _ in range(2))
        for name, river in self.options.rivers.items():
            share = cells_of_river(river, grid, name)
            for tracer, value in river.concentrations.items():
                source[tracer] += river.flow * value * share
                water[tracer] += 0.0 if self.fresh else river.flow * share
        for tracer, amount in self.options.deposition.items():
            source[tracer] += amount / seconds_per_day * grid.area * grid.mask
        for number, tracer in enumerate(map(str, self.state.tracers.entries)):
            if tracer in source:
                planes = {"source": source[tracer], "source_water": water[tracer]}
                one = Axis("tracer", entries=(tracer,))
                yield number, {name: self._static(name, planes[name], one) for name in planes}

    def _static(self, name: str, plane: Array, tracer: Axis) -> Field:
        return self.state.static(name, "m3 s-1", plane[None], Place.center, tracer)

    def _opened(
        self, boundary: OpenBoundaryOptions, grid: Grid, profile: Array
    ) -> dict[str, Field]:
        """The share of a difference that a step takes away, and the profiles."""
        inside = _inside(boundary.box, grid)
        if not (inside & grid.mask).any():
            raise UserError(f"The open boundary {boundary.box} has no cell of the sea.")
        part = self.dt / (self.dt + seconds_per_day * boundary.time_scale)
        share = np.where(inside, part, 0.0)
        for tracer, value in boundary.values.items():
            profile[self.state.tracers.entries.index(tracer)] = value
        state = self.state
        axes = state.tracers, state.levels
        return {
            "boundary_share": state.static("boundary_share", "1", share, Place.center),
            "profile": state.static("profile", "1", profile, Place.none, *axes),
        }

    def surface_water(self) -> None:
        """Count the water that passes the surface in the step to come."""
        self.run(kernels["count_surface_water"], self.state, brought=self.brought)

    def step(self) -> None:
        """Let in what comes, after the tracers have been moved."""
        if self._fresh is not None:
            self._set_fresh_water(self._fresh)
        for call in self._calls:
            call()

    def _set_fresh_water(self, fresh: Field) -> None:
        """The water without tracers of a step; through open boundaries the sea's own comes."""
        fluxes, areas = self.state.water_flux.read(), self.state.area.read()
        with fresh.change() as owned:
            for to, flux, area, closed in zip(
                owned, fluxes, areas, self._closed.read(), strict=True
            ):
                to[...] = flux * area * closed * (self.dt / water_density)

    def totals(self) -> Array:
        """What has come since the start, by tracer; a call for all ranks."""
        planes = self.brought.read()
        return self._sums([[plane[n] for plane in planes] for n in range(self.state.tracers.size)])


def _inside(box: Sequence[float], grid: Grid) -> NDArray[np.bool_]:
    """Which cells have their centres in a box: west, east, south, north [degree]."""
    center = grid.at(Place.center)
    west, east, south, north = box
    rows = (center.y >= south) & (center.y <= north)
    return np.asarray(rows & (np.mod(center.x - west, 360.0) <= east - west))


def cells_of_river(river: RiverSourceOptions, grid: Grid, name: str) -> Array:
    """The share of a river's water that cells have, shape (nj, ni)."""
    center = grid.at(Place.center)
    to = vectors(center.x, center.y)
    mouth = vectors(*(np.array(value) for value in river.mouth))[:, None, None]
    away = np.where(grid.mask, grid.radius * angles_between(to, mouth), np.inf)
    if not away.min() <= max(farthest_mouth, river.spread):
        raise UserError(
            f"boundaries.rivers.{name}.mouth = {list(river.mouth)} is {away.min() / 1e3:.0f} km"
            " from the nearest sea cell of the grid. Move it to the coast, or leave it out."
        )
    near = away <= max(river.spread, away.min())
    near &= grid.topology.once(Place.center)
    weights = grid.area * near
    return np.asarray(weights / weights.sum())
