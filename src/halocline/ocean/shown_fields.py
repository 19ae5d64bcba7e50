"""Fields of the ocean that output may hold, made of the state when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from halocline.component.streams.field_stream import MapShape
from halocline.core.constants import gravity, water_density
from halocline.core.names import Quantity, quantities
from halocline.grids.vertical.levels import VerticalGrid
from halocline.ocean import _native
from halocline.ocean.bottom_cells import shares_of_blocks
from halocline.ocean.diagnostics import OceanDiagnostics
from halocline.ocean.options import OceanOptions
from halocline.ocean.residual_flow import residual_flow
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.field import Field, Part, pair
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place

if TYPE_CHECKING:
    from halocline.ocean.model import Ocean

Array = NDArray[Any]
kernels = kernels_of(_native)
always = {
    "sea_level": (Place.center, ""),
    "temperature": (Place.center, "levels"),
    "salinity": (Place.center, "levels"),
    "velocity_u": (Place.corner, "levels"),
    "velocity_v": (Place.corner, "levels"),
    "velocity_w": (Place.center, "interfaces"),
    "x_volume_flux": (Place.x_face, "levels"),
    "y_volume_flux": (Place.y_face, "levels"),
    "relative_vorticity": (Place.center, "levels"),
    "cell_thickness": (Place.center, "levels"),
    "vertical_diffusivity": (Place.center, "interfaces"),
    "barotropic_stream_function": (Place.corner, ""),
    "mixed_layer_depth": (Place.center, ""),
    "surface_temperature": (Place.center, ""),
    "surface_salinity": (Place.center, ""),
    "wind_stress_x": (Place.corner, ""),
    "wind_stress_y": (Place.corner, ""),
    "short_wave": (Place.center, ""),
    "water_flux": (Place.center, ""),
}
"""Place of the fields that every ocean has, and what they have over it: levels or interfaces."""
vectors = (
    ("velocity_u", "velocity_v"),
    ("x_volume_flux", "y_volume_flux"),
    ("wind_stress_x", "wind_stress_y"),
)
by_bulk = {"wind_speed": (Place.center, "")}
"""The same of those that come with bulk formulas."""


def with_eddies(options: OceanOptions) -> dict[str, Quantity]:
    """Quantities of which eddies are a part, or are not, and files must say so."""
    some = options.mixing.eddies
    found: dict[str, str] = {}
    if some.flattening:
        carried = "what the flattening of surfaces of density carries (Gent and McWilliams)"
        without = f"without {carried}, which x_volume_flux and y_volume_flux have"
        found |= dict.fromkeys(("velocity_u", "velocity_v", "velocity_w"), without)
        found |= dict.fromkeys(("x_volume_flux", "y_volume_flux"), f"with {carried}")
    if some.along:
        found["vertical_diffusivity"] = "without what mixing along surfaces of density adds"
    return {name: replace(quantities[name], comment=text) for name, text in found.items()}


def shown_places(options: OceanOptions) -> dict[str, tuple[Place, str]]:
    """Place, and levels or interfaces, of all fields that output may hold."""
    passive = dict.fromkeys(options.tracers.passive, (Place.center, "levels"))
    return {**always, **(by_bulk if options.forcing.bulk.file else {}), **passive}


def map_shapes(options: OceanOptions, levels: int) -> dict[str, MapShape]:
    """The same as shapes, over so many levels."""
    extents = {"": (), "levels": (levels,), "interfaces": (levels + 1,)}
    return {
        name: MapShape(place, extents[over])
        for name, (place, over) in shown_places(options).items()
    }


class ShownFields:
    """Such fields of one ocean, by name, and what sets them."""

    def __init__(self, model: Ocean, diagnostics: OceanDiagnostics) -> None:
        s = self.state = model.state
        self.reference = model.options.density.reference
        self.water = model.forcing.water
        axes = {"": (), "levels": (s.levels,), "interfaces": (interfaces(model.levels),)}
        passive = model.options.tracers.passive
        self.fields = {
            name: Field(
                name,
                passive[name].unit if name in passive else quantities[name].units,
                s.space,
                axes=axes[over],
                place=place,
                dtype=s.dtype,
            )
            for name, (place, over) in shown_places(model.options).items()
        }
        for x, y in vectors:
            pair(self.fields[x], self.fields[y])
        self.copied: dict[str, Field | Part] = {
            "velocity_u": s.u, "velocity_v": s.v, "short_wave": s.short_wave,
        }  # fmt: skip
        for number, name in enumerate(("temperature", "salinity", *passive)):
            self.copied[name] = s.tracer.part(number)
        if model.forcing.bulk is not None:
            self.copied["wind_speed"] = model.forcing.bulk.wind_speed
        rise = model.run.bind(
            kernels["ocean_upward_velocity"], s, upward_velocity=self.fields["velocity_w"]
        )
        turn = model.run.bind(
            kernels["ocean_relative_vorticity"],
            s,
            relative_vorticity=self.fields["relative_vorticity"],
        )
        shown = self.fields
        self.made: Mapping[str, Callable[[], None]] = {
            "velocity_w": rise,
            "x_volume_flux": residual_flow(model, "x", shown["x_volume_flux"]),
            "y_volume_flux": residual_flow(model, "y", shown["y_volume_flux"]),
            "relative_vorticity": turn,
            "cell_thickness": self._thicknesses,
            "sea_level": lambda: self._set("sea_level", s.surface, lambda p: p / gravity),
            "water_flux": self._water,
            "vertical_diffusivity": self._diffusivity,
            "barotropic_stream_function": lambda: diagnostics.stream_function(
                shown["barotropic_stream_function"]
            ),
            "surface_temperature": lambda: self._uppermost("surface_temperature", 0),
            "surface_salinity": lambda: self._uppermost("surface_salinity", 1),
            "mixed_layer_depth": lambda: diagnostics.mixed_layers(shown["mixed_layer_depth"]),
            "wind_stress_x": lambda: self._set("wind_stress_x", s.stress_x, self._pascal),
            "wind_stress_y": lambda: self._set("wind_stress_y", s.stress_y, self._pascal),
        }

    def update(self, names: Sequence[str]) -> dict[str, Field]:
        """Set some fields to what they are at this moment; a call for all ranks."""
        for name in names:
            if name in self.made:
                self.made[name]()
            else:
                self.fields[name].copy(self.copied[name])
        return {name: self.fields[name] for name in names}

    def _pascal(self, stress: Array) -> Array:
        return stress * stress.dtype.type(self.reference)

    def _set(self, name: str, source: Field, function: Callable[[Array], Array]) -> None:
        """Give a field the function of another one."""
        with self.fields[name].change() as owned:
            for array, values in zip(owned, source.read(), strict=True):
                array[...] = function(values)

    def _uppermost(self, name: str, number: int) -> None:
        self._set(name, self.state.tracer, lambda values: values[number, -1])

    def _thicknesses(self) -> None:
        """Levels, but the lowest cells as thin as they are, and the uppermost as it stands."""
        s = self.state
        levels = s.thickness.read()[0][:, None, None]
        shares = shares_of_blocks(s.floor_level, s.bottom_share, s.levels.size)
        with self.fields["cell_thickness"].change() as owned:
            for array, share, layer in zip(owned, shares, s.layer.read(), strict=True):
                array[...] = levels * share
                array[-1] = layer

    def _water(self) -> None:
        with self.fields["water_flux"].change() as owned:
            for array, water in zip(owned, self.water.entering(), strict=True):
                array[...] = water.astype(array.dtype) * array.dtype.type(water_density)

    def _diffusivity(self) -> None:
        """That of the last step, at lower interfaces of levels; none at the surface.

        What mixing along surfaces of density adds is not in it: it mixes nothing across them.
        """
        with self.fields["vertical_diffusivity"].change() as owned:
            for array, values in zip(owned, self.state.diapycnal_diffusivity.read(), strict=True):
                array[:-1], array[-1] = values, 0.0


def interfaces(levels: VerticalGrid) -> Axis:
    """The axis of the interfaces with their depths."""
    depths = tuple(levels.interfaces.tolist())
    return Axis("depth", coordinates=depths, units="m", staggered=True)
