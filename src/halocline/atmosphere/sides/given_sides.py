"""Sides of a limited area: outer rows follow given values, the next ones are drawn to them.

The normal wind, its momentum, heat, geopotential and mass at sides come from elsewhere, at two
moments `before` and `after`, and are linear between these (Davies 1976; Skamarock et al. 2019,
NCAR/TN-556, section 6.4). ARW gives one row and lowers the order of advection beside it; here as
many rows are given as the schemes look at, so that none has to know of sides. `given_sides.hpp` has
the equations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere import _native
from halocline.atmosphere.dynamics.state import AirFields, prognostic
from halocline.atmosphere.sides.air_sides import (
    AirSides,
    AirSideStage,
    inward,
    rows_from_sides,
)
from halocline.atmosphere.sides.options import AirSideOptions, given_rows
from halocline.atmosphere.start.start_reading import clouds_in
from halocline.component.port import Port
from halocline.core.clock import Date
from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.field import Field, pair
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from halocline.runtime.running.calls import BoundCall
from halocline.runtime.running.runner import Runner

kernels = kernels_of(_native)
center, x_face, y_face = Place.center, Place.x_face, Place.y_face

given_names = tuple(name for name in prognostic if name != "w")
"""State that is given at all sides; files know no upward wind, members around a nest do. Of water
files know vapour, and the kinds of clouds that their analyses have, members around a nest all."""


def marked_rows(topology: Topology, place: Place, width: int) -> NDArray[np.bool_]:
    """Points of a place in the outer rows of sides."""
    return rows_from_sides(topology, place) < width


class GivenSides(AirSides):
    """Given values of one atmosphere's sides, and where they are given."""

    def __init__(self, run: Runner, state: AirFields, grid: Grid, options: AirSideOptions) -> None:
        self.run, self.state, self.options, self.grid = run, state, options, grid
        self.before_time: Date | None = None
        self.after_time: Date | None = None
        self.shares = 0.0, 0.0
        self.dt = 1.0
        self.known: Sequence[str] = ()
        in_nest = options.kind == "nest"
        self.names = tuple(prognostic) if in_nest else given_names
        fields = dict(prognostic)
        if state.species:
            self.names += ("water",)
            clouds = options.kind == "file" and clouds_in(Path(options.file))
            self.known = state.species if in_nest or clouds else ("vapor",)
            state.over["known"] = (Axis("known", entries=self.known), state.layers)
            fields["water"] = ("1", center, "known")
        for moment in ("before", "after"):
            for name in self.names:
                units, place, over = fields[name]
                state.add(f"{moment}_{name}", units, place, over)
            pair(self.field(moment, "u"), self.field(moment, "v"))
        self._planes()

    def field(self, moment: str, name: str) -> Field:
        """What is given, `before` or `after`."""
        found: Field = getattr(self.state, f"{moment}_{name}")
        return found

    def _planes(self) -> None:
        """Where values are given, and how much others are drawn to them."""
        topology = self.grid.topology
        for prefix, place in (("", center), ("x_", x_face), ("y_", y_face)):
            rows = rows_from_sides(topology, place)
            given = (rows < given_rows).astype(np.float64)
            self.state.add_plane(f"{prefix}given", "1", place, given)
            self.state.add_plane(f"{prefix}drawn", "1", place, self.options.weights(rows))
            if prefix:
                is_open: Field = getattr(self.state, f"{prefix}open")
                is_open.set_global((1.0 - given).astype(self.state.dtype))
        for name, plane in zip("xy", inward(topology, center, given_rows), strict=True):
            self.state.add_plane(f"inward_{name}", "1", center, plane.astype(np.float64))

    def ports(self) -> dict[str, Port]:
        """What the member around a nest fills: values of the time that it has come to."""
        topology, width = self.grid.topology, self.options.width
        fields = {name: self.field("after", name) for name in self.names}
        return {
            name: Port(field, marked_rows(topology, field.place, width))
            for name, field in fields.items()
        }

    def came(self, time: Date) -> None:
        """The member around a nest has filled `after` with values of `time`."""
        self.after_time = time
        if self.before_time is None:
            self.before_time = time
            for name in self.names:
                self.field("before", name).copy(self.field("after", name))

    def passed(self, time: Date) -> None:
        """A step of a nest has come to `time`, from which `before` is what was `after`."""
        if self.options.kind == "nest" and time == self.after_time:
            self.before_time = time
            for name in self.names:
                self.field("before", name).swap(self.field("after", name))

    def begin_step(self, time: Date, length: timedelta) -> None:
        """Where a step from `time` lies between the moments of given values."""
        if self.run.plan is not None:
            return
        if self.before_time is None or self.after_time is None:
            raise UserError(
                "atmosphere.sides.kind = 'nest', but nobody gives values at the sides. Let the"
                " member be nested in another one (members.NAME.nested_in), or take another kind."
            )
        whole = (self.after_time - self.before_time).total_seconds()
        passed = (time - self.before_time).total_seconds()
        self.dt = length.total_seconds()
        self.shares = (passed / whole, (passed + self.dt) / whole) if whole else (0.0, 0.0)

    def wind_planes(self, prefix: str) -> Sequence[Field]:
        """Given faces."""
        return [getattr(self.state, f"{prefix}given")]

    def of_stage(self, begun: Mapping[str, Field]) -> AirSideStage:
        """The sides of a stage that begins with the state `begun`."""
        return GivenSideStage(self, begun)

    def force_water(self, fresh: Callable[[], int]) -> Callable[[], None]:
        """What draws water throughout a step, to be called at its beginning; see the kernel."""
        s, o, number = self.state, self.options, fresh()
        begun = {"water": s.old_water, "mass": s.old_mass}
        draw = self.run.bind(kernels["atmosphere_draw_water"], s, **begun)

        def force() -> None:
            pull, smoothing = o.pull / self.dt, o.smoothing / self.dt
            draw(share=self.shares[0], pull=pull, smoothing=smoothing, fresh=number)

        return force


