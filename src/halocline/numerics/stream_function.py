"""Volume fluxes without divergence: differences of potentials that are constant along coasts.

The flux through a face is the difference of the stream function between its two corners; through
the six faces of a cell every corner enters twice, with opposite signs. Potentials are rounded to
multiples of one power of two, so that differences and their sums are exact in float32 as well, and
the divergence is zero to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Index = NDArray[np.int64]


@dataclass(frozen=True)
class VolumeFluxes:
    """Through the western, southern and lower faces of cells [m3 s-1].

    Shape (nk, nj, ni) each, or (nj, ni) of one level; y has one row more, the seam, where a grid is
    folded along its northern faces.
    """

    x: Array
    y: Array
    z: Array


class LevelFluxes:
    """Volume fluxes of potentials, made level by level, so that nobody holds all of them.

    u = -d(stream)/dy, v = d(stream)/dx with `stream(k)` at corners (nj + 1, ni + 1) [m3 s-1]; and
    v = -d(turn)/dk, w = d(turn)/dj with `turn(k)` at the lower edges of southern faces,
    (nj + 1, ni) [m3 s-1], nothing above the surface. Both are rounded to `bits` bits of their
    greatest value. Where corners stand twice on a fold, the stream function of the first counts;
    `turn` has to be 0 from the seam on.
    """

    def __init__(
        self,
        levels: int,
        topology: Topology,
        stream: Callable[[int], Array],
        turn: Callable[[int], Array] | None = None,
        bits: int = 22,
    ) -> None:
        self.levels, self.topology, self._stream, self._turn = levels, topology, stream, turn
        potentials = [stream] if turn is None else [stream, turn]
        greatest = max(float(np.abs(p(k)).max()) for p in potentials for k in range(levels))
        self._quantum = 2.0 ** (math.ceil(math.log2(greatest)) - bits) if greatest > 0 else 1.0

    def level(self, k: int) -> VolumeFluxes:
        """Those of level k, shape (nj, ni) each, but for the seam."""
        stream = self._rounded(self._stream(k))
        if self.topology.fold:
            twice, others = _joined(self.topology, stream.shape)
            stream.ravel()[twice] = stream.ravel()[others]
        rows = self.topology.nj + int(self.topology.seam(Place.y_face) is not None)
        x = -(stream[1:, :-1] - stream[:-1, :-1])
        y = stream[:rows, 1:] - stream[:rows, :-1]
        if self._turn is None:
            return VolumeFluxes(x, y, np.zeros_like(x))
        turn = self._rounded(self._turn(k))
        above = np.zeros_like(turn)
        if k + 1 < self.levels:
            above = self._rounded(self._turn(k + 1))
        return VolumeFluxes(x, y - (above - turn)[:rows], turn[1:] - turn[:-1])

    def _rounded(self, potential: Array) -> Array:
        return np.round(potential / self._quantum) * self._quantum

    def whole(self) -> VolumeFluxes:
        """Those of all levels."""
        levels = [self.level(k) for k in range(self.levels)]
        return VolumeFluxes(*(np.stack([getattr(one, n) for one in levels]) for n in "xyz"))


def _joined(topology: Topology, shape: tuple[int, ...]) -> tuple[Index, Index]:
    """Numbers of corners (nj + 1, ni + 1) that stand where another does, and of those others."""
    points = topology.resolve(Place.corner, *np.indices(shape))
    stands = (points.j * shape[1] + points.i).ravel()
    twice = np.flatnonzero(stands != np.arange(stands.size))
    return twice, stands[twice]


def coast_labels(
    open_x: Mask, open_y: Mask, topology: Topology, known: Index | None = None
) -> Index:
    """Flood-fill: number of the connected coast of every corner of one level, its least corner.

    Corners are joined by closed faces. `open_x` is (nj, ni + 1), `open_y` (nj + 1, ni); the result
    (nj + 1, ni + 1). A corner at sea is alone and its own number. `known` are numbers of a level
    whose closed faces are closed here too.
    """
    shape = open_y.shape[0], open_x.shape[1]
    corner = np.arange(shape[0] * shape[1]).reshape(shape)
    label = corner.ravel().copy() if known is None else known.ravel().copy()
    ends = [(corner[:-1][~open_x], corner[1:][~open_x])]
    ends.append((corner[:, :-1][~open_y], corner[:, 1:][~open_y]))
    ends.append(_joined(topology, shape))
    first = np.concatenate([a for a, _ in ends])
    second = np.concatenate([b for _, b in ends])
    while True:
        low = np.minimum(label[first], label[second])
        high = np.maximum(label[first], label[second])
        apart = low < high
        if not apart.any():
            return label.reshape(shape)
        first, second = first[apart], second[apart]
        np.minimum.at(label, high[apart], low[apart])
        while True:
            shorter = label[label]
            if np.array_equal(shorter, label):
                break
            label = shorter


class Coasts:
    """Makes potentials at corners constant along every connected coast, from the surface down.

    A coast takes the mean of its corners; `smoothing` relaxations of the corners at sea towards the
    mean of their neighbours spread the jump.
    """

    def __init__(self, topology: Topology, smoothing: int) -> None:
        self.topology, self.smoothing = topology, smoothing
        self._label: Index | None = None

    def __call__(self, potential: Array, open_x: Mask, open_y: Mask) -> Array:
        """The potential of the next level below; (nj + 1, ni + 1), (nj, ni + 1), (nj + 1, ni)."""
        self._label = coast_labels(open_x, open_y, self.topology, self._label)
        numbers = self._label.ravel()
        count = np.bincount(numbers, minlength=numbers.size)
        total = np.bincount(numbers, weights=potential.ravel(), minlength=numbers.size)
        result: Array = (total / np.maximum(count, 1))[self._label]
        _, others = _joined(self.topology, potential.shape)
        alone = np.ones(numbers.size, np.int64)
        np.add.at(alone, others, 1)
        at_sea = (count == alone)[self._label]
        _relax(result, at_sea, self.topology, self.smoothing)
        return result


def _relax(level: Array, at_sea: Mask, topology: Topology, times: int) -> None:
    """Replace corners at sea by the mean of their four neighbours, `times` times, in place."""
    if not at_sea.any():
        return
    twice, others = _joined(topology, level.shape)
    for _ in range(times):
        wide = topology.widened(level, (1, 1, 1, 1), Place.corner)
        around = wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:]
        np.copyto(level, 0.25 * around, where=at_sea)
        level.ravel()[twice] = level.ravel()[others]


def divergence(fluxes: VolumeFluxes, topology: Topology) -> Array:
    """Net volume that leaves each cell [m3 s-1]; nothing passes closed sides and the surface."""
    east = topology.widened(fluxes.x, (0, 1, 0, 0), Place.x_face, direction="x")[..., 1:]
    wide = topology.widened(fluxes.y, (0, 0, 0, 1), Place.y_face, direction="y")
    south, north = wide[..., : topology.nj, :], wide[..., 1 : topology.nj + 1, :]
    above = np.concatenate([fluxes.z[1:], np.zeros_like(fluxes.z[:1])])
    return (east - fluxes.x) + (north - south) + (above - fluxes.z)
