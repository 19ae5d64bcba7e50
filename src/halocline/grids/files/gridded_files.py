"""Files on latitude-longitude grids: variables found by name, all turned to our conventions."""

from __future__ import annotations

import glob
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from itertools import compress
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from halocline.core.clock import Date, date, text
from halocline.core.errors import UserError, nearest
from halocline.core.geography import position_words
from halocline.core.names import quantity
from halocline.core.paths import is_there
from halocline.core.plausible import refuse_bad_axis, refuse_implausible
from halocline.grids.files.axes import Bilinear, FileAxis, bilinear, latitude_axis, longitude_axis
from halocline.grids.files.parts import FilePart, lines_within, read_slabs
from halocline.grids.files.sources import FileVariables, Variable, open_source
from halocline.grids.files.units_in_files import celsius, converted, unit_factors, units_of
from halocline.grids.sphere import vectors

Array = NDArray[np.float64]
Index = NDArray[np.int64]
Mask = NDArray[np.bool_]

names_in_files: dict[str, tuple[str, ...]] = {
    "attenuation": ("kd490", "KD490", "Kd_490", "kd_490"),
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
    "current_u": ("current_u", "uo", "ucur", "water_u", "ssu", "u_surface"),
    "current_v": ("current_v", "vo", "vcur", "water_v", "ssv", "v_surface"),
    "velocity_u": ("vozocrtx", "uo", "uoce"),
    "velocity_v": ("vomecrty", "vo", "voce"),
    "x_volume_flux": ("uocetr_eff",),
    "y_volume_flux": ("vocetr_eff",),
    "temperature": ("votemper", "thetao", "toce"),
    "salinity": ("vosaline", "so", "soce"),
    "vertical_diffusivity": ("votkeavt", "difvho", "avt"),
    "sea_level": ("sossheig", "zos", "ssh", "sea_level"),
    "cell_thickness": ("e3t", "thkcello"),
    "wind_speed": ("sowindsp", "wspd", "ws10"),
    "short_wave": ("soshfldo", "rsntds"),
}
"""Names under which quantities come in files, preferred ones first."""

other_standard_names: dict[str, tuple[str, ...]] = {
    "wind_u": ("x_wind",),
    "wind_v": ("y_wind",),
    "sea_surface_temperature": ("surface_temperature", "sea_surface_skin_temperature"),
    "depth": ("sea_floor_depth", "sea_floor_depth_below_sea_surface", "height_above_geoid"),
    "current_u": ("surface_eastward_sea_water_velocity", "sea_water_x_velocity"),
    "current_v": ("surface_northward_sea_water_velocity", "sea_water_y_velocity"),
    "velocity_u": ("eastward_sea_water_velocity",),
    "velocity_v": ("northward_sea_water_velocity",),
    "vertical_diffusivity": ("ocean_vertical_heat_diffusivity",),
    "sea_level": (
        "sea_surface_height_above_mean_sea_level",
        "sea_surface_height_above_sea_level",
        "sea_surface_height",
    ),
    "short_wave": ("surface_net_downward_shortwave_flux",),
}
coordinate_names: dict[str, tuple[str, ...]] = {
    "longitude": ("lon", "longitude", "nav_lon", "x"),
    "latitude": ("lat", "latitude", "nav_lat", "y"),
    "time": ("time", "valid_time", "Time", "date"),
}
_axis_letter = {"longitude": "X", "latitude": "Y", "time": "T"}


@dataclass(frozen=True)
class Record:
    """One time in one of the files, the middle of what it is a mean over."""

    time: Date
    file: int
    position: int
    mean_over: timedelta = timedelta()


def expand(paths: str | Sequence[str], base: Path) -> list[Path]:
    """Files for one path or several, patterns such as wind_*.nc included; none is an error."""
    found: list[Path] = []
    for name in [paths] if isinstance(paths, str) else paths:
        full = str(base / name)
        some = sorted(glob.glob(full)) if any(c in name for c in "*?[") else [full]
        if not some or not all(is_there(Path(path)) for path in some):
            raise UserError(f"There is no file '{full}'. Check the path in the case file.")
        found += [Path(path) for path in some]
    return found


