"""Points at which spectra are wanted, and their weights of the sea points around them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.grids.axes import Axis, Bilinear, bilinear
from halocline.grids.grid import Grid

Array = NDArray[Any]


class Stations:
    """Named points and bilinear weights of the sea points around each, land left out."""

    def __init__(self, points: Mapping[str, tuple[float, float]], grid: Grid) -> None:
        self.names = list(points)
        self.x = np.array([x for x, _ in points.values()], float)
        self.y = np.array([y for _, y in points.values()], float)
        four = [_around(name, point, grid) for name, point in points.items()]
        corners = [_corners(weights) for weights in four]
        numbers = np.full(grid.shape, -1, np.int64)
        numbers[grid.mask] = np.arange(grid.sea_points)
        sea = [
            [(int(numbers[j, i]), w) for j, i, w in some if w > 0.0 and grid.mask[j, i]]
            for some in corners
        ]
        for name, some in zip(self.names, sea, strict=True):
            if not some:
                raise _on_land(name, points[name], grid)
        # Distinct sea points that are needed, and each station's weights of them.
        self.sea_numbers = np.unique([number for some in sea for number, _ in some])
        self.weights = np.zeros((len(self.names), self.sea_numbers.size))
        for row, some in zip(self.weights, sea, strict=True):
            for number, weight in some:
                row[np.searchsorted(self.sea_numbers, number)] += weight
            row /= row.sum()

    def at(self, values: Array) -> Array:
        """Values (..., stations) from those at `sea_numbers` (..., sea points), summed in order."""
        result = np.zeros((*values.shape[:-1], len(self.names)))
        for place in range(self.sea_numbers.size):
            share = self.weights[:, place]
            some = share > 0.0
            result[..., some] += share[some] * values[..., place, None]
        return result


def _around(name: str, point: tuple[float, float], grid: Grid) -> Bilinear:
    order_x, order_y = np.arange(grid.x.size), np.arange(grid.y.size)
    if grid.spherical:
        period = 360.0 if grid.periodic_x else 0.0
        axes = Axis("longitude", grid.x, order_x, period), Axis("latitude", grid.y, order_y)
    else:
        axes = Axis("x", grid.x, order_x), Axis("y", grid.y, order_y)
    place = np.array([float(point[0])]), np.array([float(point[1])])
    try:
        return bilinear(*axes, place, "The model grid", "the output")
    except UserError:
        raise UserError(
            f"The output point '{name}' at {_words(point, grid)} lies outside the model grid, which"
            f" reaches from {grid.x[0]:g} to {grid.x[-1]:g} and from {grid.y[0]:g} to"
            f" {grid.y[-1]:g}."
        ) from None


def _corners(four: Bilinear) -> list[tuple[int, int, float]]:
    """Row, column and weight of the four cells around one point."""
    x, y = float(four.weight_x[0]), float(four.weight_y[0])
    south, north = int(four.south[0]), int(four.north[0])
    west, east = int(four.west[0]), int(four.east[0])
    return [
        (south, west, (1.0 - x) * (1.0 - y)),
        (south, east, x * (1.0 - y)),
        (north, west, (1.0 - x) * y),
        (north, east, x * y),
    ]


def _on_land(name: str, point: tuple[float, float], grid: Grid) -> UserError:
    away_x = grid.point_x - point[0]
    if grid.spherical:
        away_x = (np.mod(away_x + 180.0, 360.0) - 180.0) * np.cos(np.deg2rad(point[1]))
    nearest = int(np.argmin(away_x**2 + (grid.point_y - point[1]) ** 2))
    sea = float(grid.point_x[nearest]), float(grid.point_y[nearest])
    return UserError(
        f"The output point '{name}' at {_words(point, grid)} lies on land: none of the four grid"
        f" points around it is sea. The nearest sea point is {_words(sea, grid)}."
    )


def _words(point: tuple[float, float], grid: Grid) -> str:
    if grid.spherical:
        return f"{point[0]:g} E, {point[1]:g} N"
    return f"x = {point[0]:g} m, y = {point[1]:g} m"
