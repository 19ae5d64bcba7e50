"""Missing values in files: which lie over the sea of the model, and filling of the others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from halocline.grids.files.axes import Bilinear, FileAxis
from halocline.grids.files.parts import FilePart, lines_within, part_of, used_lines
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.place import Place

Mask = NDArray[np.bool_]
Index = NDArray[np.int64]
Array = NDArray[np.float64]


def open_sea(grid: Grid, longitude: FileAxis, latitude: FileAxis) -> Mask:
    """Cells of a file's grid (latitude, longitude) that have nothing but model sea around them.

    Around means within one spacing of the file (or of the model, if that is wider): closer to
    a coast, the land masks of the two may differ.
    """
    columns = grid.x.size
    i = np.arange(-columns, 2 * columns)
    i = i[grid.topology.resolve(Place.center, np.zeros_like(i), i).inside]
    x, land = grid.x[i % columns] + 360.0 * (i // columns), ~grid.mask[:, i % columns]
    counts = np.zeros((land.shape[0] + 1, land.shape[1] + 1), np.int64)
    counts[1:, 1:] = land.cumsum(axis=0).cumsum(axis=1)
    places = grid.x[0] + np.mod(longitude.values - grid.x[0], 360.0)
    reach_x = max(longitude.spacing, abs(grid.step_x)) + 1e-6
    reach_y = max(latitude.spacing, abs(grid.step_y)) + 1e-6
    west = np.searchsorted(x, places - reach_x)[None, :]
    east = np.searchsorted(x, places + reach_x)[None, :]
    south = np.searchsorted(grid.y, latitude.values - reach_y)[:, None]
    north = np.searchsorted(grid.y, latitude.values + reach_y)[:, None]
    lands = counts[north, east] - counts[south, east] - counts[north, west] + counts[south, west]
    return (lands == 0) & ((north - south) * (east - west) > 0)


def nearest_valid(
    valid: Mask, wanted: Mask, longitude: FileAxis, latitude: FileAxis
) -> tuple[tuple[Index, Index], tuple[Index, Index]]:
    """Places (j, i) that are wanted but not valid, and for each the nearest valid place."""
    angles = np.deg2rad(latitude.values), np.deg2rad(longitude.values)

    def vectors(places: Index) -> Array:
        phi, lam = angles[0][places[:, 0]], angles[1][places[:, 1]]
        return np.stack([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)])

    return nearest_places(valid, wanted, vectors, bool(longitude.period))


def nearest_places(
    valid: Mask, wanted: Mask, vectors: Callable[[Index], Array], periodic: bool
) -> tuple[tuple[Index, Index], tuple[Index, Index]]:
    """The same on any grid; `vectors` gives unit vectors (3, n) of places (n, 2)."""
    edge = valid & _beside(~valid, periodic)
    target, source = np.argwhere(wanted & ~valid), np.argwhere(edge)
    to, of = vectors(target), vectors(source)
    nearest = np.zeros(len(target), np.int64)
    for start in range(0, len(target), 64):
        part = slice(start, start + 64)
        closeness = sum(to[axis, part, None] * of[axis, None, :] for axis in range(3))
        nearest[part] = np.argmax(closeness, axis=1)
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
    """Values are missing where the sea of the model needs them."""

    def __init__(self, count: int, longitude: float, latitude: float) -> None:
        self.count, self.longitude, self.latitude = count, longitude % 360.0, latitude


class Filling:
    """Interpolates the maps of one variable to some points, gaps over land filled.

    A gap takes the value of the nearest valid place of the whole map. To find it the whole map is
    read, by the ranks whose points have gaps around them, once; from then on the part that is read
    holds all that is as near, and as long as its gaps stay the same so do the places. Thus the
    values are the same for any part of the points.

    `weights` are those of the points, `refused` says which places of the map must not be missing.
    """

    def __init__(
        self,
        weights: Bilinear,
        longitude: FileAxis,
        latitude: FileAxis,
        refused: Callable[[], Mask],
    ) -> None:
        self.longitude, self.latitude, self.refused = longitude, latitude, refused
        self.whole_weights = weights
        self.shape = latitude.values.size, longitude.values.size
        self._missing: Mask | None = None
        self._use(part_of(*used_lines(weights, self.shape)))

    def _use(self, part: FilePart) -> None:
        self.part, self.weights = part, part.weights(self.whole_weights)
        self._used = self.weights.used((part.rows.stop - part.rows.start, part.columns.size))

    def at_points(self, read: Callable[[FilePart | None], Array]) -> Array:
        """Values at the points; `read(part)` gives a part of a map, or for None all of it."""
        if not self.part.size:
            return np.zeros(self.whole_weights.weight_x.shape)
        values = read(self.part)
        missing = ~np.isfinite(values)
        if missing.any():
            if (missing & self._used).any():
                if self._missing is None or not np.array_equal(missing, self._missing):
                    values = self._study(read(None))
                target, source = self._places
                values[target] = values[source]
            values = np.where(np.isfinite(values), values, 0.0)
        return self.weights(values)

    def _study(self, whole: Array) -> Array:
        """Find from where gaps are filled, and what part is needed for it; that part of `whole`."""
        missing = ~np.isfinite(whole)
        wrong = missing & self.refused()
        if wrong.any() or missing.all():
            wrong = wrong if wrong.any() else missing
            j, i = np.argwhere(wrong)[0]
            place = float(self.longitude.values[i]), float(self.latitude.values[j])
            raise GapsOverSea(int(wrong.sum()), *place)
        used = self.whole_weights.used(self.shape)
        target, source = nearest_valid(~missing, used, self.longitude, self.latitude)
        around = lines_within(self._angles(target, source), target, self.longitude, self.latitude)
        lines = used_lines(self.whole_weights, self.shape)
        self._use(part_of(*(mine | more for mine, more in zip(lines, around, strict=True))))
        self._places = self.part.places(*target), self.part.places(*source)
        values = self.part.of(whole)
        self._missing = ~np.isfinite(values)
        return values

    def _angles(self, one: tuple[Index, Index], other: tuple[Index, Index]) -> Array:
        """Angles between places [rad]."""
        lam, phi = np.deg2rad(self.longitude.values), np.deg2rad(self.latitude.values)
        half_x = np.sin(0.5 * (lam[one[1]] - lam[other[1]]))
        half_y = np.sin(0.5 * (phi[one[0]] - phi[other[0]]))
        square = half_y**2 + np.cos(phi[one[0]]) * np.cos(phi[other[0]]) * half_x**2
        return 2.0 * np.arcsin(np.sqrt(np.clip(square, 0.0, 1.0)))
