"""Cubic splines through values on the grid of a file: without kinks at the lines of that grid.

A spline has continuous first and second derivatives (de Boor 2001, A Practical Guide to Splines,
chapter 4). Along an axis it follows from the values and second derivatives of the two neighbours of
a point, on a grid from those along both axes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.grids.files.axes import Bilinear, FileAxis

Array = NDArray[np.float64]

reach = 24
"""Values farther off change nothing: each step away lessens what they do by 2 - 3^(1/2), about."""


@dataclass(frozen=True)
class Bicubic:
    """Interpolation by splines from the grid of two axes of a file to points."""

    neighbours: Bilinear  # and how far between them points lie
    longitude: FileAxis
    latitude: FileAxis

    def __call__(self, values: Array) -> Array:
        """Values at the points from `values` (latitude, longitude), which lack none."""
        way = self.neighbours
        x = _shares(self.longitude, way.west, way.weight_x)
        y = _shares(self.latitude, way.south, way.weight_y)
        bent_x = curvature(values, self.longitude)
        bent_y, bent_both = (curvature(a.T, self.latitude).T for a in (values, bent_x))

        def along_x(row: NDArray[np.int64], plane: Array, bent: Array) -> Array:
            one, other, bend, other_bend = x
            found = one * plane[row, way.west] + other * plane[row, way.east]
            return np.asarray(found + bend * bent[row, way.west] + other_bend * bent[row, way.east])

        one, other, bend, other_bend = y
        found = one * along_x(way.south, values, bent_x)
        found += other * along_x(way.north, values, bent_x)
        found += bend * along_x(way.south, bent_y, bent_both)
        return np.asarray(found + other_bend * along_x(way.north, bent_y, bent_both))

    def within(self, values: Array) -> Array:
        """The same, nowhere beyond the least and the greatest of the four values around."""
        way = self.neighbours
        around = [values[j, i] for j in (way.south, way.north) for i in (way.west, way.east)]
        least, most = np.minimum.reduce(around), np.maximum.reduce(around)
        return np.clip(self(values), least, most)


def curvature(values: Array, axis: FileAxis) -> Array:
    """Second derivatives along an axis of the spline through values (..., count), at these.

    The last two at an end are the same, so that a parabola is met. Of one or two values there are
    none.

    >>> x = np.array([0.0, 1.0, 3.0, 4.0])
    >>> curvature(x**2, FileAxis("latitude", x, np.arange(4))).round(12).tolist()
    [2.0, 2.0, 2.0, 2.0]
    """
    x, count = axis.values, axis.values.size
    if count < 3:
        return np.zeros_like(values)
    if axis.period:
        around = np.arange(-reach, count + reach)
        x = x[around % count] + axis.period * (around // count)
        values = values[..., around % count]
    bent = _open_curvature(values, x)
    return bent[..., reach : reach + count] if axis.period else bent


def _open_curvature(values: Array, x: Array) -> Array:
    """The same on an axis with two ends: a system of three diagonals, solved from end to end."""
    step = np.diff(x)
    rest = np.moveaxis(np.diff(np.diff(values, axis=-1) / step, axis=-1), -1, 0).copy()
    diagonal = (step[1:] + step[:-1]) / 3.0
    diagonal[0] += step[0] / 6.0
    diagonal[-1] += step[-1] / 6.0
    for i in range(1, diagonal.size):
        share = step[i] / 6.0 / diagonal[i - 1]
        diagonal[i] -= share * step[i] / 6.0
        rest[i] -= share * rest[i - 1]
    rest[-1] /= diagonal[-1]
    for i in range(diagonal.size - 2, -1, -1):
        rest[i] = (rest[i] - step[i + 1] / 6.0 * rest[i + 1]) / diagonal[i]
    return np.moveaxis(np.concatenate([rest[:1], rest, rest[-1:]]), 0, -1)


def _shares(axis: FileAxis, low: NDArray[np.int64], part: Array) -> tuple[Array, ...]:
    """Of the values and of the second derivatives at both neighbours of points along an axis."""
    x = np.append(axis.values, axis.values[0] + axis.period)
    step = np.diff(x)[low] if axis.values.size > 1 else np.zeros(part.shape)
    square = step**2 / 6.0
    before = 1.0 - part
    return before, part, square * (before**3 - before), square * (part**3 - part)
