"""GFS and other forecasts in GRIB2, through the optional package eccodes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.clock import Date, date, time_units, to_number
from halocline.core.errors import UserError
from halocline.core.netcdf_lock import netcdf_lock
from halocline.grids.files.sources import FileVariables, Index, Variable

Array = NDArray[np.float64]

_wanted = {
    "10u": "u10",
    "10v": "v10",
    "2t": "t2m",
    "ci": "ice",
    "icec": "ice",
    "sst": "sst",
    "t": "tsfc",
}
_units = {"u10": "m s-1", "v10": "m s-1", "t2m": "K", "ice": "1", "sst": "K", "tsfc": "K"}
_beside = {
    "sp": ("surface_air_pressure", "Pa"),
    "orog": ("surface_altitude", "m"),
    "lsm": ("land_binary_mask", "1"),
    "prmsl": ("air_pressure_at_mean_sea_level", "Pa"),
    "msl": ("air_pressure_at_mean_sea_level", "Pa"),
}
"""Further maps, by short name: CF standard name, units; taken where they have all the times."""

_on_levels = {
    "t": ("air_temperature", "K"),
    "u": ("eastward_wind", "m s-1"),
    "v": ("northward_wind", "m s-1"),
    "r": ("relative_humidity", "%"),
    "q": ("specific_humidity", "kg kg-1"),
    "gh": ("geopotential_height", "m"),
    "z": ("geopotential", "m2 s-2"),
}
"""The same of fields on levels of pressure."""

_pascals = {"isobaricInhPa": 100.0, "isobaricInPa": 1.0}
"""How much a level of a type counts [Pa]."""


@dataclass(frozen=True)
class _Lines:
    """Axes of a grid, ascending, and where the values of a message lie on it."""

    longitude: Array
    latitude: Array
    j: NDArray[np.int64]
    i: NDArray[np.int64]

    def same(self, other: _Lines) -> bool:
        """Whether both are one grid, the order of values apart."""
        return np.array_equal(self.longitude, other.longitude) and np.array_equal(
            self.latitude, other.latitude
        )


@dataclass(frozen=True)
class _Place:
    """Where a message begins in its file, its bytes, and its grid."""

    offset: int
    length: int
    lines: _Lines


class _Messages:
    """The wanted messages of a file: found when it is opened, decoded when they are read."""

    def __init__(self, eccodes: Any, path: Path) -> None:
        self.eccodes, self.path = eccodes, path
        self.places: dict[str, dict[Date, _Place]] = {}
        self.beside: dict[str, dict[Date, _Place]] = {}
        self.on_levels: dict[str, dict[tuple[Date, float], _Place]] = {}
        self.lines: list[_Lines] = []
        self._of_grid: dict[str, _Lines] = {}
        try:
            self._find()
        except eccodes.CodesInternalError as error:
            raise OSError(str(error)) from None

    def _find(self) -> None:
        """Look through the file."""
        with netcdf_lock, self.path.open("rb") as file:
            while (message := self.eccodes.codes_grib_new_from_file(file)) is not None:
                try:
                    self._note(message)
                finally:
                    self.eccodes.codes_release(message)

    def _note(self, message: Any) -> None:
        """Keep the place of a message if it is one of the wanted fields."""
        get = self.eccodes.codes_get
        short_name = get(message, "shortName")
        level = get(message, "typeOfLevel")
        on_level = level in _pascals and short_name in _on_levels
        beside = short_name in _beside and level in ("surface", "meanSea")
        wanted = short_name in _wanted and (short_name != "t" or level == "surface")
        if not (on_level or beside or wanted):
            return
        if get(message, "gridType") not in ("regular_ll", "regular_gg"):
            raise UserError(
                f"'{self.path}' is not on a regular latitude-longitude grid, which is needed."
            )
        lines = self._lines(message)
        if not lines.same(self.lines[0]):
            raise UserError(
                f"'{self.path}' has fields on several grids; name a file with one grid."
            )
        day, clock = get(message, "validityDate"), get(message, "validityTime")
        year, month = divmod(day // 100, 100)
        time = date(f"{year:04d}-{month:02d}-{day % 100:02d} {clock // 100:02d}:{clock % 100:02d}")
        offset = int(self.eccodes.codes_get_message_offset(message))
        place = _Place(offset, int(get(message, "totalLength")), lines)
        if on_level:
            pressure = _pascals[level] * float(get(message, "level"))
            self.on_levels.setdefault(short_name, {})[time, pressure] = place
        elif beside:
            self.beside.setdefault(short_name, {})[time] = place
        else:
            self.places.setdefault(_wanted[short_name], {})[time] = place

    def _lines(self, message: Any) -> _Lines:
        """The grid of a message, found once for all that say the same of it."""
        mark = str(self.eccodes.codes_get(message, "md5GridSection"))
        if mark not in self._of_grid:
            x, y = (
                np.asarray(self.eccodes.codes_get_array(message, name), float)
                for name in ("longitudes", "latitudes")
            )
            longitude, latitude = np.unique(x), np.unique(y)
            j, i = np.searchsorted(latitude, y), np.searchsorted(longitude, x)
            self._of_grid[mark] = _Lines(longitude, latitude, j, i)
            self.lines.append(self._of_grid[mark])
        return self._of_grid[mark]

    def _values(self, content: bytes) -> Array:
        """The numbers of a message."""
        message = self.eccodes.codes_new_from_message(content)
        try:
            self.eccodes.codes_set(message, "missingValue", 1e30)
            return np.asarray(self.eccodes.codes_get_values(message), float)
        finally:
            self.eccodes.codes_release(message)

    def plane(self, place: _Place) -> Array:
        """The values of a message (latitude, longitude), missing ones NaN."""
        with self.path.open("rb") as file:
            file.seek(place.offset)
            content = file.read(place.length)
        if len(content) < place.length:
            raise OSError("the file ends within a message")
        with netcdf_lock:
            try:
                values = self._values(content)
            except self.eccodes.CodesInternalError as error:
                raise OSError(str(error)) from None
        values[values == 1e30] = np.nan
        lines = place.lines
        plane = np.full((lines.latitude.size, lines.longitude.size), np.nan)
        plane[lines.j, lines.i] = values
        return plane


def read_grib(path: Path) -> FileVariables:
    """Winds at 10 m, ice, temperatures at the surface, and air on levels, as variables.

    The air lies on the levels of pressure that all its fields have. Times are those for which a
    forecast is valid. Messages are decoded when they are read.
    """
    try:
        import eccodes
    except (ImportError, RuntimeError, OSError):
        raise UserError(
            f"Reading '{path}' needs the package eccodes, which is not installed. Install it with"
            " 'pip install eccodes eccodeslib' (in the environment of ./halo with"
            " '.venv/bin/python -m pip'), or convert the file to netCDF."
        ) from None
    messages = _Messages(eccodes, path)
    if not (messages.places or messages.on_levels):
        raise UserError(
            f"'{path}' has none of the fields {', '.join(sorted(set(_wanted.values())))} on a"
            " regular latitude-longitude grid."
        )
    return _source(messages)


def _source(messages: _Messages) -> FileVariables:
    times = _times(messages)
    numbers = [to_number(t) for t in times]
    units, calendar = time_units("standard")
    axes = messages.lines[0]
    lines = {
        "time": (np.array(numbers), {"units": units, "calendar": calendar}),
        "latitude": (axes.latitude, {"standard_name": "latitude"}),
        "longitude": (axes.longitude, {"standard_name": "longitude"}),
    }
    variables = {name: _line(name, *line) for name, line in lines.items()}
    for name, places in messages.places.items():
        of_time = [places[t] for t in times]
        variables[name] = _maps(messages, of_time, tuple(lines), {"units": _units[name]})
    for name, places in messages.beside.items():
        if set(times) <= set(places):
            of_time = [places[t] for t in times]
            variables[name] = _maps(messages, of_time, tuple(lines), _attributes(_beside[name]))
    return FileVariables(variables | _levels(messages, times))


def _times(messages: _Messages) -> list[Date]:
    """Times that all fields at the surface have; those of the air where there are none."""
    every = [set(some) for some in messages.places.values()]
    every = every or [{time for time, _ in some} for some in messages.on_levels.values()]
    times = sorted(set.intersection(*every))
    if not times:
        names = ", ".join(sorted(messages.places or messages.on_levels))
        raise UserError(f"The fields {names} of '{messages.path}' share no time.")
    return times


def _levels(messages: _Messages, times: list[Date]) -> dict[str, Variable]:
    """The air on the levels that all its fields have at all times, greatest pressure first."""
    fields = messages.on_levels.values()
    each = [{p for t, p in some if t == time} for some in fields for time in times]
    levels = sorted(set.intersection(*each), reverse=True) if each else []
    if not levels:
        return {}
    attributes = {"standard_name": "air_pressure", "units": "Pa"}
    found = {"plev": _line("plev", np.array(levels), attributes)}
    for name, places in messages.on_levels.items():
        planes = [
            _maps(messages, [places[t, p] for t in times], ("time", "latitude", "longitude"), {})
            for p in levels
        ]
        found[name] = _stacked(planes, _attributes(_on_levels[name]))
    return found


def _attributes(facts: tuple[str, str]) -> dict[str, str]:
    return {"standard_name": facts[0], "units": facts[1]}


def _stacked(planes: list[Variable], attributes: dict[str, str]) -> Variable:
    """Maps of levels as one variable (time, plev, latitude, longitude)."""
    time, *map_shape = planes[0].shape

    def part(index: Index) -> Array:
        when, level, *inside = index
        if isinstance(level, slice):
            axis = 1 if isinstance(when, slice) else 0
            return np.stack([plane.part((when, *inside)) for plane in planes[level]], axis)
        return planes[level].part((when, *inside))

    shape, dims = (time, len(planes), *map_shape), ("time", "plev", "latitude", "longitude")
    return Variable(dims, shape, attributes, part, (1, 1, *map_shape))


def _line(name: str, values: Array, attributes: dict[str, str]) -> Variable:
    return Variable((name,), values.shape, attributes, lambda index: values[index])


def _maps(
    messages: _Messages, places: list[_Place], dims: tuple[str, ...], attributes: dict[str, str]
) -> Variable:
    """A variable whose maps are single messages."""
    axes = messages.lines[0]
    shape = (len(places), axes.latitude.size, axes.longitude.size)

    def part(index: Index) -> Array:
        time, *inside = index
        if isinstance(time, slice):
            return np.stack([messages.plane(place)[tuple(inside)] for place in places[time]])
        return messages.plane(places[time])[tuple(inside)]

    return Variable(dims, shape, attributes, part, (1, *shape[1:]))
