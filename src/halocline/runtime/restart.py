"""Restart files: all that a run needs to go on, in global order, for any number of ranks.

One netCDF file (CDF-5) per date. It appears under its name only when complete, and every variable
carries a checksum that is verified on reading.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import netCDF4
import numpy as np
from numpy.typing import NDArray

from halocline.core.clock import Date, date, time_units, to_number
from halocline.core.errors import UserError
from halocline.runtime.classic_files import define, map_variable, read_header
from halocline.runtime.communicator import Communicator
from halocline.runtime.fields import Field

format_version = 1
Facts = Mapping[str, str | int | float]
Result = TypeVar("Result")


def on_first_rank(communicator: Communicator, action: Callable[[], Result]) -> Result:
    """Do something on rank 0 and hand its result, or its mistake, to all ranks alike."""
    result: Any = None
    if communicator.rank == 0:
        try:
            result = action(), None
        except UserError as error:
            result = None, str(error)
    value, failure = communicator.broadcast(result)
    if failure is not None:
        raise UserError(failure)
    return value


def restart_path(folder: Path, time: Date) -> Path:
    """Name of the restart file of a date."""
    return folder / f"restart_{time.strftime('%Y%m%dT%H%M%S')}.nc"


def latest_restart(folder: Path) -> Path:
    """The newest restart file in a folder, by the date in its name."""
    found = [path for path in folder.glob("restart_*.nc") if re.search(r"_\d{8}T\d{6}$", path.stem)]
    if not found:
        raise UserError(f"There is no restart file (restart_*.nc) in the folder '{folder}'.")
    return max(found, key=lambda path: path.name)


def write_restart(path: Path, fields: Sequence[Field], time: Date, facts: Facts) -> None:
    """Write the fields at `time`; a call for all ranks.

    `facts` say what a run must share with this one (grid, spectrum, ...); they are compared when
    the file is read.
    """
    assert len({field.name for field in fields}) == len(fields)
    communicator = fields[0].decomposition.communicator
    gathered = [field.gather() for field in fields]

    def content(file: netCDF4.Dataset) -> None:
        units, calendar = time_units(time.calendar)
        file.title = "Halocline restart"
        file.format_version = np.int32(format_version)
        file.time = time.isoformat()
        file.calendar = calendar
        file.facts = json.dumps(dict(facts), sort_keys=True)
        file.createVariable("time", "f8", ())[...] = to_number(time)
        file["time"].setncatts({"units": units, "calendar": calendar, "standard_name": "time"})
        for field, values in zip(fields, gathered, strict=True):
            assert values is not None
            dims = tuple(_dimension(file, size) for size in values.shape)
            variable = file.createVariable(field.name, field.dtype, dims)
            variable.units = field.units
            variable.crc32 = np.uint32(zlib.crc32(np.ascontiguousarray(values).data))
        for field, values in zip(fields, gathered, strict=True):
            file[field.name][...] = values

    on_first_rank(communicator, lambda: define(path, content))


def _dimension(file: netCDF4.Dataset, size: int) -> str:
    """A dimension of that size, one for all variables that need it."""
    name = f"n{size}"
    if name not in file.dimensions:
        file.createDimension(name, size)
    return name


def read_restart(path: Path, fields: Sequence[Field], facts: Facts, calendar: str) -> Date:
    """Set the fields from a file and return its date; a call for all ranks.

    Every rank reads the part that it owns. A file of another grid or another version, a missing
    field or a wrong checksum is refused.
    """
    communicator = fields[0].decomposition.communicator
    shapes = {field.name: _global_shape(field) for field in fields}

    def check() -> str:
        return _check(path, fields, shapes, facts)

    time = date(on_first_rank(communicator, check), calendar)
    places = read_header(path).places
    for field in fields:
        field.set_global(map_variable(path, places[field.name]))
    return time


def _global_shape(field: Field) -> tuple[int, ...]:
    world = field.decomposition.world
    horizontal = {"points": (world.sea_points,), "cells": world.mask.shape, "none": ()}
    return (*field.outer, *horizontal[field.on])


def _check(
    path: Path, fields: Sequence[Field], shapes: Mapping[str, tuple[int, ...]], facts: Facts
) -> str:
    """The date of a restart file that fits this run, as text."""
    if not path.exists():
        raise UserError(f"There is no restart file '{path}'.")
    places = read_header(path).places
    try:
        file = netCDF4.Dataset(path)
    except OSError as error:
        raise UserError(f"Cannot read the restart file '{path}': {error.strerror}.") from None
    with file:
        version = getattr(file, "format_version", None)
        if version != format_version:
            raise UserError(
                f"'{path}' is no restart file that this Halocline reads: its format version is"
                f" {version}, expected {format_version}."
            )
        _compare(path, json.loads(file.facts), facts)
        for field in fields:
            if field.name not in places:
                raise UserError(
                    f"The restart file '{path}' has no field '{field.name}', which this run needs."
                    " Use the options of the run that wrote it."
                )
            place = places[field.name]
            same = (
                place.shape == shapes[field.name] and place.dtype.newbyteorder("=") == field.dtype
            )
            if not same:
                raise UserError(
                    f"The field '{field.name}' of the restart file '{path}' is"
                    f" {place.dtype.name} {place.shape}, but this run needs {field.dtype.name}"
                    f" {shapes[field.name]}. Use the grid, spectrum and precision that wrote it."
                )
            if _checksum(map_variable(path, place), field.dtype) != int(file[field.name].crc32):
                raise UserError(
                    f"The field '{field.name}' of the restart file '{path}' is damaged: its"
                    " checksum is wrong. Use an earlier restart file."
                )
        return str(file.time)


def _checksum(values: NDArray[Any], dtype: np.dtype[Any]) -> int:
    """CRC-32 of the values in the machine's byte order, row by row to spare memory."""
    rows = values if values.ndim > 1 else [values]
    checksum = 0
    for row in rows:
        checksum = zlib.crc32(np.ascontiguousarray(row, dtype).data, checksum)
    return checksum


def _compare(path: Path, theirs: Facts, ours: Facts) -> None:
    for name, value in ours.items():
        if theirs.get(name) != value:
            raise UserError(
                f"The restart file '{path}' was written with {name} = {theirs.get(name)}, this run"
                f" has {name} = {value}. Use the same, or start without a restart."
            )
