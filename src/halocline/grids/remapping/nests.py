"""Between a grid and a finer one inside of it whose cells fill its cells (a nest).

Both are regular, in the same plane; a cell of the outer one holds `ratio` x `ratio` of the inner
one. Inwards values are linear between the four outer points around a point; outwards they are means
of what lies in a cell, or on a face (Skamarock et al. 2019, NCAR/TN-556, section 7.3).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.projected import Projected
from halocline.grids.remapping.weights import Array, Index, RemapWeights
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology


@dataclass(frozen=True)
class Nest:
    """Where a grid lies in another one: its first cell is in cell (`row`, `column`) of that."""

    ratio: int
    row: int
    column: int
    outer: Topology
    inner: Topology

    @classmethod
    def between(cls, outer: Grid, inner: Grid, names: tuple[str, str]) -> Nest:
        """The place of one grid in another; refused where cells do not fill cells."""
        who, other = names[1], names[0]
        if not _in_one_plane(outer, inner):
            raise UserError(
                f"'{who}' cannot lie in '{other}': grids of nests are regular ones, with lines of x"
                " and y in one plane or on one map, and a curvilinear grid has none."
            )
        along = [
            _along(who, other, word, *lines)
            for word, lines in {
                "y": ((outer.y, outer.step_y), (inner.y, inner.step_y)),
                "x": ((outer.x, outer.step_x), (inner.x, inner.step_x)),
            }.items()
        ]
        (ratio, row), (ratio_x, column) = along
        if ratio != ratio_x:
            raise UserError(
                f"The cells of '{who}' are {ratio_x} times finer than those of '{other}' along x"
                f" and {ratio} times along y. Give it the same ratio along both."
            )
        return cls(ratio, row, column, outer.topology, inner.topology)

    def inwards(self, place: Place, j: Index, i: Index) -> RemapWeights:
        """Weights of outer points for inner points (j, i) of a place."""
        outer = self.outer
        rows, columns = outer.shape(place)
        sides_j = _linear(
            j, self.row, self.ratio, rows, place.between_rows, outer.is_joined("south")
        )
        sides_i = _linear(
            i, self.column, self.ratio, columns, place.between_columns, outer.is_joined("west")
        )
        both = [(row, column) for row in sides_j for column in sides_i]
        points = [row[0] * columns + column[0] for row, column in both]
        return RemapWeights.of(
            np.stack(points), np.stack([row[1] * column[1] for row, column in both])
        )

    def outwards(self, place: Place, j: Index, i: Index) -> RemapWeights:
        """Weights of inner points for outer points (j, i) of a place that lie inside."""
        _, columns = self.inner.shape(place)
        first_j, first_i = (j - self.row) * self.ratio, (i - self.column) * self.ratio
        steps_j = (0,) if place.between_rows else range(self.ratio)
        steps_i = (0,) if place.between_columns else range(self.ratio)
        points = [(first_j + b) * columns + first_i + a for b in steps_j for a in steps_i]
        return RemapWeights.of(np.stack(points), np.full((len(points), j.size), 1.0 / len(points)))

    def across(
        self, places: tuple[Place, Place], wet: NDArray[np.bool_], j: Index, i: Index, *,
        outwards: bool,
    ) -> RemapWeights:  # fmt: skip
        """Weights of points of one place for points (j, i) of another: linear among `wet` ones.

        Where no wet point of the source is beside a point it has no terms.
        """
        source, target = places
        topology, ratio = (self.inner, 1.0 / self.ratio) if outwards else (self.outer, self.ratio)
        rows, columns = topology.shape(source)
        sides = [
            _between(index, first if not outwards else -first * self.ratio, ratio, *of)
            for index, first, of in (
                (j, self.row, (rows, source.between_rows, target.between_rows,
                               topology.is_joined("south"))),
                (i, self.column, (columns, source.between_columns, target.between_columns,
                                  topology.is_joined("west"))),
            )
        ]  # fmt: skip
        both = [(row, column) for row in sides[0] for column in sides[1]]
        points = np.stack([row[0] * columns + column[0] for row, column in both])
        weights = np.stack([row[1] * column[1] for row, column in both])
        weights = weights * wet.ravel()[points]
        whole = weights.sum(axis=0)
        kept = weights.T > 0.0
        found = (weights / np.where(whole > 0.0, whole, 1.0)).T[kept]
        return RemapWeights.of_rows(kept.sum(axis=1), points.T[kept], found)

    def inside(self, place: Place, rim: int) -> NDArray[np.bool_]:
        """Outer points that lie more than `rim` outer cells inside; shape of the place."""
        marked = np.zeros(self.outer.shape(place), bool)
        rows, columns = self.inner.nj // self.ratio, self.inner.ni // self.ratio
        j1 = self.row + rows - rim + (1 if place.between_rows else 0)
        i1 = self.column + columns - rim + (1 if place.between_columns else 0)
        marked[self.row + rim : max(j1, 0), self.column + rim : max(i1, 0)] = True
        return marked


def _in_one_plane(outer: Grid, inner: Grid) -> bool:
    """Whether x and y are the same coordinates, those of a map too."""
    one, other = outer.curvilinear, inner.curvilinear
    if isinstance(one, Projected) and isinstance(other, Projected):
        return one.projection == other.projection
    return one is None and other is None


def _linear(
    index: Index, first: int, ratio: int, count: int, between: bool, periodic: bool
) -> list[tuple[Index, Array]]:
    """The outer points before and after inner ones along an axis, and their weights [1]."""
    shift = 0.0 if between else 0.5
    at = first + (index + shift) / ratio - shift
    before = np.floor(at).astype(np.int64)
    before = before if periodic else np.clip(before, 0, max(count - 2, 0))
    beyond = at - before
    after = (before + 1) % count
    return [(before % count, 1.0 - beyond), (after, beyond)]


def _between(
    index: Index, first: float, ratio: float, count: int, source: bool, target: bool, joined: bool
) -> list[tuple[Index, Array]]:
    """As `_linear`, from places between cells (or not) to places between cells (or not).

    Points beyond the last ones take these; those more than half a cell beyond take none.
    """
    at = first + (index + (0.0 if target else 0.5)) / ratio - (0.0 if source else 0.5)
    there = np.ones(at.shape) if joined else ((at > -0.75) & (at < count - 0.25)).astype(float)
    at = at if joined else np.clip(at, 0.0, count - 1.0)
    before = np.floor(at).astype(np.int64)
    beyond = at - before
    after = before + 1 if joined else np.minimum(before + 1, count - 1)
    return [(before % count, there * (1.0 - beyond)), (after % count, there * beyond)]


def _along(
    who: str, other: str, word: str, outer: tuple[Array, float], inner: tuple[Array, float]
) -> tuple[int, int]:
    """Ratio and first outer cell along one axis."""
    (lines, step), (own, own_step) = outer, inner
    ratio = round(step / own_step)
    begin, end = own[0] - 0.5 * own_step, own[-1] + 0.5 * own_step
    outer_begin, outer_end = lines[0] - 0.5 * step, lines[-1] + 0.5 * step
    slack = 1e-6 * step
    if ratio < 1 or abs(ratio * own_step - step) > slack:
        raise UserError(
            f"Cells of '{who}' are {own_step:g} wide along {word}, those of '{other}' {step:g},"
            f" which is {step / own_step:g} times as wide. Make it a whole number."
        )
    if begin < outer_begin - slack or end > outer_end + slack:
        raise UserError(
            f"'{who}' goes from {word} = {begin:g} to {end:g} and '{other}' from {outer_begin:g} to"
            f" {outer_end:g}: it lies outside. Move it, or make it smaller."
        )
    first = round((begin - outer_begin) / step)
    off = begin - outer_begin - first * step
    if abs(off) > slack or own.size % ratio:
        raise UserError(
            f"The sides of '{who}' along {word} are no faces of '{other}': it begins {off:g} beyond"
            f" one and has {own.size} cells, {ratio} to a cell of '{other}'. Move it by {-off:g}"
            " and take a multiple."
        )
    return ratio, first
