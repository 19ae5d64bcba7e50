"""Curvilinear grids from files in the manner of POP: corners, widths of cells, wet levels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.grids.files.sources import FileVariables, open_source
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.metrics import Curvilinear

Array = NDArray[np.float64]
corners = ("ulon", "ulat")
depths = ("kmt", "ht", "bathymetry", "depth")
"""Variables that give depth or its number of levels, the preferred one first."""


def is_curvilinear(path: Path) -> bool:
    """Whether a file holds corners of a curvilinear grid."""
    data = open_source(path)
    try:
        return all(name in data.variables and data[name].ndim == 2 for name in corners)
    finally:
        data.close()


def read_displaced_pole(path: Path) -> Grid:
    """Read the horizontal grid of a file with corners `ulon` and `ulat` [degree].

    They are north-east corners of all cells, as in POP, where x is periodic, or all corners, one
    more than cells. Depths come from `kmt` and `dz` [m], or from ht, bathymetry or depth [m].
    Lengths of northern and eastern faces `htn` and `hte` [m] and centres `tlon` and `tlat` are used
    where the file has them; without them lengths are those between the corners.
    """
    data = open_source(path)
    try:
        return _read(data, path)
    finally:
        data.close()


def _read(data: FileVariables, path: Path) -> Grid:
    depth = _depth(data, path)
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
    if not all(np.isfinite(plane).all() for plane in (corner_x, corner_y)):
        raise UserError(
            f"Corners (ulon, ulat) of '{path}' are missing (NaN). Every cell needs all."
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
    return Grid.of(curvilinear, depth, str(data.attrs.get("title", "")))


def _depth(data: FileVariables, path: Path) -> Array:
    """Depth of the floor [m], 0 on land."""
    for name in depths:
        if name not in data.variables or name == "kmt" and "dz" not in data.variables:
            continue
        values = np.nan_to_num(data[name].read())
        if name != "kmt":
            return np.maximum(values, 0.0)
        bottom = np.concatenate([[0.0], np.cumsum(data["dz"].read())])
        levels = values.astype(np.int64)
        if levels.max(initial=0) >= bottom.size:
            raise UserError(
                f"'{path}' has a column of {levels.max()} wet levels (kmt), but thicknesses (dz) of"
                f" {bottom.size - 1}. Give the thickness of every level."
            )
        return bottom[levels]
    raise UserError(f"'{path}' has no depth: neither kmt with dz, nor {', '.join(depths[1:])}.")


def _of_north_east(north_east: Array) -> Array:
    """All corners from the north-east ones of a periodic grid; the southernmost row is repeated."""
    rows = np.concatenate([north_east[:1], north_east])
    return np.concatenate([rows[:, -1:], rows], axis=1)
