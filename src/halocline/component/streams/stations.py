"""Points at which values are wanted, and their weights of the sea points around them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.core.geography import position_words
from halocline.grids.files.axes import FileAxis, bilinear
from halocline.grids.horizontal.grid import Grid

Array = NDArray[Any]


class Stations:
    """Named points and weights of the sea points around each.

    `interpolation` is bilinear over the sea points among the four around, land left out, or takes
    the nearest of all sea points. With `nearest_where_land`, a point that has land only around it
    takes the nearest sea point instead of being refused.
    """

    def __init__(
        self,
        points: Mapping[str, tuple[float, float]],
        grid: Grid,
        *,
        interpolation: str = "bilinear",
        nearest_where_land: bool = False,
    ) -> None:
        self.names = list(points)
        self.x = np.array([x for x, _ in points.values()], float)
        self.y = np.array([y for _, y in points.values()], float)
        for name, x, y in zip(self.names, self.x, self.y, strict=True):
            _check_inside(name, x, y, grid)
        self.corner_numbers, self.corner_weights = around(self.x, self.y, grid)
        dry = self.corner_weights.sum(axis=1) == 0.0
        if dry.any() and not nearest_where_land and interpolation == "bilinear":
            raise _on_land(self.names[int(np.argmax(dry))], points, grid)
        for row in np.flatnonzero(dry if interpolation == "bilinear" else np.ones_like(dry)):
            self.corner_numbers[row] = nearest_sea(self.x[row], self.y[row], grid)
            self.corner_weights[row] = (1.0, 0.0, 0.0, 0.0)

    def in_order(self) -> tuple[Array, Array]:
        """Numbers and weights (stations, 4) of the sea points, by ascending number of each once.

        Those that do not count have weight 0.
        """
        used = self.corner_weights > 0.0
        order = np.argsort(np.where(used, self.corner_numbers, -1), axis=1, kind="stable")
        numbers = np.take_along_axis(self.corner_numbers, order, axis=1)
        weights = np.take_along_axis(self.corner_weights, order, axis=1)
        for corner in range(1, numbers.shape[1]):
            again = (numbers[:, corner] == numbers[:, corner - 1]) & (weights[:, corner - 1] > 0.0)
            weights[again, corner] += weights[again, corner - 1]
            weights[again, corner - 1] = 0.0
        return numbers, weights


def around(x: Array, y: Array, grid: Grid) -> tuple[Array, Array]:
    """Numbers and bilinear weights of the sea points around points of the grid, shape (points, 4).

    Corners are south-west, south-east, north-west, north-east. Land has weight 0, the others add up
    to 1 (to 0 where all are land).
    """
    four = bilinear(*_axes(grid), (x, y), "The model grid", "the output")
    numbers = np.full(grid.shape, -1, np.int64)
    numbers[grid.mask] = np.arange(grid.sea_points)
    rows = np.stack([four.south, four.south, four.north, four.north], axis=1)
    columns = np.stack([four.west, four.east, four.west, four.east], axis=1)
    wx, wy = four.weight_x, four.weight_y
    shares = [(1.0 - wx) * (1.0 - wy), wx * (1.0 - wy), (1.0 - wx) * wy, wx * wy]
    weights = np.where(grid.mask[rows, columns], np.stack(shares, axis=1), 0.0)
    total = weights.sum(axis=1, keepdims=True)
    return numbers[rows, columns], weights / np.where(total > 0.0, total, 1.0)


def inside(x: Array, y: Array, grid: Grid) -> NDArray[np.bool_]:
    """Which points lie within the grid, up to half a cell beyond its outermost centres."""
    axis_x, axis_y = _axes(grid)
    margin_x, margin_y = (0.5 * axis.spacing + 1e-6 for axis in (axis_x, axis_y))
    result = (y >= grid.y[0] - margin_y) & (y <= grid.y[-1] + margin_y)
    if axis_x.period:
        return result
    away = x - (grid.x[0] - margin_x)
    away = np.mod(away, 360.0) if grid.spherical else away
    return result & (away >= 0.0) & (away <= grid.x[-1] - grid.x[0] + 2.0 * margin_x)


def nearest_sea(x: float, y: float, grid: Grid) -> int:
    """Number of the sea point nearest to a point."""
    away_x = grid.point_x - x
    if grid.spherical:
        away_x = (np.mod(away_x + 180.0, 360.0) - 180.0) * np.cos(np.deg2rad(y))
    return int(np.argmin(away_x**2 + (grid.point_y - y) ** 2))


def _axes(grid: Grid) -> tuple[FileAxis, FileAxis]:
    order_x, order_y = np.arange(grid.x.size), np.arange(grid.y.size)
    if not grid.spherical:
        return FileAxis("x", grid.x, order_x), FileAxis("y", grid.y, order_y)
    period = 360.0 if grid.topology.goes_round else 0.0
    return FileAxis("longitude", grid.x, order_x, period), FileAxis("latitude", grid.y, order_y)


def _check_inside(name: str, x: float, y: float, grid: Grid) -> None:
    if not inside(np.array([x]), np.array([y]), grid)[0]:
        raise UserError(
            f"The output point '{name}' at {words((x, y), grid)} lies outside the model grid, which"
            f" reaches from {grid.x[0]:g} to {grid.x[-1]:g} and from {grid.y[0]:g} to"
            f" {grid.y[-1]:g}. Move the point, or the grid."
        )


def _on_land(name: str, points: Mapping[str, tuple[float, float]], grid: Grid) -> UserError:
    number = nearest_sea(*points[name], grid)
    sea = float(grid.point_x[number]), float(grid.point_y[number])
    return UserError(
        f"The output point '{name}' at {words(points[name], grid)} lies on land: none of the four"
        f" grid points around it is sea. The nearest sea point is {words(sea, grid)}."
    )


def words(point: tuple[float, float], grid: Grid) -> str:
    """A place for messages."""
    if grid.spherical:
        return position_words(*point)
    return f"x = {point[0]:g} m, y = {point[1]:g} m"
