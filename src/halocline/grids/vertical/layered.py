"""Grids of layers: any horizontal curvilinear grid with level thicknesses and a stepped floor."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.grids.files.sources import open_source
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.topology import Topology

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class LayeredGrid:
    """A C-grid with levels k counted upward; face i lies west of centre i, face j south.

    Corner (j, i) is the south-west corner of cell (j, i); planes of corners and faces have one row
    or column more than those of cells. The sides are closed unless periodic.
    """

    plane: Grid  # for masks and output; x and y count cells where the grid is curvilinear
    x: Array  # longitude of centres [degree east], or distance [m], shape (nj, ni)
    y: Array  # latitude of centres [degree north], or distance [m]
    corner_x: Array  # the same at corners, shape (nj + 1, ni + 1)
    corner_y: Array
    x_face_width: Array  # length of western faces [m], shape (nj, ni + 1)
    y_face_width: Array  # length of southern faces [m], shape (nj + 1, ni)
    x_spacing: Array  # between the centres on both sides of western faces [m], (nj, ni + 1)
    y_spacing: Array  # of southern faces [m], (nj + 1, ni)
    area: Array  # of the cells [m2], shape (nj, ni)
    thickness: Array  # of the levels, from the deepest up [m], shape (nk,)
    wet_levels: NDArray[np.int64]  # counted from the surface, 0 on land, shape (nj, ni)
    periodic_x: bool = False
    spherical: bool = True

    def __post_init__(self) -> None:
        most = int(self.wet_levels.max(initial=0))
        if most > self.thickness.size:
            raise UserError(
                f"The grid has {self.thickness.size} levels, but a column of {most} wet levels."
                " Give the thickness of every level, or count fewer."
            )

    @property
    def shape(self) -> tuple[int, int, int]:
        """Levels, rows and columns."""
        return (self.thickness.size, *self.area.shape)

    @property
    def topology(self) -> Topology:
        nj, ni = self.area.shape
        return Topology(nj, ni, periodic_i=self.periodic_x)

    @property
    def mask(self) -> Mask:
        """Columns with water, shape (nj, ni)."""
        return self.wet_levels > 0

    @cached_property
    def wet(self) -> Mask:
        """Cells with water, shape (nk, nj, ni)."""
        levels = self.thickness.size
        return np.arange(levels)[:, None, None] >= levels - self.wet_levels

    @property
    def spacing(self) -> Array:
        """From the centre of level k - 1 to that of k [m], shape (nk,); of level 0 to its floor."""
        below = np.concatenate([[0.0], self.thickness[:-1]])
        return 0.5 * (self.thickness + below)

    @property
    def depth(self) -> Array:
        """Depth of the centres of the levels [m], shape (nk,)."""
        return np.cumsum(self.thickness[::-1])[::-1] - 0.5 * self.thickness

    @property
    def volume(self) -> Array:
        """Volume of the cells [m3], 0 on land; shape (nk, nj, ni)."""
        return self.area * self.thickness[:, None, None] * self.wet

    def open_x_faces(self) -> Mask:
        """Western faces with water on both sides, and the last eastern: (nk, nj, ni + 1)."""
        west = np.roll(self.wet, 1, -1) if self.periodic_x else _shifted(self.wet, -1)
        faces = self.wet & west
        last = faces[..., :1] if self.periodic_x else np.zeros_like(faces[..., :1])
        return np.concatenate([faces, last], axis=-1)

    def open_y_faces(self) -> Mask:
        """Southern faces with water on both sides, and the last northern: (nk, nj + 1, ni)."""
        faces = self.wet & _shifted(self.wet, -2)
        return np.concatenate([faces, np.zeros_like(faces[:, :1])], axis=1)


def _shifted(wet: Mask, axis: int) -> Mask:
    """The neighbour at the lower index; land beyond the side."""
    result = np.roll(wet, 1, axis)
    first = [slice(None)] * wet.ndim
    first[axis] = slice(0, 1)
    result[tuple(first)] = False
    return result


def layered(grid: Grid, thickness: Array) -> LayeredGrid:
    """A regular grid with levels of `thickness`, from the surface down [m].

    A column has as many levels as begin above its floor; sea has at least one.
    """
    thickness = np.asarray(thickness, np.float64)
    if thickness.ndim != 1 or not thickness.size or not (thickness > 0).all():
        raise UserError(f"Thickness of the levels: {thickness} [m]. Give positive numbers.")
    nj, ni = grid.shape
    top = np.cumsum(thickness) - thickness
    wet_levels = np.maximum((top[:, None, None] < grid.depth).sum(axis=0), 1) * grid.mask
    x, y = np.broadcast_arrays(grid.x[None, :], grid.y[:, None])
    corner_x = grid.x[0] + (np.arange(ni + 1) - 0.5) * grid.step_x
    corner_y = grid.y[0] + (np.arange(nj + 1) - 0.5) * grid.step_y
    width = grid.dx[0, 0] / grid.cos_latitude[0]
    row = np.broadcast_to(grid.dx[:, :1], (nj, ni + 1))
    column = np.broadcast_to((width * grid.cos_latitude_face)[:, None], (nj + 1, ni))
    height = float(grid.dy[0, 0])
    return LayeredGrid(
        plane=grid,
        x=x,
        y=y,
        corner_x=np.broadcast_to(corner_x, (nj + 1, ni + 1)),
        corner_y=np.broadcast_to(corner_y[:, None], (nj + 1, ni + 1)),
        x_face_width=np.full((nj, ni + 1), height),
        y_face_width=column,
        x_spacing=row,
        y_spacing=np.full((nj + 1, ni), height),
        area=grid.area,
        thickness=thickness[::-1],
        wet_levels=wet_levels,
        periodic_x=grid.periodic_x,
        spherical=grid.spherical,
    )


def read_displaced_pole(path: Path, levels: int | None = None) -> LayeredGrid:
    """Read a grid in the manner of POP: U points are north-east corners, x is periodic.

    Needs the variables ulon, ulat [degree], htn, hte [m], kmt and dz [m]; `levels` takes only the
    upper ones.
    """
    data = open_source(path)
    missing = [n for n in ("ulon", "ulat", "htn", "hte", "kmt", "dz") if n not in data.variables]
    if missing:
        raise UserError(
            f"'{path}' has no variable {', '.join(missing)}. Use a grid file with ulon, ulat,"
            " htn, hte, kmt and dz."
        )
    north, east = (data[n].read() for n in ("htn", "hte"))
    corner_x, corner_y = (_corners(data[n].read()) for n in ("ulon", "ulat"))
    thickness = data["dz"].read()[:levels]
    wet_levels = np.minimum(data["kmt"].read().astype(np.int64), thickness.size)
    x, y = (data[n].read() for n in ("tlon", "tlat"))
    data.close()
    y_face_width = np.concatenate([north[:1], north])
    x_face_width = np.concatenate([east[:, -1:], east], axis=1)
    dx = 0.5 * (y_face_width[:-1] + y_face_width[1:])
    dy = 0.5 * (x_face_width[:, :-1] + x_face_width[:, 1:])
    around = np.concatenate([dx[:, -1:], dx, dx[:, :1]], axis=1)
    along = np.concatenate([dy[:1], dy, dy[-1:]])
    bottom = np.concatenate([[0.0], np.cumsum(thickness)])
    plane = Grid(
        x=np.arange(x.shape[1], dtype=np.float64),
        y=np.arange(x.shape[0], dtype=np.float64),
        depth=bottom[wet_levels],
        mask=wet_levels > 0,
        spherical=False,
        periodic_x=True,
        longitude=x,
        latitude=y,
    )
    return LayeredGrid(
        plane=plane,
        x=x,
        y=y,
        corner_x=corner_x,
        corner_y=corner_y,
        x_face_width=x_face_width,
        y_face_width=y_face_width,
        x_spacing=0.5 * (around[:, :-1] + around[:, 1:]),
        y_spacing=0.5 * (along[:-1] + along[1:]),
        area=dx * dy,
        thickness=thickness[::-1],
        wet_levels=wet_levels,
        periodic_x=True,
    )


def _corners(north_east: Array) -> Array:
    """South-west corners of all cells from north-east ones; the southernmost row is repeated."""
    rows = np.concatenate([north_east[:1], north_east])
    return np.concatenate([rows[:, -1:], rows], axis=1)
