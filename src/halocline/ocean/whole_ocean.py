"""Numbers that are made of the whole ocean: means, indices, fluxes, transports, overturning."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.ocean.bottom_cells import corner_shares
from halocline.ocean.meridional import Faces, Meridional, Parallels
from halocline.ocean.metrics import CornerMetrics
from halocline.ocean.rotation import is_cartesian
from halocline.runtime.fields.place import Place

if TYPE_CHECKING:
    from halocline.ocean.component import OceanComponent

Array = NDArray[Any]
nino_boxes = {
    "nino12": (270.0, 280.0, -10.0, 0.0),
    "nino3": (210.0, 270.0, -5.0, 5.0),
    "nino34": (190.0, 240.0, -5.0, 5.0),
    "nino4": (160.0, 210.0, -5.0, 5.0),
}
"""West, east, south and north of the surface whose temperature they are [degree], as of NOAA."""
numbers = {
    "volume": ("m3", "volume of the sea"),
    "mean_temperature": ("degree_C", "mean temperature of the sea"),
    "mean_salinity": ("1e-3", "mean salinity of the sea"),
    "mean_surface_temperature": ("degree_C", "mean temperature of the uppermost level"),
    "nino12": ("degree_C", "mean temperature of the uppermost level, 90 W to 80 W, 10 S to 0"),
    "nino3": ("degree_C", "mean temperature of the uppermost level, 150 W to 90 W, 5 S to 5 N"),
    "nino34": ("degree_C", "mean temperature of the uppermost level, 170 W to 120 W, 5 S to 5 N"),
    "nino4": ("degree_C", "mean temperature of the uppermost level, 160 E to 150 W, 5 S to 5 N"),
    "surface_heat_flux": ("W", "heat that passes the surface downward, in the last step"),
    "surface_salt_flux": ("kg s-1", "salt that passes the surface downward, in the last step"),
    "water_entered": ("m3", "water that has passed the surface downward since the start"),
    "heat_entered": ("J", "heat that has come through the surface and into boxes since the start"),
    "salt_entered": ("kg", "salt that has come through the surface and into boxes since the start"),
    "heat_lent": ("J", "heat that keeps water from falling below its freezing point"),
}
basin_numbers = {
    "basin_volume": ("m3", "volume of a basin"),
    "basin_temperature": ("degree_C", "mean temperature of a basin"),
    "basin_salinity": ("1e-3", "mean salinity of a basin"),
    "basin_surface_temperature": ("degree_C", "mean temperature of the uppermost level of a basin"),
}
carried_numbers = {
    "overturning": ("m3 s-1", "northward transport above a depth"),
    "northward_heat_transport": ("W", "heat that the flow carries northward"),
    "northward_salt_transport": ("kg s-1", "salt that the flow carries northward"),
}


def number_shapes(
    levels: int, parallels: int, sections: int, basins: int
) -> dict[str, tuple[int, ...]]:
    """Shapes of all of them, of so many levels, parallels, sections and basins.

    >>> number_shapes(4, 7, 0, 0)["overturning"]
    (5, 7)
    """
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(numbers, ())
    shapes |= dict.fromkeys(carried_numbers, (parallels,))
    shapes["overturning"] = (levels + 1, parallels)
    if basins:
        shapes |= dict.fromkeys(basin_numbers, (basins,))
    if sections:
        shapes["section_transport"] = (sections,)
    return shapes


class WholeOcean:
    """Makes such numbers of one ocean."""

    def __init__(self, component: OceanComponent) -> None:
        self.component = component
        self.parallels = Parallels.of(component.plane)
        metrics = CornerMetrics.of(component.plane)
        self.faces = Faces(self.parallels, component.plane, (metrics.dx, metrics.dy))
        self.carrying = corner_shares(component.grid)
        looks, sea = component.diagnostics, component.grid.mask
        boxes = {name: sea & self._inside(box) for name, box in nino_boxes.items()}
        regions = {"": sea, **boxes, **looks.basins}
        self.regions = {name: self._areas(where) for name, where in regions.items()}
        self.shapes = number_shapes(
            component.grid.thickness.size,
            self.parallels.edges.size,
            len(looks.sections),
            len(looks.basins),
        )

    def __call__(self) -> dict[str, Array]:
        """All of them on the first rank, none elsewhere; a call for all ranks.

        What does not exist is not a number.
        """
        diagnostics, state = self.component.diagnostics, self.component.model.state
        held, basins = diagnostics.budget.contents(), diagnostics.basin_contents()
        come = diagnostics.budget.entered()
        passed = diagnostics.transports()
        flow = state.u.gather(), state.v.gather()
        tracer, flux = state.tracer.gather(), state.surface_flux.gather()
        light = state.short_wave.gather()
        if tracer is None or flux is None or light is None:
            return {}
        u, v = flow
        assert u is not None and v is not None
        levels = self.component.grid
        carrying = u * self.carrying, v * self.carrying
        moved = Meridional.of(self.faces, levels.thickness, carrying, tracer[:2])
        options = self.component.options
        mass = options.density.reference
        capacity = mass * options.forcing.heat.capacity
        warm, lit = tracer[0, -1], light if self.component.model.forcing.lit else 0.0 * light
        found: dict[str, Any] = {
            "volume": held.volume,
            "mean_temperature": held.heat / held.volume,
            "mean_salinity": held.salt / held.volume,
            "mean_surface_temperature": self._mean(warm, ""),
            **{name: self._mean(warm, name) for name in nino_boxes},
            "surface_heat_flux": self._sum(capacity * flux[0].astype(np.float64) + lit),
            "surface_salt_flux": 1e-3 * mass * self._sum(flux[1]),
            "water_entered": come["water"],
            "heat_entered": capacity * (come["heat"] + come.get("heat of boxes", 0.0)),
            "salt_entered": 1e-3 * mass * (come["salt"] + come.get("salt of boxes", 0.0)),
            "heat_lent": capacity * come["freezing"],
            "overturning": moved.overturning,
            "northward_heat_transport": capacity * moved.tracers[0],
            "northward_salt_transport": 1e-3 * mass * moved.tracers[1],
        }
        if basins:
            found["basin_volume"] = [some.volume for some in basins.values()]
            found["basin_temperature"] = [some.heat / some.volume for some in basins.values()]
            found["basin_salinity"] = [some.salt / some.volume for some in basins.values()]
            found["basin_surface_temperature"] = [self._mean(warm, name) for name in basins]
        if passed:
            found["section_transport"] = list(passed.values())
        return {name: np.asarray(value, np.float64) for name, value in found.items()}

    def _inside(self, box: tuple[float, float, float, float]) -> NDArray[np.bool_]:
        """Cells whose centres lie in a box; none on Cartesian grids."""
        grid = self.component.plane
        if is_cartesian(grid):
            return np.zeros(grid.shape, bool)
        west, east, south, north = box
        center = grid.at(Place.center)
        return (
            ((center.x - west) % 360.0 <= east - west) & (center.y >= south) & (center.y <= north)
        )

    def _areas(self, where: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], Array]:
        """Cells of a region that count, and their areas [m2]."""
        grid = self.component.plane
        where = where & grid.topology.once(Place.center)
        return where, grid.area[where]

    def _sum(self, plane: Array) -> float:
        """Integral over the sea, exactly added up."""
        where, area = self.regions[""]
        return math.fsum(plane[where].astype(np.float64) * area)

    def _mean(self, plane: Array, name: str) -> float:
        """Mean over the area of a region, exactly added up; not a number where it has no cell."""
        where, area = self.regions[name]
        if not area.size:
            return math.nan
        return math.fsum(plane[where].astype(np.float64) * area) / math.fsum(area)
