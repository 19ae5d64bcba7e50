"""Opening files by their CF attributes: coordinates, kinds of content, times, places."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.core.other_names import hint

Kind = Literal["fields", "points", "spectra"]

_NAMES: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    # standard names, beginnings of units, usual names of the coordinate
    "latitude": (("latitude",), ("degrees_n", "degree_n"), ("latitude", "lat", "nav_lat", "tlat")),
    "longitude": (
        ("longitude",),
        ("degrees_e", "degree_e"),
        ("longitude", "lon", "nav_lon", "tlon"),
    ),
    "y": (("projection_y_coordinate",), (), ()),
    "x": (("projection_x_coordinate",), (), ()),
    "time": (("time",), (), ("time", "valid_time")),
    "depth": (
        ("depth", "height", "altitude", "ocean_sigma_coordinate", "air_pressure"),
        (),
        ("depth", "level", "lev", "z", "z_t", "plev", "k"),
    ),
    "frequency": (("sea_surface_wave_frequency", "wave_frequency"), (), ("frequency", "freq")),
    "direction": (
        ("sea_surface_wave_to_direction", "sea_surface_wave_from_direction"),
        (),
        ("direction", "dir"),
    ),
    "station": ((), (), ("station", "site", "point", "station_name", "section")),
}
_OF_NO_USE_TO_READERS = ["record_checksum"]
_SPECTRUM = "sea_surface_wave_directional_variance_spectral_density"


def open_output(file: Path | str, *, moving: bool = False) -> xr.Dataset:
    """Open a netCDF file or a Zarr folder; one clear message if that cannot be done.

    Where records lie at places of their own (`moving_files`), that is for readers who say `moving`.
    """
    path = Path(file)
    if not path.exists():
        raise UserError(f"Cannot draw '{path}': there is no such file.")
    is_zarr = (path / "zarr.json").exists()
    if path.is_dir() and not is_zarr:
        inside = sorted(one.name for one in path.iterdir() if one.suffix in (".nc", ".zarr"))
        advice = f"Name one of: {listed(inside)}." if inside else "There is no output in it."
        raise UserError(f"Cannot draw '{path}': it is a folder. {advice}")
    dataset = _opened(path, is_zarr)
    time = coordinate(dataset, "time")
    if time is not None and not time.size:
        raise UserError(
            f"Cannot draw '{path}': it has no record. The run ended before the interval of this"
            " stream: run longer, or set a shorter interval."
        )
    if not moving and any(str(name).startswith("moving_") for name in dataset.variables):
        raise UserError(
            f"Cannot read '{path}' here: its grid moves along, and this is of one place. Draw it by"
            " 'halocline plot', or take the member around it."
        )
    return dataset


def _opened(path: Path, is_zarr: bool) -> xr.Dataset:
    """What a file or folder that is there holds."""
    try:
        if is_zarr:
            return xr.open_zarr(path, consolidated=False, chunks=None, decode_timedelta=False)
        return xr.open_dataset(
            path, engine="netcdf4", decode_timedelta=False, drop_variables=_OF_NO_USE_TO_READERS
        )
    except (OSError, ValueError) as error:
        raise UserError(
            f"Cannot draw '{path}': it is not a netCDF file that can be read "
            f"({str(error).splitlines()[0][:200]}). Give an output file of a run."
        ) from None


def coordinate(data: xr.Dataset | xr.DataArray, what: str) -> xr.DataArray | None:
    """The coordinate of `data` that is the "latitude", "longitude", "time", "depth" ..."""
    standard_names, units, names = _NAMES[what]
    known = {name: data[name] for name in _candidates(data)}
    for candidate in known.values():
        if candidate.attrs.get("standard_name") in standard_names:
            return candidate
    for candidate in known.values():
        if units and str(candidate.attrs.get("units", "")).lower().startswith(units):
            return candidate
    for name, candidate in known.items():
        if str(name).lower() in names:
            return candidate
    return None


def horizontal(data: xr.Dataset | xr.DataArray) -> tuple[xr.DataArray, xr.DataArray]:
    """Latitudes and longitudes, or y and x [m] of a Cartesian grid."""
    for pair in (("latitude", "longitude"), ("y", "x")):
        north, east = (coordinate(data, name) for name in pair)
        if north is not None and east is not None:
            return north, east
    name = data.name if isinstance(data, xr.DataArray) else "this file"
    raise UserError(f"Cannot draw a map of '{name}': it has no latitudes and longitudes.")


def is_cartesian(longitude: xr.DataArray) -> bool:
    """Whether this horizontal coordinate is a distance [m], no angle."""
    return str(longitude.attrs.get("units", "")) in ("m", "metre", "meter")


def _candidates(data: xr.Dataset | xr.DataArray) -> list[Hashable]:
    found = list(data.coords)
    if isinstance(data, xr.Dataset):
        named = {name for variable in data.values() for name in _mentioned(variable)}
        found += [name for name in data.data_vars if str(name) in named]
        found += [n for n in data.data_vars if str(n).lower() in ("latitude", "longitude")]
    return list(dict.fromkeys(found))


def _mentioned(variable: xr.DataArray) -> list[str]:
    words = variable.encoding.get("coordinates") or variable.attrs.get("coordinates") or ""
    return str(words).split()


def kind_of(dataset: xr.Dataset, file: Path | str = "") -> Kind:
    """What a file holds: "fields" on a grid, "points" in time, or "spectra" at points."""
    if spectrum_of(dataset) is not None:
        return "spectra"
    if coordinate(dataset, "station") is not None or "station" in dataset.dims:
        return "points"
    if fields_of(dataset):
        return "fields"
    if coordinate(dataset, "time") is not None and series_of(dataset):
        return "points"
    raise UserError(
        f"Cannot draw '{file}': it has neither fields on a map nor series in time "
        f"(variables: {listed(dataset.data_vars)}). Give a file that follows CF conventions."
    )


def spectrum_of(dataset: xr.Dataset) -> xr.DataArray | None:
    """The directional spectrum of a file of point spectra [m2 s rad-1], if there is one."""
    for variable in dataset.data_vars.values():
        standard = variable.attrs.get("standard_name") == _SPECTRUM
        frequency, direction = coordinate(variable, "frequency"), coordinate(variable, "direction")
        if frequency is not None and direction is not None and (standard or variable.ndim >= 3):
            return variable
    return None


def fields_of(dataset: xr.Dataset) -> list[str]:
    """Names of the variables that lie on a grid of latitudes and longitudes, its corners too."""
    return [
        str(name)
        for name, variable in dataset.data_vars.items()
        if np.issubdtype(variable.dtype, np.number) and _lies_on_a_grid(dataset, variable)
    ]


def _lies_on_a_grid(dataset: xr.Dataset, variable: xr.DataArray) -> bool:
    """Whether the coordinates of a variable, or else those of its file, make it a map."""
    for data in (variable, dataset):
        try:
            latitude, longitude = horizontal(data)
        except UserError:
            continue
        needed = set(latitude.dims) | set(longitude.dims)
        if variable.name in (latitude.name, longitude.name):
            return False
        if len(needed) == 2 and needed <= set(variable.dims):
            return True
    return False


def of_most_interest(dataset: xr.Dataset) -> list[str]:
    """The fields of a file, but not those without time where others have it: areas of cells."""
    names, time = fields_of(dataset), coordinate(dataset, "time")
    moving = [
        name for name in names if time is not None and set(time.dims) & set(dataset[name].dims)
    ]
    return moving or names


def series_of(dataset: xr.Dataset) -> list[str]:
    """Names of the variables that run in time, at points or as such."""
    time = coordinate(dataset, "time")
    station = station_dimension(dataset)
    return [
        str(name)
        for name, variable in dataset.data_vars.items()
        if time is not None
        and time.ndim == 1
        and set(time.dims) <= set(variable.dims) <= set(time.dims) | {station}
        and np.issubdtype(variable.dtype, np.number)
        and str(name).lower() not in ("latitude", "longitude")
    ]


def columns_at_stations(dataset: xr.Dataset) -> list[str]:
    """Names of the variables that have levels, at stations in time."""
    time, station = coordinate(dataset, "time"), station_dimension(dataset)
    return [
        str(name)
        for name, variable in dataset.data_vars.items()
        if station in variable.dims
        and (depth := coordinate(variable, "depth")) is not None
        and time is not None
        and set(variable.dims) == {station, *depth.dims, *time.dims}
        and depth.ndim == 1
    ]


def station_dimension(dataset: xr.Dataset) -> str:
    """Name of the dimension of stations, "" if there is none."""
    for name in dataset.dims:
        if str(name).lower() in _NAMES["station"][2]:
            return str(name)
    return ""


def find(dataset: xr.Dataset, *names: str) -> xr.DataArray | None:
    """The first variable that has one of the standard names, or else one of the names, given."""
    for name in names:
        for variable in dataset.data_vars.values():
            if variable.attrs.get("standard_name") == name:
                return variable
    for name in names:
        if name in dataset.data_vars:
            return dataset[name]
    return None


def variable_named(dataset: xr.Dataset, name: str, file: Path | str) -> xr.DataArray:
    """The variable of this name or standard name; a message with the nearest one if none is."""
    found = find(dataset, name)
    if found is None:
        known = [str(known) for known in dataset.data_vars]
        raise UserError(
            f"There is no variable '{name}' in '{file}'.{hint(name, known)} "
            f"It has: {listed(known)}."
        )
    return found


def listed(names: Iterable[Any], most: int = 20) -> str:
    """Names in a row, cut when there are many."""
    known = [str(name) for name in names]
    return ", ".join(known[:most]) + (" ..." if len(known) > most else "")


def time_index(data: xr.Dataset | xr.DataArray, time: str | int | None, file: Path | str) -> int:
    """Index of the record at `time`: None is the last, a whole number counts, a text is a date.

    A date between two records takes the nearer one; one outside the file is refused.
    """
    axis = coordinate(data, "time")
    if axis is None or axis.ndim != 1:
        return 0
    count = axis.size
    if time is None:
        return count - 1
    if isinstance(time, int) or time.lstrip("-").isdigit() and len(time) < 4:
        index = int(time)
        if not -count <= index < count:
            raise UserError(
                f"There is no record {index} in '{file}'. Give 0 to {count - 1}; -1 is the last."
            )
        return index % count
    first, last = (moment(value) for value in (axis.values[0], axis.values[-1]))
    try:
        wanted = np.datetime64(time.strip().removesuffix("Z").removesuffix(" UTC"), "s")
    except ValueError:
        raise UserError(
            f"'{time}' is not a time. Write it like {last.replace(' UTC', '').replace(' ', 'T')}, "
            f"or give the number of a record."
        ) from None
    seconds = seconds_of(axis.values)
    distance = np.abs(seconds - wanted.astype(np.int64))
    step = np.median(np.diff(seconds)) if count > 1 else 3600.0
    if distance.min() > max(step, 1.0):
        raise UserError(f"'{file}' has nothing at {time}: it runs from {first} to {last}.")
    return int(distance.argmin())


def seconds_of(times: NDArray[Any]) -> NDArray[np.float64]:
    """Dates of any calendar as seconds of the real one."""
    texts = times
    if not np.issubdtype(times.dtype, np.datetime64):
        texts = np.array([value.strftime("%Y-%m-%dT%H:%M:%S") for value in times], "datetime64[s]")
    return texts.astype("datetime64[s]").astype(np.int64).astype(np.float64)


def moment(value: Any) -> str:
    """A time as printed: '2011-01-20 12:00 UTC', of any calendar."""
    if isinstance(value, np.datetime64):
        return str(value.astype("datetime64[m]")).replace("T", " ") + " UTC"
    return str(value.strftime("%Y-%m-%d %H:%M UTC"))


def valid_time(data: xr.DataArray) -> str:
    """The time of a single record as printed, "" if it has none."""
    axis = coordinate(data, "time")
    if axis is None or axis.ndim != 0:
        return ""
    if not np.issubdtype(axis.dtype, np.datetime64) and not hasattr(axis.item(), "strftime"):
        return f"time {axis.item():g} {axis.attrs.get('units', '')}".strip()
    return moment(axis.values[()] if np.issubdtype(axis.dtype, np.datetime64) else axis.item())


def record(data: xr.DataArray, index: int) -> xr.DataArray:
    """The record of this index; data without time as they are."""
    axis = coordinate(data, "time")
    if axis is None or axis.ndim != 1 or axis.dims[0] not in data.dims:
        return data
    return data.isel({axis.dims[0]: index})


def station_names(dataset: xr.Dataset) -> list[str]:
    """Names of the stations, or their numbers when they have none."""
    dimension = station_dimension(dataset)
    count = dataset.sizes.get(dimension, 1)
    known = [
        name
        for name in ("station_name", f"{dimension}_name", dimension)
        if name in dataset.variables
    ]
    names = dataset.variables[known[0]] if known else None
    if names is None or names.shape[:1] != (count,):
        return [str(number + 1) for number in range(count)]
    return [_text(value) for value in names.values]


def _text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return b"".join(np.atleast_1d(value.astype("S1"))).decode().strip("\0 ")
    if isinstance(value, bytes):
        return value.decode().strip("\0 ")
    return str(value).strip("\0 ")
