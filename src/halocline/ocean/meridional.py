"""What is carried northward: overturning by depth, heat and salt, across parallels or rows.

The transport across a parallel is what leaves the cells south of it. On regular grids parallels
are the southern faces of rows; on others whole degrees, and cells belong where their centres lie.
All is made of whole fields on one rank, in one order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.grids.horizontal.grid import Grid
from halocline.numerics.stream_function import VolumeFluxes, divergence
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology

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

    def northward(self, leaving: Array) -> Array:
        """Across all edges, of what leaves cells (j, i) sideways."""
        count = self.edges.size - 1
        sums = np.bincount(self.band.ravel(), weights=leaving.ravel(), minlength=count)
        return np.append(0.0, np.cumsum(sums))


def volume_fluxes(
    u: Array, v: Array, dx: Array, dy: Array, dz: float, of: Topology
) -> VolumeFluxes:
    """Through the western and southern faces of a level, of velocities at corners [m3 s-1]."""
    rows = of.nj + int(of.seam(Place.y_face) is not None)
    x = of.widened(dz * u * dy, (0, 1, 0, 1), Place.corner, direction="x")
    y = of.widened(dz * v * dx, (0, 1, 0, 1), Place.corner, direction="y")
    across = 0.5 * (y[:rows, : of.ni] + y[:rows, 1 : of.ni + 1])
    along = 0.5 * (x[: of.nj, : of.ni] + x[1 : of.nj + 1, : of.ni])
    return VolumeFluxes(along, across, np.zeros_like(along))


def carried(fluxes: VolumeFluxes, tracer: Array, of: Topology) -> VolumeFluxes:
    """What fluxes carry of a tracer: the mean of both cells of a face."""
    wide = of.widened(tracer, (1, 0, 1, 1))
    rows = fluxes.y.shape[0]
    x = fluxes.x * 0.5 * (wide[1 : of.nj + 1, :-1] + wide[1 : of.nj + 1, 1:])
    y = fluxes.y * 0.5 * (wide[:rows, 1:] + wide[1 : rows + 1, 1:])
    return VolumeFluxes(x, y, fluxes.z)


@dataclass(frozen=True)
class Meridional:
    """Across parallels: volume above interfaces [m3 s-1] (k + 1, .), and of tracers (., .)."""

    overturning: Array
    tracers: Array

    @classmethod
    def of(
        cls, parallels: Parallels, grid: Grid, thickness: Array, flow: tuple[Array, Array],
        widths: tuple[Array, Array], tracers: Array,
    ) -> Meridional:  # fmt: skip
        """Of u, v (k, j, i), over whole levels, at corners of lengths dx, dy, and tracers."""
        levels, topology = thickness.size, grid.topology
        above = np.zeros((levels + 1, parallels.edges.size))
        moved = np.zeros((len(tracers), parallels.edges.size))
        once = topology.once(Place.center)
        for k in range(levels - 1, -1, -1):
            fluxes = volume_fluxes(flow[0][k], flow[1][k], *widths, thickness[k], topology)
            above[k] = above[k + 1] + parallels.northward(once * divergence(fluxes, topology))
            for number, tracer in enumerate(tracers):
                there = carried(fluxes, tracer[k], topology)
                moved[number] += parallels.northward(once * divergence(there, topology))
        return cls(above, moved)
