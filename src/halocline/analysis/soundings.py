"""Columns of air of a file at a place: on levels of pressure, or with the pressure as a field."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from halocline.analysis import reading
from halocline.core import moist_air
from halocline.core.errors import UserError

Numbers = NDArray[np.float64]

_vapours = ("humidity_mixing_ratio", "specific_humidity", "relative_humidity")


@dataclass(frozen=True)
class Sounding:
    """A column from below upward; winds are missing (None) where a file has none."""

    pressure: Numbers  # [Pa]
    temperature: Numbers  # [K]
    mixing_ratio: Numbers  # [1]
    wind: tuple[Numbers, Numbers] | None  # eastward, northward [m s-1]
    longitude: float  # of the column [degree], or x [m] on flat grids
    latitude: float
    time: str
    flat: bool = False

    @property
    def dewpoint(self) -> Numbers:
        """Of the vapour [K]."""
        vapor = np.maximum(self.mixing_ratio, 1e-8)
        return moist_air.dewpoint(moist_air.vapor_pressure(vapor, self.pressure))


Place = tuple[float, float] | None
"""Longitude and latitude [degree], or x and y [km] on flat grids; None: there is one column."""


def has_soundings(dataset: xr.Dataset) -> bool:
    """Whether there is a temperature of air on levels."""
    return _with_levels(dataset, "air_temperature") is not None


def sounding_at(dataset: xr.Dataset, place: Place, index: int, file: str | Path) -> Sounding:
    """The column nearest to a place in a record."""
    temperature = _on_levels(dataset, "air_temperature", file)
    column, where = _column(temperature, place, index)
    pressure = _pressure(dataset, temperature, place, index, file)
    vapor = _vapour(dataset, place, index, pressure, column, file)
    wind = _wind(dataset, place, index)
    ground = _ground(dataset, place, index)
    known = np.isfinite(column + vapor + pressure) & (pressure <= ground)
    if known.sum() < 3:
        raise UserError(
            f"The column of '{file}' at {where[0]:g}, {where[1]:g} has {int(known.sum())}"
            " levels with values. Choose another place."
        )
    order = np.flatnonzero(known)[np.argsort(-pressure[known], kind="stable")]
    return Sounding(
        pressure[order],
        column[order],
        vapor[order],
        None if wind is None else (wind[0][order], wind[1][order]),
        *where,
        reading.valid_time(reading.record(temperature, index)),
        reading.is_cartesian(reading.horizontal(temperature)[1]),
    )


def _on_levels(dataset: xr.Dataset, standard_name: str, file: str | Path) -> xr.DataArray:
    """The variable of a standard name that has levels."""
    found = _with_levels(dataset, standard_name)
    if found is not None:
        return found
    raise UserError(
        f"'{file}' has no {standard_name} on levels to draw a sounding of. Fields are:"
        f" {reading.listed(reading.fields_of(dataset))}."
    )


def _with_levels(dataset: xr.Dataset, standard_name: str) -> xr.DataArray | None:
    for variable in dataset.data_vars.values():
        if variable.attrs.get("standard_name") == standard_name and _level_axis(variable):
            return variable
    return None


def _level_axis(variable: xr.DataArray) -> str:
    """The dimension that counts levels: neither time nor along the map; '' if there is none."""
    try:
        latitude, longitude = reading.horizontal(variable)
    except UserError:
        return ""
    time = reading.coordinate(variable, "time")
    others = {*latitude.dims, *longitude.dims, *(() if time is None else time.dims)}
    more = [str(dim) for dim in variable.dims if dim not in others]
    return more[0] if len(more) == 1 else ""


def _column(
    variable: xr.DataArray, place: Place, index: int
) -> tuple[Numbers, tuple[float, float]]:
    """Values of the nearest column of a record, and its longitude and latitude."""
    latitude, longitude = reading.horizontal(variable)
    record = reading.record(variable, index)
    if place is None:
        return record.values.astype(np.float64), (float(longitude), float(latitude))
    y, x = latitude, longitude
    if latitude.ndim == 1 and longitude.ndim == 1:
        y, x = xr.broadcast(latitude, longitude)
    else:
        x = longitude.transpose(*latitude.dims)
    flat = reading.is_cartesian(longitude)
    j, i = _nearest(x.values, y.values, place, flat=flat)
    values = record.isel({y.dims[0]: j, y.dims[1]: i}).values.astype(np.float64)
    return values, (float(x.values[j, i]), float(y.values[j, i]))


def _nearest(
    x: Numbers, y: Numbers, place: tuple[float, float], *, flat: bool = False
) -> tuple[int, int]:
    """Row and column of the point nearest to a place, by the chord between them."""
    if flat:
        away = (1e-3 * x - place[0]) ** 2 + (1e-3 * y - place[1]) ** 2
        j, i = np.unravel_index(int(np.nanargmin(away)), away.shape)
        return int(j), int(i)
    east, north = np.deg2rad(x.astype(np.float64)), np.deg2rad(y.astype(np.float64))
    a, b = np.deg2rad(place)
    near = np.sin(north) * np.sin(b) + np.cos(north) * np.cos(b) * np.cos(east - a)
    j, i = np.unravel_index(int(np.nanargmax(near)), near.shape)
    return int(j), int(i)


def _pressure(
    dataset: xr.Dataset,
    temperature: xr.DataArray,
    place: Place,
    index: int,
    file: str | Path,
) -> Numbers:
    """Pressure of the levels of a column [Pa]: their coordinate, or a field."""
    axis = _level_axis(temperature)
    line = dataset.coords.get(axis)
    if line is not None:
        units = str(line.attrs.get("units", ""))
        factor = {"Pa": 1.0, "hPa": 100.0, "millibars": 100.0, "mbar": 100.0}.get(units)
        if factor is not None:
            return np.asarray(line.values, np.float64) * factor
    for variable in dataset.data_vars.values():
        same = set(variable.dims) == set(temperature.dims)
        if variable.attrs.get("standard_name") == "air_pressure" and same:
            return _column(variable, place, index)[0]
    raise UserError(
        f"'{file}' has no pressure of the levels '{axis}': neither their units are Pa or hPa, nor"
        " is there a field with standard_name air_pressure on them."
    )


def _vapour(
    dataset: xr.Dataset,
    place: Place,
    index: int,
    pressure: Numbers,
    temperature: Numbers,
    file: str | Path,
) -> Numbers:
    """Mixing ratio of a column [1] from the humidity that the file has."""
    for name in _vapours:
        for variable in dataset.data_vars.values():
            if variable.attrs.get("standard_name") != name or not _level_axis(variable):
                continue
            values = np.maximum(_column(variable, place, index)[0], 0.0)
            if name == "humidity_mixing_ratio":
                return values
            if name == "specific_humidity":
                return values / (1.0 - values)
            share = values / 100.0 if variable.attrs.get("units") == "%" else values
            vapor = np.minimum(share * moist_air.saturation_pressure(temperature), 0.5 * pressure)
            return moist_air.mixing_ratio(vapor, pressure)
    raise UserError(f"'{file}' has no humidity on levels (one of {', '.join(_vapours)}).")


def _wind(dataset: xr.Dataset, place: Place, index: int) -> tuple[Numbers, Numbers] | None:
    """Eastward and northward wind of a column [m s-1]; those along a grid are turned."""
    for names in (("eastward_wind", "northward_wind"), ("x_wind", "y_wind")):
        found = [
            variable
            for name in names
            for variable in dataset.data_vars.values()
            if variable.attrs.get("standard_name") == name and _level_axis(variable)
        ]
        if len(found) != 2:
            continue
        along, across = (_column(variable, place, index)[0] for variable in found)
        if names[0] == "eastward_wind":
            return along, across
        angle = _angle(found[0], place)
        east = along * np.cos(angle) - across * np.sin(angle)
        return east, along * np.sin(angle) + across * np.cos(angle)
    return None


def _angle(variable: xr.DataArray, place: Place) -> float:
    """From east to the rows of the grid of a variable, anticlockwise [rad]."""
    latitude, longitude = reading.horizontal(variable)
    if latitude.ndim < 2 or place is None:
        return 0.0
    x, y = longitude.transpose(*latitude.dims).values, latitude.values
    j, i = _nearest(x, y, place)
    west, east = max(i - 1, 0), min(i + 1, x.shape[1] - 1)
    dx = (x[j, east] - x[j, west] + 180.0) % 360.0 - 180.0
    return float(np.arctan2(y[j, east] - y[j, west], dx * np.cos(np.deg2rad(y[j, i]))))


def _ground(dataset: xr.Dataset, place: Place, index: int) -> float:
    """Pressure at the ground of a column [Pa]; beyond all where a file has none."""
    for variable in dataset.data_vars.values():
        if variable.attrs.get("standard_name") == "surface_air_pressure":
            values, _ = _column(variable, place, index)
            factor = 100.0 if variable.attrs.get("units") in ("hPa", "mbar") else 1.0
            return float(values) * factor
    return float("inf")
