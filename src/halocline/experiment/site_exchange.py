"""What members give each other across sites: whole fields on the source's grid, by the link.

The site of the source adds up what is to be a mean or a sum, and sends; that of the target holds
fields like the source's, remaps from them, and keeps what comes later waiting: so both sites
compute what one job would, to the bit. Values that are due later are looked for then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from halocline.component.exchange_paths import PartTimes
from halocline.component.port import Port
from halocline.core.clock import Date
from halocline.experiment.exchange_table import ExchangePlan
from halocline.experiment.exchanges import Everyone, GivenExchange, Values
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.record.recorder import Recorder

if TYPE_CHECKING:
    from halocline.experiment.member_run import MemberRun
    from halocline.experiment.members import Member
    from halocline.experiment.sites import TwoSites


def across_sites(plan: ExchangePlan, everyone: Everyone, sites: TwoSites) -> GivenExchange:
    """An exchange whose source or target is at the other site; a call for all ranks."""
    kind = SentAway if plan.link.source in sites.own else Brought
    return kind(plan, everyone, sites)


class SentAway(GivenExchange):
    """An exchange whose target is at the other site."""

    def __init__(self, plan: ExchangePlan, everyone: Everyone, sites: TwoSites) -> None:
        self.sites, self.moment = sites, next(iter(everyone.members.values())).clock.start
        by_first_ranks = replace(plan, options=replace(plan.options, path="serial"))
        super().__init__(by_first_ranks, everyone)

    def _send(self, time: Date) -> None:
        self.moment = time
        super()._send(time)

    def _refuse_nothing_in_common(self, council: Communicator) -> None:
        """The site of the target sees to that."""

    def _connected(self, given: Mapping[str, Field] | None, everyone: Everyone) -> Any:
        name = self.plan.link.exchange
        if given is not None:
            self.sites.tell_facts(name, [given[one] for one in self.plan.given])
        return _Sender(name, self, self._recorders)


class _Sender:
    """What stands for an `Exchange` at the site of the source."""

    def __init__(
        self, name: str, of: SentAway, ends: tuple[Recorder | None, Recorder | None]
    ) -> None:
        self.of, self.name = of, name
        self.times = {word: PartTimes(f"exchange {name}", *ends) for word in of.choice.words}
        self.ports: list[Port] = []

    def start(self, path: str, given: Mapping[str, Field] | None) -> Callable[[], Values]:
        """Send the values of now, which are those of `of.moment`."""
        assert given is not None
        times, narrow = self.times[path], self.of.plan.options.precision
        with times.gives("gather"):
            found = [given[name].gather() for name in self.of.plan.given]
        with times.gives("send"):
            self.of.sites.send(self.name, self.of.moment, found, narrow.replace("field", ""))
        return lambda: None


class Brought(GivenExchange):
    """An exchange whose source is at the other site."""

    def __init__(self, plan: ExchangePlan, everyone: Everyone, sites: TwoSites) -> None:
        self.sites, self.remote = sites, None
        source, target = plan.link.source, everyone.here.get(plan.link.target)
        if target is not None:
            self.remote = RemoteSource(plan, everyone.members[source], target, sites)
            here = {**everyone.here, source: self.remote.as_member()}
            everyone = replace(everyone, here=here)
        added_there = replace(plan, options=replace(plan.options, operator="instant"))
        super().__init__(added_there, everyone)

    def _send(self, time: Date) -> None:
        """Look for the values of a time when they are wanted."""
        self.under_way = partial(self._fetch, time) if self.remote is not None else None

    def _fetch(self, time: Date) -> None:
        assert self.remote is not None and self.source is not None
        path = self.choice.next()
        with self.exchange.times[path].takes("wait"):
            self.remote.fetch(time)
        self._arrive(self.exchange.start(path, self._given(time)), time)


class RemoteSource:
    """Fields like those of a member at the other site, on the ranks of one here."""

    def __init__(
        self, plan: ExchangePlan, member: Member, target: MemberRun, sites: TwoSites
    ) -> None:
        self.exchange, self.sites, self.target = plan.link.exchange, sites, target
        self.communicator, self.clock = target.communicator, member.clock
        self.plane = member.case.build_grid()
        self.cut = Decomposition(
            self.plane.mask, self.plane.topology, halo=1, communicator=self.communicator
        )
        self.fields: dict[str, Field] = {}
        facts = self.communicator.broadcast(sites.facts(self.exchange) if target.leads else None)
        for name, (units, place, outer, dtype) in zip(plan.given, facts, strict=True):
            self.fields[name] = Field(
                name, units, self.cut, axes=tuple(outer), place=Place[place], dtype=dtype
            )

    def as_member(self) -> Any:
        """What an exchange asks of its source."""
        run = SimpleNamespace(recorder=Recorder())
        component = SimpleNamespace(plane=self.plane, run=run, diagnose=lambda *_: self.fields)
        return SimpleNamespace(component=component, clock=self.clock, name="", after_steps=[])

    def fetch(self, time: Date) -> None:
        """Take the values of a time from the link: a call for all ranks of the target."""
        arrays = None
        if self.target.leads:
            arrays = self.sites.receive(self.exchange, time, list(self.fields.values()))
        arrays = self.communicator.broadcast(arrays)
        for field, values in zip(self.fields.values(), arrays, strict=True):
            field.set_global(values.astype(field.dtype, copy=False))
