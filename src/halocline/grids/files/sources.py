"""Variables of files, whatever the format: netCDF, Zarr, GRIB2; unpacked, missing values NaN."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

import cftime
import netCDF4
import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.core.memory import refuse_beyond_memory
from halocline.core.netcdf_lock import netcdf_lock
from halocline.runtime.files.classic_files import refuse_damaged
from halocline.runtime.files.hdf5_heaps import refuse_broken_heaps, refuse_cut

Array = NDArray[np.float64]
Index = tuple[int | slice, ...]


bytes_in_reading = 32
"""Memory for a value while it is read: as it comes, unpacked, masked, in double precision."""


class Unreadable(UserError):
    """A variable that the libraries cannot read, and their reason."""

    def __init__(self, name: str, path: Path, error: Exception) -> None:
        self.reason = _reason(error)
        super().__init__(f"Cannot read '{name}' from '{path}': {self.reason}.")


def _reason(error: Exception) -> str:
    """The first line of what a library says."""
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


@dataclass(frozen=True)
class Variable:
    """One variable; `part` reads what an index for every dimension says.

    `chunk` is the shape of what can only be read together, None where any part can.
    """

    dims: tuple[str, ...]
    shape: tuple[int, ...]
    attrs: Mapping[str, Any]
    part: Callable[[Index], Array]
    chunk: tuple[int, ...] | None = None

    @property
    def ndim(self) -> int:
        return len(self.dims)

    def read(self, **index: int | slice) -> Array:
        """Values with some dimensions at one place or in a slice."""
        places = tuple(index.get(dim, slice(None)) for dim in self.dims)
        count = prod(
            len(range(*place.indices(size)))
            for place, size in zip(places, self.shape, strict=True)
            if isinstance(place, slice)
        )
        refuse_beyond_memory(
            bytes_in_reading * count, f"A variable ({', '.join(self.dims)})", "Is the file whole?"
        )
        return self.part(places)

    def times(self, where: str) -> list[Any]:
        """Values as dates in the calendar of the file; `where` names the file in messages."""
        values = np.atleast_1d(self.read()).ravel()
        if not values.size:
            raise UserError(f"{where} has no record: its time is empty. Use a file with some.")
        if not np.isfinite(values).all():
            at = int(np.argmin(np.isfinite(values))) + 1
            raise UserError(f"The time of record {at} of {where} is missing (NaN). Mend the file.")
        units = str(self.attrs.get("units", ""))
        calendar = str(self.attrs.get("calendar", "standard"))
        try:
            dates = cftime.num2date(values, units, calendar, only_use_cftime_datetimes=True)
        except (ArithmeticError, ValueError, TypeError):
            raise UserError(
                f"The times of {where} have no units such as 'hours since 1970-01-01' that fit"
                f" their numbers and calendar ('{units}', '{calendar}'). Mend the CF attribute"
                " units of the time variable."
            ) from None
        return list(dates)


@dataclass
class FileVariables:
    """All variables of a file."""

    variables: dict[str, Variable]
    attrs: Mapping[str, Any] = field(default_factory=dict)
    close: Callable[[], Any] = lambda: None

    def __getitem__(self, name: str) -> Variable:
        return self.variables[name]

    @property
    def data(self) -> list[str]:
        """Names of the variables that are no coordinates."""
        return [name for name, variable in self.variables.items() if variable.ndim > 1]

    def keep_beside(self, name: str) -> None:
        """Keep one variable and what lies along some of its dimensions: its own coordinates.

        Bounds of these stay too.
        """
        dims = set(self[name].dims)
        some = {key for key, variable in self.variables.items() if set(variable.dims) <= dims}
        some |= {str(self[key].attrs["bounds"]) for key in some if "bounds" in self[key].attrs}
        self.variables = {key: v for key, v in self.variables.items() if key in some}

    def listing(self) -> str:
        """Variables with their dimensions, for messages."""
        some = [f"{name}({', '.join(v.dims)})" for name, v in self.variables.items()]
        return ", ".join(some) or "nothing"


_of_libraries = (
    OSError, ValueError, RuntimeError, TypeError, LookupError, ArithmeticError, AttributeError,
)  # fmt: skip
"""What the libraries raise of damaged files."""


def open_source(path: Path) -> FileVariables:
    """Open netCDF (any kind), a Zarr folder, or GRIB2."""
    try:
        if path.suffix.lower() in (".grib", ".grib2", ".grb", ".grb2"):
            from halocline.grids.files.grib_files import read_grib

            return read_grib(path)
        return _open_zarr(path) if path.is_dir() else _open_netcdf(path)
    except UserError:
        raise
    except FileNotFoundError:
        raise UserError(f"There is no file '{path}'. Check the path in the case file.") from None
    except (*_of_libraries, ImportError) as error:
        raise UserError(
            f"Cannot read '{path}': {_reason(error)}. It should be undamaged netCDF, Zarr (a"
            " folder) or GRIB2."
        ) from None


def _open_netcdf(path: Path) -> FileVariables:
    refuse_damaged(path)
    refuse_cut(path)
    refuse_broken_heaps(path)
    with netcdf_lock:
        _close_forgotten()
        file = netCDF4.Dataset(path)
        variables = {
            name: Variable(
                variable.dimensions,
                variable.shape,
                _attributes(variable),
                _reader(variable, path),
                _chunk(file, variable),
            )
            for name, variable in file.variables.items()
        }
        attributes = _attributes(file)

    def close() -> None:
        with netcdf_lock:
            file.close()

    found = FileVariables(variables, attributes, close)
    weakref.finalize(found, _forgotten.append, file).atexit = False
    return found


_forgotten: list[netCDF4.Dataset] = []
"""Files whose users are gone, closed or not.

