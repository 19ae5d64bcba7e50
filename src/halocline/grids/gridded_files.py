"""Files on latitude-longitude grids: variables found by name, all turned to our conventions."""

from __future__ import annotations

import glob
import itertools
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import xarray
from numpy.typing import NDArray

from halocline.core.clock import Date, date, text
from halocline.core.errors import UserError, nearest
from halocline.core.names import quantity
from halocline.grids.axes import Axis, latitude_axis, longitude_axis

Array = NDArray[np.float64]

names_in_files: dict[str, tuple[str, ...]] = {
    "wind_u": ("u10", "10u", "U10M", "u10m", "U10", "UGRD_10maboveground", "uwnd", "u10n"),
    "wind_v": ("v10", "10v", "V10M", "v10m", "V10", "VGRD_10maboveground", "vwnd", "v10n"),
    "ice": ("ice", "siconc", "ci", "sic", "aice", "ICEC_surface", "icec", "ice_concentration"),
    "air_temperature": ("t2m", "2t", "T2M", "t_air", "TMP_2maboveground", "air"),
    "sea_surface_temperature": ("sst", "tos", "analysed_sst", "tsfc", "skt"),
    "air_sea_temperature_difference": ("air_sea_temperature_difference", "ast", "dt"),
    "depth": ("depth", "bathymetry", "elevation", "deptho", "h", "z", "topo"),
    "mask": ("mask", "sea_mask", "lsm"),
    "obstruction_x": ("obstruction_x",),
    "obstruction_y": ("obstruction_y",),
}
"""Names under which quantities come in files, preferred ones first."""

other_standard_names: dict[str, tuple[str, ...]] = {
    "wind_u": ("x_wind",),
    "wind_v": ("y_wind",),
    "sea_surface_temperature": ("surface_temperature", "sea_surface_skin_temperature"),
    "depth": ("sea_floor_depth", "sea_floor_depth_below_sea_surface", "height_above_geoid"),
}
coordinate_names: dict[str, tuple[str, ...]] = {
    "longitude": ("lon", "longitude", "nav_lon", "x"),
    "latitude": ("lat", "latitude", "nav_lat", "y"),
    "time": ("time", "valid_time", "Time", "date"),
}
_axis_letter = {"longitude": "X", "latitude": "Y", "time": "T"}

unit_factors: dict[str, dict[str, float]] = {
    "m s-1": {"m/s": 1, "m s**-1": 1, "ms-1": 1, "m.s-1": 1, "meter second-1": 1, "m/sec": 1,
              "knots": 1852 / 3600, "knot": 1852 / 3600, "kt": 1852 / 3600, "km/h": 1 / 3.6,
              "km h-1": 1 / 3.6, "cm s-1": 0.01, "cm/s": 0.01},
    "1": {"": 1, "(0 - 1)": 1, "0-1": 1, "fraction": 1, "%": 0.01, "percent": 0.01,
          "proportion": 1, "dimensionless": 1},
    "m": {"meter": 1, "meters": 1, "metre": 1, "metres": 1, "km": 1000, "cm": 0.01},
    "K": {"kelvin": 1, "Kelvin": 1},
}  # fmt: skip
"""Factors that bring units of files to ours."""
_celsius = ("degC", "degree_C", "degrees_C", "Celsius", "celsius", "degree_Celsius", "C", "deg C")


@dataclass(frozen=True)
class Record:
    """One time in one of the files."""

    time: Date
    file: int
    position: int


def expand(paths: str | Sequence[str], base: Path) -> list[Path]:
    """Files for one path or several, patterns such as wind_*.nc included; none is an error."""
    found: list[Path] = []
    for name in [paths] if isinstance(paths, str) else paths:
        full = str(base / name)
        some = sorted(glob.glob(full)) if any(c in name for c in "*?[") else [full]
        if not some or not all(Path(path).exists() for path in some):
            raise UserError(f"There is no file '{full}'. Check the path in the case file.")
        found += [Path(path) for path in some]
    return found


