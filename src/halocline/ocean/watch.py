"""Steps that are too long, and values that are none: where they are, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from halocline.core.clock import Date, text
from halocline.core.errors import BrokenState
from halocline.core.geography import position_words
from halocline.grids.horizontal.grid import Grid
from halocline.grids.vertical.levels import VerticalGrid
from halocline.ocean import _native
from halocline.ocean.bottom_cells import corner_shares
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import Communicator

if TYPE_CHECKING:
    from halocline.ocean.model import Ocean

Array = NDArray[np.float64]
kernels = kernels_of(_native)
terms = ("along x", "along y", "along the vertical")
run_away = 100.0
"""Courant number beyond which it no longer tells what the flow was before it broke [1]."""


class StateWatch:
    """Looks at the state of one ocean; all calls are for all ranks."""

    def __init__(self, model: Ocean) -> None:
        self.model = model
        sweeping = model.options.tracers.advection == "limited3"
        self.most_allowed = 0.5 if sweeping else 1.0  # sweeps go over two steps
        s = model.state
        s.add("courant", "1", Place.center)
        self.courant = model.run.bind(kernels["ocean_courant"], s)

    def look(self, number: int, time: Date) -> None:
        """Refuse a flow that goes farther than a cell in step `number`, from `time`."""
        every = self.model.options.courant_interval
        if every and number % every == 0:
            self.courant(dt=self.model.dt)
            if self._most() > self.most_allowed:
                self._refuse(self._too_fast, time)

    def explain(self, time: Date) -> None:
        """Refuse values that are not finite, if the step from `time` left some."""
        s = self.model.state
        fields = [s.new_surface, s.new_u, s.new_v, s.new_tracer, s.u, s.v, s.tracer]
        finite = all(np.isfinite(array).all() for field in fields for array in field.read())
        if self._communicator.maximum(np.array([float(not finite)]))[0]:
            self._refuse(lambda: self._not_finite(fields), time)

    @property
    def _communicator(self) -> Communicator:
        return self.model.run.decomposition.communicator

    def _most(self) -> float:
        found = max((float(a.max(initial=0.0)) for a in self.model.state.courant.read()), default=0)
        return float(self._communicator.maximum(np.array([found]))[0])

    def _refuse(self, words: Callable[[], str], time: Date) -> None:
        raise BrokenState(f"In the step from {text(time)} {words()}")

    def _too_fast(self) -> str:
        """Where the flow is too fast, along what, and which step would do."""
        s, levels = self.model.state, self.model.levels
        fields = s.courant, s.layer, s.u, s.v, s.corner_dx, s.corner_dy
        gathered = [field.gather() for field in fields]
        said = ""
        if all(some is not None for some in gathered):
            courant, layer, *flow = (np.asarray(some) for some in gathered)
            j, i = np.unravel_index(int(np.argmax(courant)), courant.shape)
            shares = self.model.dt * column_rates(levels, flow, layer[j, i], int(j), int(i))
            k = int(shares.sum(axis=0).argmax())
            most, dt = float(shares[:, k].sum()), self.model.dt
            parts = ", ".join(
                f"{_number(share)} {term}" for share, term in zip(shares[:, k], terms, strict=True)
            )
            step = f"time.step = {0.8 * self.most_allowed * dt / most:.0f} s or less"
            said = (
                f"the flow passes {_number(most)} of a cell in a step of {dt:g} s; at most"
                f" {self.most_allowed:g} may:"
                f" {parts} at {place_words(levels, int(j), int(i), k)}. Use"
                f" {step if most < run_away else 'a smaller time.step'}; more viscosity helps"
                " against noise, less against waves that are too fast for the step."
            )
        return str(self._communicator.broadcast(said))

    def _not_finite(self, fields: list[Field]) -> str:
        """The first field and place with a value that is not finite."""
        said = ""
        for field in fields:
            values = field.gather()
            if values is None or said or np.isfinite(values).all():
                continue
            *outer, j, i = (int(n[0]) for n in np.nonzero(~np.isfinite(values)))
            name = field.name.removeprefix("new_")
            if name == "tracer":
                name = ("temperature", "salinity")[outer[0]] if outer[0] < 2 else name
            k = outer[-1] if outer else self.model.levels.thickness.size - 1
            said = (
                f"{name} is not finite at {place_words(self.model.levels, j, i, k)}. Use a"
                " smaller time.step; more viscosity helps against noise, less against waves that"
                " are too fast for the step."
            )
        return str(self._communicator.broadcast(said))


def column_rates(
    levels: VerticalGrid, flow: Sequence[Array], layer: float, j: int, i: int
) -> Array:
    """Courant numbers of the cells of a column along x, y and the vertical per second, (3, k).

    `flow` is u and v at corners [m s-1] and the lengths dx and dy [m] through them, global fields;
    `layer` is the uppermost thickness [m].
    """
    u, v, dx, dy = flow
    u, v = (velocity * corner_shares(levels) for velocity in (u, v))
    rows, columns = dx.shape
    beyond = [(j, i), (j, i + 1), (j + 1, i), (j + 1, i + 1)]
    points = [(a if a < rows else None, b if b < columns else b - columns) for a, b in beyond]
    dz = levels.thickness

    def carried(of: Array, length: Array) -> list[Array]:
        zero = np.zeros(dz.size)
        return [zero if a is None else of[:, a, b] * length[a, b] for a, b in points]

    x, y = carried(u, dy), carried(v, dx)
    west, east = 0.5 * dz * (x[0] + x[2]), 0.5 * dz * (x[1] + x[3])
    south, north = 0.5 * dz * (y[0] + y[1]), 0.5 * dz * (y[2] + y[3])
    rise = np.append(0.0, np.cumsum(west - east + south - north))
    wet, deep = (of(np.arange(dz.size), (j, i)) for of in (levels.is_wet, levels.thickness_of))
    volume = levels.horizontal.area[j, i] * np.append(np.where(wet, deep, dz)[:-1], layer)
    pairs = ((west, east), (south, north), (rise[:-1], rise[1:]))
    return np.array([0.5 * (abs(a) + abs(b)) / volume * wet for a, b in pairs])


def _number(value: float) -> str:
    return f"{value:.2f}" if value < 1e4 else f"{value:.1e}"


def place_words(levels: VerticalGrid, j: int, i: int, k: int) -> str:
    """A cell in words: level and depth, row and column, longitude and latitude."""
    where = f"level {k} ({levels.depth[k]:.0f} m)"
    return f"{where}, {point_words(levels.horizontal, j, i)}"


def point_words(grid: Grid, j: int, i: int) -> str:
    """A column in words: row and column, longitude and latitude."""
    center = grid.at(Place.center)
    x, y = np.broadcast_arrays(center.x, center.y)
    j, i = min(j, x.shape[0] - 1), min(i, x.shape[1] - 1)
    where = f"row {j}, column {i}"
    if grid.spherical or grid.curvilinear is not None:
        return f"{where} ({position_words(x[j, i] % 360.0, y[j, i], '.1f')})"
    return f"{where} (x {x[j, i]:g} m, y {y[j, i]:g} m)"
