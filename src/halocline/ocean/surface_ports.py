"""What the ocean takes from other members of a run at its surface, and what it gives them."""

from __future__ import annotations

from collections.abc import Sequence
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
taken = {
    "wind_stress_east": Place.corner,
    "wind_stress_north": Place.corner,
    "short_wave": Place.center,
    "heat_flux_into_sea": Place.center,
    "water_flux": Place.center,
}
"""Places of what others may give; heat is all heat, short wave included, positive downward."""

stress = ("wind_stress_east", "wind_stress_north")
heat = ("short_wave", "heat_flux_into_sea")
together = (stress, heat)
"""Fields of which one needs the other."""

surface_currents = ("current_u", "current_v")


def gives() -> dict[str, Quantity]:
    """What it gives others besides the fields of its maps."""
    return {name: quantities[name] for name in surface_currents}


class SurfacePorts:
    """Ports that others fill, once they are expected, and what follows from what came."""

    def __init__(self, model: Ocean, grid: Grid) -> None:
        self.model, self.state, self.grid = model, model.state, grid
        self.ports: dict[str, Port] = {}
        self.angle = grid.at(Place.corner).angle

    def expect(self, names: Sequence[str]) -> None:
        """Others give these, which nobody else may then."""
        for some in together:
            given = [name for name in some if name in names]
            if given and len(given) < len(some):
                raise UserError(
                    f"The ocean is given {given[0]} without {', '.join({*some} - {*given})}. Let"
                    " one exchange give both."
                )
        self._refuse_rivals(names)
        forcing, s = self.model.forcing, self.state
        for name in names:
            units = quantities[name].units
            field = Field(
                f"given_{name}", units, s.space, place=taken[name], dtype=s.dtype, restart=True
            )
            field.fill(0.0)
            self.ports[name] = Port(field)
        if heat[0] in names:
            forcing.lit = forcing.with_fluxes = True
        if "water_flux" in names:
            forcing.with_fluxes = True
            forcing.water.given_by_others(self.grid)

    def took(self, names: Sequence[str]) -> None:
        """Drive the ocean by what came."""
        s, forcing = self.state, self.model.forcing
        if stress[0] in names:
            self._turn()
            forcing.stress(density=forcing.density)
        if heat[0] in names:
            s.short_wave.copy(self.ports["short_wave"].field)
            s.heat_flux.copy(self.ports["heat_flux_into_sea"].field)
        if "water_flux" in names:
            given = self.ports["water_flux"].field
            with s.rain.change() as owned:
                for to, values in zip(owned, given.read(), strict=True):
                    to[...] = values / values.dtype.type(water_density)

    def _turn(self) -> None:
        """Stress along the axes of the grid."""
        east, north = (self.ports[name].field for name in stress)
        s = self.state
        with s.wind_x.change() as along_x, s.wind_y.change() as along_y:
            parts = zip(along_x, along_y, east.read(), north.read(), owned_of(self.angle, east), strict=True)
            for x, y, eastward, northward, angle in parts:
                x[...], y[...] = along_grid(eastward, northward, angle)

    def _refuse_rivals(self, names: Sequence[str]) -> None:
        options = self.model.options
        for rival, what, where in (
            (options.forcing.bulk.file, (*stress, *heat), "ocean.forcing.bulk.file"),
            (options.wind.file, stress, "ocean.wind.file"),
            (options.forcing.heat.file, heat, "ocean.forcing.heat.file"),
            (options.forcing.water.file, ("water_flux",), "ocean.forcing.water.file"),
        ):
            both = [name for name in names if name in what]
            if rival and both:
                raise UserError(
                    f"Another member gives the ocean {both[0]}, and so do files. Leave out {where},"
                    " or the exchange."
                )


class SurfaceCurrents:
    """Eastward and northward current of the uppermost level, at corners."""

    def __init__(self, model: Ocean, grid: Grid) -> None:
        s = self.state = model.state
        self.angle = grid.at(Place.corner).angle
        self.fields = {
            name: Field(
                name, quantities[name].units, s.space, place=Place.corner, dtype=s.dtype
            )
            for name in surface_currents
        }

    def update(self) -> dict[str, Field]:
        """Those of now."""
        u, v = self.fields.values()
        angles = owned_of(self.angle, u)
        with u.change() as east, v.change() as north:
            parts = zip(east, north, self.state.u.read(), self.state.v.read(), angles, strict=True)
            for to_east, to_north, x, y, angle in parts:
                to_east[...], to_north[...] = along_grid(x[-1], y[-1], -angle)
        return self.fields


def owned_of(plane: Array, field: Field) -> list[Array]:
    """What the blocks of this rank own of a plane of the place of a field."""
    found = []
    for block in field.layout.blocks:
        assert isinstance(block, Block)
        j0, j1, i0, i1 = block.world.owned(block.rectangle, field.place)
        found.append(plane[j0:j1, i0:i1])
    return found
