"""What the ocean takes from other members of a run at its surface, and what it gives them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from halocline.component.port import Port
from halocline.core.constants import water_density
from halocline.core.errors import UserError
from halocline.core.names import Quantity, quantities
from halocline.grids.horizontal.grid import Grid
from halocline.grids.vertical.file_field import along_grid
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place

if TYPE_CHECKING:
    from halocline.ocean.model import Ocean

Array = NDArray[np.float64]
drift = ("stokes_drift_u", "stokes_drift_v", "stokes_transport_u", "stokes_transport_v")
wave_stress = (
    "stress_into_waves_east",
    "stress_into_waves_north",
    "stress_from_waves_east",
    "stress_from_waves_north",
)
taken = {
    "wind_stress_east": Place.corner,
    "wind_stress_north": Place.corner,
    "short_wave": Place.center,
    "heat_flux_into_sea": Place.center,
    "water_flux": Place.center,
    **dict.fromkeys(drift, Place.corner),
    **dict.fromkeys(wave_stress, Place.corner),
}
"""Places of what others may give; heat is all heat, short wave included, positive downward."""

stress = ("wind_stress_east", "wind_stress_north")
heat = ("short_wave", "heat_flux_into_sea")
together = (stress, heat, drift, wave_stress)
"""Fields of which one needs the others."""

surface_currents = ("current_u", "current_v")


def gives() -> dict[str, Quantity]:
    """What it gives others besides the fields of its maps, or by a name that theirs have not."""
    warm = replace(quantities["surface_temperature"], standard_name="sea_surface_temperature")
    return {**{name: quantities[name] for name in surface_currents}, warm.short_name: warm}


class SurfacePorts:
    """Ports that others fill, once they are expected, and what follows from what came.

    Where others give nothing (beyond their grids) the ocean is driven as its case says.
    """

    def __init__(self, model: Ocean, grid: Grid) -> None:
        self.model, self.state, self.grid = model, model.state, grid
        self.ports: dict[str, Port] = {}
        self.angles: list[Array] = []

    def expect(self, names: Sequence[str]) -> None:
        """Others give these."""
        for some in together:
            given = [name for name in some if name in names]
            if given and len(given) < len(some):
                raise UserError(
                    f"The ocean is given {given[0]} without"
                    f" {', '.join(name for name in some if name not in given)}. Let one exchange"
                    " give all of them."
                )
        forcing, s = self.model.forcing, self.state
        both = [name for name in names if name in (*stress, *heat)]
        if forcing.bulk is not None and both:
            raise UserError(
                f"Another member gives the ocean {both[0]}, and so do bulk formulas. Leave out"
                " ocean.forcing.bulk.file, or the exchange."
            )
        for name in names:
            units = quantities[name].units
            field = Field(
                f"given_{name}", units, s.space, place=taken[name], dtype=s.dtype, restart=True
            )
            field.fill(np.nan)
            self.ports[name] = Port(field)
        for name in (stress[0], drift[0], wave_stress[0]):
            if name in names:
                self.angles = own_angles(self.grid, self.ports[name].field)
        if drift[0] in names:
            self.model.take_drift()
        if wave_stress[0] in names:
            forcing.with_waves = True
            for axis in "xy":
                s.add(f"wave_stress_{axis}", "m2 s-2", Place.corner)
            s.pair("wave_stress_x", "wave_stress_y")
        if heat[0] in names:
            forcing.lit = forcing.with_fluxes = True
        if "water_flux" in names:
            forcing.with_fluxes = True
            forcing.water.given_by_others(self.grid)

    def took(self, names: Sequence[str]) -> None:
        """Others gave these."""
        if drift[0] in names and self.model.stokes is not None:
            fields = [self.ports[name].field for name in drift]
            self.model.stokes.give(self._along_grid(*fields[:2]), self._along_grid(*fields[2:]))
        if wave_stress[0] in names:
            self._take_wave_stress()

    def _along_grid(self, east: Field, north: Field) -> list[list[Array]]:
        """A vector along the axes of the grid, x and y by block; NaN where nothing came."""
        parts = zip(east.read(), north.read(), self.angles, strict=True)
        turned = [along_grid(eastward, northward, angle) for eastward, northward, angle in parts]
        return [[x for x, _ in turned], [y for _, y in turned]]

    def _take_wave_stress(self) -> None:
        """What waves give the ocean less what they take from the air, over the density [m2 s-2]."""
        into, out = (
            self._along_grid(*(self.ports[name].field for name in some))
            for some in (wave_stress[:2], wave_stress[2:])
        )
        s, density = self.state, self.model.forcing.density
        for to, taken_up, given in zip((s.wave_stress_x, s.wave_stress_y), into, out, strict=True):
            with to.change() as owned:
                for array, less, more in zip(owned, taken_up, given, strict=True):
                    array[...] = np.nan_to_num(more - less) / density

    def apply(self) -> None:
        """Drive the ocean by what others gave last, in place of what its case says there."""
        s, forcing = self.state, self.model.forcing
        if stress[0] in self.ports:
            self._turn()
            forcing.stress(density=forcing.density)
        for name, to, factor in (
            ("short_wave", s.short_wave, 1.0),
            ("heat_flux_into_sea", s.heat_flux, 1.0),
            ("water_flux", s.rain, 1.0 / water_density),
        ):
            if name in self.ports:
                given = self.ports[name].field
                with to.change() as owned:
                    for array, values in zip(owned, given.read(), strict=True):
                        scaled = values * values.dtype.type(factor)
                        array[...] = np.where(np.isnan(values), array, scaled)

    def _turn(self) -> None:
        """Stress along the axes of the grid."""
        turned = self._along_grid(*(self.ports[name].field for name in stress))
        for to, given in zip((self.state.wind_x, self.state.wind_y), turned, strict=True):
            with to.change() as owned:
                for array, values in zip(owned, given, strict=True):
                    array[...] = np.where(np.isnan(values), array, values)


class SurfaceCurrents:
    """Eastward and northward current of the uppermost level, at corners."""

    def __init__(self, model: Ocean, grid: Grid) -> None:
        s = self.state = model.state
        self.fields = {
            name: Field(name, quantities[name].units, s.space, place=Place.corner, dtype=s.dtype)
            for name in surface_currents
        }
        self.angles = own_angles(grid, self.fields["current_u"])

    def update(self) -> dict[str, Field]:
        """Those of now."""
        u, v = self.fields.values()
        with u.change() as east, v.change() as north:
            parts = zip(
                east, north, self.state.u.read(), self.state.v.read(), self.angles, strict=True
            )
            for to_east, to_north, x, y, angle in parts:
                to_east[...], to_north[...] = along_grid(x[-1], y[-1], -angle)
        return self.fields


def own_angles(grid: Grid, field: Field) -> list[Array]:
    """From east to the axis x at what the blocks of this rank own of a field [rad]."""
    plane, found = grid.at(field.place).angle, []
    for block in field.layout.blocks:
        assert isinstance(block, Block)
        j0, j1, i0, i1 = block.world.owned(block.rectangle, field.place)
        found.append(plane[j0:j1, i0:i1].copy())
    return found
