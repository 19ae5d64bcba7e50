"""Missing values in files: which lie over the sea of the model, and filling of the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.grids.files.axes import Bilinear, FileAxis
from halocline.grids.files.curvilinear_maps import nearest_place
from halocline.grids.files.gridded_files import GriddedFiles
from halocline.grids.files.parts import FilePart, part_of, used_lines
from halocline.grids.horizontal.grid import Grid
from halocline.grids.sphere import angles_between, nearest_points, vectors
from halocline.runtime.fields.place import Place

Mask = NDArray[np.bool_]
Index = NDArray[np.int64]
Array = NDArray[np.float64]


def open_sea(grid: Grid, files: GriddedFiles) -> Mask:
    """Places of the files' grid (row, column) that have nothing but model sea around them.

    Around means within one spacing of the files (or of the model, if that is wider): closer to
    a coast, the land masks of the two may differ.
    """
    if files.regular and grid.curvilinear is None:
        return _open_sea_in_boxes(grid, files.longitude, files.latitude)
    center, places = grid.at(Place.center), files.unit_vectors(_all_places(files.shape))
    model, flat = vectors(center.x, center.y), places.reshape(3, -1)
    j, i = nearest_place(model, grid.topology.goes_round, flat)
    dx, dy = center.dx[j, i], center.dy[j, i]
    reach = np.maximum(_spacing(places).ravel() * grid.radius, np.maximum(dx, dy)) * (1 + 1e-6)
    around_j = np.minimum(np.ceil(reach / dy), grid.shape[0]).astype(np.int64)
    around_i = np.minimum(np.ceil(reach / np.maximum(dx, 1e-3)), grid.shape[1]).astype(np.int64)
    lands = _lands_around(grid, j, i, around_j, around_i)
    near = angles_between(model[:, j, i], flat) * grid.radius <= reach
    return ((lands == 0) & near).reshape(files.shape)


def _all_places(shape: tuple[int, int]) -> tuple[Index, Index]:
    """Rows and columns of all places of a map."""
    j, i = np.mgrid[: shape[0], : shape[1]]
    return j, i


def _spacing(places: Array) -> Array:
    """Greatest angle between each of the places (3, rows, columns) and its neighbours [rad]."""
    widest = np.zeros(places.shape[1:])
    for axis, n in ((1, places.shape[1]), (2, places.shape[2])):
        one, other = (places.take(s, axis) for s in (range(1, n), range(n - 1)))
        apart = angles_between(one, other)
        for side in ((1, 0), (0, 1)):
            pad = [(0, 0), (0, 0)]
            pad[axis - 1] = side
            widest = np.maximum(widest, np.pad(apart, pad))
    return widest


def _lands_around(grid: Grid, j: Index, i: Index, around_j: Index, around_i: Index) -> Index:
    """How many land cells lie so many rows and columns around cells (j, i), across joined sides."""
    rows, columns = int(around_j.max()), int(around_i.max())
    nj, ni = grid.shape
    all_j, all_i = np.mgrid[-rows : nj + rows, -columns : ni + columns]
    cells = grid.topology.resolve(Place.center, all_j, all_i)
    land = cells.inside & ~grid.mask[cells.j, cells.i]
    counts = np.zeros((land.shape[0] + 1, land.shape[1] + 1), np.int64)
    counts[1:, 1:] = land.cumsum(axis=0).cumsum(axis=1)
    south, north = j + rows - around_j, j + rows + around_j + 1
    west, east = i + columns - around_i, i + columns + around_i + 1
    return counts[north, east] - counts[south, east] - counts[north, west] + counts[south, west]


def _open_sea_in_boxes(grid: Grid, longitude: FileAxis, latitude: FileAxis) -> Mask:
    """The same where both are lines of longitude and latitude, which span the boxes."""
    columns = grid.x.size
    i = np.arange(-columns, 2 * columns)
    i = i[grid.topology.resolve(Place.center, np.zeros_like(i), i).inside]
    x, land = grid.x[i % columns] + 360.0 * (i // columns), ~grid.mask[:, i % columns]
    counts = np.zeros((land.shape[0] + 1, land.shape[1] + 1), np.int64)
    counts[1:, 1:] = land.cumsum(axis=0).cumsum(axis=1)
    reach_x = max(longitude.spacing, abs(grid.step_x)) + 1e-6
    first = grid.x[0] - reach_x
    places = first + np.mod(longitude.values - first, 360.0)
    reach_y = max(latitude.spacing, abs(grid.step_y)) + 1e-6
    west = np.searchsorted(x, places - reach_x)[None, :]
    east = np.searchsorted(x, places + reach_x)[None, :]
    south = np.searchsorted(grid.y, latitude.values - reach_y)[:, None]
    north = np.searchsorted(grid.y, latitude.values + reach_y)[:, None]
    lands = counts[north, east] - counts[south, east] - counts[north, west] + counts[south, west]
    return (lands == 0) & ((north - south) * (east - west) > 0)


def nearest_places(
    valid: Mask, wanted: Mask, vectors: Callable[[Index], Array], periodic: bool
) -> tuple[tuple[Index, Index], tuple[Index, Index]]:
    """Places (j, i) that are wanted but not valid, and for each the nearest valid place.

    `vectors` gives unit vectors (3, n) of places (n, 2).
    """
    edge = valid & _beside(~valid, periodic)
    target, source = np.argwhere(wanted & ~valid), np.argwhere(edge)
    nearest = nearest_points(vectors(target), vectors(source))
    return (target[:, 0], target[:, 1]), (source[nearest, 0], source[nearest, 1])


def _beside(mask: Mask, periodic: bool) -> Mask:
    """Cells with one of their eight neighbours in `mask`."""
    padded = np.pad(mask, ((1, 1), (0, 0)))
    padded = np.pad(padded, ((0, 0), (1, 1)), mode="wrap" if periodic else "constant")
    nj, ni = mask.shape
    beside = np.zeros_like(mask)
    for j in range(3):
        for i in range(3):
            beside |= padded[j : j + nj, i : i + ni]
    return beside


class GapsOverSea(Exception):
    """Values are missing where the sea of the model needs them, the first at `place`."""

    def __init__(self, count: int, place: str) -> None:
        self.count, self.place = count, place


@dataclass(frozen=True)
class Gaps:
    """Which values of a part are missing, and from where each of them is filled (whole map)."""

    missing: Mask
    target: tuple[Index, Index]
    source: tuple[Index, Index]


class Filling:
    """Interpolates maps of files to some points from the part that these need, gaps filled.

    A gap takes the value of the nearest valid place of the whole map. Where the part at hand has
    one at some distance, all that may be nearer is read too, and belongs to the part from then on:
    as long as its gaps stay the same so do the places, and values are the same for any part of the
    points. A whole map is read only where a part has no value at all, or for a message.

    Maps are told apart by a number (levels): each has gaps of its own, and all share the part.
    """

    def __init__(self, files: GriddedFiles, weights: Bilinear) -> None:
        self.files, self.whole_weights = files, weights
        self._lines = used_lines(weights, files.shape)
        self._gaps: dict[int, Gaps] = {}
        self._use(part_of(*self._lines))

    def _use(self, part: FilePart) -> None:
        self.part, self.weights = part, part.weights(self.whole_weights)
        self._used: dict[int, Mask] = {}

    def at_points(
        self,
        read: Callable[[FilePart | None], Array],
        *,
        number: int = 0,
        wanted: Mask | None = None,
        refused: Callable[[], Mask] | None = None,
    ) -> Array | None:
        """Values at the points; None where the whole map has none.

        `read(part)` gives a part of a map, or for None all of it; `wanted` are the points that need
        values of it, all if not given; `refused` says which places must not be missing.
        """
        if not self.part.size:
            return np.zeros(self.whole_weights.weight_x.shape)
        values = read(self.part)
        missing = ~np.isfinite(values)
        if missing.any():
            if (missing & self._needed(number, wanted)).any():
                known = self._gaps.get(number)
                if known is None or not np.array_equal(missing, known.missing):
                    found = self._study(read, values, wanted, refused)
                    if found is None:
                        return None
                    values, known = found
                    self._gaps[number] = known
                values[self.part.places(*known.target)] = values[self.part.places(*known.source)]
            values = np.where(np.isfinite(values), values, 0.0)
        return self.weights(values)

    def known_at_points(self, read: Callable[[FilePart | None], Array]) -> tuple[Array, Array]:
        """Interpolated values with 0 for gaps, and the weight at each point of what is no gap."""
        if not self.part.size:
            nothing = np.zeros(self.whole_weights.weight_x.shape)
            return nothing, nothing
        values = read(self.part)
        known = np.isfinite(values)
        return self.weights(np.where(known, values, 0.0)), self.weights(known.astype(np.float64))

    def _needed(self, number: int, wanted: Mask | None) -> Mask:
        """Which places of the part wanted points are interpolated from."""
        if number not in self._used:
            weights = self.weights if wanted is None else self.weights.part(wanted)
            rows = self.part.rows.stop - self.part.rows.start
            self._used[number] = weights.used((rows, self.part.columns.size))
        return self._used[number]

    def _study(
        self,
        read: Callable[[FilePart | None], Array],
        values: Array,
        wanted: Mask | None,
        refused: Callable[[], Mask] | None,
    ) -> tuple[Array, Gaps] | None:
        """Find from where gaps are filled and what part that needs; what is read of it."""
        weights = self.whole_weights if wanted is None else self.whole_weights.part(wanted)
        used = weights.used(self.files.shape)
        held = self.part
        while True:
            missing = ~np.isfinite(values)
            if refused is not None and (missing & held.of(refused())).any():
                self._refuse(read(None), refused())
            if missing.all():
                if held.is_whole:
                    if refused is not None:
                        self._refuse(values, missing)
                    return None
                around = tuple(np.ones(size, bool) for size in self.files.shape)
            else:
                target, source = self._nearest(held, ~missing, held.of(used))
                around = self._around(target, source)
            more = [mine | new for mine, new in zip(self._lines, around, strict=True)]
            part = part_of(more[0], more[1])
            if part.within(held):
                break
            held = part_of(*(a | b for a, b in zip(more, held.lines, strict=True)))
            values = read(held)
        self._lines = more[0], more[1]
        self._use(part)
        values = values[part.inside(held)]
        return values, Gaps(~np.isfinite(values), target, source)

    def _around(
        self, target: tuple[Index, Index], source: tuple[Index, Index]
    ) -> tuple[Mask, Mask]:
        """Rows and columns with all that may be nearer to targets than their sources."""
        if all(mine.all() for mine in self._lines):
            return self._lines
        of_target, of_source = map(self.files.unit_vectors, (target, source))
        return self.files.lines_within(angles_between(of_target, of_source), target)

    def _nearest(
        self, part: FilePart, valid: Mask, used: Mask
    ) -> tuple[tuple[Index, Index], tuple[Index, Index]]:
        """Places of the whole map that are used but not valid in a part, and the nearest valid."""

        def whole(places: Index) -> tuple[Index, Index]:
            return places[:, 0] + part.rows.start, part.columns[places[:, 1]]

        target, source = nearest_places(
            valid,
            used,
            lambda places: self.files.unit_vectors(whole(places)),
            bool(self.files.longitude.period),
        )
        return whole(np.stack(target, axis=1)), whole(np.stack(source, axis=1))

    def _refuse(self, whole: Array, refused: Mask) -> None:
        """Tell of all gaps of a map where there must be none."""
        wrong = ~np.isfinite(whole) & refused
        if not wrong.any():
            return
        j, i = np.argwhere(wrong)[0]
        x, y = float(self.files.longitude.values[i]), float(self.files.latitude.values[j])
        raise GapsOverSea(int(wrong.sum()), self.files.place(x, y))
