"""Curvilinear grids from files in the manner of POP: corners, widths of cells, wet levels."""

from __future__ import annotations

from pathlib import Path

import netCDF4
import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.core.geography import position_words
from halocline.core.netcdf_lock import netcdf_lock
from halocline.grids.files.sources import FileVariables, open_source
from halocline.grids.horizontal.bathymetry import BathymetryOptions, downward
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.metrics import Curvilinear
from halocline.grids.sphere import angles_between, vectors
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Fold

Array = NDArray[np.float64]
corners = ("ulon", "ulat")
most_bent = 2.0
"""How far lengths of faces may be from those of straight ones, as a factor."""
depths = ("kmt", "ht", "bathymetry", "depth")
"""Variables that give depth or its number of levels, the preferred one first."""


def is_curvilinear(path: Path) -> bool:
    """Whether a file holds corners of a curvilinear grid."""
    data = open_source(path)
    try:
        return all(name in data.variables and data[name].ndim == 2 for name in corners)
    finally:
        data.close()


def read_displaced_pole(path: Path, options: BathymetryOptions | None = None) -> Grid:
    """Read the horizontal grid of a file with corners `ulon` and `ulat` [degree].

    They are north-east corners of all cells, as in POP, where x is periodic, or all corners, one
    more than cells. Depths come from `kmt` and `dz` [m], or from ht, bathymetry or depth [m], if
    the options do not name a variable; with a mask they are of the sea that it has.
    Lengths of northern and eastern faces `htn` and `hte` [m] and centres `tlon` and `tlat` are used
    where the file has them; without them lengths are those between the corners.
    """
    data = open_source(path)
    try:
        return _read(data, path, options or BathymetryOptions(file=str(path)))
    finally:
        data.close()


def _read(data: FileVariables, path: Path, options: BathymetryOptions) -> Grid:
    depth = _depth(data, path, options)
    missing = [name for name in corners if name not in data.variables]
    if missing:
        raise UserError(f"'{path}' has no variable {', '.join(missing)}, the corners of its cells.")
    given = {name: data[name].read() for name in corners}
    shape = given["ulon"].shape
    if shape == depth.shape:
        corner_x, corner_y = (_of_north_east(plane) for plane in given.values())
    elif shape == (depth.shape[0] + 1, depth.shape[1] + 1):
        corner_x, corner_y = given.values()
    else:
        raise UserError(
            f"'{path}' has {depth.shape[0]} x {depth.shape[1]} cells, but corners (ulon) of shape"
            f" {shape}. Give the north-east corner of every cell, or all, one more each way."
        )
    missing_corners = np.argwhere(~np.isfinite(sum(given.values())))
    if missing_corners.size:
        j, i = missing_corners[0]
        raise UserError(
            f"{len(missing_corners)} corners (ulon, ulat) of '{path}' are missing (NaN), the first"
            f" in row {j}, column {i}. Every cell needs all."
        )
    around = (corner_x[:, -1] - corner_x[:, 0] + 180.0) % 360.0 - 180.0
    joined = np.abs(around).max() < 1e-6 and np.abs(corner_y[:, -1] - corner_y[:, 0]).max() < 1e-6
    has_lengths, has_centers = (
        all(name in data.variables for name in names)
        for names in (("htn", "hte"), ("tlon", "tlat"))
    )
    has_lengths = has_lengths and shape == depth.shape
    north, east = (data[name].read() if has_lengths else None for name in ("htn", "hte"))
    center_x, center_y = (data[name].read() if has_centers else None for name in ("tlon", "tlat"))
    curvilinear = Curvilinear(
        corner_x=corner_x,
        corner_y=corner_y,
        periodic_x=bool(joined),
        center_x=center_x,
        center_y=center_y,
        x_face_length=None if east is None else np.concatenate([east[:, -1:], east], axis=1),
        y_face_length=None if north is None else np.concatenate([north[:1], north]),
    )
    fold: Fold = ""
    if joined:
        fold = northern_fold(corner_x, corner_y, str(path))
    if fold == "centres":
        _refuse_unequal_doubles(depth, path)
    # in the last row the poles of a fold may stand in cells
    wrong = np.argwhere((curvilinear.inside_out() & (depth > 0.0))[:-1])
    if wrong.size:
        raise UserError(_inside_out(curvilinear, wrong, path))
    if has_lengths:
        _refuse_wrong_lengths(curvilinear, depth > 0.0, path)
    return Grid.of(curvilinear, depth, str(data.attrs.get("title", "")), fold)


