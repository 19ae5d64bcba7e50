"""The links of a run at two sites: one for each two crews, here and there, whose members exchange.

Members that compute in sequence on the same ranks are a crew; its first rank has its links. The
first link is also the one over which both sites agree. Which others there are is known when the
sites have told each other their crews; of ranks that give each other points, when the exchanges
are made (`rank_pairs.py`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from halocline.core.errors import UserError
from halocline.experiment.exchange_table import ExchangePlan
from halocline.link.connection import Link
from halocline.runtime.ranks.communicator import Communicator

if TYPE_CHECKING:
    from halocline.experiment.member_run import MemberRun
    from halocline.experiment.members import Members

Route = tuple[str, str]
"""Two members that exchange: the one here, and the one at the other site."""

RankPair = tuple[int, int]
"""A rank of the job here, and one of that at the other site."""


class SiteLinks:
    """Links of this rank; a call for all ranks."""

    def __init__(self, members: Members, here: Sequence[MemberRun], council: Communicator) -> None:
        self.members, self.council = members, council
        self.here, self.there = members.site, members.other_site
        own = frozenset(members.here)
        apart = [
            plan
            for plan in members.exchanges()
            if (plan.link.source in own) != (plan.link.target in own)
        ]
        self._refuse(apart)
        self._routes = {plan.link.exchange: _route(plan, own) for plan in apart}
        led = council.gather([some.name for some in here if some.leads])
        found = council.broadcast(led)
        self.crews = {name: rank for rank, names in enumerate(found) for name in names}
        self._numbers: dict[RankPair, int] = {}
        self._leaders: dict[Route, int] = {}  # at the other site, of routes that this rank leads
        self._links: dict[int, Link] = {}  # of this rank, by the rank at the other site
        self._all: list[Link] = []
        self.main: Link | None = None
        words = ""
        if council.rank == self.crews[self._ordered[0][0]]:
            try:
                self.main = self._made(0)
            except UserError as error:
                words = str(error)
        self._refuse_on_all(words)

    @property
    def count(self) -> int:
        """How many links the sites have."""
        return max(1, len(self._numbers))

    @property
    def _turn(self) -> int:
        """How both sites bring pairs of here and there into one order."""
        return 1 if self.here < self.there else -1

    @property
    def _ordered(self) -> list[Route]:
        """All routes, in an order that both sites have."""
        return sorted(dict.fromkeys(self._routes.values()), key=lambda route: route[:: self._turn])

    def _refuse(self, plans: Sequence[ExchangePlan]) -> None:
        for plan in plans:
            if plan.kind != "fields":
                raise UserError(
                    f"The member '{plan.link.target}' is nested in '{plan.link.source}' at another"
                    " site, and nests need their surroundings in every step. Let both have the"
                    " same site."
                )
        if not plans:
            raise UserError(
                f"No exchange passes between the sites '{self.here}' and '{self.there}'. Run their"
                " members on their own, or let them exchange something ([exchanges.NAME])."
            )

    def _made(self, number: int) -> Link:
        options = self.members.link
        if options is None:
            raise UserError(
                f"The site '{self.here}' has no link to '{self.there}'. Give one side link.listen"
                " and the other link.connect, as 'host:port', or both link.relay, and each its"
                " link.credentials ('halocline site --help')."
            )

        def log(line: str) -> None:
            print(f"halocline: {line}", file=sys.stderr, flush=True)

        if number:
            options = options.numbered(number)
        self._all.append(Link(options, here=self.here, there=self.there, number=number, log=log))
        return self._all[-1]

    def open_others(self, theirs: Mapping[str, int]) -> None:
        """Open all links but the first; `theirs` are the other site's crews, by their members."""
        ends = {route: (self.crews[route[0]], theirs[route[1]]) for route in self._ordered}
        mine = self.council.rank
        self._leaders = {route: there for route, (here, there) in ends.items() if here == mine}
        self._open(ends.values())

    def open_between(self, pairs: Iterable[RankPair]) -> None:
        """Open what is missing of the links between ranks: a call for all ranks of both sites."""
        self._open(sorted(pairs, key=lambda pair: pair[:: self._turn]))

    def _open(self, pairs: Iterable[RankPair]) -> None:
        """One after the other, as both sites have them: so nobody waits for a later one."""
        words = ""
        for here, there in pairs:
            number = self._numbers.setdefault((here, there), len(self._numbers))
            if here != self.council.rank or there in self._links or words:
                continue
            try:
                self._links[there] = self._opened(number)
            except UserError as error:
                words = str(error)
        self._refuse_on_all(words)

    def _refuse_on_all(self, words: str) -> None:
        """What any rank has to say against its links is said once, and ends all."""
        refused = self.council.broadcast(self.council.gather(words))
        if any(refused):
            raise UserError(next(some for some in refused if some))

    def _opened(self, number: int) -> Link:
        if not number:
            assert self.main is not None, "the first route is led by the rank with the first link"
            return self.main
        link = self._made(number)
        link.open(b"")
        return link

    def of(self, exchange: str) -> Link | None:
        """The link that an exchange takes, if this rank leads its member here."""
        there = self._leaders.get(self._routes[exchange])
        return None if there is None else self._links[there]

    def to(self, there: int) -> Link:
        """That to a rank at the other site."""
        return self._links[there]

    def tell(self, words: Callable[[Link], str]) -> str:
        """Words of all links, a line for each: a call for all ranks."""
        own = [words(link) for link in self._all]
        everyone = self.council.broadcast(self.council.gather(own))
        return "\n".join(line for lines in everyone for line in lines)

    def close(self, reason: str) -> None:
        """Close them, and say why."""
        links, self._all, self.main = self._all, [], None
        self._links.clear()
        for link in links:
            link.close(reason)


def _route(plan: ExchangePlan, own: frozenset[str]) -> Route:
    source, target = plan.link.source, plan.link.target
    return (source, target) if source in own else (target, source)
