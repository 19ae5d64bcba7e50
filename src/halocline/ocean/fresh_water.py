"""Fresh water through the ocean's surface: rain, evaporation, rivers, and what balances them.

With w the volume per area and A the area of cells, a marginal sea that gains G = sum(w A) loses
G over its area in each of its cells, and the cells of its outlet gain as much together. What all
cells gain then is taken away, evenly, from those of the region that balances. Cells that no flow
reaches get none of all this: they would fill or dry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from halocline.core.clock import Date
from halocline.core.constants import water_density
from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.ocean.joined_seas import reached_cells
from halocline.ocean.metrics import least_length
from halocline.ocean.options import OceanOptions
from halocline.ocean.regions import region_cells
from halocline.ocean.rivers import river_share
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.sums.field_sums import FieldSums

if TYPE_CHECKING:
    from halocline.ocean.model import OceanState

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
table = "ocean.forcing.water"


class FreshWater:
    """Water that passes the surface of one ocean; `evaporation` [kg m-2 s-1] is that of the air."""

    def __init__(
        self, grid: Grid, options: OceanOptions, state: OceanState, evaporation: Field | None
    ) -> None:
        given, self.state = options.forcing.water, state
        if given.evaporation and evaporation is None:
            raise UserError(
                f"{table}.evaporation is that of bulk formulas. Set ocean.forcing.bulk.file."
            )
        self.given, self.evaporation = given, evaporation if given.evaporation else None
        self.rivers = [
            (river, self._plane(river_share(river, grid, f"{table}.rivers.{name}"), "m-2"))
            for name, river in given.rivers.items()
        ]
        self.flux: list[Array] = []
        self.taken = 0.0  # in `balancing` [m3 s-1]
        self.month = 1
        self.area = [area.astype(np.float64) for area in state.area.read()]
        self.reached = reached_cells(grid)
        self.wet = [plane > 0.0 for plane in self._plane(self.reached)]
        self._act(grid, bool(given.file or given.amplitude or given.evaporation or self.rivers))

    def given_by_others(self, grid: Grid) -> None:
        """Others give what the rain is here, and so it acts."""
        self._act(grid, True)

    def _act(self, grid: Grid, acts: bool) -> None:
        given, self.act = self.given, acts
        self.as_salt = acts and given.enters_as == "salt"
        self.salty = acts and given.balanced and given.balanced_by == "sea"
        self._regions(grid)

    def _regions(self, grid: Grid) -> None:
        """Marginal seas, their outlets, and where the rest is balanced, each over its area."""
        given = self.given
        where = self.reached.copy()
        if given.balanced_in.given:
            where &= region_cells(given.balanced_in, grid, f"{table}.balanced_in")
        self.seas, self.outlets = list[list[Array]](), list[list[Array]]()
        for name, some in given.marginal_seas.items():
            named = f"{table}.marginal_seas.{name}"
            sea = region_cells(some.sea, grid, f"{named}.sea")
            outlet = region_cells(some.outlet, grid, f"{named}.outlet")
            if (sea & outlet).any():
                raise UserError(f"{named}: its outlet has cells of the sea itself. Part them.")
            where &= ~sea
            self.seas.append(self._share(sea, grid, f"{named}.sea"))
            self.outlets.append(self._share(outlet, grid, f"{named}.outlet"))
        balanced = self.act and given.balanced
        if balanced and not where.any():
            raise UserError(
                f"{table}: all cells that balance lie in marginal seas, or where no flow reaches."
                " Name others in balanced_in, or set balanced = false."
            )
        self.balancing = self._share(where, grid, table) if balanced else []
        self.sums = FieldSums(self.state.rain, len(self.seas) + 1)

    def _share(self, where: Mask, grid: Grid, named: str) -> list[Array]:
        """What cells of a region have of each m3 that it gets, per area [m-2]."""
        area = np.maximum(grid.area, least_length**2).astype(self.state.dtype)
        where = where & self.reached
        if not where.any():
            raise UserError(f"{named}: no flow reaches any of its cells. Make it wider.")
        once = where & grid.topology.once(Place.center)
        return self._plane(where / area[once].astype(np.float64).sum(), "m-2")

    def _plane(self, values: NDArray[np.generic], units: str = "1") -> list[Array]:
        """A global plane as the arrays of this rank's cells."""
        space, kind = self.state.space, np.float64
        field = Field("plane", units, space, place=Place.center, dtype=kind, static=True)
        field.set_global(values.astype(kind))
        return field.read()

    def _over_cells(self, planes: list[Array]) -> list[Array]:
        return [plane * area for plane, area in zip(planes, self.area, strict=True)]

    def at(self, moment: Date) -> None:
        """Take what rivers bring at a moment."""
        self.month = moment.month

    def __call__(self) -> None:
        """Find the water of this moment; a call for all ranks."""
        self.flux = self._balanced(self._given())
        if not self.as_salt:
            with self.state.water_flux.change() as owned:
                for to, water in zip(owned, self.flux, strict=True):
                    to[...] = water

    def entering(self) -> list[Array]:
        """The water of the last step that enters as volume [m s-1], one array for each block.

        What levels checkerboards is not in it: that goes from cell to cell.
        """
        if self.flux and not self.as_salt:
            return self.flux
        return [np.zeros_like(area) for area in self.area]

    def add_salt(self) -> None:
        """Add the flux of salt that stands for the water, and what the balancing water holds."""
        tracers = self.state.old_tracer.read()
        with self.state.surface_flux.change() as owned:
            for block, to in enumerate(owned):
                if self.as_salt:
                    to[1] -= self.given.reference_salinity * self.flux[block]
                if self.salty:
                    water = self.taken * self.balancing[block]
                    to[1] -= np.where(self.wet[block], water * tracers[block][1, -1], 0.0)

    def _given(self) -> list[Array]:
        """Rain, less evaporation, and rivers [m s-1], one array for each block."""
        flux = [rain.astype(np.float64) for rain in self.state.rain.read()]
        if self.evaporation is not None:
            for water, leaving in zip(flux, self.evaporation.read(), strict=True):
                water -= leaving / water_density
        for river, shares in self.rivers:
            for water, share in zip(flux, shares, strict=True):
                water += river.flow_in(self.month) * share
        return [np.where(wet, water, 0.0) for wet, water in zip(self.wet, flux, strict=True)]

    def _balanced(self, flux: list[Array]) -> list[Array]:
        """The same with marginal seas and all the sea balanced."""
        everywhere = self._over_cells(flux)
        terms = [
            [np.where(share > 0.0, some, 0.0) for share, some in zip(sea, everywhere, strict=True)]
            for sea in self.seas
        ]
        *gained, total = (float(value) for value in self.sums([*terms, everywhere]))
        moves = [*zip(self.seas, gained, strict=True)]
        moves += [(outlet, -volume) for outlet, volume in zip(self.outlets, gained, strict=True)]
        if self.given.balanced:
            moves.append((self.balancing, total))
            self.taken = total
        for shares, volume in moves:
            flux = [water - volume * share for water, share in zip(flux, shares, strict=True)]
        return flux
