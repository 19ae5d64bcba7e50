"""Which ranks of a run work for which of its members: in sequence on the same, or side by side.

A member is known by its name, as in MPH (Ding & He, 2001). Members that share ranks are a crew;
crews have ranks one after the other, those that compute before those that only write output.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from halocline.core.errors import UserError, nearest
from halocline.runtime.ranks.roles import count_words


@dataclass(frozen=True)
class Wish:
    """What a member asks for: a number of `ranks`, or (0) a part of the others by its `weight`.

    One that is `with_member` has the ranks of that one. `servers` only write its output. No crew
    has more ranks than the `most` that all of its members have work for.
    """

    name: str
    ranks: int = 0
    weight: float = 1.0
    with_member: str = ""
    servers: int = 0
    most: int = 2**31  # ranks for which it has work


@dataclass(frozen=True)
class Crew:
    """Members in sequence on the same ranks; numbers are those of the world."""

    members: tuple[str, ...]
    ranks: range
    servers: Mapping[str, range] = field(default_factory=dict)

    def world_of(self, member: str) -> tuple[int, ...]:
        """The ranks that a member sees: those that compute for it, then its output servers."""
        return (*self.ranks, *self.servers[member])

    def describe(self) -> str:
        """Who is where, in one line."""
        where = f"rank {self.ranks[0]}"
        if len(self.ranks) > 1:
            where = f"ranks {self.ranks[0]} to {self.ranks[-1]}"
        more = [
            f"{count_words(len(some))} of {name or 'the model'}"
            for name, some in self.servers.items()
            if some
        ]
        return " and ".join([f"{', then '.join(self.members)} on {where}", *more])


@dataclass(frozen=True)
class Seats:
    """The crews of a run.

    >>> seats = deal_ranks([Wish("waves", weight=3.0), Wish("tracers")], 4)
    >>> seats.describe()
    'waves on ranks 0 to 2; tracers on rank 3'
    >>> deal_ranks([Wish("waves"), Wish("tracers")], 1).describe()
    'waves, then tracers on rank 0'
    """

    crews: tuple[Crew, ...]
    idle: int = 0  # ranks without work, the last ones

    @property
    def size(self) -> int:
        """Ranks of the whole run, output servers included."""
        return self.computing + self.serving

    @property
    def computing(self) -> int:
        """Ranks that compute."""
        return sum(len(crew.ranks) for crew in self.crews)

    @property
    def serving(self) -> int:
        """Output servers of all members."""
        return sum(len(some) for crew in self.crews for some in crew.servers.values())

    def crew_of(self, member: str) -> Crew:
        """The crew that a member belongs to."""
        return next(crew for crew in self.crews if member in crew.members)

    def describe(self) -> str:
        """Who is where, in one line."""
        idle = (
            [f"{self.idle} rank{'s' * (self.idle != 1)} idle, without cells"] if self.idle else []
        )
        return "; ".join([*(crew.describe() for crew in self.crews), *idle])


def deal_ranks(wishes: Sequence[Wish], ranks: int) -> Seats:
    """Seats for members on so many computing ranks; fewer ranks than crews: all in sequence."""
    refuse_equal_names([wish.name for wish in wishes])
    groups = _groups(wishes)
    wanted = {wish.name: wish for wish in wishes}
    leaders = {leader: wanted[leader] for leader in groups}
    asked = sum(wish.ranks for wish in leaders.values())
    if not asked and ranks < len(groups):
        return _seated({wishes[0].name: [wish.name for wish in wishes]}, wanted, [ranks], ranks)
    _refuse_wrong_number(leaders, ranks, asked)
    counts = {name: wish.ranks or 1 for name, wish in leaders.items()}
    free = {name: wish.weight for name, wish in leaders.items() if not wish.ranks}
    most = {name: min(wanted[some].most for some in group) for name, group in groups.items()}
    for _ in range(ranks - sum(counts.values())):
        if not (open_ := [name for name in free if counts[name] < most[name]]):
            break
        counts[max(open_, key=lambda name: free[name] / counts[name])] += 1
    return _seated(groups, wanted, list(counts.values()), ranks)


def refuse_equal_names(names: Sequence[str]) -> None:
    """Refuse two members of one name; letters of any case are alike, as on some disks."""
    seen: dict[str, str] = {}
    for name in names:
        if (other := seen.setdefault(name.lower(), name)) is not name or names.count(name) > 1:
            words = f"'{name}'" if other == name else f"'{other}' and '{name}'"
            raise UserError(f"Two members have one name: {words}. Give each a name of its own.")


def _groups(wishes: Sequence[Wish]) -> dict[str, list[str]]:
    """Members of each crew, by the one that leads it."""
    wanted = {wish.name: wish for wish in wishes}
    groups: dict[str, list[str]] = {}
    for wish in wishes:
        leader, steps = wish, 0
        while leader.with_member:
            if leader.with_member not in wanted:
                hint = nearest(leader.with_member, wanted)
                raise UserError(
                    f"The member '{leader.name}' asks for the ranks of '{leader.with_member}',"
                    f" which is no member of this run.{hint} Members: {', '.join(wanted)}."
                )
            if leader.ranks:
                raise UserError(
                    f"The member '{leader.name}' asks for the ranks of '{leader.with_member}' and"
                    f" for {leader.ranks} of its own. Ask for one of the two."
                )
            leader, steps = wanted[leader.with_member], steps + 1
            if steps > len(wishes):
                raise UserError(
                    f"The member '{wish.name}' asks for the ranks of one that in the end asks for"
                    " its own. Let one of them have ranks by number or by share."
                )
        groups.setdefault(leader.name, []).append(wish.name)
    return {leader: sorted(names, key=list(wanted).index) for leader, names in groups.items()}


def _refuse_wrong_number(leaders: Mapping[str, Wish], ranks: int, asked: int) -> None:
    words = f"{ranks} rank{'s' * (ranks != 1)}"
    named = ", ".join(f"'{name}' for {wish.ranks}" for name, wish in leaders.items() if wish.ranks)
    free = [name for name, wish in leaders.items() if not wish.ranks]
    if asked + len(free) > ranks:
        rest = f", and {', '.join(free)} need{'s' * (len(free) == 1)} one each" if free else ""
        raise UserError(
            f"The members ask for more ranks than there are: {named}{rest}, of {words}. Start"
            f" {asked + len(free)} at least (-n), or ask for fewer (members.NAME.ranks)."
        )
    if not free and asked < ranks:
        raise UserError(
            f"The members leave ranks without work: {named}, of {words}. Start {asked} (-n), or"
            " leave members.NAME.ranks of one of them out."
        )


def _seated(
    groups: Mapping[str, Sequence[str]],
    wanted: Mapping[str, Wish],
    counts: Sequence[int],
    there: int,
) -> Seats:
    crews, first, seated = [], 0, 0
    for members, count in zip(groups.values(), counts, strict=True):
        count = min([count, *(wanted[name].most for name in members)])
        seated += count
        ranks = range(first, first + count)
        first += count
        servers = {}
        for name in members:
            servers[name] = range(first, first + wanted[name].servers)
            first += wanted[name].servers
        crews.append(Crew(tuple(members), ranks, servers))
    return Seats(tuple(crews), there - seated)
