"""Values that creep inland: land beside the sea takes means of it, ring after ring."""

from __future__ import annotations

import numpy as np

from halocline.grids.remapping.rows import RemapRows
from halocline.grids.remapping.surface import Surface
from halocline.grids.remapping.weights import Index


def crept(source: Surface, rings: int) -> tuple[Index, RemapRows]:
    """Numbers of dry points within some rings of the sea, ascending, and rows of wet ones for each.

    A point of a ring is the mean of those of the eight around it that are wet or in a former ring.
    """
    around = source.around
    known = source.wet.ravel().copy()
    some, filled = np.empty(0, np.int64), RemapRows(*(np.empty(0, t) for t in (int, int, float)))
    for _ in range(rings):
        there = (around >= 0) & known[np.maximum(around, 0)]
        ring = np.flatnonzero(
            there.any(axis=1) & ~known & source.topology.once(source.place).ravel()
        )
        if not ring.size:
            break
        means = _means(np.where(there, around, -1)[ring]).expanded(some, filled)
        order = np.argsort(np.concatenate([some, ring]), kind="stable")
        some, filled = np.concatenate([some, ring])[order], _joined(filled, means, order)
        known[ring] = True
    return some, filled


def _means(numbers: Index) -> RemapRows:
    """Means of some points (n, 8), -1 where there is none."""
    numbers = np.sort(numbers, axis=1)
    there = numbers >= 0
    counts = there.sum(axis=1)
    weights = np.broadcast_to(1.0 / counts[:, None], numbers.shape)
    return RemapRows(counts, numbers[there].astype(np.int64), weights[there])


def _joined(one: RemapRows, other: RemapRows, order: Index) -> RemapRows:
    """RemapRows of both, in an order."""
    counts = np.concatenate([one.counts, other.counts])
    begins = np.cumsum(counts) - counts
    chosen = np.repeat(begins[order], counts[order])
    lengths = counts[order]
    within = np.arange(chosen.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    terms = chosen + within
    numbers = np.concatenate([one.numbers, other.numbers])[terms]
    return RemapRows(lengths, numbers, np.concatenate([one.weights, other.weights])[terms])