def _inside_out(curvilinear: Curvilinear, wrong: NDArray[np.int64], path: Path) -> str:
    """Which cells (n, 2) of the sea overlap their neighbours, and what to do."""
    j, i = wrong[0]
    x, y = curvilinear.corner_x[j, i], curvilinear.corner_y[j, i]
    return (
        f"'{path}' has {len(wrong)} cells of the sea that are turned inside out or have no area,"
        f" the first in row {j}, column {i}, at {position_words(x, y, '.2f')}. Corners (ulon,"
        " ulat) go eastward along rows, to the left of that along columns. Correct them, or make"
        " these cells land."
    )


def _refuse_wrong_lengths(curvilinear: Curvilinear, wet: NDArray[np.bool_], path: Path) -> None:
    """Refuse lengths of faces of the sea that are far from those between their corners."""
    ends = vectors(curvilinear.corner_x, curvilinear.corner_y)
    north = angles_between(ends[:, 1:, :-1], ends[:, 1:, 1:])
    east = angles_between(ends[:, :-1, 1:], ends[:, 1:, 1:])
    given_lengths = curvilinear.y_face_length, curvilinear.x_face_length
    assert given_lengths[0] is not None and given_lengths[1] is not None
    kinds = (("htn", given_lengths[0][1:], north), ("hte", given_lengths[1][:, 1:], east))
    for name, given, angle in kinds:
        straight = curvilinear.radius * angle
        fits = (given > straight / most_bent) & (given < straight * most_bent)
        wrong = np.argwhere(wet & ~fits)
        if wrong.size:
            j, i = wrong[0]
            raise UserError(
                f"'{path}' has {len(wrong)} cells of the sea whose {name} is not the distance of"
                f" their corners (ulon, ulat) in metres, the first in row {j}, column {i}:"
                f" {given[j, i]:g} where it is {straight[j, i]:g} m. Correct them, or leave htn and"
                " hte out."
            )


def northern_fold(corner_x: Array, corner_y: Array, where: str) -> Fold:
    """How the last row of a grid that is periodic in x meets itself, from its corners [degree].

    Along its northern faces corner i of the last row stands where corner -i does; through its
    centres, where corner 1 - i of the row below it does (`Topology`).
    """
    corner = vectors(corner_x[-2:, :-1], corner_y[-2:, :-1])
    below, last = corner[:, 0], corner[:, 1]
    count = last.shape[1]
    step = float(np.median(angles_between(last, np.roll(last, 1, axis=1))))
    if step < 1e-7:
        return ""  # all corners are one: a pole
    kinds: tuple[tuple[Fold, Array, int], ...] = (("faces", last, 0), ("centres", below, 1))
    for kind, row, own in kinds:
        here = int(np.argmin(angles_between(row, last[:, :1])))
        twins = [own, here] if kind == "centres" else [own, here, _twin_of_first(last)]
        for twin in twins:
            mirrored = row[:, (twin - np.arange(count)) % count]
            if angles_between(last, mirrored).max() > 0.02 * step:
                continue
            if twin % count != own:
                raise UserError(
                    f"The northern side of '{where}' is folded onto itself, but about column"
                    f" {0.5 * (twin - own):g}: the pole of a fold is at the first column. Roll the"
                    " columns of the file."
                )
            return kind
    return ""


def _twin_of_first(row: Array) -> int:
    """The place of a row (3, n) nearest to the first one."""
    return 1 + int(np.argmin(angles_between(row[:, 1:], row[:, :1])))


