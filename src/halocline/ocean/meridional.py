"""What is carried northward: overturning by depth, heat and salt, across parallels or rows.

The transport across a parallel is what leaves the cells south of it. On regular grids parallels
are the southern faces of rows; on others whole degrees, and cells belong where their centres lie.
All is made of whole fields on one rank, in one order, from the faces between cells of unlike bands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.place import Direction, Place
from halocline.runtime.fields.topology import Topology

if TYPE_CHECKING:  # SciPy takes a while to load, and few runs ask for such numbers
    from scipy.sparse import csr_array

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Parallels:
    """`edges` [degree or m] between bands of cells; `band` has the band of every cell (j, i)."""

    edges: Array
    band: NDArray[np.int64]

    @classmethod
    def of(cls, grid: Grid) -> Parallels:
        """Those of a grid."""
        rows = np.arange(grid.shape[0])
        if grid.curvilinear is None:
            faces = grid.y[0] + (np.append(rows, rows.size) - 0.5) * grid.step_y
            return cls(faces, np.broadcast_to(rows[:, None], grid.shape))
        latitude = grid.at(Place.center).y
        return cls(np.arange(-90.0, 91.0), np.clip(np.floor(latitude + 90.0), 0, 179).astype(int))

    def sums(self, topology: Topology) -> csr_array:
        """Matrix (bands, cells) that adds up each band, what stands twice on a fold once."""
        from scipy.sparse import csr_array

        once = topology.once(Place.center).ravel()
        cells = once.astype(float), (self.band.ravel(), np.arange(once.size))
        return csr_array(cells, shape=(self.edges.size - 1, once.size))


class _Points:
    """Points of a place as columns of sparse matrices, also those that stand beyond the sides."""

    def __init__(self, topology: Topology, place: Place, direction: Direction = "") -> None:
        rows, columns = topology.shape(place)
        numbers, around = np.arange(1, rows * columns + 1), (1, 1, 1, 1)
        plane = numbers.reshape(rows, columns)
        self.count = plane.size
        self.number = topology.widened(plane, around, place)
        ones = np.ones((rows, columns), np.int8)
        self.sign = topology.widened(ones, around, place, direction=direction)

    def at(self, j: int, i: int, shape: tuple[int, int]) -> csr_array:
        """Matrix (lines, points) with the point so far north and east of each place of a plane."""
        from scipy.sparse import csr_array

        there = slice(1 + j, 1 + j + shape[0]), slice(1 + i, 1 + i + shape[1])
        number, sign = self.number[there].ravel(), self.sign[there].ravel()
        (lines,) = np.nonzero(number)
        entries = sign[lines].astype(float), (lines, number[lines] - 1)
        return csr_array(entries, shape=(number.size, self.count))


class Faces:
    """Sparse matrices for the faces between cells of unlike bands, to be applied level by level.

    `along` and `across` (faces, corners) make the volume that passes a metre of depth [m2 s-1] of u
    and v at corners; `mean` (faces, cells) makes a tracer at a face, the mean of both its cells;
    `leaving` (bands, faces) adds up what leaves the cells of each band.
    """

    def __init__(self, parallels: Parallels, grid: Grid, widths: tuple[Array, Array]) -> None:
        """`widths`: dx, dy of corners [m] (j, i)."""
        from scipy.sparse import csr_array, hstack, vstack

        of, (dx, dy) = grid.topology, widths
        x, y, cells = of.shape(Place.x_face), of.shape(Place.y_face), (of.nj, of.ni)
        x_faces, y_faces = _Points(of, Place.x_face, "x"), _Points(of, Place.y_face, "y")
        u, v = _Points(of, Place.corner, "x"), _Points(of, Place.corner, "y")
        tracer = _Points(of, Place.center)
        through_x = x_faces.at(0, 1, cells) - x_faces.at(0, 0, cells)
        through_y = y_faces.at(1, 0, cells) - y_faces.at(0, 0, cells)
        leaving = csr_array(parallels.sums(of) @ hstack([through_x, through_y]))
        (between,) = np.nonzero(abs(leaving).sum(axis=0))
        (x_between, y_between) = (
            between[between < x_faces.count],
            between[between >= x_faces.count] - x_faces.count,
        )
        flow_x = 0.5 * (u.at(0, 0, x) + u.at(1, 0, x))[x_between] * dy.ravel()
        flow_y = 0.5 * (v.at(0, 0, y) + v.at(0, 1, y))[y_between] * dx.ravel()
        self.along = vstack([flow_x, csr_array((y_between.size, u.count))], format="csr")
        self.across = vstack([csr_array((x_between.size, v.count)), flow_y], format="csr")
        mean_x = 0.5 * (tracer.at(0, -1, x) + tracer.at(0, 0, x))[x_between]
        mean_y = 0.5 * (tracer.at(-1, 0, y) + tracer.at(0, 0, y))[y_between]
        self.mean = csr_array(vstack([mean_x, mean_y]))
        self.leaving = csr_array(leaving[:, between])

    def northward(self, passing: Array) -> Array:
        """Across all parallels, of what passes the faces."""
        return np.append(0.0, np.cumsum(self.leaving @ passing))


@dataclass(frozen=True)
class Meridional:
    """Across parallels: volume above interfaces [m3 s-1] (k + 1, .), and of tracers (., .)."""

    overturning: Array
    tracers: Array

    @classmethod
    def of(
        cls, faces: Faces, thickness: Array, flow: tuple[NDArray[Any], NDArray[Any]],
        tracers: NDArray[Any],
    ) -> Meridional:  # fmt: skip
        """Of u, v (k, j, i), over whole levels [m], at corners, and of tracers (., k, j, i)."""
        levels, edges = thickness.size, faces.leaving.shape[0] + 1
        above, moved = np.zeros((levels + 1, edges)), np.zeros((len(tracers), edges))
        for k in range(levels - 1, -1, -1):
            u, v = (velocity[k].ravel() for velocity in flow)
            passing = thickness[k] * (faces.along @ u + faces.across @ v)
            above[k] = above[k + 1] + faces.northward(passing)
            for number, tracer in enumerate(tracers):
                moved[number] += faces.northward(passing * (faces.mean @ tracer[k].ravel()))
        return cls(above, moved)
