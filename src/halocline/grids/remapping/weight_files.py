"""Files of weights as ESMF_RegridWeightGen and SCRIP (and CDO) write and read them.

Both count points from 1, row by row. In ESMF's form weights are `S` of `col` for `row`; in that of
SCRIP `remap_matrix` of `src_address` for `dst_address` (SCRIP User's Guide 1.4, section 2; ESMF
Reference Manual, "Regrid Weight File Format").
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import netCDF4
import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.core.netcdf_lock import netcdf_lock
from halocline.grids.remapping.rows import RemapRows
from halocline.grids.remapping.surface import Surface
from halocline.grids.remapping.weights import Array
from halocline.grids.sphere import longitude_latitude

degree = np.pi / 180.0
names_of_weights = {"esmf": ("col", "row", "S"), "scrip": ("src_address", "dst_address")}


@dataclass(frozen=True, eq=False)
class WeightFile:
    """Weights between all points of two grids, and what a file says of these."""

    rows: RemapRows  # of all target points
    source_size: int
    words: Mapping[str, str] = field(default_factory=dict)  # global attributes
    planes: Mapping[str, Array] = field(default_factory=dict)  # area_a, area_b, frac_b, yc_a, ...

    def check(self, path: Path, source: Surface, target: Surface) -> None:
        """Refuse weights of other grids, or sums that are none of means."""
        for end, size, surface in (
            ("source", self.source_size, source),
            ("target", self.rows.counts.size, target),
        ):
            if size != surface.size:
                raise UserError(
                    f"'{path}' has weights of a {end} of {size} points, and {surface.title} has"
                    f" {surface.size}. Use the file of these grids, or make it anew."
                )
        for letter, surface in (("a", source), ("b", target)):
            self._check_places(path, letter, surface)
            self._check_areas(path, letter, surface)
        self._check_sums(path)

    def _check_places(self, path: Path, letter: str, surface: Surface) -> None:
        if f"xc_{letter}" not in self.planes or f"yc_{letter}" not in self.planes:
            return
        x, y = self.planes[f"xc_{letter}"], self.planes[f"yc_{letter}"]
        apart = np.abs((x - surface.longitude.ravel() + 180.0) % 360.0 - 180.0)
        apart = np.hypot(apart * np.cos(y * degree), y - surface.latitude.ravel())
        if not apart.max() < 0.01:
            at = int(np.argmax(apart))
            raise UserError(
                f"'{path}' has point {at + 1} of {surface.title} at {x[at]:g} E, {y[at]:g} N, and"
                f" it lies at {surface.longitude.flat[at]:g} E, {surface.latitude.flat[at]:g} N."
                " Use the file of these grids, or make it anew."
            )

    def _check_areas(self, path: Path, letter: str, surface: Surface) -> None:
        """Areas differ by how lines of latitude are taken, but not more than by that."""
        area = self.planes.get(f"area_{letter}")
        if area is None or surface.corner_x is None or not area.any():
            return
        own = surface.areas_and_centroids[0]
        some = (area > 0.0) & (own > 0.0)
        apart = np.abs(area[some] / own[some] - 1.0)
        if some.any() and not apart.max() < 0.05:
            at = int(np.flatnonzero(some)[np.argmax(apart)])
            raise UserError(
                f"'{path}' has an area of {area[at]:g} for cell {at + 1} of {surface.title}, and"
                f" between its corners it is {own[at]:g} (of a sphere of radius 1). Use the file"
                " of these grids, or make it anew."
            )

    def _check_sums(self, path: Path) -> None:
        sums = self.rows.sums()
        some = self.rows.counts > 0
        wanted = np.ones(sums.size)
        if self.words.get("normalization", "").startswith("dest"):
            fraction = self.planes.get("frac_b", wanted)
            wanted = np.where(fraction > 0.0, fraction, wanted)
        apart = np.where(some, np.abs(sums - wanted), 0.0)
        if apart.size and not apart.max() < 1e-6:
            at = int(np.argmax(apart))
            raise UserError(
                f"The weights of '{path}' for target point {at + 1} add up to {sums[at]:.8g}, and"
                f" should to {wanted[at]:.8g}. The file is damaged, or its weights are no means;"
                " make it anew."
            )


def write_weights(
    path: Path,
    form: str,
    rows: RemapRows,
    surfaces: tuple[Surface, Surface],
    words: Mapping[str, str],
    fractions: Array | None = None,
) -> None:
    """Write rows of all target points, whole or not at all; `form` is 'esmf' or 'scrip'."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    with netcdf_lock, netCDF4.Dataset(part, "w", format="NETCDF3_64BIT_OFFSET") as file:
        file.setncatts(dict(words))
        planes = _planes(surfaces, rows, fractions)
        if form == "esmf":
            _write_esmf(file, rows, surfaces, planes)
        else:
            _write_scrip(file, rows, surfaces, planes)
    os.replace(part, path)