def _refuse_unequal_doubles(depth: Array, path: Path) -> None:
    """Refuse depths of the last row that differ where its centres are there twice."""
    mirrored = depth[-1, -np.arange(depth.shape[1]) % depth.shape[1]]
    if not np.array_equal(depth[-1], mirrored):
        i = int(np.argmax(depth[-1] != mirrored))
        raise UserError(
            f"'{path}' is folded through the centres of its last row, which are there twice, but"
            f" the depth of column {i} is {depth[-1, i]:g} m, that of its double"
            f" {mirrored[i]:g} m. Give both the same."
        )


def write_curvilinear(grid: Grid, path: Path) -> None:
    """Write the corners, lengths and depths of a curvilinear grid, by POP's names and in its order.

    `ulon` and `ulat` are all corners, so that the grid read back has the same bits; `htn`, `hte`
    and `angle` those of northern and eastern faces and north-east corners, as POP has them.
    """
    if grid.curvilinear is None:
        raise UserError(f"'{path}': only curvilinear grids are written; this one is regular.")
    center, corner = grid.at(Place.center), grid.on_both_sides(Place.corner)
    x_face, y_face = map(grid.on_both_sides, (Place.x_face, Place.y_face))
    planes = {
        "ulon": (corner.x, "degree", "longitude of corners"),
        "ulat": (corner.y, "degree", "latitude of corners"),
        "tlon": (center.x, "degree", "longitude of centres"),
        "tlat": (center.y, "degree", "latitude of centres"),
        "htn": (y_face.dx[1:], "m", "length of northern faces"),
        "hte": (x_face.dy[:, 1:], "m", "length of eastern faces"),
        "angle": (corner.angle[1:, 1:], "rad", "angle from east to the x axis, at corners"),
        "depth": (np.where(grid.mask, grid.depth, 0.0), "m", "depth of the floor, 0 on land"),
    }
    with netcdf_lock, netCDF4.Dataset(path, "w") as file:
        file.title = grid.title
        for name, rows in (("nlat", 0), ("nlat_corner", 1)):
            file.createDimension(name, grid.shape[0] + rows)
        for name, columns in (("nlon", 0), ("nlon_corner", 1)):
            file.createDimension(name, grid.shape[1] + columns)
        for name, (values, units, meaning) in planes.items():
            suffix = "_corner" if name in corners else ""
            variable = file.createVariable(name, "f8", (f"nlat{suffix}", f"nlon{suffix}"))
            variable.units, variable.long_name = units, meaning
            variable[:] = values


def _depth(data: FileVariables, path: Path, options: BathymetryOptions) -> Array:
    """Depth of the floor [m], 0 on land."""
    for name in (options.depth_variable, options.mask):
        if name and name not in data.variables:
            raise UserError(f"'{path}' has no variable '{name}'. It has: {data.listing()}.")
    found = _given_depth(data, path, options.depth_variable)
    if options.mask:
        found = np.where(np.nan_to_num(data[options.mask].read()) >= 0.5, found, 0.0)
    return np.where(found > 0.0, np.maximum(found, options.minimum_depth), 0.0)


def _given_depth(data: FileVariables, path: Path, chosen: str) -> Array:
    """What the file has of it; of a variable that is chosen, or found by its name."""
    for name in [chosen] if chosen else depths:
        if name not in data.variables or name == "kmt" and "dz" not in data.variables:
            continue
        values = np.nan_to_num(data[name].read())
        if name != "kmt":
            return np.maximum(downward(values, data[name].attrs), 0.0)
        bottom = np.concatenate([[0.0], np.cumsum(data["dz"].read())])
        levels = values.astype(np.int64)
        if levels.max(initial=0) >= bottom.size:
            j, i = np.unravel_index(levels.argmax(), levels.shape)
            raise UserError(
                f"'{path}' has a column of {levels.max()} wet levels (kmt) in row {j}, column {i},"
                f" but thicknesses (dz) of {bottom.size - 1}. Give the thickness of every level."
            )
        return bottom[levels]
    raise UserError(f"'{path}' has no depth: neither kmt with dz, nor {', '.join(depths[1:])}.")


def _of_north_east(north_east: Array) -> Array:
    """All corners from the north-east ones of a periodic grid; the southernmost row is repeated."""
    rows = np.concatenate([north_east[:1], north_east])
    return np.concatenate([rows[:, -1:], rows], axis=1)
