"""Air that a nest takes from the member around it, brought to the nest's own ground."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.dynamics.state import AirFields
from halocline.atmosphere.start.ground_rise import rise_along
from halocline.atmosphere.start.hybrid_column import HybridColumn
from halocline.atmosphere.start.other_ground import AirColumns, OtherGround
from halocline.atmosphere.starting_air import ReferenceColumns
from halocline.component.port import Port, Sites
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
center, x_face, y_face = Place.center, Place.x_face, Place.y_face
places = {"ground": center, "x_ground": x_face, "y_ground": y_face}

alike = 1e-3
"""Grounds that differ by less are the same [m]: single precision has no more of high ones."""


class EnteredAir:
    """What came over the ground of the member around, `around` interpolated from there."""

    def __init__(self, state: AirFields, grid: Grid, reference: ReferenceColumns) -> None:
        self.state, self.grid = state, grid
        self.other = OtherGround(
            HybridColumn.of_coordinate(state.coordinate), reference, state.kinds
        )
        self.around = ground_fields(state)

    def settle(self, ground: Array, new: Callable[[Place], Mask]) -> None:
        """Bring air at `new` points to the `ground` [m], where it came over another.

        A call for all ranks of the nest.
        """
        came, own = {name: new(place) for name, place in places.items()}, grounds(self.grid, ground)
        around = {name: _whole(field) for name, field in self.around.items()}
        differs = {name: came[name] & (np.abs(around[name] - own[name]) > alike) for name in places}
        if not any(some.any() for some in differs.values()):
            return
        self._columns(around["ground"], ground, differs["ground"])
        for field, name in ((self.state.u, "x_ground"), (self.state.v, "y_ground")):
            sites = Sites.of(Port(field, differs[name]))
            at = around[name].ravel()[sites.all], own[name].ravel()[sites.all]
            sites.put(self.other.wind(_wide(sites.read(field)), *at), field)
        self._rise(ground, came["ground"] & _beside(self.grid, differs["ground"]))

    def _columns(self, around: Array, ground: Array, differs: Mask) -> None:
        """Mass, heat, geopotential and water of columns."""
        s = self.state
        sites = Sites.of(Port(s.mass, differs))
        count, layers = sites.all.size, s.theta.outer[0]
        water = sites.read(s.water) if s.species else np.zeros((0, count))
        air = AirColumns(
            _wide(sites.read(s.mass)[0]),
            _wide(sites.read(s.theta)),
            _wide(sites.read(s.geopotential)),
            _wide(water.reshape(len(s.species), layers, count)),
        )
        found = self.other.columns(air, around.ravel()[sites.all], ground.ravel()[sites.all])
        for name in ("mass", "theta", "geopotential", *(("water",) if s.species else ())):
            values: Array = getattr(found, name)
            rows = int(np.prod(values.shape[:-1]))
            sites.put(values.reshape(rows, count), getattr(s, name))

    def _rise(self, ground: Array, where: Mask) -> None:
        """Upward wind at the ground, along its slopes, by the wind that the core has there."""
        s, low = self.state, {}
        weights = s.coordinate.to_ground
        for field in (s.u, s.v):
            plane = Field(field.name, field.units, s.space, place=field.place, dtype=np.float64)
            with plane.change() as owned:
                for array, wind in zip(owned, field.read(), strict=True):
                    array[...] = sum(
                        share * wind[k].astype(np.float64) for k, share in enumerate(weights)
                    )
            low[field.name] = _whole(plane)
        rise = rise_along(self.grid, ground, low["u"], low["v"])
        sites = Sites.of(Port(s.w, where))
        values = sites.read(s.w)
        values[0] = rise.ravel()[sites.all]
        sites.put(values, s.w)


def grounds(grid: Grid, ground: Array) -> dict[str, Array]:
    """Heights of a ground [m] at centres, and at faces as means of both sides."""
    wide = grid.topology.widened(ground, (1, 1, 1, 1), nearest=True)
    x = 0.5 * (wide[1:-1, :-1] + wide[1:-1, 1:])
    y = 0.5 * (wide[:-1, 1:-1] + wide[1:, 1:-1])
    found = {"ground": ground, "x_ground": x, "y_ground": y}
    shapes = {name: grid.topology.shape(place) for name, place in places.items()}
    return {name: some[: shapes[name][0], : shapes[name][1]] for name, some in found.items()}


def ground_fields(state: AirFields, values: Mapping[str, Array] | None = None) -> dict[str, Field]:
    """Fields for heights of the ground at centres and faces, or of these `values`."""
    found = {
        name: Field(name, "m", state.space, place=place, dtype=np.float64)
        for name, place in places.items()
    }
    for name, plane in (values or {}).items():
        found[name].set_global(plane)
    return found


def _whole(field: Field) -> Array:
    """All values of a plane, on all ranks."""
    found = field.decomposition.communicator.broadcast(field.gather())
    return np.asarray(found, np.float64)


def _wide(values: NDArray[np.generic]) -> Array:
    return np.asarray(values, np.float64)


def _beside(grid: Grid, marked: Mask) -> Mask:
    """Marked cells and those around them."""
    wide = grid.topology.widened(marked, (1, 1, 1, 1), nearest=True)
    return np.asarray(
        wide[1:-1, 1:-1] | wide[1:-1, 2:] | wide[1:-1, :-2] | wide[2:, 1:-1] | wide[:-2, 1:-1]
    )
