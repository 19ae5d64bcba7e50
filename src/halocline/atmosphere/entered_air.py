"""Air that a nest takes from the member around it, brought to the nest's own ground."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.dynamics.state import AirFields, nested_names
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
heights = {"ground": center, "x_ground": x_face, "y_ground": y_face}
square = "square_ground"
places = {**heights, square: center}
ground_names = tuple(places)
"""What nests compare of the ground: heights [m], and the square of those at centres [m2], which
tells how unlike the grounds are between which columns are interpolated."""

alike = 1e-3
"""Grounds that differ by less are the same [m]: single precision has no more of high ones."""


class AirOverGround:
    """Fields of air by name, of the state or given at sides, whose points come to other ground."""

    def __init__(
        self, state: AirFields, reference: ReferenceColumns, fields: Mapping[str, Field]
    ) -> None:
        column = HybridColumn.of_coordinate(state.coordinate)
        self.other, self.fields = OtherGround(column, reference, state.kinds), fields
        self.species, self.layers = len(state.species), state.theta.outer[0]

    def columns(self, sites: Sites, former: Array, ground: Array, squares: Array) -> None:
        """Mass, heat, geopotential and water from a `former` ground [m] to another one.

        `squares` are those of the former grounds [m2], interpolated; shapes (points,).
        """
        count, fields = former.size, self.fields
        if not count:
            return
        water = sites.read(fields["water"]) if self.species else np.zeros((0, count))
        air = AirColumns(
            _wide(sites.read(fields["mass"])[0]),
            _wide(sites.read(fields["theta"])),
            _wide(sites.read(fields["geopotential"])),
            _wide(water.reshape(self.species, self.layers, count)),
        )
        spread = np.sqrt(np.maximum(squares - former**2, 0.0))
        found = self.other.columns(air, former, ground, spread)
        for name in ("mass", "theta", "geopotential", *(("water",) if self.species else ())):
            values: Array = getattr(found, name)
            rows = int(np.prod(values.shape[:-1]))
            sites.put(values.reshape(rows, count), fields[name])

    def wind(self, name: str, sites: Sites, former: Array, ground: Array) -> None:
        """`u` or `v` the same way."""
        field = self.fields[name]
        if former.size:
            sites.put(self.other.wind(_wide(sites.read(field)), former, ground), field)


class EnteredAir:
    """What came over the ground of the member around, `around` interpolated from there."""

    def __init__(self, state: AirFields, grid: Grid, reference: ReferenceColumns) -> None:
        self.state, self.grid = state, grid
        names = nested_names(state.species)
        self.air = AirOverGround(state, reference, {name: getattr(state, name) for name in names})
        self.around = ground_fields(state)

    def settle(self, ground: Array, new: Callable[[Place], Mask]) -> None:
        """Bring air at `new` points to the `ground` [m], where it came over another.

        A call for all ranks of the nest.
        """
        came, own = (
            {name: new(place) for name, place in heights.items()},
            grounds(self.grid, ground),
        )
        around = {name: _whole(field) for name, field in self.around.items()}
        differs = {
            name: came[name] & (np.abs(around[name] - own[name]) > alike) for name in heights
        }
        if not any(some.any() for some in differs.values()):
            return

        def there(name: str) -> tuple[Sites, Array, Array]:
            sites = Sites.of(Port(self.around[name], differs[name]))
            return sites, around[name].ravel()[sites.all], own[name].ravel()[sites.all]

        sites, former, height = there("ground")
        self.air.columns(sites, former, height, around[square].ravel()[sites.all])
        self.air.wind("u", *there("x_ground"))
        self.air.wind("v", *there("y_ground"))
        self._rise(ground, came["ground"] & _beside(self.grid, differs["ground"]))

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


class SideAir:
    """What came at the sides of a nest over the ground of the member around it."""

    def __init__(
        self,
        state: AirFields,
        grid: Grid,
        reference: ReferenceColumns,
        sides: Mapping[str, Port],
        ground: Array,
    ) -> None:
        """`sides` are the ports of what comes by name, over a `ground` [m] of the nest."""
        self.air = AirOverGround(state, reference, {k: port.field for k, port in sides.items()})
        self.own, self.around = ground_fields(state, grounds(grid, ground)), ground_fields(state)
        of_place = {port.field.place: port.points for port in sides.values()}
        self.ports = {
            name: Port(field, of_place[field.place]) for name, field in self.around.items()
        }

    def settle(self) -> None:
        """Bring what came to the nest's own ground, where it is another one."""
        sites, former, ground = self._there("ground")
        self.air.columns(sites, former, ground, sites.read(self.around[square])[0])
        self.air.wind("u", *self._there("x_ground"))
        self.air.wind("v", *self._there("y_ground"))

    def _there(self, name: str) -> tuple[Sites, Array, Array]:
        """Points of this rank where the ground is another one: there, what it was, what it is."""
        both = self.around[name], self.own[name]
        sites = Sites.of(self.ports[name])
        one, other = (sites.read(field)[0] for field in both)
        there = sites.where(sites.by_block(np.abs(one - other) > alike))
        one, other = (there.read(field)[0] for field in both)
        return there, one, other


def grounds(grid: Grid, ground: Array) -> dict[str, Array]:
    """Heights of a ground [m] at centres, and at faces as means of both sides; and squares."""
    wide = grid.topology.widened(ground, (1, 1, 1, 1), nearest=True)
    x = 0.5 * (wide[1:-1, :-1] + wide[1:-1, 1:])
    y = 0.5 * (wide[:-1, 1:-1] + wide[1:, 1:-1])
    found = {"ground": ground, "x_ground": x, "y_ground": y, square: ground**2}
    shapes = {name: grid.topology.shape(place) for name, place in places.items()}
    return {name: some[: shapes[name][0], : shapes[name][1]] for name, some in found.items()}


def ground_fields(state: AirFields, values: Mapping[str, Array] | None = None) -> dict[str, Field]:
    """Fields for heights of the ground and their squares, or of these `values`."""
    found = {
        name: Field(
            name, "m2" if name == square else "m", state.space, place=place, dtype=np.float64
        )
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
