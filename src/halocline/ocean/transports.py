"""What the whole column carries: through faces and named sections, and its stream function.

Planes of transports are gathered on the first rank and added up there, so that no number of ranks
changes a bit. They are rounded to multiples of a power of two, which lets sums and differences of
them be exact: the differences of the stream function are the transports.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.grids.sphere import angles_between, vectors
from halocline.ocean.bottom_cells import shares_of_blocks
from halocline.ocean.rotation import is_cartesian
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology

if TYPE_CHECKING:
    from halocline.ocean.model import OceanState

Array = NDArray[np.float64]
Points = Sequence[Sequence[float]]
quantum = 2.0**-20
"""Transports are multiples of this [m3 s-1]: sums of up to 8 10^9 m3 s-1 are exact."""


@dataclass(frozen=True)
class FaceTransports:
    """Of whole columns, through western faces (nj, .) and southern faces (., ni) [m3 s-1].

    Southern faces have the rows of the corners that they lie between.
    """

    x: Array
    y: Array

    @classmethod
    def of_corners(cls, x: Array, y: Array, topology: Topology) -> FaceTransports:
        """From what velocity cells carry along x and y: means of both ends of a face."""
        ends_x = topology.widened(x, (0, 0, 0, 1), Place.corner, direction="x")[: topology.nj + 1]
        ends_y = topology.widened(y, (0, 1, 0, 0), Place.corner, direction="y")[
            :, : topology.ni + 1
        ]
        along_x, along_y = ends_x[:-1] + ends_x[1:], ends_y[:, :-1] + ends_y[:, 1:]
        return cls(_rounded(0.5 * along_x), _rounded(0.5 * along_y))


def _rounded(values: Array) -> Array:
    return np.round(values / quantum) * quantum


def face_transports(state: OceanState) -> FaceTransports | None:
    """Those of a state on the first rank, None elsewhere; a call for all ranks."""
    planes = []
    thickness = state.thickness.read()[0].astype(np.float64)
    shares = shares_of_blocks(state.corner_floor, state.corner_bottom_share, thickness.size)
    for velocity, width in ((state.u, state.corner_dy), (state.v, state.corner_dx)):
        carried = Field("carried", "m3 s-1", state.space, place=Place.corner, dtype=np.float64)
        with carried.change() as owned:
            blocks = zip(owned, velocity.read(), width.read(), shares, strict=True)
            for to, values, length, share in blocks:
                to[...] = 0.0
                for dz, level, part in zip(thickness, values, share, strict=True):
                    to += (dz * part) * level
                to *= length
        planes.append(carried.gather())
    x, y = planes
    if x is None or y is None:
        return None
    return FaceTransports.of_corners(x, y, state.space.decomposition.world.topology)


def stream_function(x_transport: Array, rows: int) -> Array:
    """psi at so many rows of corners [m3 s-1]: 0 in the south, d(psi)/dy is minus the transport.

    >>> stream_function(np.array([[1.0], [2.0]]), 3).ravel().tolist()
    [0.0, -1.0, -3.0]
    """
    south = np.zeros((1, x_transport.shape[1]))
    return np.concatenate([south, -np.cumsum(x_transport, axis=0)])[:rows] + 0.0


Step = tuple[str, int, int, float]
"""A face that a section crosses: "x" or "y", row, column, sign of what goes to the right."""


def section_faces(name: str, points: Points, grid: Grid) -> list[Step]:
    """Faces along a section from corner to corner; what passes to the right of the way counts.

    Each point is the nearest corner; between two of them the way goes along rows and columns, as
    near as it can to a straight line among these.
    """
    if len(points) < 2 or any(len(point) != 2 for point in points):
        raise UserError(f"ocean.sections.{name} = {list(points)}: give two points [x, y] or more.")
    corners = [nearest_corner(x, y, grid) for x, y in points]
    for point, corner_of in zip(points, corners, strict=True):
        _refuse_beyond(name, point, corner_of, grid)
    columns = grid.topology.shape(Place.corner)[1]
    columns = columns if columns == grid.topology.ni else 0  # one more where sides are not joined
    steps: list[Step] = []
    for (j0, i0), (j1, i1) in zip(corners[:-1], corners[1:], strict=True):
        across = i1 - i0
        if columns:
            across = (across + columns // 2) % columns - columns // 2
        steps += _staircase(j0, i0, j1 - j0, across, columns)
    if not steps:
        raise UserError(
            f"ocean.sections.{name} = {list(points)}: all points are nearest to one corner of the"
            " grid. Take points that are farther apart."
        )
    if not any(has_water(grid, steps)):
        raise UserError(
            f"ocean.sections.{name} = {list(points)}: no face along the way has water on both"
            " sides, so that nothing can pass. Let it go from coast to coast across the sea."
        )
    return steps


def _refuse_beyond(name: str, point: Sequence[float], nearest: tuple[int, int], grid: Grid) -> None:
    """Refuse a point that lies farther beyond the grid than a cell is wide."""
    corner = grid.at(Place.corner)
    x, y = float(corner.x[nearest]), float(corner.y[nearest])
    if is_cartesian(grid):
        away = math.hypot(point[0] - x, point[1] - y)
        unit, known = "m", True
    else:
        here, there = (vectors(np.array(a), np.array(b)) for a, b in (point, (x, y)))
        away = grid.radius * float(angles_between(here, there))
        unit, known = "degree", abs(point[1]) <= 90.0
    cell = math.hypot(float(corner.dx[nearest]), float(corner.dy[nearest]))
    if not known or away > cell:
        raise UserError(
            f"ocean.sections.{name}: the point {list(point)} [{unit}] lies beyond the grid, whose"
            f" nearest corner is [{x:g}, {y:g}]. Take points in it."
        )


def has_water(grid: Grid, steps: Sequence[Step]) -> Iterator[bool]:
    """Of each face whether both cells beside it are sea."""
    wide = grid.topology.widened(grid.mask, (1, 1, 1, 1))
    for axis, j, i, _ in steps:
        behind = wide[j + 1, i] if axis == "x" else wide[j, i + 1]
        yield bool(wide[j + 1, i + 1] and behind)


def nearest_corner(x: float, y: float, grid: Grid) -> tuple[int, int]:
    """Row and column of the corner nearest to a point."""
    corner = grid.at(Place.corner)
    if is_cartesian(grid):
        away = (corner.x - x) ** 2 + (corner.y - y) ** 2
    else:
        here = vectors(np.array(x), np.array(y))
        away = -np.tensordot(here, vectors(corner.x, corner.y), axes=1)
    j, i = np.unravel_index(int(np.argmin(away)), away.shape)
    return int(j), int(i)


def _staircase(j: int, i: int, up: int, across: int, columns: int) -> list[Step]:
    """Steps of one row or column each; the one that leaves the straight line least comes first."""
    steps: list[Step] = []
    gone_up = gone_across = 0
    for _ in range(abs(up) + abs(across)):
        late = (abs(gone_up) + 0.5) * abs(across) - (abs(gone_across) + 0.5) * abs(up)
        if gone_across == across or (gone_up != up and late <= 0):
            rise = 1 if up > 0 else -1
            steps.append(("x", min(j, j + rise), i, float(rise)))
            j, gone_up = j + rise, gone_up + rise
        else:
            run = 1 if across > 0 else -1
            other = (i + run) % columns if columns else i + run
            steps.append(("y", j, i if run > 0 else other, -float(run)))
            i, gone_across = other, gone_across + run
    return steps


def through(steps: Sequence[Step], faces: FaceTransports) -> float:
    """What passes a section to its right [m3 s-1]."""
    planes = {"x": faces.x, "y": faces.y}
    return math.fsum(sign * float(planes[axis][j, i]) for axis, j, i, sign in steps)


def section_transports(
    sections: Mapping[str, Sequence[Step]], faces: FaceTransports | None
) -> dict[str, float]:
    """Those of all sections on the first rank [m3 s-1], none elsewhere."""
    if faces is None:
        return {}
    return {name: through(steps, faces) for name, steps in sections.items()}
