"""Where the level of a series changed: rank sums of two parts, judged by permutations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

fewest_values = 10
"""A shorter series is not searched: hardly any change of it would be significant."""

fewest_of_a_part = 3
most_permutations = 20_000


@dataclass(frozen=True)
class ChangePoint:
    """The first value of a new level; medians before and after, up to the next change.

    `chance` is that of a series without change, in random order, to look as changed as this one.
    """

    at: int
    before: float
    after: float
    chance: float


def change_points(values: Sequence[float], level: float = 0.01) -> list[ChangePoint]:
    """Changes of the level of a series that noise brings about with a chance of at most `level`.

    The split with the largest standardised difference of mean ranks (Pettitt 1979, Appl. Stat. 28,
    126-135, weighed as by Wilcoxon) is held against that of permutations of the series; so are both
    parts about the change. A slow drift is found as a row of steps. Of 1 / level series of noise
    one may be expected to raise a false alarm.

    >>> [found.at for found in change_points([5.0, 5.1] * 8 + [6.0, 6.1] * 8)]
    [16]
    """
    given = np.asarray(values, np.float64)
    found = sorted(_search(given, 0, given.size, level))
    edges = [0, *(at for at, _ in found), given.size]
    return [
        ChangePoint(
            at,
            float(np.median(given[edges[number] : at])),
            float(np.median(given[at : edges[number + 2]])),
            chance,
        )
        for number, (at, chance) in enumerate(found)
    ]


def _search(
    values: NDArray[np.float64], begin: int, end: int, level: float
) -> list[tuple[int, float]]:
    """Places of changes within a part of the series, with their chances."""
    if end - begin < fewest_values:
        return []
    ranks = mean_ranks(values[begin:end])
    largest = _largest(ranks[None, :])
    random = np.random.default_rng(end - begin)
    permutations = min(most_permutations, math.ceil(10.0 / level))
    shuffled = random.permuted(np.tile(ranks, (permutations, 1)), axis=1)
    as_large = int((_largest(shuffled) >= largest[0] - 1e-12).sum())
    chance = (1 + as_large) / (1 + permutations)
    if chance > level:
        return []
    at = begin + best_split(values[begin:end])
    return [
        *_search(values, begin, at, level),
        (at, chance),
        *_search(values, at, end, level),
    ]


def mean_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks less their mean; equal values share theirs."""
    ordered, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    assert ordered.size
    last = np.cumsum(counts)
    return (last - 0.5 * (counts - 1))[inverse] - 0.5 * (values.size + 1)


def _largest(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """The largest standardised difference of mean ranks that a split of each row makes."""
    count = ranks.shape[1]
    splits = np.arange(fewest_of_a_part, count - fewest_of_a_part + 1)
    sums = np.cumsum(ranks, axis=1)[:, splits - 1]
    found: NDArray[np.float64] = np.abs(sums) / np.sqrt(splits * (count - splits) / count)
    return found.max(axis=1)


def best_split(values: NDArray[np.float64]) -> int:
    """First index of the second part, where both lie closest about their medians.

    Rank sums tell that there is a change; where, they tell less well if it is not in the middle.

    >>> best_split(np.array([1.0, 1.1, 1.0, 2.0, 2.1, 2.0, 2.1, 2.0]))
    3
    """
    splits = range(fewest_of_a_part, values.size - fewest_of_a_part + 1)

    def spread(at: int) -> float:
        parts = values[:at], values[at:]
        return float(sum(np.abs(part - np.median(part)).sum() for part in parts))

    return min(splits, key=spread)
