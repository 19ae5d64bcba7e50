"""Planes of a grid with what stands beyond its sides, for references of operators on the B-grid.

Corner (j, i) is the south-western one of centre (j, i); western face i and southern face j lie
between the centres i - 1 and i, j - 1 and j.
"""

import numpy as np

from references.joined_sides import surroundings


class JoinedPlanes:
    """Planes of a place, wider by `beyond` cells on all sides."""

    beyond = 3

    def __init__(self, topology):
        self.topology, self._found = topology, {}

    def wide(self, values, place, *, vector=False, outside=0.0):
        """Values (..., j, i) of a place with what stands around; `outside` where nothing does."""
        if place not in self._found:
            self._found[place] = surroundings(self.topology, place, self.beyond)
        inside, j, i, sign = self._found[place]
        values = np.broadcast_to(values, np.shape(values)[:-2] + self.topology.shape(place))
        taken = values[..., j, i] * sign if vector else values[..., j, i]
        return np.where(inside == 1, taken, taken.dtype.type(outside))

    def own(self, wide, place):
        """What of a wide plane belongs to the grid."""
        rows, columns = self.topology.shape(place)
        first = self.beyond
        return wide[..., first : first + rows, first : first + columns]


def shift(wide, dj, di):
    """What stands dj rows further north and di columns further east."""
    return np.roll(wide, (-dj, -di), (-2, -1))


def mean_of_four(wide):
    """Of what stands at a point, west, south and south-west of it."""
    return 0.25 * (wide + shift(wide, 0, -1) + shift(wide, -1, 0) + shift(wide, -1, -1))


def least_of_four(wide):
    """The least of what stands at a point, west, south and south-west of it."""
    pair = np.minimum(wide, shift(wide, 0, -1))
    return np.minimum(pair, shift(pair, -1, 0))


def diffuse_columns(contents, thickness, exchange):
    """Values x of columns with h x - d/dz (exchange dx) = contents, one dense system each.

    `thickness` h, 0 where it is dry, and `exchange` through lower interfaces, both [m], (k, j, i).
    """
    values = np.zeros_like(contents)
    for j, i in np.argwhere((thickness > 0.0).any(axis=0)):
        wet = np.flatnonzero(thickness[:, j, i])
        matrix = np.diag(thickness[wet, j, i])
        for upper in range(1, wet.size):
            pair = [upper - 1, upper]
            through = exchange[wet[upper], j, i]
            matrix[np.ix_(pair, pair)] += through * np.array([[1.0, -1.0], [-1.0, 1.0]])
        values[..., wet, j, i] = np.linalg.solve(matrix, contents[..., wet, j, i].T).T
    return values
