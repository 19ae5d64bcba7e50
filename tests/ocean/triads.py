"""Triads of cells in plain NumPy, one by one: what `eddies.hpp` says of them."""

from typing import Any, NamedTuple

import numpy as np

from halocline.grids.vertical.levels import VerticalGrid
from halocline.ocean.eddy_options import EddyOptions
from halocline.runtime.fields.place import Place
from ocean import oceans

Cell = tuple[int, int, int]


class Look(NamedTuple):
    """A cell's neighbour across a side, `ahead` of it along x or y if 1, behind if -1."""

    at: tuple[int, int]
    beside: tuple[int, int]
    place: Place
    side: tuple[int, int]
    ahead: int
    width: float
    length: float


def looks(levels: VerticalGrid):
    """Every cell's neighbours; cells that stand twice on a fold once."""
    grid, topology = levels.horizontal, levels.topology
    for j, i in np.argwhere(levels.mask & topology.once(Place.center)):
        for dj, di in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            found = topology.resolve(Place.center, np.array([j + dj]), np.array([i + di]))
            if not found.inside[0]:
                continue
            beside = int(found.j[0]), int(found.i[0])
            place = Place.x_face if di else Place.y_face
            face = topology.resolve(place, np.array([j + max(dj, 0)]), np.array([i + max(di, 0)]))
            side = int(face.j[0]), int(face.i[0])
            dx, dy = grid.at(place).dx[side], grid.at(place).dy[side]
            ahead = (di or dj) * int((face.x_sign if di else face.y_sign)[0])
            yield Look(
                (int(j), int(i)), beside, place, side, ahead, *((dy, dx) if di else (dx, dy))
            )


class Columns:
    """What columns of levels hold at a depth: on straight lines between the centres of cells."""

    def __init__(self, levels, tracers):
        self.depth, self.thickness = oceans.cell_depth(levels), levels.cell_thickness
        self.tracers = tracers

    def point(self, k, column, depth):
        """Cells around a depth, from that of the cell k upward, and their weights."""
        here, above = (self.depth[(min(n, len(self.depth) - 1), *column)] for n in (k, k + 1))
        share = (here - depth) / (here - above) if here > depth else 0.0
        lower = (k, *column), 1.0 - share
        return [lower, ((k + 1, *column), share)] if share else [lower]

    def value(self, point):
        return sum(share * self.tracers[(slice(None), *cell)] for cell, share in point)


class Triad(NamedTuple):
    """A cell, the one `third` above (`half` 1) or below it (-1), and the one beside it.

    Of tracers it has the steps to the latter, between two `points`, and up; `true` is the mean
    square slope of its half of the cell, or of its root after `tapered`.
    """

    look: Look
    here: Cell
    third: Cell
    half: int
    points: tuple[Any, Any]
    step: np.ndarray
    rise: np.ndarray
    slope: float | None
    weight: float

    @property
    def key(self) -> tuple[int, ...]:
        return (max(self.half, 0), *self.here)


def all_triads(levels, density, tracers) -> list[Triad]:
    """Of every cell, side and half; the slope is None where water overturns."""
    count = levels.shape[0]
    floor = count - levels.wet_levels
    columns = Columns(levels, tracers)

    def heavier(step):
        return -density.expansion * step[0] + density.contraction * step[1]

    def made():
        for look in looks(levels):
            at, other = look.at, look.beside
            for k in range(max(floor[at], floor[other]), count):
                for half in (1, -1):
                    if not floor[at] <= k + half < count:
                        continue
                    here, third = (k, *at), (k + half, *at)
                    depth = min(columns.depth[here], columns.depth[(k, *other)])
                    points = columns.point(k, at, depth), columns.point(k, other, depth)
                    step = columns.value(points[1]) - columns.value(points[0])
                    rise = half * (tracers[:, *third] - tracers[:, *here])
                    up = heavier(rise)
                    slope = -heavier(step) / up if up < 0.0 else None
                    common = min(columns.thickness[here], columns.thickness[(k, *other)])
                    weight = 0.25 * common * look.width / look.length
                    yield Triad(look, here, third, half, points, step, rise, slope, weight)

    return list(made())


def tapers(levels, found: list[Triad], some: EddyOptions) -> tuple[np.ndarray, np.ndarray]:
    """Of lower and upper halves of cells, (2, k, j, i), and their true slopes.

    A half has one, of half the sum of the squares of its true slopes.
    """
    squares = np.zeros((2, *levels.shape))
    depth = oceans.cell_depth(levels)
    for one in found:
        distance = abs(depth[one.here] - depth[one.third])
        squares[one.key] += 0.5 * ((one.slope or 0.0) * distance / one.look.length) ** 2
    true = np.sqrt(squares)
    if some.taper == "smooth":
        return 0.5 * (1 + np.tanh((some.largest_slope - true) / some.slope_width)), true
    return np.minimum(1.0, (some.largest_slope / np.maximum(true, 1e-30)) ** 2), true
