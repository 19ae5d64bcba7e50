"""Longitudes and latitudes of files as they come, turned to our order, and weights between them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError

Array = NDArray[np.float64]
Index = NDArray[np.int64]


@dataclass(frozen=True)
class FileAxis:
    """One axis of a file: ascending values, and where each stands in the file.

    `period` is 360 for longitudes that go round the globe, else 0.
    """

    name: str
    values: Array
    order: Index
    period: float = 0.0

    @property
    def spacing(self) -> float:
        """Largest distance of neighbours [degree]."""
        return float(np.diff(self.values).max()) if self.values.size > 1 else 0.0

    @property
    def range_text(self) -> str:
        if self.period:
            return "all around the globe"
        return f"{self.values[0]:g} to {self.values[-1]:g}"


def longitude_axis(longitude: Array) -> FileAxis:
    """Longitudes of any convention and order [degree], cut at their widest gap.

    >>> longitude_axis(np.array([358.0, 359.0, 0.0, 1.0])).values.tolist()
    [358.0, 359.0, 360.0, 361.0]
    >>> longitude_axis(np.array([-180.0, -90.0, 0.0, 90.0, 180.0])).values.tolist()
    [0.0, 90.0, 180.0, 270.0]
    """
    # Rounding joins 0 and 359.9999999 of files that hold both.
    rounded = np.round(np.mod(longitude, 360.0), 4) % 360.0
    _, order = np.unique(rounded, return_index=True)
    values = np.mod(longitude[order], 360.0)
    values = np.where(values - rounded[order] > 180.0, values - 360.0, values)
    if values.size == 1:
        return FileAxis("longitude", values, order)
    gaps = np.diff(np.append(values, values[0] + 360.0))
    widest = int(np.argmax(gaps))
    if gaps[widest] <= 1.5 * float(np.median(gaps)):
        return FileAxis("longitude", values, order, 360.0)
    first = (widest + 1) % values.size
    values, order = np.roll(values, -first), np.roll(order, -first)
    return FileAxis("longitude", np.where(values < values[0], values + 360.0, values), order)


def latitude_axis(latitude: Array, where: str = "the file") -> FileAxis:
    """Latitudes from south to north [degree], whichever way the file has them."""
    order = np.argsort(latitude, kind="stable")
    values = latitude[order]
    if np.any(np.diff(values) == 0.0):
        raise UserError(f"A latitude stands twice in {where}. Each latitude may stand there once.")
    return FileAxis("latitude", values, order)


@dataclass(frozen=True)
class AxisWeights:
    """Two neighbours on an axis for each point: `1 - weight` of `low` and `weight` of `high`."""

    low: Index
    high: Index
    weight: Array


def axis_weights(axis: FileAxis, points: Array, where: str, whose: str) -> AxisWeights:
    """Weights of linear interpolation along an axis, element by element (same bits anywhere).

    Points up to half a cell beyond the first and last value get the value there; points further
    out are refused. `where` and `whose` name the file and the points in the message.
    """
    check_cover(axis, points, where, whose)
    values, points = axis.values, _along(axis, points)
    if axis.period:
        values = np.append(values, values[0] + axis.period)
    if values.size == 1:
        zero = np.zeros(points.shape, np.int64)
        return AxisWeights(zero, zero, np.zeros(points.shape))
    low = np.clip(np.searchsorted(values, points, side="right") - 1, 0, values.size - 2)
    weight = (points - values[low]) / (values[low + 1] - values[low])
    weight = np.minimum(np.maximum(weight, 0.0), 1.0)
    return AxisWeights(low, (low + 1) % axis.values.size, weight)


def _along(axis: FileAxis, points: Array) -> Array:
    """The points in the convention of the axis: longitudes from its first one on."""
    if axis.name != "longitude":
        return points
    offset, margin = np.mod(points - axis.values[0], 360.0), _margin(axis)
    offset = np.where((not axis.period) & (offset > 360.0 - margin), offset - 360.0, offset)
    return axis.values[0] + offset


def _margin(axis: FileAxis) -> float:
    """How far beyond the first and last value points may lie [degree]."""
    return 0.5 * axis.spacing + 1e-6


def check_cover(axis: FileAxis, points: Array, where: str, whose: str) -> None:
    """Refuse points that lie too far outside of an axis."""
    if axis.period:
        return
    points, margin = _along(axis, points), _margin(axis)
    outside = (points < axis.values[0] - margin) | (points > axis.values[-1] + margin)
    if not outside.any():
        return
    first = float(points.flat[np.argmax(outside)])
    first -= 360.0 if axis.name == "longitude" and first > 360.0 else 0.0
    raise UserError(
        f"{where} covers the {axis.name}s {axis.range_text}, but {int(outside.sum())} of"
        f" {outside.size} points of {whose} lie outside, the first at {first:g}. Use a file that"
        " covers the whole model grid, or a smaller model grid."
    )


@dataclass(frozen=True)
class Bilinear:
    """Bilinear interpolation from a file's grid to points; weights known per point."""

    south: Index
    north: Index
    west: Index
    east: Index
    weight_x: Array
    weight_y: Array

    def __call__(self, values: NDArray[np.floating]) -> Array:
        """Values at the points from `values` (latitude, longitude)."""
        x, y = self.weight_x, self.weight_y
        south = (1.0 - x) * values[self.south, self.west] + x * values[self.south, self.east]
        north = (1.0 - x) * values[self.north, self.west] + x * values[self.north, self.east]
        return (1.0 - y) * south + y * north

    within = __call__  # never beyond the values around

    def part(self, some: NDArray[np.bool_]) -> Bilinear:
        """The weights of some of the points."""
        return Bilinear(
            self.south[some], self.north[some], self.west[some], self.east[some],
            self.weight_x[some], self.weight_y[some],
        )  # fmt: skip

    @property
    def off_places(self) -> float:
        """How far off the nearest place of the file's grid points lie at most [cells]."""
        both = np.stack([self.weight_x, self.weight_y])
        return float(np.abs(both - np.round(both)).max(initial=0.0))

    @property
    def lines_apart(self) -> float:
        """How many rows or columns of the file's grid lie between neighbours among the points."""
        rows = np.unique(np.where(self.weight_y < 0.5, self.south, self.north))
        columns = np.unique(np.where(self.weight_x < 0.5, self.west, self.east))
        spans = [
            (some[-1] - some[0]) / max(some.size - 1, 1) for some in (rows, columns) if some.size
        ]
        return float(max(spans, default=1.0))

    @property
    def of_nearest(self) -> Bilinear:
        """The same for the nearest place alone."""
        return replace(self, weight_x=np.round(self.weight_x), weight_y=np.round(self.weight_y))

    def used(self, shape: tuple[int, int]) -> NDArray[np.bool_]:
        """Which cells of the file's grid have a weight above zero at any point."""
        used = np.zeros(shape, bool)
        for j, y in ((self.south, 1.0 - self.weight_y), (self.north, self.weight_y)):
            for i, x in ((self.west, 1.0 - self.weight_x), (self.east, self.weight_x)):
                some = x * y > 0.0
                used[j[some], i[some]] = True
        return used


def bilinear(
    longitude: FileAxis, latitude: FileAxis, points: tuple[Array, Array], where: str, whose: str
) -> Bilinear:
    """Weights from the grid of two axes to points (longitude, latitude) [degree]."""
    x = axis_weights(longitude, points[0], where, whose)
    y = axis_weights(latitude, points[1], where, whose)
    return Bilinear(y.low, y.high, x.low, x.high, x.weight, y.weight)
