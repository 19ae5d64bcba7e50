"""Structured horizontal grids: coordinates, metrics, sea mask and depth."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.constants import earth_radius
from halocline.core.errors import UserError
from halocline.runtime.fields.topology import Topology

Array = NDArray[np.float64]
degree = math.pi / 180.0


@dataclass(frozen=True, kw_only=True)
class Grid:
    """A latitude-longitude or Cartesian grid with its sea.

    Metrics are planes [j][i], so that curvilinear grids need no new code where they are used.
    """

    x: Array  # longitude [degree east] or distance [m] of centres, shape (ni,)
    y: Array  # latitude [degree north] or distance [m] of centres, shape (nj,)
    depth: Array  # positive downwards [m], shape (nj, ni)
    mask: NDArray[np.bool_]  # sea, shape (nj, ni)
    spherical: bool = True
    periodic_x: bool = False
    periodic_y: bool = False
    boundary: NDArray[np.bool_] | None = None  # sea points whose spectrum is given
    obstruction_x: Array | None = None  # share of a cell's width closed to waves along x [1]
    obstruction_y: Array | None = None
    title: str = field(default="")
    longitude: Array | None = None  # of centres where x and y are none, shape (nj, ni)
    latitude: Array | None = None
    single_x: float = 1.0  # width of cells where there is one column only, in units of x
    single_y: float = 1.0

    def __post_init__(self) -> None:
        if self.shape != self.depth.shape or self.shape != self.mask.shape:
            raise UserError(
                f"The grid has {self.shape[0]} x {self.shape[1]} cells, but depth has shape"
                f" {self.depth.shape} and mask {self.mask.shape}. Give [latitude, longitude]."
            )
        for name, line in (("x", self.x), ("y", self.y)):
            if line.size > 2 and not np.allclose(np.diff(line), line[1] - line[0], rtol=1e-3):
                raise UserError(f"The grid is not regular along {name}: steps {np.diff(line)}.")

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns, (nj, ni)."""
        return self.y.size, self.x.size

    @property
    def topology(self) -> Topology:
        return Topology(*self.shape, self.periodic_y, self.periodic_x)

    @property
    def sea_points(self) -> int:
        return int(self.mask.sum())

    @property
    def step_x(self) -> float:
        """Distance of columns, in units of x."""
        if self.x.size == 1:
            return self.single_x
        return float((self.x[-1] - self.x[0]) / (self.x.size - 1))

    @property
    def step_y(self) -> float:
        """Distance of rows, in units of y."""
        if self.y.size == 1:
            return self.single_y
        return float((self.y[-1] - self.y[0]) / (self.y.size - 1))

    @cached_property
    def cos_latitude(self) -> Array:
        """Cosine of the latitude of centres, 1 on Cartesian grids; shape (nj,)."""
        return np.cos(self.y * degree) if self.spherical else np.ones(self.y.size)

    @cached_property
    def cos_latitude_face(self) -> Array:
        """The same on faces j, south of centre j; shape (nj + 1,). Never negative."""
        faces = self.y[0] + (np.arange(self.y.size + 1) - 0.5) * self.step_y
        return np.maximum(np.cos(faces * degree), 0.0) if self.spherical else np.ones(faces.size)

    @cached_property
    def dx(self) -> Array:
        """Width of cells [m], shape (nj, ni)."""
        width = self.step_x * (earth_radius * degree if self.spherical else 1.0)
        return np.repeat((width * self.cos_latitude)[:, None], self.x.size, axis=1)

    @cached_property
    def dy(self) -> Array:
        """Height of cells [m], shape (nj, ni)."""
        height = self.step_y * (earth_radius * degree if self.spherical else 1.0)
        return np.full(self.shape, height)

    @cached_property
    def area(self) -> Array:
        """Area of cells [m2], shape (nj, ni)."""
        return self.dx * self.dy

    def at_points(self, plane: NDArray[Any]) -> NDArray[Any]:
        """Values of a plane at the sea points, in the order of their numbers."""
        return plane[self.mask]

    @cached_property
    def point_x(self) -> Array:
        """x of the sea points, in the order of their numbers."""
        return np.broadcast_to(self.x[None, :], self.shape)[self.mask]

    @cached_property
    def point_y(self) -> Array:
        """y of the sea points."""
        return np.broadcast_to(self.y[:, None], self.shape)[self.mask]
