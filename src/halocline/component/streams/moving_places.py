"""Horizontal coordinates of grids that move along: each record of a file has its own."""

from __future__ import annotations

from typing import Any

import netCDF4
from numpy.typing import NDArray

from halocline.component.streams.conventions import axis_names, coordinates_of, define_map
from halocline.component.streams.region import cut_region
from halocline.core.names import quantity
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.place import Place

before = "moving_"
"""What names of lines of coordinates begin with: those of dimensions alone would be still."""


def define_moving_place(file: netCDF4.Dataset, grid: Grid, place: Place) -> None:
    """The horizontal axes of a place in a file, and the coordinates of their points in time."""
    define_map(file, grid)
    names = axis_names(grid, place)
    plain = axis_names(grid, Place.center)
    for name, known, values in zip(names, plain, _lines(grid, place), strict=True):
        if name not in file.dimensions:
            file.createDimension(name, values.size)
            variable = file.createVariable(before + name, "f8", ("time", name))
            variable.setncatts(quantity(known).attributes())
    for known, plane in _planes(grid, place).items():
        if plane not in file.variables:
            variable = file.createVariable(plane, "f8", ("time", *names))
            variable.setncatts(quantity(known).attributes())


def moving_places(grid: Grid, place: Place) -> dict[str, NDArray[Any]]:
    """The coordinates of a place where the grid lies now, by the names that they have in files."""
    lines = zip(axis_names(grid, place), _lines(grid, place), strict=True)
    found = {before + name: values for name, values in lines}
    there = grid.at(place)
    values = {"longitude": there.x, "latitude": there.y}
    return found | {name: values[known] for known, name in _planes(grid, place).items()}


def moving_coordinates_of(grid: Grid, place: Place) -> dict[str, str]:
    """Attributes that name the coordinates of a place, and the map where there is one."""
    y, x = (before + name for name in axis_names(grid, place))
    known = coordinates_of(grid, place)
    return known | {"coordinates": " ".join(filter(None, [y, x, known.get("coordinates", "")]))}


def _planes(grid: Grid, place: Place) -> dict[str, str]:
    """Names of the planes of longitude and latitude in files, where the grid has such."""
    named = coordinates_of(grid, place).get("coordinates", "").split()
    return dict(zip(("latitude", "longitude"), named, strict=False))


def _lines(grid: Grid, place: Place) -> tuple[NDArray[Any], NDArray[Any]]:
    """Lines of y and x of a place."""
    return cut_region(grid, ()).coordinates(place)
