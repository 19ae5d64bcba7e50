"""The kernels and exchanges of one step, in order, without computing anything."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from halocline.component.case.case import Case
from halocline.core.counting import amount
from halocline.experiment.building import build_component
from halocline.experiment.exchange_table import ExchangePlan
from halocline.experiment.idle_ranks import useful_ranks
from halocline.experiment.imagined import Imagined
from halocline.experiment.members import Members, of_member
from halocline.experiment.seating import mpiexec_words, programs_by_rank, seats_of
from halocline.runtime.running.runner import Plan


def plan_members(members: Members, ranks: int, case: str = "CASE") -> str:
    """The schedule of a run, and the first step of each of its members.

    Where some are programs of their own, also what starts them beside each other.
    """
    if not members.several:
        return plan(members.first.case, ranks)
    seats = seats_of(members, ranks)
    lines = [*members.turns(), *exchange_lines(members.exchanges())]
    lines += seats.describe().split("; ")
    given: dict[str, list[tuple[str, ...]]] = {name: [] for name in members.members}
    for some in members.exchanges():
        if some.kind == "fields":
            given[some.link.target].append(some.taken)
    if any(programs_by_rank(members, seats)):
        lines.append(mpiexec_words(members, seats, case))
    for name, member in members.here.items():
        with of_member(name):
            own = plan(member.case, len(seats.crew_of(name).ranks), given[name])
        lines += ["", *(f"{name}: {line}" for line in own.splitlines())]
    return "\n".join(lines)


def exchange_lines(plans: Sequence[ExchangePlan]) -> list[str]:
    """The table of exchanges as a list, but those of nests, of which the schedule says all."""
    of_table = [plan for plan in plans if plan.kind == "fields"]
    return [f"{plan.link.source} -> {plan.link.target}: {plan.words()}" for plan in of_table]


def plan(case: Case, ranks: int, given: Sequence[Sequence[str]] = ()) -> str:
    """The first step of `case` on `ranks` ranks, a line for each kernel and exchange.

    Others have `given` it fields, by exchange.
    """
    clock, lines = case.time.clock(), Plan()
    ranks = useful_ranks(case, case.build_grid(), ranks)
    component = build_component(case, clock, Imagined(ranks), plan=lines)
    heading = f"one step on {amount(ranks, 'rank')} ({component.run.decomposition.describe()})"
    with closing(component):
        for names in given:
            component.expect(names)
        component.start(clock.time, restarted=False)
        lines.lines.clear()
        component.step(clock.time)
    return "\n".join([heading, *lines.lines])
