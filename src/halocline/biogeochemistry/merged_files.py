"""Files of an ocean on a grid whose cells are merged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import netCDF4
import numpy as np
from numpy.typing import NDArray

from halocline.biogeochemistry.merging import Cells, Merging, Stencil
from halocline.biogeochemistry.velocity_places import velocities_of
from halocline.component.forcing.field_records import RecordSource
from halocline.component.streams.conventions import conventions
from halocline.core.clock import Date, to_number
from halocline.core.errors import UserError
from halocline.core.names import quantity
from halocline.core.netcdf_lock import netcdf_lock
from halocline.grids.files.gridded_files import GriddedFiles
from halocline.grids.vertical.file_field import FileField
from halocline.runtime.fields.place import Place

Array = NDArray[np.float64]
missing = 1e20


@dataclass(frozen=True)
class MergedVariable:
    """What a coarse file holds: a variable at coarse points, of one of the fine files."""

    name: str
    axis: str  # of levels: "depth", "depth_interface", or none
    place: Place
    cells: Cells
    stencil: Stencil
    files: GriddedFiles
    field: FileField
    more: Array | None = None  # that is added, (levels, n)

    @property
    def of_means(self) -> bool:
        """Whether its files say what every record is a mean over."""
        return all(record.mean_over for record in self.files.records)

    def at(self, number: int) -> Array:
        """Values of a record at the coarse points, (levels, n) or (n,)."""
        values = self.stencil(self.field.of_record(self.files.records[number]))
        if self.place is not Place.center:
            return values
        wet = (self.stencil.weights != 0.0).any(axis=1)
        if self.more is not None:
            values, wet = self.more + values[None] * _top(self.more), self.more > 0.0
        return np.where(wet if values.ndim > 1 else wet[0], values, missing)


def _cells(some: NDArray[np.bool_]) -> Cells:
    """Rows and columns of some."""
    j, i = np.nonzero(some)
    return j, i


def _top(levels: Array) -> Array:
    """1 on the uppermost level, 0 below, (levels, 1)."""
    return (np.arange(levels.shape[0]) == levels.shape[0] - 1)[:, None].astype(np.float64)


def _made(
    source: RecordSource,
    name: str,
    found: str,
    place: Place,
    cells: Cells,
    stencil: Stencil,
    depths: Array | None,
    axis: str,
    more: Array | None = None,
) -> MergedVariable:
    files, variable = source.open(found)
    exact = found[0] in "vxy" and found != "vertical_diffusivity"
    field = FileField(files, variable, stencil.wanted(depths), short_name=found, exact=exact)
    return MergedVariable(name, axis, place, cells, stencil, files, field, more)


def flux_variables(source: RecordSource, places: str, merging: Merging) -> list[MergedVariable]:
    """Fluxes through faces between wet coarse cells, along x and along y."""
    what = velocities_of(source, places, merging.fine)
    wet = merging.wet_levels > 0
    result = []
    for axis, along, place in (("x", "u", Place.x_face), ("y", "v", Place.y_face)):
        name = f"{axis}_volume_flux"
        found = name if what == "fluxes" else f"velocity_{along}"
        before = np.roll(wet, 1, 1 if axis == "x" else 0)
        before[:, 0 if axis == "x" else slice(None)] &= axis != "x"
        before[0 if axis == "y" else slice(None), :] &= axis != "y"
        cells = _cells(wet & before)
        stencil = merging.of_faces(place, cells, what)
        depth = merging.fine.depth
        result.append(_made(source, name, found, place, cells, stencil, depth, "depth"))
    return result


def merged_variables(source: RecordSource, places: str, merging: Merging) -> list[MergedVariable]:
    """All that can be made of some files: fluxes and thickness, and what else they have."""
    center = _cells(merging.wet_levels > 0)
    depth, interfaces = merging.fine.depth, merging.fine.interfaces[:-1]
    made = partial(_made, source)
    result = flux_variables(source, places, merging)
    if source.has("cell_thickness"):
        share = merging.of_thickness(center)
        result.append(
            made("cell_thickness", "cell_thickness", Place.center, center, share, depth, "depth")
        )
    elif source.has("sea_level"):
        share, still = merging.of_surface(center, whole=True), merging.thickness(center)
        result.append(
            made("cell_thickness", "sea_level", Place.center, center, share, None, "depth", still)
        )
    means = {
        "temperature": (merging.of_volume, depth, "depth"),
        "salinity": (merging.of_volume, depth, "depth"),
        "vertical_diffusivity": (merging.of_interfaces, interfaces, "depth_interface"),
        "short_wave": (merging.of_surface, None, ""),
        "wind_speed": (merging.of_surface, None, ""),
        "water_flux": (merging.of_surface, None, ""),
    }
    for name, (mean, depths, axis) in means.items():
        if source.has(name):
            result.append(made(name, name, Place.center, center, mean(center), depths, axis))
    return result


def write_grid(merging: Merging, path: Path) -> None:
    """The coarse grid as `grid.file` of a case has it, with its levels."""
    grid = merging.grid
    with netcdf_lock, netCDF4.Dataset(path, "w") as file:
        file.setncatts(conventions(f"{merging.ratio} x {merging.ratio} cells merged"))
        _axis(file, "latitude", grid.y, "degrees_north")
        _axis(file, "longitude", grid.x, "degrees_east")
        _axis(file, "level", np.arange(float(merging.fine.thickness.size)), "1")
        both = ("latitude", "longitude")
        _put(file, "depth", both, grid.depth, "m")
        _put(file, "mask", both, grid.mask.astype(np.float64), "1")
        _put(file, "dz", ("level",), merging.fine.thickness[::-1], "m")


def write_records(
    merging: Merging,
    variables: Sequence[MergedVariable],
    path: Path,
    calendar: str,
) -> Iterator[tuple[int, Date, Sequence[Array]]]:
    """Write record after record; gives back their numbers, times and values.

    Times of means are the middles of what they are over, and have the bounds of the first variable.
    """
    times = variables[0].files.times
    for one in variables:
        if one.files.times != times:
            raise UserError(
                f"'{one.field.variable}' of {one.files.name} has other times than"
                f" '{variables[0].field.variable}' of {variables[0].files.name}. Merge files whose"
                " records have the same times."
            )
    with netcdf_lock, netCDF4.Dataset(path, "w") as file:
        _define(file, merging, variables, calendar)
    for number, moment in enumerate(times):
        values = [one.at(number) for one in variables]
        with netcdf_lock, netCDF4.Dataset(path, "a") as file:
            file["time"][number] = to_number(moment)
            if "time_bounds" in file.variables:
                half = variables[0].files.records[number].mean_over / 2
                file["time_bounds"][number] = to_number(moment - half), to_number(moment + half)
            for one, some in zip(variables, values, strict=True):
                whole = np.full(file[one.name].shape[1:], missing)
                whole[..., one.cells[0], one.cells[1]] = some
                file[one.name][number] = whole
        yield number, moment, values


def _define(
    file: netCDF4.Dataset, merging: Merging, variables: Sequence[MergedVariable], calendar: str
) -> None:
    """Axes and variables of a file of records."""
    file.setncatts(conventions(f"{merging.ratio} x {merging.ratio} cells merged"))
    file.createDimension("time", None)
    time = file.createVariable("time", "f8", ("time",))
    time.setncatts(
        {"standard_name": "time", "units": "seconds since 1970-01-01", "calendar": calendar}
    )
    if variables[0].of_means:
        time.bounds = "time_bounds"
        file.createDimension("two", 2)
        file.createVariable("time_bounds", "f8", ("time", "two"))
    for place in (Place.center, Place.corner):
        ending, metrics = "_face" * (place is Place.corner), merging.grid.at(place)
        _axis(file, "latitude" + ending, metrics.y[:, 0], "degrees_north")
        _axis(file, "longitude" + ending, metrics.x[0], "degrees_east")
    fine = merging.fine
    for name, depths in (("depth", fine.depth), ("depth_interface", fine.interfaces[:-1])):
        _axis(file, name, depths, "m")
        file[name].positive = "down"
    for one in variables:
        across = "_face" * one.place.between_columns
        plane = "latitude" + "_face" * one.place.between_rows, "longitude" + across
        dimensions = ("time", *([one.axis] if one.axis else []), *plane)
        variable = file.createVariable(one.name, "f8", dimensions, fill_value=missing)
        method = {"cell_methods": "time: mean"} if one.of_means else {}
        variable.setncatts(quantity(one.name).attributes() | method)


def _axis(file: netCDF4.Dataset, name: str, values: Array, units: str) -> None:
    file.createDimension(name, values.size)
    _put(file, name, (name,), values, units)


def _put(
    file: netCDF4.Dataset, name: str, dimensions: tuple[str, ...], values: Array, units: str
) -> None:
    variable = file.createVariable(name, "f8", dimensions)
    variable.units = units
    variable[:] = values
