"""The vertical grid: levels over any horizontal grid, their thickness, and a stepped floor."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.grids.files.sources import open_source
from halocline.grids.horizontal.curvilinear_files import read_displaced_pole
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.topology import Topology

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class VerticalGrid:
    """Levels k over a horizontal grid, counted upward; interface k lies below level k.

    Every column has its wet levels, from the surface down. The lowest of them may be thinner than
    the level (`bottom_thickness`), so that the floor lies where it should.
    """

    horizontal: Grid
    thickness: Array  # of whole levels, from the deepest up [m], shape (nk,)
    wet_levels: NDArray[np.int64]  # counted from the surface, 0 on land, shape (nj, ni)
    bottom_thickness: Array | None = None  # of the lowest wet cells [m], (nj, ni); None: whole

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
        return (self.thickness.size, *self.horizontal.shape)

    @property
    def topology(self) -> Topology:
        return self.horizontal.topology

    @property
    def mask(self) -> Mask:
        """Columns with water, shape (nj, ni)."""
        return self.wet_levels > 0

    @property
    def wet(self) -> Mask:
        """Cells with water, shape (nk, nj, ni), made anew each time."""
        return self.is_wet(np.arange(self.thickness.size)[:, None, None])

    def is_wet(self, level: Any, cells: Any = ()) -> Mask:
        """Whether there is water in one or some levels, in all columns or at an index of them."""
        return np.asarray(level >= self.thickness.size - self.wet_levels[cells])

    @property
    def interfaces(self) -> Array:
        """Depth of the interfaces [m], from the deepest up to 0 at the surface, shape (nk + 1,)."""
        return np.append(np.cumsum(self.thickness[::-1])[::-1], 0.0)

    @property
    def depth(self) -> Array:
        """Depth of the centres of the levels [m], shape (nk,)."""
        return np.cumsum(self.thickness[::-1])[::-1] - 0.5 * self.thickness

    @property
    def spacing(self) -> Array:
        """From the centre of level k - 1 to that of k [m], shape (nk,); of level 0 to its floor."""
        below = np.concatenate([[0.0], self.thickness[:-1]])
        return 0.5 * (self.thickness + below)

    @property
    def cell_thickness(self) -> Array:
        """Thickness of the cells [m], 0 on land and below the floor; shape (nk, nj, ni)."""
        return self.thickness_of(np.arange(self.thickness.size)[:, None, None])

    def thickness_of(self, level: Any, cells: Any = ()) -> Array:
        """Thickness of cells [m] in one or some levels, in all columns or at an index of them."""
        result: Array = self.thickness[level] * self.is_wet(level, cells)
        if self.bottom_thickness is not None:
            lowest = level == self.thickness.size - self.wet_levels[cells]
            result = np.where(lowest, self.bottom_thickness[cells], result)
        return result

    @property
    def floor(self) -> Array:
        """Depth of the floor of the columns [m], 0 on land; shape (nj, ni)."""
        bottom = np.concatenate([[0.0], np.cumsum(self.thickness[::-1])])
        if self.bottom_thickness is None:
            return bottom[self.wet_levels]
        whole = bottom[np.maximum(self.wet_levels - 1, 0)]
        return np.where(self.mask, whole + self.bottom_thickness, 0.0)

    @property
    def volume(self) -> Array:
        """Volume of the cells [m3], 0 on land; shape (nk, nj, ni)."""
        return self.volume_of(np.arange(self.thickness.size)[:, None, None])

    def volume_of(self, level: Any, cells: Any = ()) -> Array:
        """Volume [m3] in one or some levels, of all columns or at an index of them; 0 on land."""
        area = self.horizontal.area[cells]
        if self.bottom_thickness is None:
            return area * self.thickness[level] * self.is_wet(level, cells)
        return area * self.thickness_of(level, cells)

    def open_x_faces(self, level: int | None = None) -> Mask:
        """Western faces with water on both sides, and the last eastern: (nk, nj, ni + 1).

        Those of one level are (nj, ni + 1).
        """
        wet = self.wet if level is None else self.is_wet(level)
        wide = self.topology.widened(wet, (1, 1, 0, 0))
        return wide[..., :-1] & wide[..., 1:]

    def open_y_faces(self, level: int | None = None) -> Mask:
        """Southern faces with water on both sides, and the last northern: (nk, nj + 1, ni).

        Those of one level are (nj + 1, ni).
        """
        wet = self.wet if level is None else self.is_wet(level)
        wide = self.topology.widened(wet, (0, 0, 1, 1))
        return wide[..., :-1, :] & wide[..., 1:, :]


def layered(grid: Grid, thickness: Array, *, least: float | None = None) -> VerticalGrid:
    """Levels of `thickness`, from the surface down [m], over a horizontal grid.

    A column has as many levels as begin above its floor; sea has at least one. With `least`, the
    lowest cell of a column ends at its floor, but keeps that share of its level [1]; uppermost
    cells are whole.
    """
    thickness = np.asarray(thickness, np.float64)
    if thickness.ndim != 1 or not thickness.size:
        raise UserError("The grid has no levels. Give the thickness of one or more [m].")
    _refuse_negative(thickness, "The grid")
    interfaces = np.concatenate([[0.0], np.cumsum(thickness)])
    wet_levels = np.zeros(grid.shape, np.int64)
    for top in interfaces[:-1]:
        wet_levels += top < grid.depth
    wet_levels = np.maximum(wet_levels, 1) * grid.mask
    bottom = None
    if least is not None:
        lowest = np.maximum(wet_levels - 1, 0)
        shares = np.where(lowest > 0, least, 1.0)
        left = np.maximum(grid.depth - interfaces[lowest], shares * thickness[lowest])
        bottom = np.where(grid.mask, np.minimum(left, thickness[lowest]), 0.0)
    return VerticalGrid(
        horizontal=grid,
        thickness=thickness[::-1],
        wet_levels=wet_levels,
        bottom_thickness=bottom,
    )


def file_thickness(path: Path) -> Array | None:
    """Thickness of the levels from the surface down [m]; None where the file has none.

    It is `dz`, or lies between depths of interfaces, `depth_w`.
    """
    data = open_source(path)
    try:
        for name in ("dz", "depth_w"):
            if name in data.variables and data[name].ndim == 1:
                values: Array = data[name].read().astype(np.float64)
                thickness = values if name == "dz" else np.diff(values)
                _refuse_negative(thickness, f"'{name}' in '{path}'")
                return thickness
        return None
    finally:
        data.close()


def _refuse_negative(thickness: Array, what: str) -> None:
    """Refuse levels, from the surface down, of which one has no thickness; `what` has them."""
    wrong = np.flatnonzero(~(thickness > 0.0))
    if wrong.size:
        k = int(wrong[0])
        more = f", and {wrong.size - 1} more so" if wrong.size > 1 else ""
        raise UserError(
            f"{what} has a level that is {thickness[k]:g} m thick, the one with number {k + 1} of"
            f" {thickness.size} from the surface down{more}. Give every level a positive thickness,"
            " and depths of interfaces that grow."
        )


def read_layers(path: Path, levels: int | None = None) -> VerticalGrid:
    """A displaced-pole grid with the levels of its file (`dz`), or the upper `levels` of them."""
    grid, thickness = read_displaced_pole(path), file_thickness(path)
    if thickness is None:
        raise UserError(f"'{path}' has no variable dz, the thickness of its levels [m].")
    return layered(grid, thickness[:levels])


def growing_thickness(count: int, top: float, deep: float, total: float) -> Array:
    """Levels whose thickness grows with depth from `top` to `deep`, all together `total` [m].

    At the middle z of a level it is deep - (deep - top) exp(-(z / L)^2), in the manner of POP's
    internal vertical grid (Smith et al. 2010, LAUR-10-01853); L follows from the total.

    >>> growing_thickness(40, 10.0, 250.0, 5500.0)[:2].round(2).tolist()
    [10.01, 10.11]
    >>> growing_thickness(3, 5.0, 5.0, 15.0).tolist()
    [5.0, 5.0, 5.0]
    """
    if top == deep and math.isclose(count * top, total):
        return np.full(count, top)
    if not count * top < total < count * deep:
        raise UserError(
            f"{count} levels that grow from {top:g} to {deep:g} m are {count * top:g} to"
            f" {count * deep:g} m together, not {total:g} m. Change the number or the thickness."
        )
    long, short = total * 1e3, total * 1e-6
    while long - short > 1e-12 * long:
        length = 0.5 * (short + long)
        if _grow(count, top, deep, length).sum() > total:
            short = length
        else:
            long = length
    thickness = _grow(count, top, deep, 0.5 * (short + long))
    return thickness * (total / thickness.sum())


def _grow(count: int, top: float, deep: float, length: float) -> Array:
    """Thickness of the levels for one length [m]."""
    depth, result = 0.0, []
    for _ in range(count):
        low, high = 0.0, deep
        for _ in range(60):
            thickness = 0.5 * (low + high)
            wanted = deep - (deep - top) * math.exp(-(((depth + 0.5 * thickness) / length) ** 2))
            low, high = (thickness, high) if thickness < wanted else (low, thickness)
        result.append(0.5 * (low + high))
        depth += result[-1]
    return np.array(result)