class GivenSideStage(AirSideStage):
    """What sides do in one stage of a step."""

    def __init__(self, sides: GivenSides, begun: Mapping[str, Field]) -> None:
        self.sides = sides
        run, s = sides.run, sides.state

        def bound(name: str, *own: str) -> BoundCall:
            kernel = kernels[f"atmosphere_{name}"]
            known = {argument.name for argument in kernel.arguments} - set(own)
            return run.bind(kernel, s, **{key: f for key, f in begun.items() if key in known})

        self._draw = [bound(f"draw_{name}") for name in ("u", "v", "cells")]
        self._cells = bound("given_cells")
        self._rise = bound("given_w") if "w" in sides.names else bound("inner_w")
        self._wind = [bound("given_u", "u"), bound("given_v", "v")]
        self._water: BoundCall | None = None
        if s.species:
            first = begun["mass"] is s.old_mass
            moved = {"water": s.old_water, "next_water": s.water} if first else {}
            self._water = run.bind(kernels["atmosphere_given_water"], s, **moved)

    def draw(self) -> None:
        """Add to tendencies what draws rows to given values."""
        sides, o = self.sides, self.sides.options
        for call in self._draw:
            call(share=sides.shares[0], pull=o.pull / sides.dt, smoothing=o.smoothing / sides.dt)

    def follow(self, passed: float, ahead: float) -> None:
        """Given cells after acoustic steps of so many seconds; pressure looks ahead [s]."""
        sides = self.sides
        share, elapsed = sides.shares[1], passed / sides.dt
        self._cells(share=share, elapsed=elapsed, ahead=ahead / sides.dt, dt=sides.dt)
        if "w" in sides.names:
            self._rise(share=share, elapsed=elapsed)
        else:
            self._rise()

    def wind(self, passed: float) -> None:
        """Wind on given faces at the end of a stage of so many seconds."""
        for call in self._wind:
            call(share=self.sides.shares[1], elapsed=passed / self.sides.dt)

    def water(self, passed: float) -> None:
        """Mixing ratios `next_water` of given cells at the end of a stage of so many seconds."""
        if self._water is not None:
            self._water(share=self.sides.shares[1], elapsed=passed / self.sides.dt)
