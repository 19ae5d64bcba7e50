"""What members give each other across sites: values on the source's grid, by links.

The site of the source adds up what is to be a mean or a sum, and sends; that of the target holds
fields like the source's, remaps from them, and keeps what comes later waiting: so both sites
compute what one job would, to the bit. Values that are due later are looked for then. First ranks
give each other whole fields, or all ranks the points that they have in common (`rank_pairs.py`).
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
from halocline.experiment.rank_pairs import RankPairs
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.doubles import fill_doubles
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
        path = "parallel" if sites.rank_to_rank else "serial"
        super().__init__(replace(plan, options=replace(plan.options, path=path)), everyone)

    def _send(self, time: Date) -> None:
        self.moment = time
        super()._send(time)

    def _refuse_nothing_in_common(self, council: Communicator) -> None:
        """The site of the target sees to that."""

    def _connected(self, given: Mapping[str, Field] | None, everyone: Everyone) -> Any:
        name, fields = self.plan.link.exchange, None
        if given is not None:
            fields = [given[one] for one in self.plan.given]
            assert self.source is not None
            self.sites.tell_facts(name, fields, self.source.component.plane)
        pairs = None
        if self.sites.rank_to_rank:
            pairs = RankPairs(name, fields, self.source, self.sites)
        return _Sender(name, self, pairs, self._recorders)


class _Sender:
    """What stands for an `Exchange` at the site of the source."""

    def __init__(
        self,
        name: str,
        of: SentAway,
        pairs: RankPairs | None,
        ends: tuple[Recorder | None, Recorder | None],
    ) -> None:
        self.of, self.name, self.pairs = of, name, pairs
        self.times = {word: PartTimes(f"exchange {name}", *ends) for word in of.choice.words}
        self.ports: list[Port] = []

    def start(self, path: str, given: Mapping[str, Field] | None) -> Callable[[], Values]:
        """Send the values of now, which are those of `of.moment`."""
        assert given is not None
        times, fields = self.times[path], [given[name] for name in self.of.plan.given]
        parts: list[tuple[int | None, list[Any]]]
        with times.gives("gather"):
            if self.pairs is None:
                parts = [(None, [field.gather() for field in fields])]
            else:
                for field in fields:
                    fill_doubles(field)
                parts = [*self.pairs.read(fields).items()]
        precision = self.of.plan.options.precision.replace("field", "")
        with times.gives("send"):
            for to, found in parts:
                self.of.sites.send(self.name, self.of.moment, found, precision, to)
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
        if sites.rank_to_rank:
            fields = None if self.remote is None else list(self.remote.fields.values())
            pairs = RankPairs(
                plan.link.exchange, fields, everyone.here.get(plan.link.target), sites
            )
            if self.remote is not None:
                self.remote.pairs = pairs
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
        told = self.communicator.broadcast(sites.facts(self.exchange) if target.leads else None)
        facts, self.plane = told
        self.cut = Decomposition(
            self.plane.mask, self.plane.topology, halo=1, communicator=self.communicator
        )
        self.fields: dict[str, Field] = {}
        self.pairs: RankPairs | None = None
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
        if self.pairs is not None:
            parts = {
                rank: self.sites.receive(self.exchange, time, rank) for rank in self.pairs.partners
            }
            self.pairs.put(parts, list(self.fields.values()))
            return
        arrays = self.sites.receive(self.exchange, time) if self.target.leads else None
        arrays = self.communicator.broadcast(arrays)
        for field, values in zip(self.fields.values(), arrays, strict=True):
            field.set_global(values.astype(field.dtype, copy=False))
