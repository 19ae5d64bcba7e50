"""The links of a run at two sites: one for each two crews, here and there, whose members exchange.

Members that compute in sequence on the same ranks are a crew; its first rank has its links. The
first link is also the one over which both sites agree. Which others there are is known when the
sites have told each other their crews.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
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
        self._links: dict[Route, Link] = {}
        self._all: list[Link] = []
        self.main: Link | None = None
        self.count = 1
        if council.rank == self.crews[self._ordered[0][0]]:
            self.main = self._made(0)

    @property
    def _ordered(self) -> list[Route]:
        """All routes, in an order that both sites have."""
        turn = 1 if self.here < self.there else -1
        return sorted(dict.fromkeys(self._routes.values()), key=lambda route: route[::turn])

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
        numbers: dict[tuple[int, int], int] = {}
        further: dict[int, Link] = {}
        words = ""
        for route in self._ordered:
            mine, other = self.crews[route[0]], theirs[route[1]]
            number = numbers.setdefault((mine, other), len(numbers))
            if mine != self.council.rank or words:
                continue
            try:
                if number and number not in further:
                    further[number] = self._made(number)
                    further[number].open(b"")
                self._links[route] = further[number] if number else self._first()
            except UserError as error:
                words = str(error)
        self.count = len(numbers)
        refused = self.council.broadcast(self.council.gather(words))
        if any(refused):
            raise UserError(next(some for some in refused if some))

    def _first(self) -> Link:
        assert self.main is not None, "the first route is led by the rank that has the first link"
        return self.main

    def of(self, exchange: str) -> Link | None:
        """The link that an exchange takes, if this rank leads its member here."""
        return self._links.get(self._routes[exchange])

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
