"""Where on the grid the velocities of files lie."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.component.forcing.field_records import Cells, RecordSource
from halocline.core.errors import UserError
from halocline.grids.vertical.file_field import WantedPoints
from halocline.grids.vertical.levels import VerticalGrid
from halocline.runtime.fields.place import Place

Array = NDArray[np.float64]


def velocities_of(source: RecordSource, places: str, grid: VerticalGrid) -> str:
    """What files have of the flow: "fluxes", or velocities on "faces" or "corners", or "nemo"."""
    if source.has("x_volume_flux"):
        return "fluxes"
    if places == "nemo":
        return places
    files, variable = source.open("velocity_u")
    top, tried, beside = grid.thickness.size - 1, {}, None
    x_faces = grid.open_x_faces(top)
    corners = np.zeros((grid.shape[1] + 1, grid.shape[2] + 1), bool)
    corners[1:-1] = x_faces[1:] & x_faces[:-1]
    try:
        for name, place, wet in (
            ("faces", Place.x_face, x_faces),
            ("corners", Place.corner, corners),
        ):
            points = grid.horizontal.on_both_sides(place)
            try:
                where = f"'{variable}' of {files.name}"
                weights = files.weights((points.x[wet], points.y[wet]), where, "the model grid")
            except UserError as error:
                beside = error
                continue
            tried[name] = weights.off_places
            if tried[name] <= 0.01:
                if (finer := weights.lines_apart) > 1.5:
                    raise UserError(
                        f"'{variable}' of {files.name} lies on a grid {finer:.2g} times finer than"
                        " the model's. Name that grid, transport.files.grid, so that its cells are"
                        " merged."
                    )
                return name
        if beside and not tried:
            raise beside
        found = ", ".join(f"{distance:.2g} cells off {name}" for name, distance in tried.items())
        raise UserError(
            f"'{variable}' of {files.name} does not lie on the model grid: its places are up to"
            f" {found}. Fluxes that are interpolated in space are not free of divergence. Use files"
            " on this grid; 'halocline merge' makes those of a grid that is a whole number of times"
            " finer."
        )
    finally:
        files.close()


@dataclass(frozen=True)
class CentresBefore:
    """Centres of the cells west of western faces, or south of southern ones: NEMO's places."""

    x: Array
    y: Array
    wet: NDArray[np.bool_]

    @classmethod
    def of(cls, grid: VerticalGrid, place: Place, cells: Cells) -> CentresBefore:
        """Those of faces at cells (rows, columns)."""
        j, i = cells[0] - (place is Place.y_face), cells[1] - (place is Place.x_face)
        resolved = grid.topology.resolve(Place.center, j, i)
        center, at = grid.horizontal.at(Place.center), (resolved.j, resolved.i)
        levels = np.arange(grid.thickness.size)[:, None]
        wet = grid.is_wet(levels, at) & grid.is_wet(levels, cells)
        return cls(center.x[at], center.y[at], wet)

    def wanted(self, depth: Array | None) -> WantedPoints:
        """The points."""
        return WantedPoints(self.x, self.y, depth, self.wet)

    def __call__(self, values: Array) -> Array:
        """Their values."""
        return values
