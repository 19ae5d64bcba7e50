"""What members give each other, at work: who gives when, what is added up and what is on its way.

A member that is `nested_in` another one takes its sides from that before its steps, and gives back
what it computed after them. All else stands in the table of exchanges (`exchange_table.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.component.exchange import Exchange, Remap
from halocline.component.port import Port, cell_place
from halocline.core.clock import Date, text
from halocline.core.errors import BrokenState, UserError
from halocline.experiment.accumulation import Accumulated
from halocline.experiment.exchange_table import ExchangePlan
from halocline.experiment.grid_pairs import OnSphere, by_nest, nest_between, remap_by
from halocline.experiment.path_choice import PathChoice
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.record.recorder import Recorder

if TYPE_CHECKING:
    from halocline.experiment.member_run import MemberRun
    from halocline.experiment.members import Member
    from halocline.experiment.sites import TwoSites

Values = list[NDArray[Any]] | None


@dataclass(frozen=True)
class Everyone:
    """Who exchanges: all members, those on this rank, and what all ranks have in common."""

    members: Mapping[str, Member]
    here: Mapping[str, MemberRun]
    council: Communicator
    recorder: Recorder


class Exchanges:
    """The exchanges of a run, as a rank sees them that computes for some of the members."""

    def __init__(
        self,
        plans: Sequence[ExchangePlan],
        members: Mapping[str, Member],
        here: Sequence[MemberRun],
        council: Communicator,
        recorder: Recorder,
        sites: TwoSites | None = None,
    ) -> None:
        own = [plan for plan in plans if sites is None or sites.takes_part(plan.link)]
        self.plans, self.recorder = {plan.link.exchange: plan for plan in own}, recorder
        self.ends, self.sites = {some.name: some for some in here}, sites
        self.council = council
        self.working = {name: self._made(name, members) for name in self.plans}

    @property
    def remarks(self) -> list[str]:
        """What the log tells of how they were made."""
        return [
            f"exchange {name}: {words}"
            for name, some in self.working.items()
            for words in some.remarks
        ]

    def _made(self, name: str, members: Mapping[str, Member]) -> GivenExchange:
        plan, sites = self.plans[name], self.sites
        everyone = Everyone(members, self.ends, self.council, self.recorder)
        if sites is not None and sites.apart(plan.link):
            from halocline.experiment.site_exchange import across_sites

            return across_sites(plan, everyone, sites)
        return GivenExchange(plan, everyone)

    def renew(
        self, moved: Collection[str], begun: Collection[str], members: Mapping[str, Member],
        time: Date,
    ) -> None:  # fmt: skip
        """Members have `moved`, and others have `begun`: they take their sides anew.

        A call for all ranks. `members` have the places that they have now.
        """
        for name, plan in self.plans.items():
            link = plan.link
            if moved and not {link.source, link.target}.isdisjoint(moved):
                self.working[name] = self._made(name, members)
            elif link.target not in begun:
                continue
            if plan.kind == "sides":
                if link.target in self.ends:
                    self.ends[link.target].component.forget_sides()
                self.working[name].begin(time, anew=True)

    def begin(self, time: Date, *, restarted: bool) -> None:
        """What members have at the start, which their first steps may need.

        A restart holds what members took and what was on its way, but not the sides of nests: these
        are made anew, of what no nest gives back.
        """
        for some in self.working.values():
            lacking = float(not some.restore(restarted=restarted, time=time))
            anew = bool(self.council.maximum(np.array([lacking]))[0])
            some.begin(time, anew=anew)

    def give(self, name: str, time: Date) -> None:
        """One exchange, where its source or target is here; `time` is that of its values."""
        some = self.working.get(name)  # none where both members are at another site
        if some is not None and some.due(time):
            some.give(time)

    def settle(self) -> None:
        """Wait for all that is on its way."""
        for some in self.working.values():
            some.settle()

    def choose_paths(self) -> list[str]:
        """Choose paths where the first exchanges were to tell; what was chosen, for the log.

        A call for all ranks.
        """
        told = (some.choice.decide(self.council) for some in self.working.values())
        return [words for words in told if words]


class GivenExchange:
    """One exchange at work.

    Its target has values of a moment `late` intervals of it later: so many sets of them wait in
    fields of the target, the oldest first, which lie in restarts. What was begun last may still be
    on its way (`settle`).
    """

    def __init__(self, plan: ExchangePlan, everyone: Everyone) -> None:
        members, here = everyone.members, everyone.here
        self.plan, self.recorder = plan, everyone.recorder
        link, name = plan.link, plan.link.exchange
        self.source, self.target = here.get(link.source), here.get(link.target)
        holes = plan.given if plan.kind != "fields" else members[link.source].case.holes
        self.whole = {taken for given, taken in plan.pairs if given not in holes}
        self.start_time = next(iter(members.values())).clock.start
        self.added: Accumulated | None = None
        self.remarks: list[str] = []  # on the first rank, for the log
        given = None
        if self.source is not None:
            given = self._given(self.source.clock.time)
            if plan.kind == "fields" and plan.options.operator != "instant":
                self.added = Accumulated(name, plan.options.operator, given)
                given = self.added.results
                self.source.after_steps.append(self._take)
        self.choice = PathChoice(name, plan.options.path)
        self.exchange = self._connected(given, everyone)
        self.choice.times = self.exchange.times
        self._refuse_nothing_in_common(everyone.council)
        self.waiting = [self._kept(number) for number in range(plan.late)]
        self.under_way: Callable[[], None] | None = None

    def _connected(self, given: Mapping[str, Field] | None, everyone: Everyone) -> Exchange:
        """What brings the fields that are given to ports of the target: a call for all ranks."""
        plan, ports, council = self.plan, None, everyone.council
        remap, inside = self._remap(everyone.members, everyone.here)
        if self.target is not None:
            ports = self._ports(self.target, inside)
        return Exchange(
            plan.link.exchange, plan.pairs, given, ports, remap, council, self.recorder,
            vectors=plan.vectors,
            turn=remap.vectors if isinstance(remap, OnSphere) else None,
            prepare=partial(self._prepare, remap, council),
            known_paths=self.choice.words,
            precision=plan.options.precision.replace("field", ""),
            ends=self._recorders,
        )  # fmt: skip

    @property
    def _recorders(self) -> tuple[Recorder | None, Recorder | None]:
        """Those of source and target, where they are here."""
        ends = [
            None if some is None else some.component.run.recorder
            for some in (self.source, self.target)
        ]
        return ends[0], ends[1]

    @property
    def here(self) -> bool:
        """Whether this rank computes for its source or its target."""
        return self.source is not None or self.target is not None

    def due(self, time: Date) -> bool:
        """Whether it takes place at a moment."""
        every = self.plan.link.every
        return not every or not (time - self.start_time) % every

    def restore(self, *, restarted: bool, time: Date) -> bool:
        """Let restarts hold what was taken, added up and is on its way; whether this one did."""
        if self.plan.kind != "fields":
            return False
        missing: list[str] = []
        if self.source is not None and self.added is not None:
            missing += self.source.restarts.add(self.added.restart_fields)
            self.added.steps = self._steps_since(self.source, time)
        if self.target is not None:
            known = {field.name for field in self.target.restarts.fields}
            ports = [port.field for port in self.exchange.ports if port.field.name not in known]
            waiting = [field for some in self.waiting for field in some]
            missing += self.target.restarts.add([*ports, *waiting])
        return restarted and not missing

    def begin(self, time: Date, *, anew: bool) -> None:
        """Give what the source has at the start, or say of when that is which a restart had."""
        if not anew:
            if self.target is not None:
                self.target.component.took(self.plan.taken, self._last(time))
        elif self.plan.kind != "feedback" and self.here:
            if self.added is not None:
                self.added.clear()
            with self._timed():
                self._send(time)
                self.settle()
            if self.target is not None and self.waiting:
                values = self.exchange.read(self.waiting[-1])
                for some in self.waiting[:-1]:
                    self.exchange.put(values, some)
                self._deliver(values, time)

    def give(self, time: Date) -> None:
        """Give values of a time; the target has them at once, or those whose time has come."""
        if not self.here:
            return
        with self._timed():
            self.settle()
            if self.waiting and self.target is not None:
                self._deliver(self.exchange.read(self.waiting[0]), self._last(time))
                for older, newer in zip(self.waiting[:-1], self.waiting[1:], strict=True):
                    self.exchange.put(self.exchange.read(newer), older)
            self._send(time)
            if self.target is not None and not self.waiting:
                self.settle()

    def _timed(self) -> AbstractContextManager[None]:
        return self.recorder.time(f"exchange {self.plan.link.exchange}")

    def _send(self, time: Date) -> None:
        """Begin to give what the source has at a time."""
        given = None
        if self.source is not None:
            given = self._given(time)
            if self.added is not None:
                self.added.give(given)
                given = self.added.results
        finish = self.exchange.start(self.choice.next(), given)
        self.under_way = partial(self._arrive, finish, time)

    def settle(self) -> None:
        """Wait for what is on its way, and put it where it belongs."""
        if self.under_way is not None:
            arrive, self.under_way = self.under_way, None
            arrive()

    def _arrive(self, finish: Callable[[], Values], time: Date) -> None:
        values = finish()
        self.choice.done()
        if values is None:
            return
        self._refuse_not_finite(values, time)
        if self.waiting:
            self.exchange.put(values, self.waiting[-1])
        else:
            self._deliver(values, time)

    def _refuse_not_finite(self, values: Sequence[NDArray[Any]], time: Date) -> None:
        """Refuse what no model can go on from, with the place at the target where it is."""
        assert self.target is not None
        names = {id(port.field): name for name, port in self.target.component.ports.items()}
        at = zip(self.exchange.ports, self.exchange.places(), values, strict=True)
        for port, numbers, some in at:
            bad = ~np.isfinite(some).all(axis=0)
            if not bad.any() or (name := names[id(port.field)]) not in self.whole:
                continue
            where = int(np.argmax(bad))
            columns = port.field.decomposition.world.topology.shape(cell_place(port.field.place))[1]
            row, column = divmod(int(numbers[where]), columns)
            found = some[:, where]
            link, value = self.plan.link, found[~np.isfinite(found)][0]
            raise BrokenState(
                f"The exchange '{link.exchange}' brings '{name}' from '{link.source}'"
                f" to '{link.target}' at {text(time)}, and it is {value} in row {row} and"
                f" column {column} (from 0) of '{link.target}'. Look at '{link.source}' there: its"
                " state is broken, or it has no values for so much of the sea."
            )

    def _deliver(self, values: Sequence[NDArray[Any]], time: Date) -> None:
        assert self.target is not None
        self.exchange.put(values)
        self.target.component.took(self.plan.taken, time)

    def _take(self) -> None:
        """Add what the source has after a step."""
        assert self.source is not None and self.added is not None
        with self.source.component.run.recorder.time(
            f"exchange {self.plan.link.exchange}: {self.plan.options.operator}"
        ):
            self.added.take(self._given(self.source.clock.time))

    def _given(self, time: Date) -> dict[str, Field]:
        """The fields that the source gives, of now."""
        assert self.source is not None
        component = self.source.component
        if self.plan.kind != "fields":
            return {name: component.nested[name] for name in self.plan.given}
        known = component.diagnose(self.plan.given, time)
        return {name: known[name] for name in self.plan.given}

    @property
    def _lag(self) -> timedelta:
        return self.plan.late * self.plan.link.every

    def _last(self, time: Date) -> Date:
        """Of when the values are that the target has at a moment."""
        every = self.plan.link.every
        return max(self.start_time, time - (time - self.start_time) % every - self._lag)

    def _steps_since(self, source: MemberRun, time: Date) -> int:
        """Steps of the source since the exchange before a moment at which all members are."""
        since = (time - self.start_time) % self.plan.link.every
        begun = time - since
        return max(0, (source.clock.time - begun) // source.clock.step)

    def _kept(self, number: int) -> list[Field]:
        """Fields of the target for one set of values on its way."""
        name = f"exchange {self.plan.link.exchange}"
        return [
            Field(
                f"{name}: {port.field.name} in {number + 1}", port.field.units, port.field.space,
                axes=port.field.axes, place=port.field.place, dtype=port.field.dtype, restart=True,
            )
            for port in self.exchange.ports
        ]  # fmt: skip

    def _remap(
        self, members: Mapping[str, Member], here: Mapping[str, MemberRun]
    ) -> tuple[Remap, Callable[[Field], NDArray[np.bool_]] | None]:
        """Weights between both grids; of what a nest gives back, to which points of the outer."""
        plan, link = self.plan, self.plan.link
        names = link.source, link.target
        source, target = (_plane(name, members, here) for name in names)
        if plan.kind == "fields":
            return remap_by(plan.options, source, target, names, link.exchange), None
        back = plan.kind == "feedback"
        nest, outwards = nest_between(source, target, names, outwards=back)
        inside = None
        if back and self.target is not None:
            rim = self.target.component.feedback_rim

            def inside_of(field: Field) -> NDArray[np.bool_]:
                return nest.inside(field.place, rim)

            inside = inside_of
        return by_nest(link.exchange, nest, outwards=outwards), inside

    def _prepare(
        self, remap: Remap, council: Communicator, places: Sequence[tuple[Place, Place]]
    ) -> None:
        """Take weights from a folder or keep them there, where the case says so."""
        folder = self.plan.options.weights
        if folder and isinstance(remap, OnSphere):
            remap.prepare(Path(folder), places, council, self.remarks.append)

    def _ports(
        self, target: MemberRun, inside: Callable[[Field], NDArray[np.bool_]] | None
    ) -> dict[str, Port]:
        plan, component = self.plan, target.component
        if inside is not None:
            fields = {name: component.nested[name] for name in plan.taken}
            return {name: Port(field, inside(field)) for name, field in fields.items()}
        known = component.sides if plan.kind == "sides" else component.ports
        if plan.kind == "sides" and not known:
            raise UserError(
                f"The member '{plan.link.target}' is nested in '{plan.link.source}', but its case"
                " says that others give values at its sides, or nobody. Let its sides be those of a"
                " nest (of the atmosphere: atmosphere.sides.kind = 'nest')."
            )
        if missing := [name for name in plan.taken if name not in known]:
            raise UserError(
                f"exchanges.{plan.link.exchange} gives '{missing[0]}' to '{plan.link.target}',"
                " which could take it, but whose case says otherwise. Let the case say that another"
                " member gives it, or leave it out of the exchange."
            )
        return {name: known[name] for name in plan.taken}

    def _refuse_nothing_in_common(self, council: Communicator) -> None:
        """Refuse an exchange of which no point of the target gets a value."""
        wanted = self.exchange.wanted if self.target is not None else 0
        if not council.maximum(np.array([float(wanted)]))[0]:
            link = self.plan.link
            if self.plan.kind == "feedback":
                raise UserError(
                    f"The member '{link.source}' is so small that it gives nothing back to"
                    f" '{link.target}', whose cells beside its sides keep their own values. Take"
                    f" more cells, or members.{link.source}.feedback = false."
                )
            raise UserError(
                f"The exchange '{link.exchange}' has nothing to give: no point of the sea of"
                f" '{link.target}' lies in that of '{link.source}'. Let their grids overlap, or"
                f" extrapolate (exchanges.{link.exchange}.extrapolation)."
            )


def _plane(name: str, members: Mapping[str, Member], here: Mapping[str, MemberRun]) -> Grid:
    return here[name].component.plane if name in here else members[name].case.build_grid()