def variables_of(paths: Sequence[Path]) -> dict[str, str]:
    """Variables of all of some files, and their CF standard names; empty where they have none."""
    found: dict[str, str] = {}
    for path in paths:
        source = open_source(path)
        for name in source.data:
            found.setdefault(name, str(source[name].attrs.get("standard_name", "")))
        source.close()
    return found


def named_variable(variables: Mapping[str, str], short_name: str) -> str:
    """The one of some variables (standard name by name) that holds a quantity; empty if none."""
    for name in (short_name, *names_in_files.get(short_name, ())):
        if name in variables:
            return name
    standard = (quantity(short_name).standard_name, *other_standard_names.get(short_name, ()))
    found = [name for name, its in variables.items() if its and its in standard]
    return found[0] if found else ""


class GriddedFiles:
    """One file, or several that follow each other in time, on one latitude-longitude grid.

    With a variable `of` the grid is the one that it lies on, faces or corners too, and its times
    are the middles of what its records are means over; files without it are left aside.
    """

    regular: ClassVar[bool] = True  # one longitude for every column, one latitude for every row

    def __init__(self, paths: Sequence[Path], calendar: str = "standard", of: str = "") -> None:
        self.paths, self.calendar, self.of = list(paths), calendar, of
        self.sources = [open_source(path) for path in self.paths]
        if of:
            self._keep_beside(of)
        self.name = str(self.paths[0]) + (" and more" if len(self.paths) > 1 else "")
        self.values_read = 0  # of maps, so far

    def close(self) -> None:
        for source in self.sources:
            source.close()

    def _keep_beside(self, variable: str) -> None:
        """Keep the files that have a variable, and of these what lies along its dimensions."""
        has = [variable in source.variables for source in self.sources]
        for source, kept in zip(self.sources, has, strict=True):
            if kept:
                source.keep_beside(variable)
            else:
                source.close()
        self.paths = list(compress(self.paths, has))
        self.sources = list(compress(self.sources, has))

    @property
    def first(self) -> FileVariables:
        return self.sources[0]

    def coordinate(self, which: str, source: FileVariables | None = None) -> str:
        """Name of the one-dimensional longitude, latitude or time in a file."""
        source = source or self.first
        ranks = (0, 1) if which == "time" else (1,)
        one = [name for name, variable in source.variables.items() if variable.ndim in ranks]
        for name in one:
            if source[name].attrs.get("standard_name") == which:
                return name
        for name in one:
            attributes = source[name].attrs
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
            if source[name].attrs.get("axis") == _axis_letter[which]:
                return name
        raise UserError(
            f"{self.name} has no {which} that can be recognised: {source.listing()}. Give it the"
            f" CF attribute standard_name = '{which}'. (Only grids with one longitude per column"
            " and one latitude per row can be read.)"
        )

    @cached_property
    def longitude(self) -> FileAxis:
        return longitude_axis(self._axis("longitude"))

    @cached_property
    def latitude(self) -> FileAxis:
        return latitude_axis(self._axis("latitude"), self.name)

    def _axis(self, which: str) -> Array:
        """The longitudes or latitudes of the first file, as they stand there."""
        name = self.coordinate(which)
        units = str(self.first[name].attrs.get("units", "")).strip()
        if units == "m" or units in unit_factors["m"]:
            raise UserError(
                f"The {which} '{name}' of {self.name} has the units '{units}': its maps lie on a"
                " plane. A grid from such a file is grid.kind = 'cartesian'; other input needs"
                " longitude and latitude in degrees."
            )
        values = self.first[name].read()
        refuse_bad_axis(values, which, f"The {which} '{name}' of {self.name}")
        return values

    @property
    def shape(self) -> tuple[int, int]:
        return self.latitude.values.size, self.longitude.values.size

    @cached_property
    def records(self) -> list[Record]:
        """All times of all files in order; a time that stands twice is refused."""
        records = []
        for number, source in enumerate(self.sources):
            for at, (time, over) in enumerate(self._times(source, str(self.paths[number]))):
                records.append(Record(date(time, self.calendar), number, at, over))
        records.sort(key=lambda record: record.time)
        for one, next_one in itertools.pairwise(records):
            if one.time == next_one.time:
                raise UserError(
                    f"The time {text(one.time)} stands twice in {self.name}. Remove one of the"
                    " two records, or name files that do not overlap."
                )
        return records

    def _times(self, source: FileVariables, where: str) -> list[tuple[Any, timedelta]]:
        """Times of the records of a file; of means of a variable the middles of their intervals.

        And how long these are, 0 of what is of a moment.
        """
        time = source[self.coordinate("time", source)]
        bounds = source.variables.get(str(time.attrs.get("bounds", ""))) if self.of else None
        if bounds is None:
            return [(moment, timedelta()) for moment in time.times(where)]
        known = {"units": time.attrs.get("units", ""), **time.attrs, **bounds.attrs}
        ends = replace(bounds, attrs=known).times(where)
        return [(a + (b - a) / 2, b - a) for a, b in zip(ends[::2], ends[1::2], strict=True)]

    @property
    def times(self) -> list[Date]:
        return [record.time for record in self.records]

    def has(self, short_name: str) -> bool:
        """Whether exactly one variable can be taken for the quantity."""
        return len(self._candidates(short_name)) == 1

    def find(self, short_name: str, variable: str = "", *, levels: bool = False) -> str:
        """Name of the variable that holds a quantity; `variable` is the user's own choice.

        With `levels` it may be on levels.
        """
        if variable:
            if variable in self.first.variables and (levels or self._is_flat(self.first[variable])):
                return variable
            if variable in self.first.variables:
                raise UserError(
                    f"The variable '{variable}' of {self.name} is no map, or one for each time:"
                    f" {self.first.listing()}. Name another."
                )
            known = self.first.data
            raise UserError(
                f"{self.name} has no variable '{variable}'.{nearest(variable.lower(), known)}"
                f" It has: {self.first.listing()}."
            )
        found = self._candidates(short_name, levels=levels)
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
            f" {', '.join(names_in_files.get(short_name, (short_name,))[:4])}). It has:"
            f" {self.first.listing()}."
            " Name the variable in the case file."
        )

    def _candidates(self, short_name: str, *, levels: bool = False) -> list[str]:
        j, i, _ = self.axes
        flat = {
            n: v
            for n, v in self.first.variables.items()
            if self._is_flat(v) or levels and {j, i} <= set(v.dims)
        }
        for known in names_in_files.get(short_name, ()):
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
        j, i = (self.first[self.coordinate(c)].dims[0] for c in ("latitude", "longitude"))
        try:
            time = self.first[self.coordinate("time")].dims
        except UserError:
            time = ()
        return j, i, time[0] if time else None

    def _is_flat(self, variable: Variable) -> bool:
        """Whether a variable is one map per time: further axes have one entry only."""
        j, i, time = self.axes
        sizes = dict(zip(variable.dims, variable.shape, strict=True))
        return {j, i} <= set(sizes) and all(
            n == 1 for d, n in sizes.items() if d not in (j, i, time)
        )

    def level_axis(self, variable: str) -> str | None:
        """The dimension of a variable that counts levels, None where it is one map per time."""
        data = self.first[variable]
        several = [d for d, n in zip(data.dims, data.shape, strict=True) if n > 1]
        more = [dim for dim in several if dim not in self.axes]
        if len(more) > 1 or not set(self.axes[:2]) <= set(data.dims):
            raise UserError(
                f"The variable '{variable}' of {self.name} is no map on levels, or one for each"
                f" time: {self.first.listing()}. Name another."
            )
        return more[0] if more else None

    def level_depths(self, variable: str) -> Array | None:
        """Depths of the levels of a variable [m], positive down; None where it is one map."""
        axis = self.level_axis(variable)
        if axis is None:
            return None
        if axis not in self.first.variables:
            raise UserError(f"{self.name} has no depths of the levels '{axis}' of '{variable}'.")
        attributes, depths = self.first[axis].attrs, self.first[axis].read()
        units = units_of(attributes, "m", f"The depth '{axis}' of {self.name}")
        factor = 1.0 if units == "m" else unit_factors["m"].get(units)
        if factor is None or not np.isfinite(depths).all():
            raise UserError(
                f"The depths '{axis}' of {self.name} are missing or in '{units}', which is no"
                f" length. Known units are: {', '.join(['m', *unit_factors['m']])}."
            )
        return depths * (-factor if attributes.get("positive") == "up" else factor)

    def read(
        self,
        variable: str,
        short_name: str,
        record: Record | None = None,
        part: FilePart | None = None,
        *,
        level: int | None = None,
    ) -> Array:
        """One map (latitude, longitude) or a part of it in our order and units.

        Missing values are NaN. Without a `short_name` units are those of the file.
        """
        number = record.file if record else 0
        data = self.sources[number][variable]
        j, i, time = self.axes
        places: dict[str, int | slice] = {dim: 0 for dim in data.dims if dim not in (j, i)}
        if record is not None and time in places:
            places[time] = record.position
        if level is not None and (axis := self.level_axis(variable)) is not None:
            places[axis] = level
        sizes = dict(zip(data.dims, data.shape, strict=True))
        latitudes, longitudes = self.latitude.order, self.longitude.order
        if sizes[j] <= latitudes.max() or sizes[i] <= longitudes.max():
            raise UserError(f"{self.paths[number]} has another grid than {self.paths[0]}.")
        if part is not None:
            latitudes, longitudes = latitudes[part.rows], longitudes[part.columns]
        first = int(latitudes.min())
        places[j] = slice(first, int(latitudes.max()) + 1)
        turned = data.dims.index(j) > data.dims.index(i)

        def columns(some: slice) -> Array:
            values = data.read(**places, **{i: some})
            return values.T if turned else values

        values, count = read_slabs(columns, longitudes, sizes[i], axis=1)
        self.values_read += count
        found = values[latitudes - first]
        if short_name:
            found = self._to_our_units(found, data.attrs, variable, short_name)
        self._refuse_implausible(found, variable, short_name, record, part)
        return found

    def _refuse_implausible(
        self,
        values: Array,
        variable: str,
        short_name: str,
        record: Record | None,
        part: FilePart | None,
    ) -> None:
        """Refuse a value beyond the bounds of its quantity, wherever on the map it lies."""

        def place(at: tuple[int, ...]) -> str:
            y, x = self.latitude.values, self.longitude.values
            if part is not None:
                y, x = y[part.rows], x[part.columns]
            where = f" at {self.place(x[at[1]], y[at[0]])}"
            return f"{where}, {text(record.time)}" if record else where

        path = self.paths[record.file if record else 0]
        refuse_implausible(values, short_name, f"'{variable}' of {path}", place)

    def weights(self, points: tuple[Array, Array], where: str, whose: str) -> Bilinear:
        """Weights from the maps to points (longitude, latitude) [degree]."""
        return bilinear(self.longitude, self.latitude, points, where, whose)

    def unit_vectors(self, places: tuple[Index, Index]) -> Array:
        """Where places (rows, columns) of the maps lie on the sphere, shape (3, ...)."""
        return vectors(self.longitude.values[places[1]], self.latitude.values[places[0]])

    def lines_within(self, distance: Array, places: tuple[Index, Index]) -> tuple[Mask, Mask]:
        """Rows and columns that hold all places within a distance [rad] of some, or more."""
        return lines_within(distance, places, self.longitude, self.latitude)

    def place(self, x: float, y: float) -> str:
        """Words for a place on the map."""
        return position_words(x % 360.0, y)

    def comes_whole(self, variable: str) -> bool:
        """Whether hardly less than a whole map can be read: its chunks are half of it or more."""
        data = self.first[variable]
        if data.chunk is None:
            return False
        chunk = dict(zip(data.dims, data.chunk, strict=True))
        j, i, _ = self.axes
        return 2 * chunk[j] * chunk[i] >= self.shape[0] * self.shape[1]

    def _to_our_units(
        self, values: Array, attributes: Mapping[str, Any], variable: str, short_name: str
    ) -> Array:
        if short_name == "mask":
            return values
        ours = quantity(short_name).units
        theirs = units_of(attributes, ours, self._named(variable))
        if short_name == "air_sea_temperature_difference" and theirs in celsius:
            return values
        return converted(values, theirs, ours, self._named(variable))

    def in_units(self, values: Array, variable: str, ours: str) -> Array:
        """Values of a variable, read as they are in the files, in other units."""
        theirs = units_of(self.first[variable].attrs, ours, self._named(variable))
        return converted(values, theirs, ours, self._named(variable))

    def _named(self, variable: str) -> str:
        return f"The variable '{variable}' of {self.name}"