def _planes(
    surfaces: tuple[Surface, Surface], rows: RemapRows, fractions: Array | None
) -> dict[str, Array]:
    """What is written of both grids, one value for each point."""
    found = {}
    for letter, surface in zip("ab", surfaces, strict=True):
        found[f"xc_{letter}"] = surface.longitude.ravel()
        found[f"yc_{letter}"] = surface.latitude.ravel()
        found[f"mask_{letter}"] = surface.wet.ravel().astype(np.float64)
        has_cells = surface.corner_x is not None
        area = surface.areas_and_centroids[0] if has_cells else np.zeros(surface.size)
        found[f"area_{letter}"] = area
    covered = (rows.counts > 0).astype(np.float64)
    found["frac_b"] = covered if fractions is None else fractions
    given = np.zeros(surfaces[0].size)
    given[np.unique(rows.numbers)] = 1.0
    found["frac_a"] = given
    return found


def _write_esmf(
    file: netCDF4.Dataset,
    rows: RemapRows,
    surfaces: tuple[Surface, Surface],
    planes: Mapping[str, Array],
) -> None:
    """The variables of ESMF's form."""
    file.createDimension("n_s", rows.numbers.size)
    for letter, surface, end in zip("ab", surfaces, ("src", "dst"), strict=True):
        file.createDimension(f"n_{letter}", surface.size)
        file.createDimension(f"{end}_grid_rank", 2)
        _put(file, f"{end}_grid_dims", (f"{end}_grid_rank",), surface.shape[::-1], "i4")
        for name in ("xc", "yc", "area", "frac", "mask"):
            units = {"xc": "degrees", "yc": "degrees", "area": "square radians"}.get(name, "1")
            number = "i4" if name == "mask" else "f8"
            full = f"{name}_{letter}"
            _put(file, full, (f"n_{letter}",), planes[full], number, units)
        if surface.corner_x is not None:
            file.createDimension(f"nv_{letter}", 4)
            for name, plane in zip(("xv", "yv"), _corners(surface), strict=True):
                dims = (f"n_{letter}", f"nv_{letter}")
                _put(file, f"{name}_{letter}", dims, plane, "f8", "degrees")
    _put(file, "col", ("n_s",), rows.numbers + 1, "i4")
    _put(file, "row", ("n_s",), rows.targets + 1, "i4")
    _put(file, "S", ("n_s",), rows.weights, "f8")


def _write_scrip(
    file: netCDF4.Dataset,
    rows: RemapRows,
    surfaces: tuple[Surface, Surface],
    planes: Mapping[str, Array],
) -> None:
    """The variables of SCRIP's form."""
    file.conventions = "SCRIP"
    file.createDimension("num_links", rows.numbers.size)
    file.createDimension("num_wgts", 1)
    for letter, surface, end in zip("ab", surfaces, ("src", "dst"), strict=True):
        size, rank = f"{end}_grid_size", f"{end}_grid_rank"
        file.createDimension(size, surface.size)
        file.createDimension(rank, 2)
        _put(file, f"{end}_grid_dims", (rank,), surface.shape[::-1], "i4")
        x, y = (planes[f"{name}_{letter}"] for name in ("xc", "yc"))
        _put(file, f"{end}_grid_center_lat", (size,), y * degree, "f8", "radians")
        _put(file, f"{end}_grid_center_lon", (size,), x * degree, "f8", "radians")
        if surface.corner_x is not None:
            file.createDimension(f"{end}_grid_corners", 4)
            for name, plane in zip(("lon", "lat"), _corners(surface), strict=True):
                full, dims = f"{end}_grid_corner_{name}", (size, f"{end}_grid_corners")
                _put(file, full, dims, plane * degree, "f8", "radians")
        _put(file, f"{end}_grid_imask", (size,), planes[f"mask_{letter}"], "i4", "unitless")
        _put(file, f"{end}_grid_area", (size,), planes[f"area_{letter}"], "f8", "square radians")
        _put(file, f"{end}_grid_frac", (size,), planes[f"frac_{letter}"], "f8", "unitless")
    _put(file, "src_address", ("num_links",), rows.numbers + 1, "i4")
    _put(file, "dst_address", ("num_links",), rows.targets + 1, "i4")
    _put(file, "remap_matrix", ("num_links", "num_wgts"), rows.weights[:, None], "f8")


