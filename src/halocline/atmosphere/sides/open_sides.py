"""Open sides: waves and the air leave through them, and what comes in is what stands beside them.

Three outer rows, as many as the schemes look at, continue what is inside; the wind through the
faces between them and the inside is carried out with its own speed and that of a wave (Klemp and
Wilhelmson 1978; Durran and Klemp 1983). `open_sides.hpp` has the equations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from halocline.atmosphere import _native
from halocline.atmosphere.dynamics.state import AirFields, faces_passed
from halocline.atmosphere.sides.air_sides import AirSides, AirSideStage, Index, inward
from halocline.atmosphere.sides.options import AirSideOptions, given_rows
from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from halocline.runtime.running.calls import BoundCall
from halocline.runtime.running.runner import Runner

kernels = kernels_of(_native)
center, x_face, y_face = Place.center, Place.x_face, Place.y_face


class OpenSides(AirSides):
    """Where the sides of one atmosphere are open."""

    def __init__(self, run: Runner, state: AirFields, grid: Grid, options: AirSideOptions) -> None:
        self.run, self.state, self.options = run, state, options
        topology = grid.topology
        _refuse_narrow(topology)
        ends = (state.u, "east", np.s_[..., -2:]), (state.v, "north", np.s_[..., -2:, :])
        self._ends = [(wind, last) for wind, side, last in ends if topology.is_closed(side)]
        for wind, prefix, place in (("", "", center), ("u_", "x_", x_face), ("v_", "y_", y_face)):
            x, y = inward(topology, place, given_rows)
            outside = (x != 0) | (y != 0)
            planes = {f"{prefix}outside": outside, f"{wind}inward_x": x, f"{wind}inward_y": y}
            if wind:
                edge = _edge(topology, place) * ~outside
                planes[f"{prefix}edge"] = edge
                passed = faces_passed(grid, place) * ~(outside | (edge != 0))
                getattr(state, f"{prefix}open").set_global(passed.astype(state.dtype))
            for name, plane in planes.items():
                state.add_plane(name, "1", place, plane.astype(np.float64))

    def wind_planes(self, prefix: str) -> Sequence[Field]:
        """Faces outside and on the edge."""
        return [getattr(self.state, f"{prefix}{name}") for name in ("outside", "edge")]

    def end_faces(self) -> None:
        """Wind through the outermost faces in the east and north, which no kernel of both winds
        reaches, is that through the faces before them."""
        for wind, last in self._ends:
            with wind.change() as owned:
                for array, block in zip(owned, wind.layout.blocks, strict=True):
                    if block.box_of(wind.place) != block.box_of(center):
                        array[last] = np.take(array[last], [0], -1 if wind.place is x_face else -2)

    def of_stage(self, begun: Mapping[str, Field]) -> AirSideStage:
        """The sides of a stage that begins with the state `begun`."""
        return OpenSideStage(self, begun)

    def energy(self, stage_energy: Field) -> BoundCall:
        """Continues the energy of eddies, `next_energy`."""
        kernel = kernels["atmosphere_continue_energy"]
        return self.run.bind(kernel, self.state, stage_energy=stage_energy)


class OpenSideStage(AirSideStage):
    """What open sides do in one stage of a step."""

    def __init__(self, sides: OpenSides, begun: Mapping[str, Field]) -> None:
        self.wave_speed = sides.options.wave_speed
        run, s = sides.run, sides.state

        def bound(name: str, **given: Field | None) -> BoundCall:
            kernel = kernels[f"atmosphere_{name}"]
            known = {argument.name for argument in kernel.arguments}
            of_stage = {key: f for key, f in begun.items() if key in known}
            return run.bind(kernel, s, **of_stage, **given)

        self._rest = [bound(f"rest_{name}") for name in ("u", "v", "cells")]
        self._radiate = [bound("radiate_u"), bound("radiate_v")]
        self._settle = [bound(f"continue_{name}") for name in ("cells", "u", "v")]
        self._water: BoundCall | None = None
        self._shares: BoundCall | None = None
        if s.species:
            is_first = begun["mass"] is s.old_mass
            own = {"water": s.old_water, "next_water": s.water} if is_first else {}
            self._water = bound("continue_water", **own)
            if hasattr(s, "loss_share"):
                self._shares = bound("rest_water", gain_share=getattr(s, "gain_share", None))

    def draw(self) -> None:
        """No tendencies outside."""
        for call in self._rest:
            call()

    def push(self, dt: float) -> None:
        """The wind on the edge, carried out for an acoustic step of dt [s]."""
        for call in self._radiate:
            call(dt=dt, wave_speed=self.wave_speed)

    def settle(self) -> None:
        """Cells and faces outside are led to what is inside."""
        for call in self._settle:
            call()

    def water_shares(self) -> None:
        """Cells outside limit nothing."""
        if self._shares is not None:
            self._shares()

    def water(self, passed: float) -> None:
        """The same of mixing ratios, at the end of the stage."""
        if self._water is not None:
            self._water()


def _edge(topology: Topology, place: Place) -> Index:
    """1 on the face between outer rows and the air that lies on its far side, -1 if on its near.

    >>> _edge(Topology(1, 9, periodic_j=True), Place.x_face)[0].tolist()
    [0, 0, 0, 1, 0, 0, -1, 0, 0, 0]
    """
    marks = np.zeros(topology.shape(place), np.int64)
    lines, sides = (marks.T, ("west", "east")) if place is x_face else (marks, ("south", "north"))
    if topology.is_closed(sides[0]):
        lines[given_rows] = 1
    if topology.is_closed(sides[1]):
        lines[-1 - given_rows] = -1
    return marks


def _refuse_narrow(topology: Topology) -> None:
    """Refuse grids with fewer than three columns or rows between open sides."""
    for along, count, low, high in (
        ("nx", topology.ni, "west", "east"), ("ny", topology.nj, "south", "north"),
    ):  # fmt: skip
        least = 3 + given_rows * (topology.is_closed(low) + topology.is_closed(high))
        if least > 3 and count < least:
            raise UserError(
                f"atmosphere.sides.kind = 'open' takes {given_rows} outer rows of each open side,"
                f" and grid.{along} = {count}. Use {least} or more."
            )
