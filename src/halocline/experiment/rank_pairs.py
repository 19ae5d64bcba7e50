"""Which points the ranks of two sites give each other: those that one owns there, and one here.

The source's fields lie on its ranks at one site; at the other one the ranks of the target have
fields like them, cut in their own way. Both sites tell each other which rank of theirs owns which
value, and every two that have some in common get a link.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.component.port import Sites
from halocline.core.errors import UserError
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.ownership import point_owners
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.sides import side_of

if TYPE_CHECKING:
    from halocline.experiment.member_run import MemberRun
    from halocline.experiment.sites import TwoSites

Array = NDArray[Any]
Index = NDArray[np.int64]
nobody = -1


class RankPairs:
    """Points of an exchange that this rank and ranks of the other site give each other.

    Making it is a call for all ranks at both sites; ranks without the member have no fields.
    """

    def __init__(
        self,
        exchange: str,
        fields: Sequence[Field] | None,
        member: MemberRun | None,
        sites: TwoSites,
    ) -> None:
        council = sites.council
        seats = council.broadcast(
            council.gather(None if member is None else member.communicator.rank)
        )
        told: tuple[dict[str, Array], dict[str, Array]] | None = None
        if fields is not None and sites.links.of(exchange) is not None:
            in_council = np.array([seats.index(n) for n in range(len(seats) - seats.count(None))])
            own = {
                place.name: stretches(owners(some, in_council))
                for place, some in _one_of_each_place(fields).items()
            }
            told = own, sites.trade(exchange, own)
        everyone = council.broadcast(council.gather(told))
        here, there = next(some for some in everyone if some is not None)
        planes = {name: (whole(here[name]), whole(there[name])) for name in here}
        pairs = {pair for both in planes.values() for pair in pairs_of(*both)}
        sites.links.open_between(pairs)
        self.partners = sorted(far for near, far in pairs if near == council.rank)
        self._points: dict[Place, Sites] = {}
        self._shared: dict[Place, dict[int, Index]] = {}
        if fields is not None:
            for place, some in _one_of_each_place(fields).items():
                side = side_of(some)
                self._points[place] = points = Sites(side.numbers, side.places)
                near, far = planes[place.name]
                mine = near == council.rank
                self._shared[place] = {
                    rank: _places(points.all, np.flatnonzero(mine & (far == rank)))
                    for rank in self.partners
                }

    def read(self, fields: Sequence[Field]) -> dict[int, list[Array]]:
        """What each rank of the other site gets of fields: arrays (rows, points) of each."""
        parts: dict[int, list[Array]] = {rank: [] for rank in self.partners}
        for field in fields:
            place = field.place
            values = self._points[place].read(field)
            for rank, part in parts.items():
                part.append(np.ascontiguousarray(values[:, self._shared[place][rank]]))
        return parts

    def put(self, parts: dict[int, list[Array]], fields: Sequence[Field]) -> None:
        """Set fields to what the ranks of the other site gave; 0 where nobody has a value."""
        for number, field in enumerate(fields):
            place = field.place
            points = self._points[place]
            values = np.zeros((int(np.prod(field.outer)), points.all.size), field.dtype)
            for rank, part in parts.items():
                values[:, self._shared[place][rank]] = part[number]
            points.put(values, field)


def _one_of_each_place(fields: Sequence[Field]) -> dict[Place, Field]:
    return {some.place: some for some in reversed(fields)}


def owners(field: Field, seats: Index) -> Index:
    """Which rank of the job owns each value of a field's place, row by row; `seats` of a member's.

    Values of which there is none are nobody's.
    """
    decomposition, place = field.decomposition, field.place
    if decomposition.kind == "cards":
        raise UserError(
            f"The ranks that have '{field.name}' deal its points like cards (decomposition.kind),"
            " which do not stay where they are; ranks at two sites cannot give them to each other."
            " Use decomposition.kind = 'blocks' or 'curve', or link.ranks = 'first'."
        )
    world = decomposition.world
    if place == Place.point and world.topology.seam(Place.center) is not None:
        raise UserError(
            f"'{field.name}' lies on points of the sea, of which those on the fold of this grid"
            " stand twice; ranks at two sites cannot give them to each other. Use link.ranks ="
            " 'first'."
        )
    if place == Place.point:
        found = np.full(world.mask.size, nobody)
        found[world.mask.ravel()] = seats[point_owners(decomposition)]
        return found
    blocks = field.space.owners(place).ravel()
    ranks = seats[[rectangle.rank for rectangle in world.rectangles]]
    return np.where(blocks < 0, nobody, ranks[blocks])


def stretches(plane: Index) -> Index:
    """Values and how often each comes in a row, shape (2, stretches).

    >>> stretches(np.array([3, 3, 3, -1, 3])).tolist()
    [[3, -1, 3], [3, 1, 1]]
    """
    begins = np.concatenate([[0], np.flatnonzero(np.diff(plane)) + 1])
    return np.stack([plane[begins], np.diff(np.append(begins, plane.size))]).astype(np.int64)


def whole(some: Index) -> Index:
    """The values one by one again.

    >>> whole(stretches(np.array([3, 3, 3, -1, 3]))).tolist()
    [3, 3, 3, -1, 3]
    """
    return np.repeat(some[0], some[1])


def pairs_of(here: Index, there: Index) -> list[tuple[int, int]]:
    """Ranks here and there that own a value in common.

    >>> pairs_of(np.array([0, 0, 1, -1]), np.array([5, 5, -1, 6]))
    [(0, 5)]
    """
    both = (here != nobody) & (there != nobody)
    found = np.unique(np.stack([here[both], there[both]]), axis=1).T
    return [(int(near), int(far)) for near, far in found]


def _places(numbers: Index, wanted: Index) -> Index:
    """Where wanted numbers stand among those of a rank."""
    order = np.argsort(numbers, kind="stable")
    return order[np.searchsorted(numbers[order], wanted)]
