"""The nine-point elliptic operator of a free surface that is implicit in time.

On every sea cell, for a pressure p over a reference density [m2 s-2]:

    A p = -area (div(H grad p) - shift p),   shift = 1 / (g alpha tau dt) [m-1],

symmetric and positive definite; A p is in m3 s-2. Gradients live at cell corners, where each of the
four cells around takes a quarter, and the divergence is their negative adjoint (Dukowicz & Smith
1994, J. Geophys. Res. 99, 7991; POP reference manual, Smith et al. 2010, LAUR-10-01853, "spatial
discretization" and "barotropic solver").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halocline.core.errors import UserError
from halocline.grids.vertical.levels import VerticalGrid
from halocline.numerics import _native
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
kernels = kernels_of(_native)


@dataclass(frozen=True)
class NinePoint:
    """The operator's numbers on the global grid; metres.

    `diagonal`, `area` and `mask` have the shape (nj, ni), `west` that of x faces, `south` of y
    faces, `corner` of corners: they couple a cell with its western, southern and south-western
    neighbour; the south-western corner also couples its western with its southern neighbour.
    """

    diagonal: Array
    west: Array
    south: Array
    corner: Array
    area: Array  # of the cells [m2]
    mask: Mask
    topology: Topology

    @property
    def counted(self) -> Mask:
        """Sea cells, of two at one point of a fold one."""
        return self.mask & self.topology.once(Place.center)


def time_step_shift(gravity: float, alpha: float, tau: float, dt: float) -> float:
    """What the time step adds to the operator [m-1]: 1 / (gravity alpha tau dt).

    `gravity` [m s-2]; `alpha` weight of the new pressure [1]; `tau` interval of the leapfrog step
    and `dt` step of the surface [s].
    """
    return 1.0 / (gravity * alpha * tau * dt)


def nine_point(
    depth: Array,
    x_face_width: Array,
    y_face_width: Array,
    area: Array,
    topology: Topology,
    shift: float,
) -> NinePoint:
    """Build the operator from global metrics and depths.

    `depth` of the cells [m], 0 on land, and their `area` [m2], shape (nj, ni); lengths [m] of
    western faces `x_face_width`, shape (nj, ni + 1), and southern faces `y_face_width`, shape
    (nj + 1, ni). Depth at a corner is the least of the four around it.
    """
    if any(depth[pole] > 0 for pole in topology.poles):
        raise UserError(
            f"The cells {topology.poles} (row, column) are the poles of the fold of the grid, whose"
            " faces meet themselves: the operator is not symmetric there. Make them land."
        )
    cells = topology.widened(depth, (1, 1, 1, 1))
    corner_depth = np.minimum(
        np.minimum(cells[:-1, :-1], cells[:-1, 1:]), np.minimum(cells[1:, :-1], cells[1:, 1:])
    )
    dx = topology.widened(y_face_width, (1, 1, 0, 0), Place.y_face, nearest=True)
    dy = topology.widened(x_face_width, (0, 0, 1, 1), Place.x_face, nearest=True)
    dx, dy = 0.5 * (dx[:, :-1] + dx[:, 1:]), 0.5 * (dy[:-1] + dy[1:])
    dx, dy = (np.where(corner_depth > 0, length, 1.0) for length in (dx, dy))  # 0 at a pole
    along_x, along_y = 0.25 * corner_depth * dy / dx, 0.25 * corner_depth * dx / dy
    corner, excess = along_x + along_y, along_x - along_y
    west, south = excess[:-1] + excess[1:], -(excess[:, :-1] + excess[:, 1:])
    mask = depth > 0
    corners = (corner[:-1, :-1] + corner[:-1, 1:]) + (corner[1:, :-1] + corner[1:, 1:])
    return NinePoint(
        diagonal=np.where(mask, corners + area * shift, 1.0),
        west=_part_of(west, topology.shape(Place.x_face)),
        south=_part_of(south, topology.shape(Place.y_face)),
        corner=_part_of(corner, topology.shape(Place.corner)),
        area=area,
        mask=mask,
        topology=topology,
    )


def _part_of(values: Array, shape: tuple[int, int]) -> Array:
    """The first rows and columns: those that a grid has where its sides are joined."""
    return values[: shape[0], : shape[1]]


def nine_point_of(layers: VerticalGrid, shift: float) -> NinePoint:
    """The operator of a grid of layers, whose depth is the sum of its wet levels."""
    grid = layers.horizontal
    x_face, y_face = map(grid.on_both_sides, (Place.x_face, Place.y_face))
    return nine_point(layers.floor, x_face.dy, y_face.dx, grid.area, grid.topology, shift)


class EllipticOperator:
    """The operator on the local blocks of a decomposition, as static fields."""

    def __init__(
        self, numbers: NinePoint, decomposition: Decomposition, dtype: DTypeLike = np.float64
    ) -> None:
        if decomposition.kind == "cards":
            raise UserError(
                "Cards have no neighbours, but the elliptic operator needs them. Use"
                " decomposition.kind = 'blocks' or 'curve'."
            )
        self.numbers, self.decomposition, self.dtype = numbers, decomposition, np.dtype(dtype)
        self.diagonal = self._static("diagonal", "m", numbers.diagonal)
        self.west = self._static("west", "m", numbers.west, Place.x_face)
        self.south = self._static("south", "m", numbers.south, Place.y_face)
        self.corner = self._static("corner", "m", numbers.corner, Place.corner)
        self.norm_of_area = float(np.sqrt(np.square(numbers.area[numbers.counted]).sum()))
        """Root of the sum of squared areas [m2]: turns norms of residuals into m s-2."""

    def _static(self, name: str, units: str, values: Any, place: Place = Place.center) -> Field:
        field = Field(name, units, self.decomposition, place=place, dtype=self.dtype, static=True)
        field.set_global(np.asarray(values, self.dtype))
        return field

    def scaling(self, values: Array) -> Field:
        """A static field of a diagonal preconditioner from global values, 0 on land."""
        return self._static("inverse_diagonal", "m-1", np.where(self.numbers.mask, values, 0.0))

    def counted(self) -> Field:
        """A static field that is 1 on sea cells, of two at one point of a fold on one, else 0."""
        field = self._static("counted", "1", self.numbers.mask)
        with field.change() as owned:
            for values, counted in zip(owned, field.counted, strict=True):
                values[...] = counted
        return field

    def field(self, name: str, units: str = "m2 s-2") -> Field:
        """A new field of the operator's precision, zero."""
        return Field(name, units, self.decomposition, place=Place.center, dtype=self.dtype)
