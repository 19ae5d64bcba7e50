"""What all output files have in common: global attributes and horizontal coordinates."""

from __future__ import annotations

from typing import Any

import netCDF4
import numpy as np
from numpy.typing import NDArray

import halocline
from halocline.component.streams.region import GridRegion
from halocline.core.names import quantity
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.projected import Projected
from halocline.grids.horizontal.projections import GridMapping
from halocline.runtime.fields.place import Place

vertical = {
    "depth": {"standard_name": "depth", "positive": "down", "axis": "Z"},
    "height": {"standard_name": "height", "positive": "up", "axis": "Z"},
    "pressure_level": {"standard_name": "air_pressure", "positive": "down", "axis": "Z"},
}
"""What the conventions want of vertical axes, by name."""

map_name = "projection"
"""The variable that describes the map of a grid."""


def conventions(title: str) -> dict[str, str]:
    """Global attributes of every file; no date, host or rank, so that files can be compared."""
    return {
        "Conventions": "CF-1.8",
        "title": title or "Halocline output",
        "source": f"Halocline {halocline.__version__}",
        "history": f"written by Halocline {halocline.__version__}",
    }


def define_place(file: netCDF4.Dataset, region: GridRegion, place: Place) -> tuple[str, str]:
    """The horizontal axes of a place in a file, once; returns their names, y first.

    Those that lie between rows or columns of cells end in `_face`. On curvilinear grids longitude
    and latitude are planes, which `coordinates_of` names.
    """
    if not (place.between_rows or place.between_columns):
        return define_coordinates(file, region.grid)
    define_map(file, region.grid)
    names = axis_names(region.grid, place)
    plain = axis_names(region.grid, Place.center)
    for name, known, values, letter in zip(
        names, plain, region.coordinates(place), "YX", strict=True
    ):
        if name not in file.dimensions:
            _define_line(file, name, known, values, letter)
    if region.grid.longitude is not None:
        here, some = np.ix_(*region.lines(place)), region.whole.on_both_sides(place)
        for known, plane in (("longitude", some.x), ("latitude", some.y)):
            if f"{known}_{place.value}" in file.variables:
                continue
            variable = file.createVariable(f"{known}_{place.value}", "f8", names)
            variable.setncatts(quantity(known).attributes())
            variable[:] = plane[here]
    return names


def axis_names(grid: Grid, place: Place) -> tuple[str, str]:
    """Names of the horizontal axes of a place in files, y first."""
    y, x = ("latitude", "longitude") if grid.spherical else ("y", "x")
    return y + "_face" * place.between_rows, x + "_face" * place.between_columns


def coordinates_of(grid: Grid, place: Place) -> dict[str, str]:
    """Attributes that name the planes of longitude and latitude, and the map, where there are."""
    if grid.longitude is None:
        return {}
    ending = f"_{place.value}" * (place.between_rows or place.between_columns)
    mapping = {"grid_mapping": map_name} if _grid_mapping(grid) else {}
    return {"coordinates": f"latitude{ending} longitude{ending}"} | mapping


def _grid_mapping(grid: Grid) -> GridMapping:
    """What the CF conventions call the map of a grid."""
    if not isinstance(grid.curvilinear, Projected):
        return {}
    return grid.curvilinear.projection.grid_mapping


def define_map(file: netCDF4.Dataset, grid: Grid) -> None:
    """The map of a grid as a variable without values, once."""
    mapping = _grid_mapping(grid)
    if mapping and map_name not in file.variables:
        file.createVariable(map_name, "i4", ()).setncatts(mapping)


def define_coordinates(file: netCDF4.Dataset, grid: Grid) -> tuple[str, str]:
    """The horizontal axes of a grid in a file; returns their names, y first."""
    define_map(file, grid)
    names = ("latitude", "longitude") if grid.spherical else ("y", "x")
    for name, values, letter in ((names[0], grid.y, "Y"), (names[1], grid.x, "X")):
        if name not in file.dimensions:
            _define_line(file, name, name, values, letter)
    for name, plane in (("longitude", grid.longitude), ("latitude", grid.latitude)):
        if plane is not None and name not in file.variables:
            variable = file.createVariable(name, "f8", names)
            variable.setncatts(quantity(name).attributes())
            variable[:] = plane
    return names


def _define_line(
    file: netCDF4.Dataset, name: str, known: str, values: NDArray[Any], letter: str
) -> None:
    """A dimension with its coordinates, which are of a known quantity."""
    file.createDimension(name, values.size)
    variable = file.createVariable(name, "f8", (name,))
    variable.setncatts({**quantity(known).attributes(), "axis": letter})
    variable[:] = values
