"""Who owns which values of a field: all ranks work it out alike, without a message."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.fields.decomposition import Decomposition, Layout
from halocline.runtime.fields.place import Place

Index = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class OwnedValues:
    """What one block owns: its rank, its number there, and the numbers of values in its order.

    Numbers count the global array of a place: sea points, or rows one after the other.
    """

    rank: int
    block: int
    numbers: Index


def owned_by_all(
    decomposition: Decomposition, layout: Layout, place: Place, *, shared: bool = False
) -> Iterator[OwnedValues]:
    """What the blocks of all ranks own in a layout.

    In planes of cards every rank holds all points: they are rank 0's, or with `shared` those of all
    ranks, each of which has its own components.
    """
    if decomposition.kind != "cards":
        yield from _of_blocks(decomposition, place)
    elif layout is decomposition.planes:
        count = int(np.prod(decomposition.world.topology.shape(place))) if place.planar else 0
        everything = np.arange(count or decomposition.sea_points)
        for rank in range(decomposition.communicator.size if shared else 1):
            yield OwnedValues(rank, 0, everything)
    else:
        hands = decomposition.hands
        per_rank = hands // decomposition.communicator.size
        for number in range(hands):
            points = np.arange(number, decomposition.sea_points, hands)
            yield OwnedValues(number // per_rank, number % per_rank, points)


def _of_blocks(decomposition: Decomposition, place: Place) -> Iterator[OwnedValues]:
    world = decomposition.world
    seen = [0] * decomposition.communicator.size
    for r in world.rectangles:
        block, seen[r.rank] = seen[r.rank], seen[r.rank] + 1
        if place == Place.point:
            numbers = world.sea_number[r.j0 : r.j1, r.i0 : r.i1].ravel().astype(np.int64)
            numbers = numbers[numbers >= 0]
        else:
            numbers = places_of(world.owned(r, place), world.topology.shape(place)[1])
        yield OwnedValues(r.rank, block, numbers)


def places_of(box: tuple[int, int, int, int], row_length: int) -> Index:
    """Places of rows [j0, j1) and columns [i0, i1) in a flat array with rows of such a length.

    >>> places_of((1, 3, 0, 2), 10).tolist()
    [10, 11, 20, 21]
    """
    j0, j1, i0, i1 = box
    return (np.arange(j0, j1)[:, np.newaxis] * row_length + np.arange(i0, i1)).ravel()


def component_rows(decomposition: Decomposition, rank: int, inner: int) -> Index:
    """Rows of the components that were dealt to a rank, `inner` of each."""
    dealt = np.arange(rank, decomposition.components, decomposition.communicator.size)
    return (dealt[:, np.newaxis] * inner + np.arange(inner)).ravel()


def point_owners(decomposition: Decomposition) -> Index:
    """The rank that owns each sea point of the grid, with all its components."""
    world = decomposition.world
    if decomposition.kind == "cards":
        per_rank = decomposition.hands // decomposition.communicator.size
        return np.arange(world.sea_points) % decomposition.hands // per_rank
    ranks = np.array([rectangle.rank for rectangle in world.rectangles], np.int64)
    return ranks[world.owner[world.mask]]