class GriddedFiles:
    """One file, or several that follow each other in time, on one latitude-longitude grid."""

    def __init__(self, paths: Sequence[Path], calendar: str = "standard") -> None:
        self.paths, self.calendar = list(paths), calendar
        self.datasets = [open_dataset(path) for path in self.paths]
        self.name = str(self.paths[0]) + (" and more" if len(self.paths) > 1 else "")

    def close(self) -> None:
        for dataset in self.datasets:
            dataset.close()

    @property
    def first(self) -> xarray.Dataset:
        return self.datasets[0]

    def coordinate(self, which: str, dataset: xarray.Dataset | None = None) -> str:
        """Name of the one-dimensional longitude, latitude or time in a file."""
        dataset = self.first if dataset is None else dataset
        ranks = (0, 1) if which == "time" else (1,)
        one = [str(name) for name, variable in dataset.variables.items() if variable.ndim in ranks]
        for name in one:
            if dataset[name].attrs.get("standard_name") == which:
                return name
        for name in one:
            attributes = dataset[name].attrs
            units = str(attributes.get("units", ""))
            if units.startswith("degree") and units.lower().endswith(
                {"longitude": ("_east", "_e"), "latitude": ("_north", "_n")}.get(which, ("?",))
            ):
                return name
        lower = {name.lower(): name for name in one}
        for known in coordinate_names[which]:
            if known.lower() in lower:
                return lower[known.lower()]
        for name in one:
            if dataset[name].attrs.get("axis") == _axis_letter[which]:
                return name
        raise UserError(
            f"{self.name} has no {which} that can be recognised: {_listing(dataset)}. Give it the"
            f" CF attribute standard_name = '{which}'. (Only grids with one longitude per column"
            " and one latitude per row can be read.)"
        )

    @cached_property
    def longitude(self) -> Axis:
        values = self.first[self.coordinate("longitude")].values
        return longitude_axis(values.astype(float))

    @cached_property
    def latitude(self) -> Axis:
        values = self.first[self.coordinate("latitude")].values
        return latitude_axis(values.astype(float), self.name)

    @property
    def shape(self) -> tuple[int, int]:
        return self.latitude.values.size, self.longitude.values.size

    @cached_property
    def records(self) -> list[Record]:
        """All times of all files in order; a time that stands twice is refused."""
        records = []
        for number, dataset in enumerate(self.datasets):
            times = np.atleast_1d(dataset[self.coordinate("time", dataset)].values)
            if times.dtype.kind != "O":
                raise UserError(
                    f"The times of {self.paths[number]} have no units such as 'hours since"
                    " 1970-01-01'. Add the CF attribute units to the time variable."
                )
            records += [Record(date(t, self.calendar), number, at) for at, t in enumerate(times)]
        records.sort(key=lambda record: record.time)
        for one, next_one in itertools.pairwise(records):
            if one.time == next_one.time:
                raise UserError(
                    f"The time {text(one.time)} stands twice in {self.name}. Remove one of the"
                    " two records, or name files that do not overlap."
                )
        return records

    @property
    def times(self) -> list[Date]:
        return [record.time for record in self.records]

    def has(self, short_name: str) -> bool:
        """Whether exactly one variable can be taken for the quantity."""
        return len(self._candidates(short_name)) == 1

    def find(self, short_name: str, variable: str = "") -> str:
        """Name of the variable that holds a quantity; `variable` is the user's own choice."""
        if variable:
            if variable in self.first.data_vars:
                return variable
            known = [str(name) for name in self.first.data_vars]
            raise UserError(
                f"{self.name} has no variable '{variable}'.{nearest(variable.lower(), known)}"
                f" It has: {_listing(self.first)}."
            )
        found = self._candidates(short_name)
        facts = quantity(short_name)
        if len(found) == 1:
            return found[0]
        if found:
            raise UserError(
                f"{self.name} has several variables that may be {facts.long_name}:"
                f" {', '.join(found)}. Name one of them in the case file."
            )
        raise UserError(
            f"{self.name} has no variable for {facts.long_name} (CF standard_name"
            f" '{facts.standard_name}', or a name such as"
            f" {', '.join(names_in_files[short_name][:4])}). It has: {_listing(self.first)}."
            " Name the variable in the case file."
        )

    def _candidates(self, short_name: str) -> list[str]:
        flat = {str(name): v for name, v in self.first.data_vars.items() if self._is_flat(v)}
        for known in names_in_files[short_name]:
            if known in flat:
                return [known]
        for standard in (
            quantity(short_name).standard_name,
            *other_standard_names.get(short_name, ()),
        ):
            found = [n for n, v in flat.items() if v.attrs.get("standard_name") == standard]
            if standard and found:
                return found
        return []

    @cached_property
    def axes(self) -> tuple[str, str, str | None]:
        """Dimensions of latitude, longitude and (where there is one) time."""
        j, i = (str(self.first[self.coordinate(c)].dims[0]) for c in ("latitude", "longitude"))
        try:
            time = self.first[self.coordinate("time")].dims
        except UserError:
            time = ()
        return j, i, str(time[0]) if time else None

    def _is_flat(self, variable: xarray.DataArray) -> bool:
        """Whether a variable is one map per time: further axes have one entry only."""
        j, i, time = self.axes
        sizes = {str(d): n for d, n in variable.sizes.items()}
        return {j, i} <= set(sizes) and all(
            n == 1 for d, n in sizes.items() if d not in (j, i, time)
        )

    def read(self, variable: str, short_name: str, record: Record | None = None) -> Array:
        """One map (latitude, longitude) in our order and units; missing values are NaN."""
        number = record.file if record else 0
        data = self.datasets[number][variable]
        j, i, time = self.axes
        if record is not None and time in data.dims:
            data = data.isel({time: record.position})
        data = data.isel({d: 0 for d in data.dims if d not in (j, i)}).transpose(j, i)
        if (
            data.shape[0] <= self.latitude.order.max()
            or data.shape[1] <= self.longitude.order.max()
        ):
            raise UserError(f"{self.paths[number]} has another grid than {self.paths[0]}.")
        values = np.asarray(data.values, np.float64)
        values = values[self.latitude.order][:, self.longitude.order]
        return self._to_our_units(values, data.attrs, variable, short_name)

    def _to_our_units(
        self, values: Array, attributes: Mapping[str, Any], variable: str, short_name: str
    ) -> Array:
        ours = quantity(short_name).units
        theirs = str(attributes.get("units", ours)).strip()
        if theirs == ours or short_name == "mask":
            return values
        if ours == "K" and theirs in _celsius:
            return values if short_name == "air_sea_temperature_difference" else values + 273.15
        factor = unit_factors.get(ours, {}).get(theirs)
        if factor is None:
            known = ", ".join([ours, *unit_factors.get(ours, {})])
            raise UserError(
                f"The variable '{variable}' of {self.name} has the units '{theirs}', which cannot"
                f" be brought to '{ours}'. Known units are: {known}."
            )
        return values * factor if factor != 1 else values


def open_dataset(path: Path) -> xarray.Dataset:
    """Open netCDF (any), Zarr or GRIB; times as cftime, packed values unpacked when read."""
    if path.suffix.lower() in (".grib", ".grib2", ".grb", ".grb2"):
        from halocline.grids.grib_files import read_grib

        return read_grib(path)
    engine = "zarr" if path.is_dir() else "netcdf4"
    coder = xarray.coders.CFDatetimeCoder(use_cftime=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return xarray.open_dataset(
                path, engine=engine, decode_times=coder, decode_timedelta=False, cache=False
            )
    except FileNotFoundError:
        raise UserError(f"There is no file '{path}'. Check the path in the case file.") from None
    except (OSError, ValueError, ImportError) as error:
        reason = str(error).splitlines()[0]
        raise UserError(
            f"Cannot read '{path}': {reason}. It should be netCDF, Zarr (a folder) or GRIB2."
        ) from None


def _listing(dataset: xarray.Dataset) -> str:
    """Variables of a file with their dimensions, for messages."""
    names = [
        f"{name}({', '.join(str(d) for d in variable.dims)})"
        for name, variable in dataset.variables.items()
    ]
    return ", ".join(names) or "nothing"
