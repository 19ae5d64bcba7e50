"""Tracers that begin from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halocline.core.clock import date
from halocline.core.counting import amount
from halocline.core.errors import UserError
from halocline.core.geography import position_words
from halocline.core.options import Options, option
from halocline.grids.files.curvilinear_maps import open_maps
from halocline.grids.files.units_in_files import unit_factors
from halocline.grids.vertical.file_field import FileField, WantedPoints

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class StartFileOptions(Options):
    """A file that tracers begin from: maps on levels, on a regular or curvilinear grid.

    Values are interpolated linearly to the centres of cells; missing ones are the nearest of the
    same level, below the lowest level with values those above.
    """

    file: str = option("", "", "netCDF file or Zarr folder; none if not given")
    variables: dict[str, str] = option({}, "", "variable of the file by tracer")
    at: str = option("", "", "date of the record, where the file has several")

    def __post_init__(self) -> None:
        super().__post_init__()
        if bool(self.file) != bool(self.variables):
            raise UserError(
                "start_file needs both: 'file', and 'variables' that name one for each tracer that"
                " begins from it."
            )


def from_file(
    options: StartFileOptions, wanted: WantedPoints, units: Mapping[str, str] | None = None
) -> dict[str, Array]:
    """Values by tracer at wanted points, (levels, points); `options.file` is a path.

    Those whose `units` by tracer are some that files bring to each other are brought to these.
    A rank opens the file once for all its blocks, and reads the part that they need.
    """
    if not options.file or not wanted.x.size:
        return {name: np.zeros((wanted.levels, wanted.x.size)) for name in options.variables}
    files = open_maps([Path(options.file)])
    moment = date(options.at, files.calendar) if options.at else None
    found: dict[str, Array] = {}
    first: FileField | None = None
    try:
        for name, variable in options.variables.items():
            field = FileField(files, variable, wanted, like=first)
            first = first or field
            found[name] = field.read(moment)
            ours = (units or {}).get(name)
            if ours in unit_factors:
                found[name] = files.in_units(found[name], variable, ours)
        return found
    finally:
        files.close()


def negative(
    name: str, values: Array, wanted: WantedPoints, options: StartFileOptions
) -> UserError | None:
    """What is wrong with values (levels, points) of a tracer that are below 0, None if nothing."""
    if not (values < 0.0).any():
        return None
    level, point = np.unravel_index(int(values.argmin()), values.shape)
    where = position_words(float(wanted.x[point]), float(wanted.y[point]))
    if wanted.depth is not None:
        where += f", {wanted.depth[level]:g} m"
    return UserError(
        f"The tracer '{name}' begins with {values[level, point]:g} at {where}, from"
        f" '{options.variables[name]}' of '{options.file}'"
        f" ({amount(int((values < 0.0).sum()), 'value')} below 0);"
        " concentrations are at least 0. Mend the file."
    )
