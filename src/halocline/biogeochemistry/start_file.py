"""Tracers that begin from a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halocline.core.clock import date
from halocline.core.errors import UserError
from halocline.core.options import Options, option
from halocline.grids.files.curvilinear_maps import open_maps
from halocline.grids.vertical.file_field import FileField

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
    options: StartFileOptions, x: Array, y: Array, depth: Array, wet: NDArray[np.bool_]
) -> dict[str, Array]:
    """Values by tracer, 0 where not `wet`, for planes x, y [degree] and levels of `depth` [m].

    `wet` and the values are (nk, ...); `options.file` is a path. Values do not depend on what part
    of a grid the planes are.
    """
    if not options.file or not wet.any():
        return {name: np.zeros(wet.shape) for name in options.variables}
    sea = wet.any(axis=0)
    files = open_maps([Path(options.file)])
    moment = date(options.at, files.calendar) if options.at else None
    result = {}
    try:
        for name, variable in options.variables.items():
            field = FileField(files, variable, (x[sea], y[sea]), depth, wet=wet[:, sea])
            result[name] = np.zeros(wet.shape)
            result[name][:, sea] = field.read(moment)
    finally:
        files.close()
    return result
