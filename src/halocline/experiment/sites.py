"""A run at two sites, each with members and a job of its own: who is where, and what they agree on.

Messages carry the name of an exchange and the time of its values, so that both sites need not ask
in the same order. After each interval both say whether they are to stop; what was said is acted on
an interval later, when both know it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from numpy.typing import NDArray

from halocline.core.clock import Date, text
from halocline.core.errors import UserError
from halocline.experiment.schedule import ExchangeEnds
from halocline.experiment.site_links import SiteLinks
from halocline.experiment.site_messages import (
    Header,
    arrays_of,
    narrowed,
    packed,
    unpacked,
    with_arrays,
)
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.grid_parts import put_together, taken_apart
from halocline.link.clocks import ClockOffset, compare_clocks
from halocline.link.connection import Link
from halocline.runtime.fields.field import Field
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.writing.restart import restart_stamp

if TYPE_CHECKING:
    from halocline.experiment.member_run import MemberRun
    from halocline.experiment.members import Members

Array = NDArray[Any]
Some = TypeVar("Some")


class TwoSites:
    """This site of a run, and the other one."""

    def __init__(self, members: Members, here: Sequence[MemberRun], council: Communicator) -> None:
        self.members, self.council = members, council
        self.here, self.there = members.site, members.other_site
        self.own = frozenset(members.here)
        self.links = SiteLinks(members, here, council)
        self._mail: dict[tuple[Link, str, str], tuple[Header, memoryview]] = {}
        self._said, self._number = "", 0
        self._clocks: list[tuple[float, ClockOffset]] = []

    @property
    def link(self) -> Link | None:
        """That over which the sites agree, on the rank that has it."""
        return self.links.main

    @property
    def rank_to_rank(self) -> bool:
        """Whether ranks give each other their points, not whole fields by the first ones."""
        return self.members.link is not None and self.members.link.ranks == "all"

    def apart(self, ends: ExchangeEnds) -> bool:
        """Whether source and target are at different sites."""
        return (ends.source in self.own) != (ends.target in self.own)

    def takes_part(self, ends: ExchangeEnds) -> bool:
        """Whether source or target are here."""
        return not self.own.isdisjoint((ends.source, ends.target))

    # --- before the first step ------------------------------------------------------------------

    def common(self, restarts: Sequence[dict[str, Path]]) -> Sequence[dict[str, Path]]:
        """Greet the other site; the restarts here of moments of which it has some too.

        A call for all ranks. Refused where both have not the same run in mind.
        """
        own = [max(restart_stamp(path, name) for name, path in paths.items()) for paths in restarts]

        def greeting() -> tuple[list[str], dict[str, int]]:
            assert self.link is not None
            run = _run_of(self.members)
            words = {"run": run, "restarts": own, "crews": self.links.crews}
            hello = json.dumps(words).encode()
            theirs = json.loads(self.link.open(hello))
            self._refuse_another_run(run, theirs["run"])
            both = [stamp for stamp in own if stamp in theirs["restarts"]]
            if not both and (own or theirs["restarts"]):
                raise UserError(
                    "The two sites have no restart of one moment:"
                    f" {listed_or_none(own)} at '{self.here}',"
                    f" {listed_or_none(theirs['restarts'])} at '{self.there}'. Begin both anew, or"
                    " name restarts of one moment (restart.source)."
                )
            self._compare_clocks()
            return both, theirs["crews"]

        found, crews = self._by_gate(greeting)
        self.links.open_others(crews)
        return [paths for stamp, paths in zip(own, restarts, strict=True) if stamp in found]

    def _refuse_another_run(self, own: Header, theirs: Header) -> None:
        for what in own:
            if own[what] != theirs.get(what):
                raise UserError(
                    f"The two sites of this run have different cases: {what} is {own[what]} at"
                    f" '{self.here}' and {theirs.get(what)} at '{self.there}'. Start both with the"
                    " same case and the same settings of members, steps, times and exchanges."
                )

    def tell_facts(self, exchange: str, fields: Sequence[Field], plane: Grid) -> None:
        """Say what fields an exchange gives, and on which grid."""
        link = self.links.of(exchange)
        if link is not None:
            facts = [
                (some.units, some.place.name, list(some.outer), some.dtype.str) for some in fields
            ]
            grid, arrays = taken_apart(plane)
            link.send(with_arrays("facts of", exchange, arrays, fields=facts, grid=grid))

    def facts(self, exchange: str) -> tuple[list[Any], Grid]:
        """Units, place, outer axes and type of each field that an exchange brings; their grid."""
        header, body = self._next("facts of", exchange, self.links.of(exchange))
        arrays = [some.copy() for some in arrays_of(header, body)]
        return list(header["fields"]), put_together(header["grid"], arrays)

    def trade(self, exchange: str, own: Mapping[str, Array]) -> dict[str, Array]:
        """Tell the other site of some arrays by name, and get those that it tells of.

        A call for the ranks that lead the members of an exchange.
        """
        link = self.links.of(exchange)
        assert link is not None
        link.send(with_arrays("ranks of", exchange, list(own.values()), names=list(own)))
        header, body = self._next("ranks of", exchange, link)
        return dict(zip(header["names"], arrays_of(header, body), strict=True))

    def words(self) -> str:
        """Who is where."""
        away = ", ".join(name for name in self.members.members if name not in self.own)
        links = f" by {self.links.count} links" if self.links.count > 1 else ""
        return (
            f"This is the site '{self.here}', linked with '{self.there}'{links}, which has {away}."
        )

    def report(self) -> str:
        """What the link carried, on all ranks."""

        def words(link: Link) -> str:
            some = link.counts
            trip = 1e3 * some.seconds_of_round_trips / max(some.round_trips, 1)
            return (
                f"link with '{self.there}': {some.messages_sent} messages there"
                f" ({some.bytes_sent / 1e6:.3g} MB), {some.messages_received} back"
                f" ({some.bytes_received / 1e6:.3g} MB), {some.seconds_waiting:.3g} s waited,"
                f" {some.seconds_sending:.3g} s sending; round trip {trip:.3g} ms;"
                f" cuts mended: {some.cuts_mended}"
            )

        return self.links.tell(words)

    # --- while it runs --------------------------------------------------------------------------

    def send(
        self,
        exchange: str,
        time: Date,
        found: Sequence[Array | None],
        precision: str,
        to: int | None = None,
    ) -> None:
        """Send whole fields, which the first rank of the source has, or values to a rank there."""
        link = self.links.of(exchange) if to is None else self.links.to(to)
        if link is not None:
            arrays = [narrowed(some, precision) for some in found]
            link.send(with_arrays("values of", _moment(exchange, time), arrays))

    def receive(self, exchange: str, time: Date, of: int | None = None) -> list[Array]:
        """The values of a time, from the first rank of the source or from another one there."""
        link = self.links.of(exchange) if of is None else self.links.to(of)
        return arrays_of(*self._next("values of", _moment(exchange, time), link))

    def agree(self, stopped_by: str) -> str:
        """Why both sites stop now, or an empty text; a call for all ranks after each interval."""

        def agreeing() -> str:
            assert self.link is not None
            self.link.send(packed({"stops after": str(self._number), "why": stopped_by}))
            reason, self._said = self._said, stopped_by
            if self._number:
                header, _ = self._next("stops after", str(self._number - 1))
                theirs = f"{header['why']} at the site '{self.there}'" if header["why"] else ""
                reason = reason or theirs
            self._number += 1
            return reason

        return self._by_gate(agreeing)

    def part(self) -> None:
        """Wait until the other site has come to its end too: a call for all ranks."""

        def parting() -> None:
            assert self.link is not None
            self.link.send(packed({"has ended": self.here}))
            self._next("has ended", self.there)
            self._compare_clocks()

        self._by_gate(parting)

    def _compare_clocks(self) -> None:
        """At the start and at the end, when no other message is under way."""
        assert self.link is not None
        asks = self.here < self.there
        found = compare_clocks(self.link, asks=asks, clock=time.monotonic)
        self._clocks.append((time.monotonic(), found))

    def clock_facts(self) -> dict[str, Any]:
        """What the record says of the two sites; a call for all ranks.

        Their names; of the clock here, times and what has to be added to the other site's clock
        then to get it [ns], and how well that is known [s].
        """

        def facts() -> dict[str, Any]:
            return {
                "name": self.here,
                "other": self.there,
                "clock": [[round(1e9 * at), round(1e9 * one.seconds)] for at, one in self._clocks],
                "uncertainty": max((one.uncertainty for _, one in self._clocks), default=0.0),
            }

        return self._by_gate(facts)

    def leave(self, reason: str = "") -> None:
        """Close all links, and say why."""
        self.links.close(reason)

    def _by_gate(self, action: Callable[[], Some]) -> Some:
        """Do something on the rank that has the link; the result, or the refusal, on all ranks."""
        found: tuple[str, Any] | None = None
        if self.link is not None:
            try:
                found = "", action()
            except UserError as error:
                found = str(error), None
        everyone = self.council.broadcast(self.council.gather(found))
        words, result = next(some for some in everyone if some is not None)
        if words:
            raise UserError(words)
        answer: Some = result
        return answer

    def _next(self, kind: str, name: str, link: Link | None = None) -> tuple[Header, memoryview]:
        """The message of this kind and name, which may have come before others that were asked."""
        link = link or self.link
        assert link is not None
        while (link, kind, name) not in self._mail:
            header, body = unpacked(link.receive())
            first = next(iter(header))
            self._mail[link, first, header[first]] = header, body
        return self._mail.pop((link, kind, name))


def _run_of(members: Members) -> dict[str, Any]:
    """What both sites must have alike, in words."""
    first = members.first.clock
    return {
        "the schedule": members.schedule().text(),
        "the start": f"{text(first.start)} ({first.calendar})",
        "the end": text(max(member.clock.end for member in members.members.values())),
        "what members exchange": [plan.words() for plan in members.exchanges()],
        "the site of each member": {
            name: member.options.site for name, member in members.members.items()
        },
        "restart.interval": str(members.first.case.restart.interval),
        "link.ranks": members.link.ranks if members.link is not None else "",
    }


def listed_or_none(stamps: Sequence[str]) -> str:
    """Stamps in words."""
    return ", ".join(stamps) or "none"


def _moment(exchange: str, time: Date) -> str:
    return f"{exchange} at {time.isoformat()}"
