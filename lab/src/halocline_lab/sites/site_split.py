"""A coupled case divided over two sites: which exchanges cross, what that costs, does it pay.

Members are put at either site in all ways that a run allows: nests stay with what is around them,
and members that exchange across share the ranks of their site, since one rank has the link
(`experiment.sites`). Each way goes through an interval of the schedule like the divisions of `lab
split`; what crosses takes its time on the path.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from halocline.component.streams.field_stream import MapShape
from halocline.core.errors import UserError
from halocline.experiment.exchange_table import ExchangePlan
from halocline.experiment.members import Members, of_member
from halocline_lab.scaling.split_search import Found, Search, compositions, partitions
from halocline_lab.scaling.split_timeline import Division, passes
from halocline_lab.sites.slow_start import WindowPath, transfer

most_shares = 60
"""Ways to seat members on the ranks of one site that are tried."""

of_a_message = 200
"""What the link says beside values [byte]."""


@dataclass(frozen=True)
class Crossing:
    """An exchange that could pass between sites."""

    exchange: str
    source: str
    target: str
    size: int
    """Whole fields on the source's grid [byte]."""
    seconds: float
    """Alone on the path [s]."""
    late: bool
    """It has an interval to travel (`lag`), so that nobody waits."""
    why_not: str = ""
    """Why it may not."""


@dataclass(frozen=True)
class SiteDivision:
    """Members at two sites and an interval of their run."""

    here: Division
    there: Division
    found: Found
    crossing: tuple[str, ...]
    travel: float
    """Of all that crosses in an interval where all is due, the slower way [s]."""

    @property
    def seconds(self) -> float:
        """Of an interval."""
        return self.found.seconds


def crossings(members: Members, path: WindowPath) -> list[Crossing]:
    """All exchanges of a case, as they would pass a path."""
    late = {plan.link.exchange for plan in members.exchanges() if plan.late}
    found = []
    for plan in members.exchanges():
        ends, size = plan.link, _size(members, plan)
        nested = plan.kind != "fields"
        found.append(
            Crossing(
                ends.exchange,
                ends.source,
                ends.target,
                size,
                transfer(path, size).seconds,
                ends.exchange in late,
                "a nest needs its surroundings in every step" if nested else "",
            )
        )
    return found


def _size(members: Members, plan: ExchangePlan) -> int:
    """Bytes of an exchange across: its fields whole, in the precision of the wire."""
    case = members.members[plan.link.source].case
    if case.outside_command:
        raise UserError(
            f"The member '{plan.link.source}' is a program, whose grid is known only when it runs:"
            " nothing can be said of its exchanges between sites."
        )
    with of_member(plan.link.source):
        grid, shapes = case.build_grid(), case.map_shapes()
    kind = np.dtype(case.precision)
    if plan.options.precision != "field":
        kind = min(kind, np.dtype(plan.options.precision), key=lambda one: one.itemsize)
    values = sum(
        math.prod(shape.extents) * math.prod(grid.topology.shape(shape.place))
        for shape in (shapes.get(name, MapShape()) for name in plan.given)
    )
    return values * kind.itemsize + of_a_message


def site_divisions(
    search: Search, members: Sequence[Crossing], path: WindowPath, here: int, there: int
) -> list[SiteDivision]:
    """The best for each way to put members at two sites of so many ranks, the best first."""
    found = []
    for count in range(1, len(search.members)):
        for chosen in combinations(search.members, count):
            best = _best_of(search, members, path, chosen, here, there)
            if best is not None:
                found.append(best)
    return sorted(found, key=lambda one: one.seconds)


def _best_of(
    search: Search,
    exchanges: Sequence[Crossing],
    path: WindowPath,
    chosen: Sequence[str],
    here: int,
    there: int,
) -> SiteDivision | None:
    across = [one for one in exchanges if (one.source in chosen) != (one.target in chosen)]
    if not across or any(one.why_not for one in across):
        return None
    rest = [name for name in search.members if name not in chosen]
    ends = {name for one in across for name in (one.source, one.target)}
    travel = _travel(across, chosen, path)
    best: SiteDivision | None = None
    sites = (
        list(_seats(search, own, ranks, ends)) for own, ranks in ((chosen, here), (rest, there))
    )
    for one, other in product(*sites):
        whole = Division((*one.crews, *other.crews), (*one.ranks, *other.ranks))
        if search.fits(whole):
            found = Found(whole, passes(search.turns, whole, search.costs, travel))
            if best is None or found.seconds < best.seconds:
                names = tuple(some.exchange for some in across)
                best = SiteDivision(one, other, found, names, max(travel.values()))
    return best


def _travel(
    across: Sequence[Crossing], chosen: Sequence[str], path: WindowPath
) -> Mapping[str, float]:
    """Seconds on the path of each exchange: what goes the same way shares it."""
    found = {}
    for away in (True, False):
        some = [one for one in across if (one.source in chosen) is away]
        seconds = transfer(path, sum(one.size for one in some)).seconds if some else 0.0
        found.update(dict.fromkeys((one.exchange for one in some), seconds))
    return found


def _seats(search: Search, own: Sequence[str], ranks: int, ends: set[str]) -> Iterator[Division]:
    """Ways to seat the members of a site; those that exchange across it have the same ranks."""
    for crews in partitions(own):
        if sum(not ends.isdisjoint(crew) for crew in crews) != 1 or len(crews) > ranks:
            continue
        if any(sum(name in search.alone for name in crew) > 1 for crew in crews):
            continue
        kinds = tuple(tuple(crew) for crew in crews)
        if math.comb(ranks - 1, len(crews) - 1) <= most_shares:
            for shares in compositions(ranks, len(crews)):
                yield Division(kinds, shares)
        else:
            yield Division(kinds, _by_work(search, kinds, ranks))


def _by_work(search: Search, crews: Sequence[Sequence[str]], ranks: int) -> tuple[int, ...]:
    """Ranks in proportion to work, one at least."""
    work = [
        sum(search.turns.steps(name) * search.costs.step(name, 1) for name in crew)
        for crew in crews
    ]
    shares = [max(1, int(ranks * one / max(sum(work), 1e-300))) for one in work]
    shares[shares.index(max(shares))] += ranks - sum(shares)
    return tuple(shares)
