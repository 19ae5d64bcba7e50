"""Fields of the atmosphere's dynamics; names are those of the arguments of its kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halocline.atmosphere.constants import reference_temperature
from halocline.atmosphere.coordinate import HybridCoordinate
from halocline.atmosphere.options import AtmosphereOptions
from halocline.atmosphere.starting_air import ReferenceColumns
from halocline.core.constants import earth_rotation
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field, pair
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.space import Space

Array = NDArray[np.float64]
Index = NDArray[np.int64]
center, x_face, y_face, none = Place.center, Place.x_face, Place.y_face, Place.none

prognostic = {
    "mass": ("Pa", center, ""),
    "u": ("m s-1", x_face, "layers"),
    "v": ("m s-1", y_face, "layers"),
    "w": ("m s-1", center, "interfaces"),
    "theta": ("K", center, "layers"),
    "geopotential": ("m2 s-2", center, "interfaces"),
}
"""Units, place and vertical axis of what a restart holds."""

of_stage = {
    "pressure": ("Pa", center, "layers"),
    "full_volume": ("m3 kg-1", center, "layers"),
    "stiffness": ("Pa", center, "layers"),
    "middle_geopotential": ("m2 s-2", center, "layers"),
    "x_flux": ("Pa m2 s-1", x_face, "layers"),
    "y_flux": ("Pa m2 s-1", y_face, "layers"),
    "rise": ("Pa s-1", center, "interfaces"),
    "mass_tendency": ("Pa s-1", center, ""),
    "u_tendency": ("Pa m s-2", x_face, "layers"),
    "v_tendency": ("Pa m s-2", y_face, "layers"),
    "w_tendency": ("Pa m s-2", center, "interfaces"),
    "theta_rate": ("Pa K s-1", center, "layers"),
    "geopotential_tendency": ("m2 s-3", center, "interfaces"),
}
"""The same of what follows from the state of a stage."""

forced = {
    "u": ("Pa m s-2", x_face, "layers"),
    "v": ("Pa m s-2", y_face, "layers"),
    "w": ("Pa m s-2", center, "interfaces"),
    "theta": ("Pa K s-1", center, "layers"),
    "water": ("Pa s-1", center, "water"),
}
"""The same of what is found once in a step and changes a field throughout it."""

of_acoustic_steps = {
    "u_change": ("Pa m s-1", x_face, "layers"),
    "v_change": ("Pa m s-1", y_face, "layers"),
    "w_change": ("Pa m s-1", center, "interfaces"),
    "theta_change": ("Pa K", center, "layers"),
    "geopotential_change": ("m2 s-2", center, "interfaces"),
    "pressure_change": ("Pa", center, "layers"),
    "mass_change": ("Pa", center, ""),
    "mass_rate": ("Pa s-1", center, ""),
}
"""The same of what acoustic steps change."""

of_moist_air = {
    "water": ("1", center, "water"),
    "old_water": ("1", center, "water"),
    "next_water": ("1", center, "water"),
    "dilution": ("1", center, "layers"),
    "x_carried": ("Pa m2 s-1", x_face, "layers"),
    "y_carried": ("Pa m2 s-1", y_face, "layers"),
}
"""The same of air with water in it: mixing ratios of its `species` are `water`."""

vectors = (
    ("u", "v"), ("old_u", "old_v"), ("x_flux", "y_flux"), ("u_tendency", "v_tendency"),
    ("u_change", "v_change"), ("x_carried", "y_carried"),
)  # fmt: skip
"""Components of vectors along x and y."""


def nested_names(species: Sequence[str]) -> tuple[str, ...]:
    """State that nests take from the air around them and give back."""
    return (*prognostic, *(("water",) if species else ()))


class AirFields:
    """All fields of one atmosphere's dynamics."""

    def __init__(
        self,
        grid: Grid,
        coordinate: HybridCoordinate,
        decomposition: Decomposition,
        options: AtmosphereOptions,
        dtype: DTypeLike,
        ground: Array,
    ) -> None:
        heights = options.layers.heights()
        middles = 0.5 * (heights[1:] + heights[:-1])
        self.layers = Axis("height", coordinates=tuple(middles.tolist()), units="m")
        self.interfaces = Axis(
            "height", coordinates=tuple(heights.tolist()), units="m", staggered=True
        )
        self.space = Space(decomposition, levels=self.layers, open_sides=True)
        self.dtype = dtype
        self.hydrostatic = options.hydrostatic
        self.sloping = bool(np.ptp(ground))
        self.over = {"": (), "layers": (self.layers,), "interfaces": (self.interfaces,)}
        for name, (units, place, over) in prognostic.items():
            self.add(name, units, place, over, restart=True)
            self.add(f"old_{name}", units, place, over)
        for name, (units, place, over) in (of_stage | of_acoustic_steps).items():
            self.add(name, units, place, over)
        self.species = options.species
        self.kinds = len([name for name in self.species if not name.endswith("_number")])
        if self.species:
            self.over["water"] = (Axis("species", entries=self.species), self.layers)
            for name, (units, place, over) in of_moist_air.items():
                self.add(name, units, place, over, restart=name == "water")
            shares = {"none": (), "positive": ("loss_share",)}
            for name in shares.get(options.advection.limiter, ("loss_share", "gain_share")):
                self.add(name, "1", center, "water")
            if "pole" in grid.reflections:
                filtered = np.abs(grid.at(center).y) > options.filter_latitude
                self.add_plane("x_limited", "1", center, np.where(filtered, 0.0, 1.0))
        self.coordinate = coordinate
        self._coordinate(coordinate)
        self.add_table("w_damping", "s-1", self.interfaces, options.damping.rates(heights))
        if options.damping.return_rate:
            self.add_table("return_rate", "s-1", self.layers, options.damping.return_rates(heights))
            for name in ("u", "v", "theta"):
                self.add(f"start_{name}", *prognostic[name], restart=True)
        self._lengths(grid, options)
        self._base(grid, coordinate, options, ground)
        for x, y in (*vectors, ("start_u", "start_v")):
            if hasattr(self, x):
                pair(getattr(self, x), getattr(self, y))

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Field: ...

    def add(self, name: str, units: str, place: Place, over: str = "", **more: Any) -> Field:
        """A field by the name of an argument of kernels, on layers, interfaces or neither."""
        made = Field(
            name, units, self.space, axes=self.over[over], place=place, dtype=self.dtype, **more
        )
        setattr(self, name, made)
        return made

    def add_plane(self, name: str, units: str, place: Place, values: Array) -> None:
        """A plane that stays as it is."""
        field = self.add(name, units, place, static=True)
        field.set_global(np.broadcast_to(values, field.shape).astype(self.dtype))

    def add_table(self, name: str, units: str, axis: Axis, values: Array) -> None:
        """Numbers along an axis that stay as they are."""
        made = Field(
            name, units, self.space, axes=(axis,), place=none, dtype=self.dtype, static=True
        )
        made.set_global(values.astype(self.dtype))
        setattr(self, name, made)

    def _coordinate(self, c: HybridCoordinate) -> None:
        layers, interfaces = self.layers, self.interfaces
        self.add_table("c1", "1", layers, c.c1)
        self.add_table("c2", "Pa", layers, c.c2)
        self.add_table("c1_face", "1", interfaces, c.c1_face)
        self.add_table("c2_face", "Pa", interfaces, c.c2_face)
        self.add_table("thickness", "1", layers, c.thickness)
        self.add_table("spacing", "1", interfaces, c.spacing)
        self.add_table("upper_share", "1", interfaces, c.upper_share)
        self.add_table("to_ground", "1", Axis("", 3), c.to_ground)

    def _lengths(self, grid: Grid, options: AtmosphereOptions) -> None:
        x, y = grid.at(x_face), grid.at(y_face)
        self.add_plane("area", "m2", center, grid.area)
        north = grid.y - grid.y.mean() if options.rotation_gradient else np.zeros(grid.shape[0])
        turning = options.rotation + options.rotation_gradient * north
        self.add_plane("coriolis", "s-1", center, np.repeat(turning[:, None], grid.shape[1], 1))
        self._turning(grid, options.is_shallow)
        self.add_plane("dx", "m", center, grid.dx)
        self.add_plane("dy", "m", center, grid.dy)
        self.add_plane("x_area", "m2", x_face, x.area)
        self.add_plane("y_area", "m2", y_face, _areas_around(grid, y.area))
        self.add_plane("x_distance", "m", x_face, x.dx)
        self.add_plane("y_distance", "m", y_face, y.dy)
        self.add_plane("x_length", "m", x_face, x.dy)
        self.add_plane("y_length", "m", y_face, y.dx)
        self.add_plane("x_open", "1", x_face, faces_passed(grid, x_face))
        self.add_plane("y_open", "1", y_face, faces_passed(grid, y_face))

    def _turning(self, grid: Grid, shallow: bool) -> None:
        """Twice the Earth's rotation about axes of the grid, where it lies on the globe.

        In `shallow` air that about horizontal axes is left out, and the curvature too.
        """
        self.on_globe = lies_on_globe(grid)
        self.curvature = 0.0 if shallow or not self.on_globe else 1.0 / grid.radius
        if not self.on_globe:
            return
        middle = grid.at(center)
        latitude = np.radians(middle.y)
        along = 0.0 if shallow else 2.0 * earth_rotation * np.cos(latitude)
        self.add_plane("turning", "s-1", center, 2.0 * earth_rotation * np.sin(latitude))
        self.add_plane("tilt_x", "s-1", center, along * np.sin(middle.angle))
        self.add_plane("tilt_y", "s-1", center, along * np.cos(middle.angle))

    def _base(
        self,
        grid: Grid,
        coordinate: HybridCoordinate,
        options: AtmosphereOptions,
        ground: Array,
    ) -> None:
        """The base state, and the slopes of the ground."""
        columns = ReferenceColumns(coordinate, options.base_air).columns
        coordinate.refuse_thin(columns(ground).mass)
        self.add_plane("ground", "m", center, ground)
        self._slopes(grid, ground)
        found = {
            "base_mass": ("Pa", ""),
            "base_pressure": ("Pa", "layers"),
            "base_volume": ("m3 kg-1", "layers"),
            "base_theta": ("K", "layers"),
            "base_geopotential": ("m2 s-2", "interfaces"),
        }

        def part(name: str, j: Index, i: Index) -> NDArray[Any]:
            made: Array = getattr(columns(ground[j, i]), name)
            less = reference_temperature if name == "theta" else 0.0
            return (made - less).astype(self.dtype)

        for name, (units, over) in found.items():
            field = self.add(name, units, center, over, static=True)
            field.set_cells(partial(part, name.removeprefix("base_")))
        self._beyond_sides(partial(part, "mass"))

    def _beyond_sides(self, mass: Callable[[Index, Index], NDArray[Any]]) -> None:
        """Beyond sides stand the columns before them: what is computed there is a number."""
        nj, ni = self.base_mass.shape
        for array, block in zip(self.base_mass.blocks, self.base_mass.layout.blocks, strict=True):
            assert isinstance(block, Block)
            inside = block.points_of(center).inside
            if inside.all():
                continue
            r, h = block.rectangle, block.halo
            j, i = np.mgrid[r.j0 - h : r.j1 + h, r.i0 - h : r.i1 + h]
            found = mass(np.clip(j, 0, nj - 1), np.clip(i, 0, ni - 1))
            self.base_mass.memory.write(
                array, np.where(inside, self.base_mass.memory.read(array), found)
            )

    def _slopes(self, grid: Grid, ground: Array) -> None:
        """Those of the ground along x and y, at faces."""
        fields = [
            self.add(f"{name}_slope", "1", place, static=True)
            for name, place in (("x", x_face), ("y", y_face))
        ]
        pair(*fields)
        wide = grid.topology.widened(ground, (1, 1, 1, 1), nearest=True)
        steps = np.diff(wide[1:-1], axis=1), np.diff(wide[:, 1:-1], axis=0)
        lengths = grid.at(x_face).dx, grid.at(y_face).dy
        for field, step, length in zip(fields, steps, lengths, strict=True):
            rows, columns = length.shape
            field.set_global((step[:rows, :columns] / length).astype(self.dtype))


def lies_on_globe(grid: Grid) -> bool:
    """Whether cells have longitudes and latitudes."""
    return grid.spherical or grid.curvilinear is not None


def _areas_around(grid: Grid, area: Array) -> Array:
    """Areas [m2] around southern faces; at a pole, where faces have no length, of the cell."""
    found = area.copy()
    for side, face, row in (("south", 0, 0), ("north", -1, -1)):
        if grid.reflections.on(side) == "pole":
            found[face] = grid.area[row]
    return found


def faces_passed(grid: Grid, place: Place) -> Array:
    """1 at faces that air passes, 0 at those on sides that are not joined."""
    topology = grid.topology
    faces = np.ones(topology.shape(place))
    lines: dict[str, Any] = {"west": np.s_[:, 0], "east": np.s_[:, -1]}
    if place is y_face:
        lines = {"south": np.s_[0], "north": np.s_[-1]}
    for side, line in lines.items():
        if not topology.is_joined(side):
            faces[line] = 0.0
    return faces
