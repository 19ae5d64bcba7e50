"""GFS and other forecasts in GRIB2, through the optional package eccodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from halocline.core.clock import Date, date, time_units, to_number
from halocline.core.errors import UserError
from halocline.grids.sources import Source, Variable

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


def read_grib(path: Path) -> Source:
    """Winds at 10 m, ice and temperatures at the surface of a GRIB file as variables.

    Times are those for which a forecast is valid.
    """
    try:
        import eccodes
    except (ImportError, RuntimeError, OSError):
        raise UserError(
            f"Reading '{path}' needs the package eccodes, which is not installed. Install it with"
            " 'pip install eccodes' (in the environment of ./halo: 'pip install halocline[grib]'),"
            " or convert the file to netCDF."
        ) from None
    maps: dict[str, dict[Date, Any]] = {}
    axes: dict[str, Any] = {}
    with path.open("rb") as file:
        while (message := eccodes.codes_grib_new_from_file(file)) is not None:
            try:
                _take(eccodes, message, path, maps, axes)
            finally:
                eccodes.codes_release(message)
    if not maps:
        raise UserError(
            f"'{path}' has none of the fields {', '.join(sorted(set(_wanted.values())))} on a"
            " regular latitude-longitude grid."
        )
    return _source(path, maps, axes)


def _take(
    eccodes: Any, message: Any, path: Path, maps: dict[str, dict[Date, Any]], axes: dict[str, Any]
) -> None:
    """Put one message into `maps` if it is one of the wanted fields."""
    short_name = eccodes.codes_get(message, "shortName")
    level = eccodes.codes_get(message, "typeOfLevel")
    if short_name not in _wanted or (short_name == "t" and level != "surface"):
        return
    if eccodes.codes_get(message, "gridType") not in ("regular_ll", "regular_gg"):
        raise UserError(f"'{path}' is not on a regular latitude-longitude grid, which is needed.")
    eccodes.codes_set(message, "missingValue", 1e30)
    longitude = np.unique(eccodes.codes_get_array(message, "longitudes"))
    latitude = np.unique(eccodes.codes_get_array(message, "latitudes"))
    values = np.asarray(eccodes.codes_get_values(message), float)
    values[values == 1e30] = np.nan
    i = np.searchsorted(longitude, eccodes.codes_get_array(message, "longitudes"))
    j = np.searchsorted(latitude, eccodes.codes_get_array(message, "latitudes"))
    plane = np.full((latitude.size, longitude.size), np.nan)
    plane[j, i] = values
    axes.setdefault("longitude", longitude)
    axes.setdefault("latitude", latitude)
    if not (
        np.array_equal(axes["longitude"], longitude) and np.array_equal(axes["latitude"], latitude)
    ):
        raise UserError(f"'{path}' has fields on several grids; name a file with one grid.")
    day = eccodes.codes_get(message, "validityDate")
    clock = eccodes.codes_get(message, "validityTime")
    year, month = divmod(day // 100, 100)
    time = date(f"{year:04d}-{month:02d}-{day % 100:02d} {clock // 100:02d}:{clock % 100:02d}")
    maps.setdefault(_wanted[short_name], {})[time] = plane


def _source(path: Path, maps: dict[str, dict[Date, Any]], axes: dict[str, Any]) -> Source:
    times = sorted(set.intersection(*(set(planes) for planes in maps.values())))
    if not times:
        raise UserError(f"The fields {', '.join(sorted(maps))} of '{path}' share no time.")
    numbers = [to_number(t) for t in times]
    units, calendar = time_units("standard")
    lines = {
        "time": (np.array(numbers), {"units": units, "calendar": calendar}),
        "latitude": (axes["latitude"], {"standard_name": "latitude"}),
        "longitude": (axes["longitude"], {"standard_name": "longitude"}),
    }
    variables = {name: _variable((name,), *line) for name, line in lines.items()}
    for name, planes in maps.items():
        values = np.stack([planes[t] for t in times])
        variables[name] = _variable(tuple(lines), values, {"units": _units[name]})
    return Source(variables)


def _variable(dims: tuple[str, ...], values: Any, attributes: dict[str, str]) -> Variable:
    return Variable(dims, values.shape, attributes, lambda index: values[index])
