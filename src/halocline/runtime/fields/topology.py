"""What stands beyond the sides of a grid: nothing, its other side, or an image of itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.runtime.fields.place import Direction, Place

Index = NDArray[np.int64]
Fold = Literal["", "faces", "centres"]
Reflection = Literal["", "mirror", "pole"]
Cells = tuple[int, int, int, int]
"""Rows and columns j0, j1, i0, i1 of a rectangle, the ends excluded."""


class Points(NamedTuple):
    """Points of one place that stand at some (j, i): all arrays have the same shape.

    `inside` says whether there is one; `x_sign` and `y_sign` are -1 where a component of a vector
    along x or y counts from the other side, beyond a fold, mirror or pole, and 1 elsewhere.
    """

    j: Index
    i: Index
    inside: NDArray[np.bool_]
    x_sign: NDArray[np.int8]
    y_sign: NDArray[np.int8]

    @property
    def turned(self) -> NDArray[np.bool_]:
        """Which were found beyond a fold, mirror or pole, as an image."""
        return (self.x_sign < 0) | (self.y_sign < 0)

    def some(self, chosen: NDArray[np.bool_]) -> Points:
        """Those that are chosen."""
        return Points(
            self.j[chosen],
            self.i[chosen],
            self.inside[chosen],
            self.x_sign[chosen],
            self.y_sign[chosen],
        )

    def sign(self, direction: Direction) -> NDArray[np.int8]:
        """What to multiply a component of a vector by, or 1 for a scalar."""
        signs = {"x": self.x_sign, "y": self.y_sign}
        return signs[direction] if direction else np.ones_like(self.x_sign)


class Reflections(NamedTuple):
    """Which sides of a grid reflect it.

    >>> Reflections(north="pole").on("north")
    'pole'
    """

    west: Reflection = ""
    east: Reflection = ""
    south: Reflection = ""
    north: Reflection = ""

    def on(self, side: str) -> Reflection:
        """What one side does."""
        return self[self._fields.index(side)]


all_sides = Reflections._fields


@dataclass(frozen=True)
class Topology:
    """Lateral topology of a grid of nj x ni cells; nothing else knows how sides are joined.

    Face i lies west of centre i, face j south of centre j, corner (j, i) south-west of it. A side
    that is closed has a last face of its own: x faces have ni + 1 columns where the grid is not
    periodic in i, y faces nj + 1 rows where it is closed in the north, corners both.

    A `fold` joins the northern side with itself, as in tripolar grids (Murray 1996, J. Comput.
    Phys. 126, 251-273), whose last row ends in a seam between two poles: who leaves the grid across
    the seam comes in again in the mirrored column, facing south. In units of cells, centre (j, i)
    stands at y = j + 1/2, x = i + 1/2, and the fold is the half turn about a pole on the seam,

        y -> 2 Y - y,    x -> 2 X - x  (mod ni).

    `faces`: the seam runs along the northern faces of the last row, Y = nj, X = ni / 2 (POP, MOM6;
    the F pivot of NEMO). `centres`: it runs through the last row of centres, Y = nj - 1/2,
    X = ni / 2 + 1/2 (the T pivot of NEMO; NEMO manual, appendix "North Pole Folding"). With
    y = j + b, x = i + a (a, b are 0 on faces, 1/2 in centres) the images are

        faces:    j -> 2 nj - j - 2 b,        i -> ni - i - 2 a
        centres:  j -> 2 nj - 1 - j - 2 b,    i -> ni + 1 - i - 2 a.

    What stands on the seam itself (y faces and corners in row nj; with `centres` the centres and x
    faces of row nj - 1) is there twice: the point in the lower column is the owner, the other one
    is its double. Poles are their own images. The half turn reverses both directions: components
    of vectors change sign, scalars do not.

    A side may reflect the grid instead (`reflections`). Beyond a `mirror` row -1 - n of centres is
    row n, face -n is face n, and the component of a vector across the side changes sign. A `pole`
    is the northern or southern end of a longitude-latitude grid around the globe: beyond it stands
    the same row, half way round, and both components change sign. What stands on such a side itself
    is there once, and owned; no flow across it is the model's matter.
    """

    nj: int
    ni: int
    periodic_j: bool = False
    periodic_i: bool = False
    fold: Fold = ""
    reflections: Reflections = Reflections()

    def __post_init__(self) -> None:
        if self.fold and (self.periodic_j or not self.periodic_i or self.ni % 2):
            raise UserError(
                f"A grid of {self.nj} x {self.ni} cells cannot be folded in the north: it has to be"
                " periodic in i, not in j, with an even number of columns."
            )
        for side in all_sides:
            if self.is_joined(side) and self.reflections.on(side):
                raise UserError(
                    f"The side in the {side} of a grid cannot be both joined (periodic or folded)"
                    f" and a {self.reflections.on(side)}. Take one of them."
                )
        if "pole" not in self.reflections:
            return
        wrong = ""
        if "pole" in self.reflections[:2]:
            wrong = "in the west or east: poles are in the south and north"
        elif not self.periodic_i:
            wrong = "as its rows do not close: they have to be periodic, once around the globe"
        elif self.ni % 2:
            wrong = "of which none stands half way round: take an even number of columns"
        if wrong:
            raise UserError(f"A grid of {self.nj} x {self.ni} cells cannot have a pole, {wrong}.")

    def words(self) -> list[str]:
        """Which sides are joined.

        >>> Topology(2, 4, periodic_i=True, fold="faces").words()
        ['periodic in x', 'folded in the north along its faces']
        """
        joined = {"periodic in x": self.periodic_i, "periodic in y": self.periodic_j}
        fold = f"folded in the north along its {self.fold}"
        joined[fold] = bool(self.fold)
        words = [words for words, so in joined.items() if so]
        for kind in dict.fromkeys(filter(None, self.reflections)):
            there = (side for side in all_sides if self.reflections.on(side) == kind)
            words.append(f"{kind} in the {' and '.join(there)}")
        return words

    def is_joined(self, side: str) -> bool:
        """Whether a side is periodic or folded."""
        if side in ("west", "east"):
            return self.periodic_i
        return self.periodic_j or (side == "north" and bool(self.fold))

    def is_closed(self, side: str) -> bool:
        """Whether nothing stands beyond a side."""
        return not (self.is_joined(side) or self.reflections.on(side))

    @property
    def goes_round(self) -> bool:
        """Whether the last column is beside the first."""
        return self.periodic_i

    @property
    def reflects(self) -> bool:
        """Whether cells beyond some side are counted the other way: a fold, mirror or pole."""
        return bool(self.fold) or any(self.reflections)

    def shape(self, place: Place) -> tuple[int, int]:
        """Rows and columns of all points of a place.

        >>> Topology(2, 4, periodic_i=True).shape(Place.corner)
        (3, 4)
        """
        beyond_j = place.between_rows and not self.periodic_j and self.fold != "centres"
        beyond_i = place.between_columns and not self.periodic_i
        return self.nj + int(beyond_j), self.ni + int(beyond_i)

    def resolve(self, place: Place, j: Index, i: Index) -> Points:
        """Points of a place that stand at (j, i), which may lie outside; doubles give their owner.

        >>> topology = Topology(2, 4, periodic_i=True, fold="faces")
        >>> north = topology.resolve(Place.center, np.array([2, -1]), np.array([0, -1]))
        >>> int(north.j[0]), int(north.i[0]), north.inside.tolist(), north.x_sign.tolist()
        (1, 3, [True, False], [-1, 1])
        """
        j, i = np.broadcast_arrays(j, i)
        rows, columns = self.shape(place)
        x_sign, y_sign = np.ones((2, *j.shape), np.int8)
        if self.periodic_j:
            j = j % self.nj
        if self.periodic_i:
            i = i % self.ni
        if self.fold:
            late = int(self.fold == "centres")
            mirrored_j = 2 * self.nj - late - j - int(not place.between_rows)
            mirrored_i = (self.ni + late - i - int(not place.between_columns)) % self.ni
            folded = (mirrored_j < j) | ((mirrored_j == j) & (mirrored_i < i))
            j, i = np.where(folded, mirrored_j, j), np.where(folded, mirrored_i, i)
            x_sign[folded], y_sign[folded] = -1, -1
        west, east, south, north = self.reflections
        for north_end, kind in ((0, south), (self.nj, north)):
            if kind:
                j, beyond = _reflected(j, north_end, place.between_rows)
                y_sign[beyond] *= -1
                if kind == "pole":
                    i = np.where(beyond, (i + self.ni // 2) % self.ni, i)
                    x_sign[beyond] *= -1
        for east_end, kind in ((0, west), (self.ni, east)):
            if kind:
                i, beyond = _reflected(i, east_end, place.between_columns)
                x_sign[beyond] *= -1
        inside = (j >= 0) & (j < rows) & (i >= 0) & (i < columns)
        return Points(np.where(inside, j, 0), np.where(inside, i, 0), inside, x_sign, y_sign)

    def widened(
        self,
        plane: NDArray[Any],
        depths: tuple[int, int, int, int],
        place: Place = Place.center,
        *,
        nearest: bool = False,
        direction: Direction = "",
    ) -> NDArray[Any]:
        """A plane (..., rows, columns) with what stands so far to its west, east, south and north.

        0 where nothing stands, or with `nearest` the last point before the closed side. With a
        `direction` values are components of a vector. Of joined sides the plane may have both ends.

        >>> row = np.array([[1, 2, 3]])
        >>> Topology(1, 3, periodic_i=True).widened(row, (1, 1, 0, 1)).tolist()
        [[3, 1, 2, 3, 1], [0, 0, 0, 0, 0]]
        """
        west, east, south, north = depths
        rows, columns = plane.shape[-2:]
        shape = rows + south + north, columns + west + east
        wide = np.zeros((*plane.shape[:-2], *shape), plane.dtype)
        wide[..., south : south + rows, west : west + columns] = plane
        seam = self.seam(place)
        kept = rows if seam is None else min(seam, rows)
        to_j, to_i = _frame(shape, (south, south + kept, west, west + columns))
        j, i = to_j - south, to_i - west
        if nearest:
            last_j, last_i = (length - 1 for length in self.shape(place))
            j = np.maximum(j, 0) if self.is_closed("south") else j
            j = np.minimum(j, last_j) if self.is_closed("north") else j
            i = np.maximum(i, 0) if self.is_closed("west") else i
            i = np.minimum(i, last_i) if self.is_closed("east") else i
        points = self.resolve(place, j, i)
        there = points.inside & (points.j < rows) & (points.i < columns)
        values = plane[..., np.where(there, points.j, 0), np.where(there, points.i, 0)]
        values = values * points.sign(direction) if direction else values
        wide[..., to_j, to_i] = np.where(there, values, np.zeros((), plane.dtype))
        return wide

    def seam(self, place: Place) -> int | None:
        """The row whose points stand on the fold, None where there is none."""
        if self.fold == "faces":
            return self.nj if place.between_rows else None
        return self.nj - 1 if self.fold and not place.between_rows else None

    def once(self, place: Place) -> NDArray[np.bool_]:
        """Which values of a place stand for its points, each once: all but the doubles on a fold.

        >>> Topology(1, 4, periodic_i=True, fold="centres").once(Place.center).tolist()
        [[True, True, True, False]]
        """
        j, i = np.indices(self.shape(place))
        return ~self.resolve(place, j, i).turned

    @property
    def poles(self) -> tuple[tuple[int, int], ...]:
        """Cells whose centre is a pole of the fold: what they lose on one side they lose twice."""
        return ((self.nj - 1, 0), (self.nj - 1, self.ni // 2)) if self.fold == "centres" else ()

    def depths(
        self, place: Place, depths: tuple[int, int, int, int], computed: Place
    ) -> tuple[int, int, int, int]:
        """How far beyond what a block owns of `place` a kernel reads that computes another place.

        A kernel that reads so far west, east, south and north of each point that it computes and
        computes what lies on a fold, mirror or pole reads one row or column further of what ends
        before it.
        """
        west, east, south, north = depths
        more = [a > b for a, b in zip(self.shape(computed), self.shape(place), strict=True)]
        north += int(more[0] and bool(self.fold or self.reflections.north))
        east += int(more[1] and bool(self.reflections.east))
        return west, east, south, north

    def cells_at(self, cells: Cells) -> list[Cells]:
        """Rectangles that hold all cells that stand in a rectangle that may lie partly outside.

        They may hold some more: one cell on each side beyond a fold, mirror or pole.
        """
        j0, j1, i0, i1 = cells
        rows = [(j0, j1, i0, i1)]
        if self.periodic_j:
            rows = [(a, b, i0, i1) for a, b in _wrapped(j0, j1, self.nj)]
        elif self.fold and j1 >= self.nj:
            first = max(2 * self.nj - 1 - j1, 0)
            rows.append((first, self.nj, self.ni - i1 - 1, self.ni - i0 + 2))
        for kind, (a, b) in zip(self.reflections[2:], _images(j0, j1, self.nj), strict=True):
            half = self.ni // 2 if kind == "pole" else 0
            rows += [(a, b, i0 + half, i1 + half)] if kind else []
        found = []
        for j0, j1, i0, i1 in rows:
            columns = _wrapped(i0, i1, self.ni) if self.periodic_i else [(i0, i1)]
            images = zip(self.reflections[:2], _images(i0, i1, self.ni), strict=True)
            columns += [image for kind, image in images if kind]
            j0, j1 = max(j0, 0), min(j1, self.nj)
            found += [(j0, j1, max(a, 0), min(b, self.ni)) for a, b in columns]
        return [(a, b, c, d) for a, b, c, d in found if a < b and c < d]


def _wrapped(first: int, last: int, length: int) -> list[tuple[int, int]]:
    """The stretches of [0, length) that a stretch of a periodic line covers."""
    if last - first >= length:
        return [(0, length)]
    a, b = first % length, first % length + last - first
    return [(a, min(b, length)), (0, b - length)]


def _images(first: int, last: int, length: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """What [first, last) shows in mirrors at both ends of [0, length), and a line more."""
    return (-1, -first + 1), (2 * length - last - 1, length)


def _reflected(lines: Index, end: int, between: bool) -> tuple[Index, NDArray[np.bool_]]:
    """Rows or columns brought back about a side at line `end`, 0 the first, and which were."""
    image = 2 * end - 1 + int(between) - lines
    beyond = lines > image if end else lines < image
    return np.where(beyond, image, lines), beyond


def _frame(shape: tuple[int, int], inner: Cells) -> tuple[Index, Index]:
    """Rows and columns of all that lies outside an inner rectangle."""
    (rows, columns), (j0, j1, i0, i1) = shape, inner
    sides = np.concatenate([np.arange(i0), np.arange(i1, columns)])
    outside = np.concatenate([np.arange(j0), np.arange(j1, rows)])
    j = np.concatenate([np.repeat(np.arange(j0, j1), sides.size), np.repeat(outside, columns)])
    i = np.concatenate([np.tile(sides, j1 - j0), np.tile(np.arange(columns), outside.size)])
    return j, i
