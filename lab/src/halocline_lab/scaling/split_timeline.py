"""One interval of the schedule as it would pass on a division of ranks: who works, who waits.

The turns are those of the run (`experiment.schedule`). Members of a crew take theirs one after the
other; a target waits for what its source gives in the same interval, and for nothing that lies on
its way longer (`lagged`, `lag`). At the end of an interval all wait for the last one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import lcm
from typing import Protocol

from halocline.experiment.members import Members
from halocline.experiment.schedule import Giving, Schedule, ScheduleLine, in_turn


class Costs(Protocol):
    """What members take on so many ranks [s]."""

    def step(self, member: str, ranks: int) -> float:
        """A step of a member."""

    def gives(self, exchange: str, ranks: int) -> float:
        """An exchange, of its source."""

    def takes(self, exchange: str, ranks: int) -> float:
        """An exchange, of its target, without waiting."""

    def rest(self) -> float:
        """An interval, outside of all members."""


@dataclass(frozen=True)
class Division:
    """Crews of members, which take turns, and the ranks of each.

    >>> Division((("air", "waves"), ("ocean",)), (3, 1)).words
    'air, waves: 3; ocean: 1'
    """

    crews: tuple[tuple[str, ...], ...]
    ranks: tuple[int, ...]

    @property
    def total(self) -> int:
        """All ranks."""
        return sum(self.ranks)

    @property
    def words(self) -> str:
        """Who has how many."""
        pairs = zip(self.crews, self.ranks, strict=True)
        return "; ".join(f"{', '.join(crew)}: {count}" for crew, count in pairs)

    def ranks_of(self, member: str) -> int:
        """On how many a member computes."""
        return self.ranks[self.crew_of(member)]

    def crew_of(self, member: str) -> int:
        """The place of its crew."""
        return next(at for at, crew in enumerate(self.crews) if member in crew)


@dataclass(frozen=True)
class Interval:
    """A mean interval [s], and of each crew what it works in steps and exchanges, and waits."""

    seconds: float
    steps: tuple[float, ...]
    exchanges: tuple[float, ...]
    waiting: tuple[float, ...]


@dataclass(frozen=True)
class MemberTurns:
    """The turns of a run, and the exchanges whose values arrive an interval later or more."""

    schedule: Schedule
    late: frozenset[str]
    cycle: int  # intervals after which all comes again

    @classmethod
    def of(cls, members: Members) -> MemberTurns:
        """Those of some members."""
        schedule = members.schedule()
        plans = members.exchanges()
        often = [plan.link.every // schedule.interval for plan in plans if plan.link.every]
        late = frozenset(plan.link.exchange for plan in plans if plan.late)
        return cls(schedule, late, lcm(*(max(1, one) for one in often)))

    @property
    def exchanges(self) -> Mapping[str, Giving]:
        """All exchanges by name."""
        return {
            turn.exchange: turn
            for turn in in_turn(self.schedule.entries)
            if isinstance(turn, Giving)
        }

    def steps(self, member: str) -> int:
        """Steps of a member in an interval."""
        return sum(
            turn.steps
            for turn in in_turn(self.schedule.entries)
            if isinstance(turn, ScheduleLine) and turn.member == member
        )


def passes(
    turns: MemberTurns,
    division: Division,
    costs: Costs,
    travel: Mapping[str, float] | None = None,
) -> Interval:
    """The mean interval of a cycle; `travel`: what exchanges take on a path between sites [s]."""
    travel, on_way = travel or {}, dict.fromkeys(turns.late, 0.0)
    crews = {name: at for at, crew in enumerate(division.crews) for name in crew}
    count = len(division.crews)
    stepping, exchanging, waiting = ([0.0] * count for _ in range(3))
    now, rest = [0.0] * count, costs.rest()
    steps = {name: costs.step(name, division.ranks[at]) for name, at in crews.items()}
    for number in range(1, turns.cycle + 1):
        for turn in in_turn(turns.schedule.entries):
            if isinstance(turn, ScheduleLine):
                at, spent = crews[turn.member], turn.steps * steps[turn.member]
                stepping[at] += spent
                now[at] += spent
            elif not turn.every or not number * turns.schedule.interval % turn.every:
                source, target = crews[turn.source], crews[turn.target]
                given = costs.gives(turn.exchange, division.ranks[source])
                taken = costs.takes(turn.exchange, division.ranks[target])
                now[source] += given
                comes = now[source] + travel.get(turn.exchange, 0.0)
                if turn.exchange in turns.late:  # what was given the last time is taken
                    comes, on_way[turn.exchange] = on_way[turn.exchange], comes
                if comes > now[target]:
                    waiting[target] += comes - now[target]
                    now[target] = comes
                now[target] += taken
                exchanging[source] += given
                exchanging[target] += taken
        last = max(now)
        waiting = [some + last - own for some, own in zip(waiting, now, strict=True)]
        now = [last + rest] * count
    return Interval(
        now[0] / turns.cycle,
        *(tuple(one / turns.cycle for one in some) for some in (stepping, exchanging, waiting)),
    )


def speed(turns: MemberTurns, seconds: float) -> float:
    """Simulated days per day, of the seconds of an interval."""
    return turns.schedule.interval.total_seconds() / max(seconds, 1e-300)


def neighbours(division: Division) -> Sequence[Division]:
    """Divisions that differ by one rank that goes from one crew to another."""
    found = []
    for giver, count in enumerate(division.ranks):
        for taker in range(len(division.ranks)):
            if taker != giver and count > 1:
                moved = list(division.ranks)
                moved[giver] -= 1
                moved[taker] += 1
                found.append(Division(division.crews, tuple(moved)))
    return found