def _corners(surface: Surface) -> tuple[Array, Array]:
    """Longitudes and latitudes of the four corners of all cells [degree], shapes (size, 4)."""
    points, numbers = surface.cells
    x, y = longitude_latitude(points.T)
    return x[numbers], y[numbers]


def _put(
    file: netCDF4.Dataset,
    name: str,
    dims: tuple[str, ...],
    values: NDArray[np.generic] | tuple[int, ...],
    number: str,
    units: str = "",
) -> None:
    variable = file.createVariable(name, number, dims)
    if units:
        variable.units = units
    variable[:] = np.asarray(values)


def read_weights(path: Path) -> WeightFile:
    """Weights of a file in ESMF's or SCRIP's form; refused where it is neither, or broken."""
    with netcdf_lock, netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        has = {form: set(names) <= set(file.variables) for form, names in names_of_weights.items()}
        if not any(has.values()):
            raise UserError(
                f"'{path}' holds no weights: it has neither col, row and S, as files of ESMF, nor"
                " src_address, dst_address and remap_matrix, as those of SCRIP and CDO."
            )
        words = {name: str(file.getncattr(name)) for name in file.ncattrs()}
        return _read_esmf(path, file, words) if has["esmf"] else _read_scrip(path, file, words)


def _read_esmf(path: Path, file: netCDF4.Dataset, words: dict[str, str]) -> WeightFile:
    sizes = tuple(len(file.dimensions[f"n_{letter}"]) for letter in "ab")
    planes = {}
    for letter in "ab":
        for name in ("xc", "yc", "area", "frac"):
            full = f"{name}_{letter}"
            if full in file.variables:
                turn = _turn(file, full) if name in ("xc", "yc") else 1.0
                planes[full] = np.asarray(file[full][:], np.float64) * turn
    rows = _rows(path, file["col"][:], file["row"][:], np.asarray(file["S"][:]), sizes)
    return WeightFile(rows, sizes[0], words, planes)


def _read_scrip(path: Path, file: netCDF4.Dataset, words: dict[str, str]) -> WeightFile:
    sizes = tuple(len(file.dimensions[f"{end}_grid_size"]) for end in ("src", "dst"))
    planes = {}
    for letter, end in zip("ab", ("src", "dst"), strict=True):
        for name, theirs in (
            ("xc", "center_lon"),
            ("yc", "center_lat"),
            ("area", "area"),
            ("frac", "frac"),
        ):
            full = f"{end}_grid_{theirs}"
            if full in file.variables:
                turn = _turn(file, full) if name in ("xc", "yc") else 1.0
                planes[f"{name}_{letter}"] = np.asarray(file[full][:], np.float64) * turn
    matrix = np.asarray(file["remap_matrix"][:])
    if np.any(matrix[:, 1:] != 0.0):
        raise UserError(
            f"'{path}' has {matrix.shape[1]} weights for each link: those after the first are of"
            " gradients, which it does not say how to find. Use weights of one value each (of CDO"
            " all but those of gencon2 are)."
        )
    addresses = file["src_address"][:], file["dst_address"][:]
    return WeightFile(_rows(path, *addresses, matrix[:, 0], sizes), sizes[0], words, planes)


def _turn(file: netCDF4.Dataset, name: str) -> float:
    """What brings an angle to degrees."""
    units = str(getattr(file[name], "units", "degrees"))
    return 1.0 / degree if units.startswith("rad") else 1.0


def _rows(
    path: Path,
    sources: NDArray[np.int32],
    targets: NDArray[np.int32],
    weights: Array,
    sizes: tuple[int, ...],
) -> RemapRows:
    """Rows of links in any order."""
    for end, some, size in (("source", sources, sizes[0]), ("target", targets, sizes[1])):
        if some.size and not 1 <= int(some.min()) <= int(some.max()) <= size:
            raise UserError(
                f"'{path}' has weights of {end} points {some.min()} to {some.max()}, and there are"
                f" 1 to {size}. The file is damaged; make it anew."
            )
    if not np.isfinite(weights).all():
        raise UserError(f"'{path}' has weights that are not finite. Make the file anew.")
    order = np.lexsort((sources, targets))
    counts = np.bincount(targets - 1, minlength=sizes[1]).astype(np.int64)
    numbers = sources[order].astype(np.int64) - 1
    return RemapRows(counts, numbers, np.asarray(weights, np.float64)[order])
