"""What members give each other: the table of exchanges of a case, and the exchanges at work.

    [exchanges.winds]
    source = "air"
    target = "waves"
    fields = ["wind_u", "wind_v"]

A member that is `nested_in` another one takes its sides from that before its steps, and gives back
what it computed after them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from halocline.component.exchange import Exchange, Port, Remap
from halocline.core.clock import Date
from halocline.core.errors import UserError, nearest
from halocline.core.options import Options, option
from halocline.experiment.schedule import ExchangeEnds
from halocline.grids.horizontal.grid import Grid
from halocline.grids.remapping.nests import Nest
from halocline.grids.remapping.weights import Index, RemapWeights
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.record.recorder import Recorder

if TYPE_CHECKING:
    from halocline.experiment.member_run import MemberRun
    from halocline.experiment.members import Member


@dataclass(frozen=True, kw_only=True)
class ExchangeOptions(Options):
    """Fields that one member gives another one, once in each interval of the schedule."""

    source: str = option("", "", "the member that gives")
    target: str = option("", "", "the member that takes")
    fields: list[str] = option([], "", "short names of the fields, the same for both")
    lagged: bool = option(
        False,
        "",
        "whether values of the end of an interval are given, which the target has in the next one:"
        " members on ranks of their own compute side by side then",
    )


@dataclass(frozen=True)
class ExchangePlan:
    """One exchange of a run; of a nest the kind is `sides` or `feedback`."""

    link: ExchangeEnds
    fields: tuple[str, ...]
    kind: str = "fields"


def plans_of(
    members: Mapping[str, Member], tables: Mapping[str, ExchangeOptions]
) -> list[ExchangePlan]:
    """All exchanges of a run, those of nests first; refused where nobody gives or takes."""
    found = []
    for name, member in members.items():
        outer = member.options.nested_in
        if not outer:
            continue
        nested = tuple(member.case.nested)
        found.append(ExchangePlan(ExchangeEnds(f"sides of {name}", outer, name), nested, "sides"))
        if member.options.feedback:
            found.append(
                ExchangePlan(ExchangeEnds(f"from {name}", name, outer), nested, "feedback")
            )
    for name, table in tables.items():
        _check(name, table, members)
        link = ExchangeEnds(name, table.source, table.target, table.lagged)
        found.append(ExchangePlan(link, tuple(table.fields)))
    return found


def _check(name: str, table: ExchangeOptions, members: Mapping[str, Member]) -> None:
    """Refuse an exchange without ends, or with fields that are not known at both."""
    where = f"exchanges.{name}"
    for end in (table.source, table.target):
        if end not in members:
            raise UserError(
                f"{where} names '{end}', which is no member of this run.{nearest(end, members)}"
                f" Members: {', '.join(members)}."
            )
    if table.source == table.target or not table.fields:
        raise UserError(
            f"{where} moves nothing: it goes from '{table.source}' to '{table.target}' with the"
            f" fields {table.fields}. Name two members and the fields between them."
        )
    source, target = members[table.source].case, members[table.target].case
    for field in table.fields:
        if field not in source.exports:
            raise UserError(
                f"{where}: the member '{table.source}' does not give '{field}'."
                f"{nearest(field, source.exports)} It gives {_listed(source.exports)}."
            )
        if field not in target.imports:
            raise UserError(
                f"{where}: the member '{table.target}' does not take '{field}'."
                f"{nearest(field, target.imports)} It takes {_listed(target.imports)}."
            )


def _listed(names: Sequence[str] | Mapping[str, object]) -> str:
    return ", ".join(names) or "nothing"


class Exchanges:
    """The exchanges of a run, as a rank sees them that computes for some of the members."""

    def __init__(
        self,
        plans: Sequence[ExchangePlan],
        members: Mapping[str, Member],
        here: Sequence[MemberRun],
        council: Communicator,
        recorder: Recorder,
    ) -> None:
        self.recorder = recorder
        self.plans = {plan.link.exchange: plan for plan in plans}
        self.here = {some.name: some for some in here}
        self.working = {
            name: self._made(plan, members, council) for name, plan in self.plans.items()
        }

    def begin(self, time: Date, *, restarted: bool) -> None:
        """What members have at the start, which their first steps may need.

        A restart holds what members took, but not the sides of nests: these are made anew, of what
        no nest gives back.
        """
        for name, plan in self.plans.items():
            if plan.kind == "sides" or (plan.kind == "fields" and not restarted):
                self.give(name, time)

    def give(self, name: str, time: Date) -> None:
        """One exchange, where its source or target is here; `time` is that of its values."""
        link = self.plans[name].link
        source, target = self.here.get(link.source), self.here.get(link.target)
        if source is None and target is None:
            return
        with self.recorder.time(f"exchange {name}"):
            if source is not None and self.plans[name].kind == "fields":
                source.component.diagnose(self.plans[name].fields, time)
            self.working[name]()
            if target is not None:
                target.component.took(self.plans[name].fields, time)

    def _made(
        self, plan: ExchangePlan, members: Mapping[str, Member], council: Communicator
    ) -> Exchange:
        link = plan.link
        source, target = self.here.get(link.source), self.here.get(link.target)
        nest, outwards = self._nest(plan, members)
        given = ports = None
        if source is not None:
            component = source.component
            known = (
                component.diagnose(plan.fields, source.clock.time)
                if plan.kind == "fields"
                else component.nested
            )
            given = {name: known[name] for name in plan.fields}
        if target is not None:
            ports = self._ports(plan, target, nest)
        remap = _remap(link.exchange, nest, outwards)
        return Exchange(link.exchange, given, ports, remap, council, self.recorder)

    def _nest(self, plan: ExchangePlan, members: Mapping[str, Member]) -> tuple[Nest, bool]:
        """How the grids of both ends lie in each other, and whether the source is the inner one.

        Equal grids are nests of ratio 1.
        """
        names = plan.link.source, plan.link.target
        return _nest_of(plan, *(self._plane(name, members) for name in names))

    def _plane(self, name: str, members: Mapping[str, Member]) -> Grid:
        if name in self.here:
            return self.here[name].component.plane
        return members[name].case.build_grid()

    def _ports(self, plan: ExchangePlan, target: MemberRun, nest: Nest) -> dict[str, Port]:
        component = target.component
        if plan.kind == "feedback":
            rim = target.component.feedback_rim
            fields = {name: component.nested[name] for name in plan.fields}
            return {
                name: Port(field, nest.inside(field.place, rim)) for name, field in fields.items()
            }
        known = component.sides if plan.kind == "sides" else component.ports
        if plan.kind == "sides" and not known:
            raise UserError(
                f"The member '{plan.link.target}' is nested in '{plan.link.source}', but its case"
                " says that others give values at its sides, or nobody. Let its sides be those of a"
                " nest (of the atmosphere: atmosphere.sides.kind = 'nest')."
            )
        return {name: known[name] for name in plan.fields}


def _nest_of(plan: ExchangePlan, source: Grid, target: Grid) -> tuple[Nest, bool]:
    names = plan.link.source, plan.link.target
    if plan.kind == "feedback" or source.step_x < (1.0 - 1e-6) * target.step_x:
        return Nest.between(target, source, (names[1], names[0])), True
    return Nest.between(source, target, names), False


def refuse_unfit_grids(plans: Sequence[ExchangePlan], members: Mapping[str, Member]) -> None:
    """Refuse exchanges between grids that do not lie in each other; nothing is built."""
    ends = dict.fromkeys(name for plan in plans for name in (plan.link.source, plan.link.target))
    grids = {name: members[name].case.build_grid() for name in ends}
    for plan in plans:
        _nest_of(plan, grids[plan.link.source], grids[plan.link.target])


def _remap(name: str, nest: Nest, outwards: bool) -> Remap:
    way = nest.outwards if outwards else nest.inwards

    def remap(source: Place, target: Place, j: Index, i: Index) -> RemapWeights:
        if source != target:
            raise UserError(
                f"The exchange '{name}' gives values at {source.value} to {target.value}. Both"
                " have to lie at the same place of their cells."
            )
        return way(source, j, i)

    return remap