They are kept from the garbage collector, which would close an open one in whatever thread it runs,
beside a reading in another: the library knows only one thread.
"""


def _close_forgotten() -> None:
    while _forgotten:
        file = _forgotten.pop()
        if file.isopen():
            file.close()


def _attributes(owner: Any) -> dict[str, Any]:
    """Attributes as texts, numbers and lists of numbers."""
    found = {key: owner.getncattr(key) for key in owner.ncattrs()}
    return {
        key: value.tolist() if isinstance(value, np.ndarray | np.generic) else value
        for key, value in found.items()
    }


def _chunk(file: Any, variable: Any) -> tuple[int, ...] | None:
    """The chunk of a variable of the netCDF library; the older formats have none."""
    if not file.data_model.startswith("NETCDF4"):
        return None
    chunk = variable.chunking()
    return tuple(chunk) if isinstance(chunk, list) else None


def _reader(variable: Any, path: Path) -> Callable[[Index], Array]:
    """Unpacked values of a variable of the netCDF library, texts left out."""

    def part(index: Index) -> Array:
        try:
            with netcdf_lock, np.errstate(invalid="ignore"):
                values = np.ma.asarray(variable[index if variable.ndim else ...])
        except _of_libraries as error:
            raise Unreadable(variable.name, path, error) from None
        if values.dtype.kind not in "iufb":
            return np.full(values.shape, np.nan)
        return np.ma.filled(values.astype(np.float64), np.nan)

    return part


def _open_zarr(path: Path) -> FileVariables:
    import xarray

    data = xarray.open_dataset(
        path, engine="zarr", decode_times=False, cache=False, consolidated=False
    )

    def reader(name: Any) -> Callable[[Index], Array]:
        return lambda index: np.asarray(data[name][index].values, np.float64)

    variables = {
        str(name): Variable(
            tuple(str(dim) for dim in variable.dims),
            variable.shape,
            variable.attrs,
            reader(name),
            variable.encoding.get("chunks"),
        )
        for name, variable in data.variables.items()
    }
    return FileVariables(variables, data.attrs, data.close)
