"""Sparse rows: for each target point source points and their weights, ascending by number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from halocline.grids.remapping.weights import Array, Index, RemapWeights

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class RemapRows:
    """So many terms for each target: `numbers` of source points and their weights."""

    counts: Index
    numbers: Index
    weights: Array

    @classmethod
    def single(cls, numbers: Index) -> Self:
        """One source point for each target, with weight 1; none where its number is negative.

        >>> RemapRows.single(np.array([3, -1])).counts.tolist()
        [1, 0]
        """
        there = numbers >= 0
        return cls(there.astype(np.int64), numbers[there], np.ones(int(there.sum())))

    @property
    def ends(self) -> Index:
        """Where the terms of each target end."""
        return np.cumsum(self.counts, dtype=np.int64)

    @property
    def targets(self) -> Index:
        """The target of every term."""
        return np.repeat(np.arange(self.counts.size), self.counts)

    def some(self, targets: Index) -> RemapRows:
        """Those of some targets, in their order.

        >>> rows = RemapRows(np.array([1, 2]), np.array([5, 6, 7]), np.array([1.0, 0.5, 0.5]))
        >>> rows.some(np.array([1])).numbers.tolist()
        [6, 7]
        """
        counts = self.counts[targets]
        begins = np.repeat(self.ends[targets] - counts, counts)
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        terms = begins + within
        return RemapRows(counts, self.numbers[terms], self.weights[terms])

    def sums(self) -> Array:
        """Sums of weights, term after term."""
        return _sums(self.targets, self.weights, self.counts.size)

    def scaled(self, factor: Array) -> RemapRows:
        """Each row times a factor."""
        return RemapRows(self.counts, self.numbers, self.weights * factor[self.targets])

    def filled(self, others: RemapRows) -> RemapRows:
        """RemapRows without terms are those of others, which have one for each of them."""
        empty = self.counts == 0
        counts = self.counts.copy()
        counts[empty] = others.counts
        own = np.repeat(~empty, counts)
        numbers, weights = np.empty(own.size, np.int64), np.empty(own.size)
        numbers[own], weights[own] = self.numbers, self.weights
        numbers[~own], weights[~own] = others.numbers, others.weights
        return RemapRows(counts, numbers, weights)

    def expanded(self, some: Index, others: RemapRows) -> RemapRows:
        """Terms of some source points (ascending) replaced by rows of these points.

        >>> pole = RemapRows(np.array([2]), np.array([0, 1]), np.array([0.5, 0.5]))
        >>> row = RemapRows(np.array([2]), np.array([1, 9]), np.array([0.25, 0.75]))
        >>> whole = row.expanded(np.array([9]), pole)
        >>> whole.numbers.tolist(), whole.weights.tolist()
        ([0, 1], [0.375, 0.625])
        """
        at = np.minimum(np.searchsorted(some, self.numbers), max(some.size - 1, 0))
        replaced = some[at] == self.numbers if some.size else np.zeros(self.numbers.size, bool)
        if not replaced.any():
            return self
        lengths = np.where(replaced, others.counts[at], 1)
        term = np.repeat(np.arange(lengths.size), lengths)
        within = np.arange(term.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        begins = np.where(replaced, others.ends[at] - others.counts[at], 0)
        there = begins[term] + within
        gone = replaced[term]
        numbers, weights = self.numbers[term], self.weights[term]
        numbers[gone] = others.numbers[there[gone]]
        weights[gone] *= others.weights[there[gone]]
        return _merged(self.targets[term], numbers, weights, self.counts.size)

    def of_known(self, known: Mask) -> RemapRows:
        """Without the terms of rows that take unknown values."""
        unknown = ~known.ravel()[self.numbers]
        whole = np.bincount(self.targets, unknown, self.counts.size) == 0
        kept = whole[self.targets]
        counts = np.where(whole, self.counts, 0)
        return RemapRows(counts, self.numbers[kept], self.weights[kept])

    def packed(self) -> RemapWeights:
        """For use: with the source points that are needed."""
        return RemapWeights.of_rows(self.counts, self.numbers, self.weights)


def _merged(targets: Index, numbers: Index, weights: Array, count: int) -> RemapRows:
    """RemapRows of terms in any order: one for each source point, the sum of its terms."""
    order = np.lexsort((numbers, targets))
    targets, numbers, weights = targets[order], numbers[order], weights[order]
    first = np.ones(targets.size, bool)
    first[1:] = (np.diff(targets) != 0) | (np.diff(numbers) != 0)
    term = np.cumsum(first) - 1
    sums = _sums(term, weights, int(first.sum()))
    counts = np.bincount(targets[first], minlength=count).astype(np.int64)
    return RemapRows(counts, numbers[first], sums)


def _sums(targets: Index, weights: Array, count: int) -> Array:
    """Sums of weights by target, in the order in which they stand."""
    return np.asarray(np.bincount(targets, weights, count), np.float64)
