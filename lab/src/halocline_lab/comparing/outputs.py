"""Outputs of any model as they are compared: raw values, what is missing, grids, times, places."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import xarray as xr
from numpy.typing import NDArray

from halocline.analysis import reading
from halocline.core.errors import UserError

Numbers = NDArray[np.float64]
Raw = NDArray[Any]


@dataclass(frozen=True)
class Output:
    """One file: `raw` as it is stored, `decoded` with dates and coordinates."""

    path: Path
    raw: xr.Dataset
    decoded: xr.Dataset

    @cached_property
    def variables(self) -> list[str]:
        """Names of the variables with numbers; no coordinates, bounds of cells, checksums."""
        bounds = {str(v.attrs.get("bounds", "")) for v in self.raw.variables.values()}
        return [
            str(name)
            for name, variable in self.raw.variables.items()
            if name not in self.coordinates
            and name not in bounds
            and np.issubdtype(variable.dtype, np.number)
            and "checksum" not in str(name)
            and variable.size
        ]

    @cached_property
    def texts(self) -> list[str]:
        """Names of the variables with words."""
        variables = self.raw.variables.items()
        return [str(name) for name, v in variables if not np.issubdtype(v.dtype, np.number)]

    @cached_property
    def coordinates(self) -> list[str]:
        """Names of all that says where and when."""
        found = {str(name) for name in self.decoded.coords}
        for what in ("latitude", "longitude", "x", "y", "time"):
            one = reading.coordinate(self.decoded, what)
            if one is not None:
                found.add(str(one.name))
        return sorted(found & {str(name) for name in self.raw.variables})

    @cached_property
    def time(self) -> str:
        """Name of the dimension of time, or nothing."""
        axis = reading.coordinate(self.decoded, "time")
        return str(axis.dims[0]) if axis is not None and axis.ndim == 1 else ""

    @cached_property
    def seconds(self) -> Numbers:
        """Seconds of the records since the first [s]; their numbers where there are no dates."""
        axis = reading.coordinate(self.decoded, "time") if self.time else None
        if axis is None:
            return np.zeros(1)
        values = axis.values
        if np.issubdtype(values.dtype, np.datetime64):
            found: Numbers = (values - values[0]) / np.timedelta64(1, "s")
            return found
        if values.dtype == object:
            return np.array([(value - values[0]).total_seconds() for value in values])
        return values.astype(np.float64) - float(values[0])

    def records(self, name: str) -> int:
        """How many records in time a variable has; 1 where it has no time."""
        variable = self.raw.variables[name]
        return variable.sizes[self.time] if self.time in variable.dims else 1

    def record(self, name: str, at: int) -> Raw:
        """One record as it is stored, in the byte order of this machine."""
        variable = self.raw.variables[name]
        some = variable.isel({self.time: at}) if self.time in variable.dims else variable
        values = some.values
        return values.astype(values.dtype.newbyteorder("="), copy=False)

    def missing(self, name: str, values: Raw) -> NDArray[np.bool_]:
        """Where there is no value: NaN, or one of the fill values."""
        attributes = self.raw.variables[name].attrs
        found = np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, bool)
        fills = [attributes[key] for key in ("_FillValue", "missing_value") if key in attributes]
        if values.dtype.kind == "f":
            fills.append(netCDF4.default_fillvals[f"f{values.dtype.itemsize}"])
        for fill in fills:
            for one in np.atleast_1d(fill):
                found |= values == values.dtype.type(one)
        return found

    def unpacked(self, name: str, values: Raw) -> Numbers:
        """Values in float64, by scale_factor and add_offset."""
        attributes = self.raw.variables[name].attrs
        scale, offset = attributes.get("scale_factor", 1.0), attributes.get("add_offset", 0.0)
        return values.astype(np.float64) * float(scale) + float(offset)

    def packed(self, name: str) -> bool:
        """Whether a variable is stored as scaled numbers."""
        return bool({"scale_factor", "add_offset"} & set(self.raw.variables[name].attrs))

    def units(self, name: str) -> str:
        """Units of a variable as the file names them."""
        return str(self.raw.variables[name].attrs.get("units", ""))

    def cyclic(self, name: str) -> bool:
        """Whether a variable is a direction in degrees, of which 359 and 1 differ by 2."""
        attributes = self.raw.variables[name].attrs
        words = f"{name} {attributes.get('standard_name', '')} {attributes.get('long_name', '')}"
        spread = "spread" in words.lower() or "width" in words.lower()
        angle = self.units(name).lower() in ("degree", "degrees")
        return angle and "direction" in words.lower() and not spread

    def place(self, name: str, at: int, index: tuple[int, ...]) -> str:
        """Where and when a value stands, by coordinates or else by numbers."""
        data = self.decoded[name]
        words = []
        if self.time in data.dims:
            dates = reading.coordinate(self.decoded, "time")
            stamp = dates is not None and dates.dtype.kind in "MO"
            words.append(
                reading.moment(dates.values[at]) if stamp and dates is not None else f"record {at}"
            )
            data = data.isel({self.time: at})
        for dimension, number in zip(data.dims, index, strict=True):
            axis = self.decoded.variables.get(dimension)
            known = axis is not None and np.issubdtype(axis.dtype, np.number)
            value = f"{axis.values[number]:.6g}" if known and axis is not None else f"[{number}]"
            words.append(f"{dimension} {value}")
        for what in ("latitude", "longitude"):
            plane = reading.coordinate(self.decoded, what)
            if plane is not None and plane.ndim == 2 and set(plane.dims) <= set(data.dims):
                where = dict(zip(map(str, data.dims), index, strict=True))
                here = float(plane.isel({d: where[str(d)] for d in plane.dims}))
                words.append(f"{what} {here:.6g}")
        return ", ".join(words)


@contextmanager
def opened(path: Path) -> Iterator[Output]:
    """Open a netCDF file or a Zarr folder."""
    if not path.exists():
        raise UserError(f"Cannot compare '{path}': there is no such file.")
    how: dict[str, Any] = {"engine": "netcdf4"}
    if path.is_dir():
        how = {"engine": "zarr", "backend_kwargs": {"consolidated": False}}
    try:
        raw = xr.open_dataset(path, **how, decode_cf=False)
        decoded = xr.open_dataset(path, **how, decode_timedelta=False)
    except (OSError, ValueError, KeyError) as error:
        words = str(error).splitlines()[0][:200]
        raise UserError(
            f"Cannot compare '{path}': it is no netCDF file or Zarr folder that can be read"
            f" ({words})."
        ) from None
    with raw, decoded:
        yield Output(path, raw, decoded)


def files_of(path: Path) -> list[str]:
    """Names of the output files in a folder of results; of a file, nothing."""
    if not path.exists():
        raise UserError(f"Cannot compare '{path}': there is no such file or folder.")
    if path.is_file() or path.suffix == ".zarr" or (path / "zarr.json").exists():
        return []
    found = sorted(p.name for p in [*path.glob("*.nc"), *path.glob("*.zarr")])
    if not found:
        raise UserError(f"Cannot compare '{path}': the folder has no output (*.nc, *.zarr).")
    return found


def pairs(a: Path, b: Path) -> list[tuple[Path, Path]]:
    """The files to compare of two files or folders."""
    in_a, in_b = files_of(a), files_of(b)
    if in_a and in_b:
        for here, there, some, others in ((a, b, in_a, in_b), (b, a, in_b, in_a)):
            lonely = [name for name in some if name not in others]
            if lonely:
                raise UserError(
                    f"Only '{here}' has {', '.join(lonely)}; '{there}' has not. Compare single"
                    " files, or runs with the same output."
                )
        return [(a / name, b / name) for name in in_a]
    if in_a or in_b:
        name = (b if in_a else a).name
        return [(a / name if in_a else a, b / name if in_b else b)]
    return [(a, b)]


def counterpart(path: Path, file: Path) -> Path:
    """The file of a member of an ensemble that stands for `file`."""
    return path / file.name if files_of(path) else path


def check_alike(a: Output, b: Output, only: list[str]) -> list[str]:
    """Names of the variables to compare; what keeps two files from it is said in one message."""
    names = only or sorted({*a.variables, *b.variables})
    for name in names:
        for one, other in ((a, b), (b, a)):
            if name not in one.variables:
                known = name in one.raw.variables
                state = "is a coordinate or holds no numbers" if known else "is missing"
                common = [v for v in a.variables if v in b.variables]
                raise UserError(
                    f"Variable '{name}' {state} in '{one.path}', unlike in '{other.path}'. Compare"
                    f" the common ones with --only {','.join(common)}."
                    if common and not only
                    else f"Variable '{name}' {state} in '{one.path}'. It has:"
                    f" {reading.listed(one.variables)}."
                )
    for name in names:
        _check_shapes(a, b, name)
    _check_times(a, b)
    for name in sorted(set(a.coordinates) & set(b.coordinates)):
        _check_coordinate(a, b, name)
    return names


def _check_shapes(a: Output, b: Output, name: str) -> None:
    first, second = (dict(o.raw.variables[name].sizes) for o in (a, b))
    if list(first.values()) != list(second.values()) or list(first) != list(second):
        shapes = (", ".join(f"{d} {n}" for d, n in sizes.items()) for sizes in (first, second))
        raise UserError(
            f"The grids or times differ: '{name}' is ({next(shapes)}) in '{a.path}' but"
            f" ({next(shapes)}) in '{b.path}'. Bring both to one grid and the same records first."
        )
    units = a.units(name), b.units(name)
    if units[0] != units[1]:
        raise UserError(
            f"Variable '{name}' is in '{units[0]}' in '{a.path}' but in '{units[1]}' in"
            f" '{b.path}'. Convert one of them."
        )


def _check_times(a: Output, b: Output) -> None:
    if not (a.time and b.time):
        return
    first, second = (reading.coordinate(o.decoded, "time") for o in (a, b))
    assert first is not None and second is not None
    if first.shape == second.shape and _same_moments(first.values, second.values):
        return
    spans = [
        f"{t.size} records from {_moment(t.values[0])} to {_moment(t.values[-1])}"
        for t in (first, second)
        if t.size
    ]
    raise UserError(
        f"The times differ: '{a.path}' has {spans[0]}, '{b.path}' has {spans[-1]}. Compare runs"
        " with the same output times."
    )


def _same_moments(a: Raw, b: Raw) -> bool:
    """Whether times are the same to a second; numbers without dates exactly."""
    if a.dtype != b.dtype or a.dtype.kind not in "MO":
        return bool(a.dtype == b.dtype and (a == b).all())
    second: Any = np.timedelta64(1, "s") if a.dtype.kind == "M" else timedelta(seconds=1)
    try:
        return bool((abs(a - b) <= second).all())
    except TypeError:  # of two calendars
        return False


def _moment(value: Any) -> str:
    return f"{value:g}" if isinstance(value, np.number) else reading.moment(value)


def _check_coordinate(a: Output, b: Output, name: str) -> None:
    """Positions must agree to the rounding of float32; numbers only, times are checked before."""
    first, second = (o.raw.variables[name] for o in (a, b))
    numeric = all(np.issubdtype(v.dtype, np.number) for v in (first, second))
    if not numeric or a.time in first.dims:
        return
    same = first.shape == second.shape
    if not same or not np.allclose(
        first.values, second.values, rtol=1e-6, atol=1e-6, equal_nan=True
    ):
        raise UserError(
            f"The grids differ: '{name}' of '{a.path}' is not that of '{b.path}'. Bring both to one"
            " grid first."
        )
