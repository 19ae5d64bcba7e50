"""What stands where on a grid whose sides are joined, found by walking over the glued surface.

Independent of `Topology.resolve`: nobody computes an image here. A walker goes in steps of half a
cell, turns round where a seam turns him, and writes down where he is.
"""

import numpy as np

from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology

planar = (Place.center, Place.x_face, Place.y_face, Place.corner)
half = {
    Place.center: (1, 1),
    Place.x_face: (1, 0),
    Place.y_face: (0, 1),
    Place.corner: (0, 0),
    Place.point: (1, 1),
}


class Walker:
    """Somebody at (y, x) [half cells] who looks north (1) or, beyond a fold, south (-1)."""

    def __init__(self, topology: Topology, y: int, x: int) -> None:
        self.topology, self.y, self.x, self.looks = topology, y, x, 1
        self.lost = False

    def north(self) -> None:
        """Half a cell ahead."""
        topology, round_ = self.topology, 2 * self.topology.ni
        seam = {"": None, "faces": 2 * topology.nj, "centres": 2 * topology.nj - 1}[topology.fold]
        if self.looks == 1 and self.y == seam:
            # The lips of the seam lie on each other: the poles are half way round.
            pole = 0 if topology.fold == "faces" else 1
            self.x = (pole - (self.x - pole)) % round_
            self.looks = -1
        self.y += self.looks
        if topology.periodic_j:
            self.y %= 2 * topology.nj
        self.lost |= self.y < 0 or (seam is None and self.y > 2 * topology.nj)

    def south(self) -> None:
        """Half a cell back, on this side of any seam."""
        self.y -= 1
        if self.topology.periodic_j:
            self.y %= 2 * self.topology.nj
        self.lost |= self.y < 0

    def east(self, steps: int) -> "Walker":
        """Another walker, some half cells to the right of this one."""
        other = Walker(self.topology, self.y, self.x + steps * self.looks)
        other.looks, other.lost = self.looks, self.lost
        if self.topology.periodic_i:
            other.x %= 2 * self.topology.ni
        other.lost |= not 0 <= other.x <= 2 * self.topology.ni
        return other

    def stands(self, place: Place) -> tuple[int, int, int] | None:
        """(j, i, sign) of the owner of the point of a place here; None outside."""
        if self.lost:
            return None
        topology, (b, a) = self.topology, half[place]
        y, x, looks = self.y, self.x, self.looks
        if topology.fold:
            seam, pole = (2 * topology.nj, 0) if topology.fold == "faces" else (
                2 * topology.nj - 1, 1)  # fmt: skip
            across = (2 * pole - x) % (2 * topology.ni)
            if y == seam and (looks == 1) == (across < x):
                x, looks = across, -looks
        j, i = (y - b) // 2, (x - a) // 2
        assert (y - b) % 2 == (x - a) % 2 == 0
        rows = topology.nj + (b == 0 and not topology.periodic_j)
        columns = topology.ni + (a == 0 and not topology.periodic_i)
        return (j, i, looks) if j < rows and i < columns else None


def surroundings(topology: Topology, place: Place, beyond: int) -> np.ndarray:
    """(inside, j, i, sign) of what stands at rows and columns from -beyond on.

    Shape (4, nj + 1 + 2 beyond, ni + 1 + 2 beyond). The walk begins in row 0 of each column.
    """
    b, a = half[place]
    shape = topology.nj + 1 + 2 * beyond, topology.ni + 1 + 2 * beyond
    found = np.zeros((4, *shape), int)
    for row in range(shape[0]):
        walker = Walker(topology, b, a)
        for _ in range(2 * abs(row - beyond)):
            walker.north() if row > beyond else walker.south()
        for column in range(shape[1]):
            stands = walker.east(2 * (column - beyond)).stands(place)
            if stands is not None:
                found[:, row, column] = 1, *stands
    return found


def random_topology(random: np.random.Generator, nj: int, ni: int, fold: float = 0.4) -> Topology:
    """Sides closed, periodic, or folded with some probability where the columns are even."""
    if ni % 2 == 0 and random.random() < fold:
        kind = "faces" if random.random() < 0.7 else "centres"
        return Topology(nj, ni, periodic_i=True, fold=kind)
    return Topology(nj, ni, bool(random.integers(2)), bool(random.integers(2)))
