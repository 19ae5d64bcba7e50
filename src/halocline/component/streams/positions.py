"""Paths in space and time, read from files: where a ship or a satellite was, and when."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.clock import date, from_number, in_calendar, text, to_number
from halocline.core.errors import UserError, nearest
from halocline.core.paths import is_there
from halocline.grids.files.sources import open_source

Array = NDArray[np.float64]
columns = (("time", "date"), ("longitude", "lon", "x"), ("latitude", "lat", "y"))
"""Usual names of what a path needs."""


@dataclass(frozen=True)
class Positions:
    """Places along a path, in the order of time."""

    seconds: Array  # since 1970-01-01 in the calendar of the run
    x: Array  # longitude [degree east] or distance [m]
    y: Array

    def some(self, chosen: NDArray[Any]) -> Positions:
        """Those of a mask or of numbers."""
        return Positions(self.seconds[chosen], self.x[chosen], self.y[chosen])


def read_positions(path: Path, calendar: str) -> Positions:
    """The positions of a file: CSV with a line of names, or netCDF.

    Needed are time (ISO 8601, UTC; in netCDF as CF has it), longitude and latitude (or x and y).
    """
    if not is_there(path):
        raise UserError(f"There is no file of positions '{path}'. Name a CSV or netCDF file.")
    reader = _from_csv if path.suffix.lower() in (".csv", ".txt") else _from_netcdf
    found = reader(path, calendar)
    if not found.seconds.size:
        raise UserError(f"The file '{path}' holds no position.")
    bad = ~np.isfinite(found.seconds + found.x + found.y)
    if bad.any():
        raise UserError(f"Position {int(np.argmax(bad)) + 1} of '{path}' is not finite.")
    ordered = found.some(np.argsort(found.seconds, kind="stable"))
    twice = np.diff(ordered.seconds) == 0.0
    if twice.any():
        when = text(from_number(float(ordered.seconds[int(np.argmax(twice))]), calendar))
        raise UserError(f"The file '{path}' has two positions at {when}. Give one for each time.")
    return ordered


def _from_csv(path: Path, calendar: str) -> Positions:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            lines = csv.DictReader(file, skipinitialspace=True)
            names = [name.strip() for name in lines.fieldnames or []]
            lines.fieldnames = names
            wanted = [_column(path, names, some) for some in columns]
            rows = []
            for number, line in enumerate(lines, 2):
                try:
                    moment, x, y = (line[name] for name in wanted)
                    rows.append((to_number(date(moment, calendar)), float(x), float(y)))
                except (TypeError, ValueError, UserError) as error:
                    raise UserError(f"Line {number} of '{path}' is no position: {error}") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"Cannot read the positions in '{path}': {error}") from None
    table = np.array(rows, float).reshape(-1, 3)
    return Positions(table[:, 0], table[:, 1], table[:, 2])


def _from_netcdf(path: Path, calendar: str) -> Positions:

    try:
        data = open_source(path)
    except UserError as error:
        raise UserError(f"Cannot read the positions in '{path}': {error}") from None
    try:
        names = list(data.variables)
        moment, x, y = (data[_column(path, names, some)] for some in columns)
        if not moment.shape == x.shape == y.shape or moment.ndim != 1:
            raise UserError(
                f"Times and places in '{path}' differ in shape: {moment.shape}, {x.shape},"
                f" {y.shape}. A path has one dimension."
            )
        units = str(moment.attrs.get("units", ""))
        if "since" not in units:
            raise UserError(f"The times in '{path}' have the units '{units}'; CF has 'X since Y'.")
        if moment.shape == (0,):
            return Positions(*np.zeros((3, 0)))
        dates = moment.times(f"the positions in '{path}'")
        seconds = [to_number(in_calendar(some, calendar)) for some in dates]
        return Positions(np.array(seconds), x.read(), y.read())
    finally:
        data.close()


def _column(path: Path, names: list[str], wanted: tuple[str, ...]) -> str:
    for name in names:
        if name.lower() in wanted:
            return name
    hint = nearest(wanted[0], names)
    raise UserError(
        f"The file of positions '{path}' has no '{wanted[0]}'; it has {', '.join(names)}.{hint}"
        " Needed are time, longitude, latitude."
    )
