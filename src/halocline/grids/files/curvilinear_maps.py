"""Files whose maps lie on curvilinear grids, and interpolation from these."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.core.geography import position_words
from halocline.grids.files.axes import Bilinear, FileAxis
from halocline.grids.files.gridded_files import GriddedFiles
from halocline.grids.files.places import PlacesByRows, lattice_step
from halocline.grids.files.sources import FileVariables
from halocline.grids.sphere import (
    angles_between,
    nearest_points,
    on_tangent_plane,
    unit,
    vectors,
)

Array = NDArray[np.float64]
Index = NDArray[np.int64]
Mask = NDArray[np.bool_]
Places = Array | PlacesByRows
"""Unit vectors (3, rows, columns)."""

patch = 8
"""Rows and columns of a patch of a map whose places are looked at together."""

round_off = 1e-9
"""Of weights, in cells [1]."""

plane_names: dict[str, tuple[str, ...]] = {
    "longitude": ("tlon", "tlong", "nav_lon", "geolon", "lon", "longitude"),
    "latitude": ("tlat", "tlati", "nav_lat", "geolat", "lat", "latitude"),
}
"""Names of planes of coordinates in files."""


def open_maps(paths: Sequence[Path], calendar: str = "standard", of: str = "") -> GriddedFiles:
    """Files on a regular grid, or a curvilinear one where longitude and latitude are planes.

    With a variable `of` on the grid of this one.
    """
    regular = GriddedFiles(paths, calendar, of)
    try:
        regular.coordinate("longitude")
    except UserError:
        curvilinear = CurvilinearFiles(paths, calendar, of)
        try:
            curvilinear.coordinate("longitude")
        except UserError:
            curvilinear.close()
        else:
            regular.close()
            return curvilinear
    return regular


class CurvilinearFiles(GriddedFiles):
    """Files whose longitudes and latitudes are planes; their axes count columns and rows."""

    regular: ClassVar[bool] = False

    def coordinate(self, which: str, source: FileVariables | None = None) -> str:
        """Name of the plane of longitudes or latitudes, or of the time."""
        if which == "time":
            return super().coordinate(which, source)
        source = source or self.first
        planes = [name for name, variable in source.variables.items() if variable.ndim == 2]
        words = " ".join(str(v.attrs.get("coordinates", "")) for v in source.variables.values())
        for some in ([name for name in planes if name in words.split()], planes):
            for name in some:
                if source[name].attrs.get("standard_name") == which:
                    return name
        lower = {name.lower(): name for name in planes}
        for known in plane_names[which]:
            if known in lower:
                return lower[known]
        raise UserError(f"{self.name} has no {which} that can be recognised: {source.listing()}.")

    @cached_property
    def axes(self) -> tuple[str, str, str | None]:
        """Dimensions of rows, columns and (where there is one) time."""
        j, i = self.first[self.coordinate("longitude")].dims
        try:
            time = self.first[self.coordinate("time")].dims
        except UserError:
            time = ()
        return j, i, time[0] if time else None

    @cached_property
    def points(self) -> PlacesByRows:
        """Unit vectors of the places of the maps, read by parts."""
        longitude, latitude = (self.first[self.coordinate(c)] for c in ("longitude", "latitude"))
        return PlacesByRows(longitude, latitude, self.name)

    @cached_property
    def longitude(self) -> FileAxis:
        """Columns; their period is their number where the last is beside the first."""
        _, rows, count = self.points.shape
        order = np.arange(count)
        some = np.arange(0, rows, lattice_step(rows, count))[:, None]
        points = self.points[:, some, order]
        step = np.median(_apart(points[:, :, 1:], points[:, :, :-1]))
        seam = np.median(_apart(points[:, :, 0], points[:, :, -1]))
        return FileAxis(
            "column", order.astype(float), order, float(count) if seam <= 1.5 * step else 0
        )

    @cached_property
    def latitude(self) -> FileAxis:
        order = np.arange(self.points.shape[1])
        return FileAxis("row", order.astype(float), order)

    def place(self, x: float, y: float) -> str:
        return f"column {x:g}, row {y:g}"

    def weights(self, points: tuple[Array, Array], where: str, whose: str) -> Bilinear:
        """Weights from the maps to points (longitude, latitude) [degree]."""
        return cell_weights(self.points, bool(self.longitude.period), points, where, whose)

    def unit_vectors(self, places: tuple[Index, Index]) -> Array:
        """Where places (rows, columns) of the maps lie on the sphere, shape (3, ...)."""
        return self.points[:, places[0], places[1]]

    def lines_within(self, distance: Array, places: tuple[Index, Index]) -> tuple[Mask, Mask]:
        """Rows and columns that hold all places within a distance [rad] of some, or more.

        Patches of some rows and columns lie in caps of the sphere: those count whose cap comes as
        near.
        """
        rows, columns = (np.zeros(size, bool) for size in self.shape)
        middles, radii = self._caps
        near = np.zeros(radii.size, bool)
        wanted = self.unit_vectors(places)
        for first in range(0, distance.size, 1024):
            some = slice(first, first + 1024)
            reach = np.minimum(distance[some, None] + radii + 1e-6, np.pi)
            near |= (wanted[:, some].T @ middles >= np.cos(reach)).any(axis=0)
        across = -(-columns.size // patch)
        for number in np.flatnonzero(near):
            j, i = patch * (number // across), patch * (number % across)
            rows[j : j + patch] = columns[i : i + patch] = True
        return rows, columns

    @cached_property
    def _caps(self) -> tuple[Array, Array]:
        """Middles (3, patches) and radii [rad] of caps that hold the patches, row by row."""
        middles, radii = [], []
        for j in range(0, self.shape[0], patch):
            rows = self.points.rows(j, min(j + patch, self.shape[0]))
            for i in range(0, self.shape[1], patch):
                inside = rows[:, :, i : i + patch]
                middles.append(unit(inside.sum(axis=(1, 2))))
                radii.append(angles_between(inside, middles[-1][:, None, None]).max())
        return np.stack(middles, axis=1), np.array(radii)


def _apart(one: Array, other: Array) -> Array:
    """Lengths of chords between unit vectors."""
    return np.sqrt(((one - other) ** 2).sum(axis=0))


def cell_weights(
    grid: Places, periodic: bool, points: tuple[Array, Array], where: str, whose: str
) -> Bilinear:
    """Weights of bilinear interpolation in the cells between places; points outside are refused."""
    weights, outside = cells_around(grid, periodic, points)
    if outside.any():
        at = int(np.argmax(outside))
        raise UserError(
            f"{where} does not cover {int(outside.sum())} of {outside.size} points of {whose}, the"
            f" first at {position_words(points[0][at], points[1][at])}. Use a file that covers all."
        )
    return weights


def cells_around(
    grid: Places, periodic: bool, points: tuple[Array, Array]
) -> tuple[Bilinear, Mask]:
    """Weights of bilinear interpolation in the cells of a curvilinear grid, and who lies outside.

    `grid` are unit vectors (3, rows, columns). Of the four cells around the nearest place that is
    taken which holds the point; points up to half a cell outside of the grid get a value of its
    rim, those further out are marked. All is element by element (same bits anywhere).
    """
    wanted = vectors(*points)
    _, nj, ni = grid.shape
    j, i = nearest_place(grid, periodic, wanted)
    best = [np.zeros(j.shape, np.int64), np.zeros(j.shape, np.int64)]
    found = np.full((3, j.size), np.inf)
    for south in (j - 1, j):
        for west in (i - 1, i):
            row = np.clip(south, 0, nj - 2)
            column = west % ni if periodic else np.clip(west, 0, ni - 2)
            x, y = _within(grid, row, column, wanted)
            out = np.maximum(np.abs(x - 0.5), np.abs(y - 0.5))
            better = out < found[0]
            for kept, new in zip((*best, *found), (row, column, out, x, y), strict=True):
                np.copyto(kept, new, where=better)
    outside = ~(found[0] <= 1.0 + 1e-6)
    x, y = (_clean(np.minimum(np.maximum(weight, 0.0), 1.0)) for weight in found[1:])
    return Bilinear(best[0], best[0] + 1, best[1], (best[1] + 1) % ni, x, y), outside


def _clean(weight: Array) -> Array:
    """Weights without the round-off of points that are places of the grid: their value is that."""
    whole = np.round(weight)
    return np.where(np.abs(weight - whole) < round_off, whole, weight)


def nearest_place(grid: Places, periodic: bool, wanted: Array) -> tuple[Index, Index]:
    """Row and column of the place nearest to each wanted point (unit vectors).

    Begins at the nearest of every n-th place and goes to the nearest neighbour as long as one is
    nearer than the place itself.
    """
    _, nj, ni = grid.shape
    stride = lattice_step(nj, ni)
    rows, columns = np.arange(0, nj, stride), np.arange(0, ni, stride)
    coarse = grid[:, rows[:, None], columns].reshape(3, -1)
    first = nearest_points(wanted, coarse)
    j, i = rows[first // columns.size], columns[first % columns.size]
    closest = (grid[:, j, i] * wanted).sum(axis=0)
    active = np.arange(j.size)
    while active.size:
        here_j, here_i = j[active], i[active]
        moved = np.zeros(active.size, bool)
        for dj in (-1, 0, 1):
            for di in (-1, 0, 1):
                to_j = np.clip(here_j + dj, 0, nj - 1)
                to_i = (here_i + di) % ni if periodic else np.clip(here_i + di, 0, ni - 1)
                near = (grid[:, to_j, to_i] * wanted[:, active]).sum(axis=0)
                better = near > closest[active]
                at = active[better]
                j[at], i[at], closest[at] = to_j[better], to_i[better], near[better]
                moved |= better
        active = active[moved]
    return j, i


def _within(grid: Places, row: Index, column: Index, wanted: Array) -> tuple[Array, Array]:
    """Where points lie in the cell north-east of (row, column): 0 to 1 from west, from south.

    The corners are seen from the point on its tangent plane (straight sides are great circles);
    the bilinear map of the cell there is inverted by Newton's method.
    """
    ni = grid.shape[2]
    corners = [
        on_tangent_plane(wanted, grid[:, row + dj, (column + di) % ni])
        for dj in (0, 1)
        for di in (0, 1)
    ]
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = corners
    a, b = np.full(row.shape, 0.5), np.full(row.shape, 0.5)
    for _ in range(8):
        x = (1 - b) * ((1 - a) * x0 + a * x1) + b * ((1 - a) * x2 + a * x3)
        y = (1 - b) * ((1 - a) * y0 + a * y1) + b * ((1 - a) * y2 + a * y3)
        xa, ya = (1 - b) * (x1 - x0) + b * (x3 - x2), (1 - b) * (y1 - y0) + b * (y3 - y2)
        xb, yb = (1 - a) * (x2 - x0) + a * (x3 - x1), (1 - a) * (y2 - y0) + a * (y3 - y1)
        scale = xa * yb - xb * ya
        scale = np.where(scale == 0.0, 1.0, scale)
        a = np.clip(a - (x * yb - y * xb) / scale, -2.0, 3.0)
        b = np.clip(b - (xa * y - ya * x) / scale, -2.0, 3.0)
    return a, b
