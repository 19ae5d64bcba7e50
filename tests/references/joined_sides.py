"""What stands where on a grid whose sides are joined, found by walking over the glued surface.

Independent of `Topology.resolve`: nobody computes an image here. A walker goes in steps of half a
cell, turns round where a seam, mirror or pole turns him, and writes down where he is.
"""

from copy import copy

import numpy as np

from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Reflections, Topology

planar = (Place.center, Place.x_face, Place.y_face, Place.corner)
half = {
    Place.center: (1, 1),
    Place.x_face: (1, 0),
    Place.y_face: (0, 1),
    Place.corner: (0, 0),
    Place.point: (1, 1),
}


class Walker:
    """Somebody at (y, x) [half cells] who looks north (1) or, beyond a fold, south (-1).

    His right hand is in the east (1) or, beyond a fold, in the west (-1); in a mirror one of both
    is the other way round. `across` says whether he has gone over a pole, which makes his own
    directions of what he carries opposite to those of the grid, while columns follow each other as
    before.
    """

    def __init__(self, topology: Topology, y: int, x: int) -> None:
        self.topology, self.y, self.x, self.looks, self.right = topology, y, x, 1, 1
        self.across = 1
        self.lost = False

    def north(self) -> None:
        """Half a cell ahead."""
        topology, round_ = self.topology, 2 * self.topology.ni
        seam = {"": None, "faces": 2 * topology.nj, "centres": 2 * topology.nj - 1}[topology.fold]
        if self.looks == 1 and self.y == seam:
            # The lips of the seam lie on each other: the poles are half way round.
            pole = 0 if topology.fold == "faces" else 1
            self.x = (pole - (self.x - pole)) % round_
            self.looks = self.right = -1
        if self.looks == 1 and self.y == 2 * topology.nj:
            self._turn(topology.reflections.north)
        self.y += self.looks
        if topology.periodic_j:
            self.y %= 2 * topology.nj
        self.lost |= self.y < 0 or (seam is None and self.y > 2 * topology.nj)

    def south(self) -> None:
        """Half a cell back, on this side of any seam."""
        if self.looks == 1 and self.y == 0:
            self._turn(self.topology.reflections.south)
        self.y -= self.looks
        if self.topology.periodic_j:
            self.y %= 2 * self.topology.nj
        self.lost |= self.y < 0

    def _turn(self, kind: str) -> None:
        """Turn round before a mirror, or go over a pole to the meridian on the other side."""
        if kind:
            self.looks = -1
        if kind == "pole":
            self.x, self.across = (self.x + self.topology.ni) % (2 * self.topology.ni), -1

    def east(self, steps: int) -> "Walker":
        """Another walker, some half cells to the right of this one."""
        other = copy(self)
        ahead = self.right if steps > 0 else -self.right
        west, east = self.topology.reflections[:2]
        for _ in range(abs(steps)):
            wall = west if ahead < 0 else east
            if wall and other.x == (0 if ahead < 0 else 2 * self.topology.ni):
                ahead, other.right = -ahead, -other.right
            other.x += ahead
            if self.topology.periodic_i:
                other.x %= 2 * self.topology.ni
            other.lost |= not 0 <= other.x <= 2 * self.topology.ni
        return other

    def stands(self, place: Place) -> tuple[int, int, int, int] | None:
        """(j, i, sign along x, along y) of the owner of the point of a place here; None outside."""
        if self.lost:
            return None
        topology, (b, a) = self.topology, half[place]
        y, x, looks, right = self.y, self.x, self.looks, self.right * self.across
        if topology.fold:
            seam, pole = (2 * topology.nj, 0) if topology.fold == "faces" else (
                2 * topology.nj - 1, 1)  # fmt: skip
            across = (2 * pole - x) % (2 * topology.ni)
            if y == seam and (looks == 1) == (across < x):
                x, looks, right = across, -looks, -right
        j, i = (y - b) // 2, (x - a) // 2
        assert (y - b) % 2 == (x - a) % 2 == 0
        rows = topology.nj + (b == 0 and not topology.periodic_j)
        columns = topology.ni + (a == 0 and not topology.periodic_i)
        return (j, i, right, looks) if j < rows and i < columns else None


def surroundings(topology: Topology, place: Place, beyond: int, direction: str = "y") -> np.ndarray:
    """(inside, j, i, sign) of what stands at rows and columns from -beyond on.

    Shape (4, nj + 1 + 2 beyond, ni + 1 + 2 beyond); the sign is that of components of vectors along
    a direction. The walk begins in row 0 of each column.
    """
    b, a = half[place]
    shape = topology.nj + 1 + 2 * beyond, topology.ni + 1 + 2 * beyond
    found = np.zeros((5, *shape), int)
    for row in range(shape[0]):
        walker = Walker(topology, b, a)
        for _ in range(2 * abs(row - beyond)):
            walker.north() if row > beyond else walker.south()
        for column in range(shape[1]):
            stands = walker.east(2 * (column - beyond)).stands(place)
            if stands is not None:
                found[:, row, column] = 1, *stands
    return found[[0, 1, 2, 3 if direction == "x" else 4]]


def random_topology(random: np.random.Generator, nj: int, ni: int, fold: float = 0.4) -> Topology:
    """Sides closed, periodic, mirrors or poles; with some probability folded, if columns are even.

    Where halos of 4 would be deeper than the grid, nothing is reflected.
    """
    if ni % 2 == 0 and random.random() < fold:
        kind = "faces" if random.random() < 0.7 else "centres"
        return Topology(nj, ni, periodic_i=True, fold=kind)
    periodic_j, periodic_i = bool(random.integers(2)), bool(random.integers(2))
    kinds = ["", "mirror"] + ["pole"] * (periodic_i and ni % 2 == 0)
    if min(nj, ni) < 4:
        kinds = [""]
    west, east, south, north = (str(random.choice(kinds)) for _ in range(4))
    return Topology(
        nj, ni, periodic_j, periodic_i,
        reflections=Reflections(
            *(("", "") if periodic_i else (west, east)),
            *(("", "") if periodic_j else (south, north)),
        ),
    )  # fmt: skip
