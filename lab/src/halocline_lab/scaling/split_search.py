"""The division of ranks that finishes first, among members side by side and in sequence.

All ways to put members into crews are tried, with all ways to share the ranks among these; where
that are too many, the best of a dealing by work and of moves of ever fewer ranks between crews.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

from halocline.core.errors import UserError
from halocline_lab.scaling.split_timeline import Costs, Division, Interval, MemberTurns, passes

most_shares = 2000
"""Ways to share ranks among some crews that are all tried."""

most_members = 6
"""Members that get crews in all ways; of more, those with least work join the one with most."""

Crews = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Found:
    """A division and its interval."""

    division: Division
    interval: Interval

    @property
    def seconds(self) -> float:
        """Of an interval."""
        return self.interval.seconds


@dataclass(frozen=True)
class Search:
    """What is looked for: `alone` are members that cannot share ranks with each other.

    `most` ranks a member has work for; 0 where nobody knows.
    """

    turns: MemberTurns
    costs: Costs
    members: Sequence[str]
    alone: Collection[str] = ()
    most: Mapping[str, int] | None = None

    def best(self, ranks: int) -> list[Found]:
        """The best division of just so many ranks for each way to make crews, the best first."""
        found = [self._best_of(crews, ranks) for crews in self._all_crews() if len(crews) <= ranks]
        known = [one for one in found if one is not None]
        return sorted(known, key=lambda one: (one.seconds, len(one.division.crews)))

    def fewest(self, ranks: int, seconds: float) -> Found | None:
        """The division of fewest ranks, `ranks` at most, whose interval takes at most so long."""
        for total in range(1, ranks + 1):
            if (found := self.best(total)) and found[0].seconds <= seconds:
                return found[0]
        return None

    def at(self, division: Division) -> Found:
        """A division as it would pass."""
        return Found(division, passes(self.turns, division, self.costs))

    def _all_crews(self) -> Iterator[Crews]:
        work = {name: self.turns.steps(name) * self.costs.step(name, 1) for name in self.members}
        leading = sorted(self.members, key=lambda name: -work[name])
        free = [name for name in self.members if name in leading[:most_members]]
        rest = [name for name in self.members if name not in free]
        for crews in partitions(free):
            joined = [
                [
                    name
                    for name in self.members
                    if name in crew or (leading[0] in crew and name in rest)
                ]
                for crew in crews
            ]
            if all(sum(name in self.alone for name in crew) < 2 for crew in joined):
                yield tuple(tuple(crew) for crew in joined)

    def fits(self, division: Division) -> bool:
        """Whether all members have work for their ranks."""
        most = self.most or {}
        pairs = zip(division.crews, division.ranks, strict=True)
        return all(count <= most.get(name, count) for crew, count in pairs for name in crew)

    def _best_of(self, crews: Crews, ranks: int) -> Found | None:
        if comb(ranks - 1, len(crews) - 1) <= most_shares:
            divisions = [Division(crews, shares) for shares in compositions(ranks, len(crews))]
            found = [self.at(one) for one in divisions if self.fits(one)]
            return min(found, key=lambda one: one.seconds) if found else None
        return self._by_moves(crews, ranks)

    def _by_moves(self, crews: Crews, ranks: int) -> Found | None:
        """From ranks by work, moves of half as many ranks each time, as long as they help."""
        work = [
            sum(self.turns.steps(name) * self.costs.step(name, 1) for name in crew)
            for crew in crews
        ]
        shares = [max(1, int(ranks * one / max(sum(work), 1e-300))) for one in work]
        shares[shares.index(max(shares))] += ranks - sum(shares)
        if min(shares) < 1:
            return None
        best, move = self.at(Division(crews, tuple(shares))), max(1, ranks // 4)
        while move:
            tried = [self.at(one) for one in self._moved(best.division, move)]
            better = min(tried, key=lambda one: one.seconds, default=best)
            if better.seconds < best.seconds:
                best = better
            else:
                move //= 2
        return best if self.fits(best.division) else None

    def _moved(self, division: Division, move: int) -> Iterator[Division]:
        for giver, taker in combinations(range(len(division.ranks)), 2):
            for one, other in ((giver, taker), (taker, giver)):
                ranks = list(division.ranks)
                ranks[one] -= move
                ranks[other] += move
                if ranks[one] >= 1:
                    found = Division(division.crews, tuple(ranks))
                    if self.fits(found) or not self.fits(division):
                        yield found


def compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to write a number as a sum of so many from 1 up.

    >>> list(compositions(4, 2))
    [(1, 3), (2, 2), (3, 1)]
    """
    for cuts in combinations(range(1, total), parts - 1):
        ends = (0, *cuts, total)
        yield tuple(b - a for a, b in zip(ends, ends[1:], strict=False))


def partitions(names: Sequence[str]) -> Iterator[list[list[str]]]:
    """All ways to put names into groups.

    >>> list(partitions(["a", "b"]))
    [[['a', 'b']], [['a'], ['b']]]
    """
    if not names:
        yield []
        return
    *rest, last = names
    for groups in partitions(rest):
        for at in range(len(groups)):
            yield [[*group, last] if at == place else group for place, group in enumerate(groups)]
        yield [*groups, [last]]


def refuse_none(found: Sequence[Found], ranks: int) -> None:
    """Refuse a number of ranks that no division fits."""
    if not found:
        raise UserError(
            f"The members of this case cannot be divided over {ranks} ranks: programs need ranks of"
            " their own, and grids have no cells for so many. Give more or fewer (--ranks)."
        )
