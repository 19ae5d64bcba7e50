"""What all output files have in common: global attributes and horizontal coordinates."""

from __future__ import annotations

import netCDF4

import halocline
from halocline.core.names import quantity
from halocline.grids.horizontal.grid import Grid


def conventions(title: str) -> dict[str, str]:
    """Global attributes of every file; no date, host or rank, so that files can be compared."""
    return {
        "Conventions": "CF-1.8",
        "title": title or "Halocline output",
        "source": f"Halocline {halocline.__version__}",
        "history": f"written by Halocline {halocline.__version__}",
    }


def define_coordinates(file: netCDF4.Dataset, grid: Grid) -> tuple[str, str]:
    """The horizontal axes of a grid in a file; returns their names, y first."""
    names = ("latitude", "longitude") if grid.spherical else ("y", "x")
    for name, values, letter in ((names[0], grid.y, "Y"), (names[1], grid.x, "X")):
        file.createDimension(name, values.size)
        variable = file.createVariable(name, "f8", (name,))
        variable.setncatts({**quantity(name).attributes(), "axis": letter})
        variable[:] = values
    for name, plane in (("longitude", grid.longitude), ("latitude", grid.latitude)):
        if plane is not None:
            variable = file.createVariable(name, "f8", names)
            variable.setncatts(quantity(name).attributes())
            variable[:] = plane
    return names
