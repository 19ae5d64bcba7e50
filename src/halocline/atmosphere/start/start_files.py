"""Files of starts and sides: CF netCDF in double precision where the balance needs it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import netCDF4
import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.diagnostics.columns import precipitable_water, sea_level_pressure
from halocline.atmosphere.start.analysed_state import AnalysedState
from halocline.atmosphere.start.hybrid_column import HybridColumn
from halocline.component.streams.conventions import conventions
from halocline.core.clock import Date, time_units, to_number
from halocline.core.names import quantity
from halocline.core.netcdf_lock import netcdf_lock
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.place import Place

Array = NDArray[np.float64]

side_names = ("west", "east", "south", "north")


@dataclass(frozen=True)
class WrittenField:
    """How a field stands in the files."""

    name: str
    place: Place
    axis: str  # "level", "interface", or none
    kind: str  # of numbers
    attributes: dict[str, str]


def _field(
    name: str, place: Place, axis: str, kind: str, units: str, long: str, standard: str = ""
) -> WrittenField:
    attributes = {"standard_name": standard, "long_name": long, "units": units}
    return WrittenField(name, place, axis, kind, {k: v for k, v in attributes.items() if v})


state_fields = (
    _field("mass", Place.center, "", "f8", "Pa", "weight of the dry air of columns per area"),
    _field("u", Place.x_face, "level", "f4", "m s-1", "wind along the grid's x", "x_wind"),
    _field("v", Place.y_face, "level", "f4", "m s-1", "wind along the grid's y", "y_wind"),
    _field("theta", Place.center, "level", "f8", "K", "potential temperature (1 + Rv/Rd vapour)"),
    _field(
        "vapor", Place.center, "level", "f4", "1", "vapour per dry air", "humidity_mixing_ratio"
    ),
    _field(
        "geopotential", Place.center, "interface", "f8", "m2 s-2", "geopotential", "geopotential"
    ),
)
"""What a start holds and sides hold, besides clouds: all that the state follows from."""

more_fields = (
    _field("pressure", Place.center, "level", "f8", "Pa", "pressure", "air_pressure"),
    _field("temperature", Place.center, "level", "f4", "K", "temperature", "air_temperature"),
)
"""What a start holds besides, for those who look at it."""


def condensed_field(kind: str) -> WrittenField:
    """How condensed water of a kind stands in a start."""
    known = quantity(name := f"{kind}_mixing_ratio").attributes()
    standard = known.get("standard_name", "")
    return _field(name, Place.center, "level", "f4", "1", known["long_name"], standard)


planes = {
    "ground": ("surface_altitude", "m", "height of the ground"),
    "surface_pressure": ("surface_air_pressure", "Pa", "pressure at the ground"),
    "sea_level_pressure": ("air_pressure_at_mean_sea_level", "Pa", "pressure at sea level"),
    "precipitable_water": ("atmosphere_mass_content_of_water_vapor", "kg m-2", "vapour of columns"),
    "skin_temperature": ("surface_temperature", "K", "temperature of the skin of the ground"),
    "land": ("land_area_fraction", "1", "share of land"),
    "ice": ("sea_ice_area_fraction", "1", "share of sea ice"),
}
"""Planes of a start: standard name, units, meaning."""


def planes_of(state: AnalysedState, ground: Array, column: HybridColumn) -> dict[str, Array]:
    """All planes of a start at centres."""
    found = {
        "ground": ground,
        "surface_pressure": state.surface_pressure,
        "sea_level_pressure": sea_level_pressure(
            state.surface_pressure, ground, state.pressure, state.temperature, state.vapor
        ),
        "precipitable_water": precipitable_water(
            column.weight(state.mass, np.ones_like(state.vapor)), state.vapor
        ),
    }
    surface = {name: plane for name, plane in state.surface.items() if name in planes}
    return {**surface, **found}


def write_start(
    path: Path,
    grid: Grid,
    column: HybridColumn,
    moment: Date,
    state: AnalysedState,
    ground: Array,
) -> None:
    """Write a state as one record of its moment."""
    with netcdf_lock, netCDF4.Dataset(path, "w") as file:
        _define_axes(file, column, moment.calendar, "Start of the atmosphere from an analysis")
        file["time"][0] = to_number(moment)
        for place in (Place.center, Place.x_face, Place.y_face):
            _define_places(file, grid, place)
        for field in (*state_fields, *more_fields):
            dims = ("time", *([field.axis] if field.axis else []), *_plane_axes(field.place))
            _put(file, field, dims, getattr(state, field.name)[None])
        for kind, ratio in state.condensed.items():
            _put(file, condensed_field(kind), ("time", "level", "y", "x"), ratio[None])
        for name, values in planes_of(state, ground, column).items():
            standard, units, long = planes[name]
            one = _field(name, Place.center, "", "f4", units, long, standard)
            _put(file, one, ("time", "y", "x"), values[None])


def write_sides(
    path: Path,
    grid: Grid,
    column: HybridColumn,
    states: Iterator[tuple[Date, AnalysedState]],
    calendar: str,
    width: int,
    clouds: Sequence[str] = (),
) -> Iterator[Date]:
    """Write `width` outer rows of states, record after record, whose times are given back.

    `clouds` are the kinds of condensed water that states have.

    A variable FIELD_SIDE has the axes time, layers, rows from the side inward, and along the side.
    """
    fields = [*state_fields, *map(condensed_field, clouds)]
    with netcdf_lock, netCDF4.Dataset(path, "w") as file:
        _define_axes(file, column, calendar, "Sides of the atmosphere from analyses")
        file.createDimension("inward", width)
        for place in (Place.center, Place.x_face, Place.y_face):
            for axis, size in zip(_plane_axes(place), grid.topology.shape(place), strict=True):
                if axis not in file.dimensions:
                    file.createDimension(axis, size)
        for field in fields:
            for side in side_names:
                along = _plane_axes(field.place)[0 if side in ("west", "east") else 1]
                axes = ("time", *([field.axis] if field.axis else []), "inward", along)
                variable = file.createVariable(f"{field.name}_{side}", field.kind, axes)
                variable.setncatts({**field.attributes, "comment": f"at the {side}ern side"})
    for number, (moment, state) in enumerate(states):
        with netcdf_lock, netCDF4.Dataset(path, "a") as file:
            file["time"][number] = to_number(moment)
            known = vars(state) | {f"{kind}_mixing_ratio": state.condensed[kind] for kind in clouds}
            for field in fields:
                for side in side_names:
                    rows = side_rows(known[field.name], side, width)
                    file[f"{field.name}_{side}"][number] = rows
        yield moment


def side_rows(values: Array, side: str, width: int) -> Array:
    """The outer rows of a side (..., inward, along) of values (..., rows, columns).

    >>> side_rows(np.arange(12.0).reshape(3, 4), "east", 2).tolist()
    [[3.0, 7.0, 11.0], [2.0, 6.0, 10.0]]
    """
    rows = values if side in ("south", "north") else np.swapaxes(values, -1, -2)
    rows = rows if side in ("south", "west") else rows[..., ::-1, :]
    return rows[..., :width, :]


def _define_axes(file: netCDF4.Dataset, column: HybridColumn, calendar: str, title: str) -> None:
    """Attributes, time and layers of a file, with the numbers of the vertical coordinate."""
    file.setncatts(conventions(title))
    file.createDimension("time", None)
    units, calendar = time_units(calendar)
    time = file.createVariable("time", "f8", ("time",))
    time.setncatts({"standard_name": "time", "units": units, "calendar": calendar, "axis": "T"})
    count = column.thickness.size
    file.createDimension("level", count)
    file.createDimension("interface", count + 1)
    faces = np.concatenate([np.cumsum(column.thickness[::-1])[::-1], [0.0]])
    lines = {
        "level": (0.5 * (faces[1:] + faces[:-1]), "1", "eta of layers"),
        "interface": (faces, "1", "eta of interfaces"),
        "c1": (column.c1, "1", "layer mass per eta = c1 mass + c2"),
        "c2": (column.c2, "Pa", "layer mass per eta = c1 mass + c2"),
    }
    for name, (values, unit, long) in lines.items():
        axis = "interface" if values.size > count else "level"
        variable = file.createVariable(name, "f8", (axis,))
        variable.setncatts({"units": unit, "long_name": long})
        variable[:] = values
    top = file.createVariable("top_pressure", "f8", ())
    top.setncatts({"units": "Pa", "long_name": "pressure at the top"})
    top[...] = column.top_pressure


def _define_places(file: netCDF4.Dataset, grid: Grid, place: Place) -> None:
    """Axes of a place and planes of its longitudes and latitudes."""
    axes, metrics = _plane_axes(place), grid.at(place)
    for axis, size in zip(axes, metrics.x.shape, strict=True):
        if axis not in file.dimensions:
            file.createDimension(axis, size)
    for known, plane in (("longitude", metrics.x), ("latitude", metrics.y)):
        variable = file.createVariable(_coordinate(known, place), "f8", axes)
        variable.setncatts(quantity(known).attributes())
        variable[:] = plane


def _plane_axes(place: Place) -> tuple[str, str]:
    return "y" + "_face" * place.between_rows, "x" + "_face" * place.between_columns


def _coordinate(known: str, place: Place) -> str:
    return known if place is Place.center else f"{known}_{place.value}"


def _put(file: netCDF4.Dataset, field: WrittenField, axes: Sequence[str], values: Array) -> None:
    variable = file.createVariable(field.name, field.kind, tuple(axes), zlib=True, complevel=1)
    variable.setncatts(field.attributes)
    names = " ".join(_coordinate(known, field.place) for known in ("latitude", "longitude"))
    variable.coordinates = names
    variable[:] = values
