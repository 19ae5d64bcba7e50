"""Fields of a file on another grid, in a new file: record by record, level by level."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.grids.remapping.file_surface import FileSurface
from halocline.grids.remapping.rows import Mask, RemapRows
from halocline.grids.remapping.surface import Surface
from halocline.grids.remapping.vectors import components, turned
from halocline.grids.remapping.weights import Array

MakeRows = Callable[[Mask], RemapRows]
"""Rows of all target points from the points of the source that have values."""

pairs = (("eastward", "northward"), ("surface_downward_eastward", "surface_downward_northward"))
"""Beginnings of standard names of components of vectors along east and north."""


@dataclass(frozen=True)
class TargetMaps:
    """The grid of a new file: its points, and how it calls what they lie along."""

    surface: Surface
    dims: tuple[str, str] = ("lat", "lon")
    names: tuple[str, str] = ("lon", "lat")
    regular: bool = True

    @classmethod
    def of_file(cls, there: FileSurface) -> TargetMaps:
        """As another file has it."""
        return cls(there.surface, there.dims, (there.longitude, there.latitude), there.regular)

    @classmethod
    def of_surface(cls, surface: Surface) -> TargetMaps:
        """With coordinates in one dimension where that says all."""
        x, y = surface.longitude, surface.latitude
        regular = bool((x == x[:1]).all() and (y == y[:, :1]).all())
        return cls(surface, ("lat", "lon") if regular else ("j", "i"), regular=regular)


def fields_on(path: Path, there: FileSurface, chosen: Sequence[str]) -> list[str]:
    """Variables of a file that lie on a grid, or those of them that are chosen."""
    with netCDF4.Dataset(path) as file:
        bounds = {str(getattr(v, "bounds", "")) for v in file.variables.values()}
        known = [
            name
            for name, variable in file.variables.items()
            if variable.dimensions[-2:] == there.dims
            and name not in bounds | {there.longitude, there.latitude}
            and np.dtype(variable.dtype).kind in "fiu"
        ]
    missing = [name for name in chosen if name not in known]
    if missing or not known:
        raise UserError(
            f"'{path}' has no field '{', '.join(missing)}' on its grid ({', '.join(there.dims)})."
            f" Fields: {', '.join(known) or 'none'}."
        )
    return list(chosen) or known


def mask_of(path: Path, name: str) -> Mask:
    """Where a field has values, in its first record."""
    with netCDF4.Dataset(path) as file:
        variable = file[name]
        return np.isfinite(_values(variable, (0,) * (variable.ndim - 2)))


def remap_file(
    path: Path,
    fields: Sequence[str],
    there: FileSurface,
    target: TargetMaps,
    make_rows: MakeRows,
    output: Path,
    history: str,
) -> list[str]:
    """Write fields of a file on a target's grid; says what became of each.

    Weights are made anew for each set of points with values, of which the last few are kept. Fields
    whose standard names are those of eastward and northward components are turned together.
    """
    part = output.with_name(f".{output.name}.{os.getpid()}")
    work = _Work(there.surface, target, make_rows, {})
    said = []
    try:
        with netCDF4.Dataset(path) as source, netCDF4.Dataset(part, "w") as file:
            _begin(source, file, target, history)
            for together in _groups(source, fields):
                _write(source, file, together, work)
                kind = "as a scalar" if len(together) == 1 else "as a vector"
                said.append(f"{', '.join(together)}: {kind}")
        os.replace(part, output)
    finally:
        part.unlink(missing_ok=True)
    return said


@dataclass(frozen=True, eq=False)
class _Work:
    """Both grids, and rows by the mask that they are for."""

    source: Surface
    target: TargetMaps
    make_rows: MakeRows
    kept: dict[bytes, RemapRows]

    def rows(self, mask: Mask) -> RemapRows:
        key = np.packbits(mask).tobytes()
        if key not in self.kept:
            if len(self.kept) > 3:
                self.kept.clear()
            self.kept[key] = self.make_rows(mask)
        return self.kept[key]


def _groups(source: netCDF4.Dataset, fields: Sequence[str]) -> list[list[str]]:
    """Fields alone, and components of vectors with each other, eastward ones first."""
    partners = {name: _partner(source, name, fields) for name in fields}
    northward = {other for other in partners.values() if other is not None}
    return [
        [name] if other is None else [name, other]
        for name, other in partners.items()
        if name not in northward
    ]


def _partner(source: netCDF4.Dataset, name: str, fields: Sequence[str]) -> str | None:
    """The northward component of an eastward one."""
    word = str(getattr(source[name], "standard_name", ""))
    for one, other in pairs:
        wanted = other + word.removeprefix(one)
        for field in fields if word.startswith(one) else ():
            same = source[field].dimensions == source[name].dimensions
            if str(getattr(source[field], "standard_name", "")) == wanted and same:
                return field
    return None


def _begin(
    source: netCDF4.Dataset, file: netCDF4.Dataset, target: TargetMaps, history: str
) -> None:
    """Global attributes and the coordinates of the target."""
    words = {name: source.getncattr(name) for name in source.ncattrs()}
    words["history"] = "\n".join(filter(None, [history, str(words.get("history", ""))]))
    file.setncatts({"Conventions": "CF-1.11"} | words)
    surface = target.surface
    for name, size in zip(target.dims, surface.shape, strict=True):
        file.createDimension(name, size)
    planes = surface.longitude, surface.latitude
    for axis, (name, plane, which) in enumerate(
        zip(target.names, planes, ("longitude", "latitude"), strict=True)
    ):
        dims = (target.dims[1 - axis],) if target.regular else target.dims
        variable = file.createVariable(name, "f8", dims)
        line = plane[0] if axis == 0 else plane[:, 0]
        variable[:] = line if target.regular else plane
        variable.standard_name = which
        variable.units = "degrees_east" if axis == 0 else "degrees_north"


def _write(
    source: netCDF4.Dataset, file: netCDF4.Dataset, names: Sequence[str], work: _Work
) -> None:
    """One field, or both components of a vector."""
    first = source[names[0]]
    leading = first.dimensions[:-2]
    _copy_coordinates(source, file, leading)
    made = []
    for name in names:
        number = first.dtype if np.dtype(source[name].dtype).kind == "f" else np.dtype("f4")
        fill = netCDF4.default_fillvals[number.str[1:]]
        variable = file.createVariable(
            name, number, (*leading, *work.target.dims), zlib=True, fill_value=fill
        )
        left_out = ("_FillValue", "missing_value", "scale_factor", "add_offset", "coordinates")
        words = {
            word: source[name].getncattr(word)
            for word in source[name].ncattrs()
            if word not in (*left_out, "grid_mapping", "cell_measures", "valid_range")
        }
        if not work.target.regular:
            words["coordinates"] = " ".join(work.target.names)
        variable.setncatts(words)
        made.append(variable)
    for index in _slabs(source, leading):
        values = [_values(source[name], index) for name in names]
        for variable, found in zip(made, _remapped(values, work), strict=True):
            variable[index] = np.ma.masked_invalid(found)


def _remapped(values: list[Array], work: _Work) -> list[Array]:
    """Maps on the target, NaN where it has no value."""
    mask = np.isfinite(values[0])
    for other in values[1:]:
        mask &= np.isfinite(other)
    surface = work.target.surface
    if not mask.any():
        return [np.full(surface.shape, np.nan) for _ in values]
    rows = work.rows(mask)
    flat = [np.where(mask, one, 0.0).reshape(1, -1) for one in values]
    found = []
    if len(values) == 1:
        sums = [_sum(rows, flat[0])]
    else:
        numbers = np.arange(surface.size)
        parts = [turned(rows, work.source, surface, numbers, way) for way in components]
        sums = [_sum(u, flat[0]) + _sum(v, flat[1]) for u, v in parts]
    for one in sums:
        found.append(np.where(rows.counts > 0, one, np.nan).reshape(surface.shape))
    return found


def _sum(rows: RemapRows, values: Array) -> Array:
    weights = rows.packed()
    return np.asarray(weights(values[:, weights.numbers])[0])


def _values(variable: Any, index: tuple[int, ...]) -> Array:
    """A map, missing values as NaN."""
    found: NDArray[Any] = np.ma.filled(np.ma.asarray(variable[index]).astype(np.float64), np.nan)
    return found


def _slabs(source: netCDF4.Dataset, leading: Sequence[str]) -> Iterator[tuple[int, ...]]:
    """Numbers of all maps of a field."""
    return product(*(range(len(source.dimensions[name])) for name in leading))


def _copy_coordinates(
    source: netCDF4.Dataset, file: netCDF4.Dataset, leading: Sequence[str]
) -> None:
    """Times and levels as they are, with their bounds."""
    wanted = set(leading) - set(file.dimensions)
    for name in leading:
        if name in wanted:
            dimension = source.dimensions[name]
            file.createDimension(name, None if dimension.isunlimited() else len(dimension))
    bounds = {str(getattr(source[n], "bounds", "")) for n in wanted if n in source.variables}
    for name in [*source.variables]:
        variable = source[name]
        if name not in bounds | wanted or name in file.variables:
            continue
        for dim in variable.dimensions:
            if dim not in file.dimensions:
                file.createDimension(dim, len(source.dimensions[dim]))
        copy = file.createVariable(name, variable.dtype, variable.dimensions)
        copy.setncatts({w: variable.getncattr(w) for w in variable.ncattrs() if w != "_FillValue"})
        copy[:] = variable[:]
