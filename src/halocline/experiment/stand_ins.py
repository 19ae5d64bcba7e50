"""Members that are not computed: what they gave the others comes from files of an earlier run.

    [members.air]
    recorded_in = "results/north-pacific-coupled"

Each exchange from such a member to one that is computed becomes one from a data model on the grid
of who takes it, which gives at every moment what the file of that exchange has (`recorded`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from halocline.component.case.reading import make_case
from halocline.core.clock import duration_text
from halocline.core.errors import UserError
from halocline.experiment.exchange_table import ExchangePlan
from halocline.experiment.member_options import MemberOptions

if TYPE_CHECKING:
    from halocline.experiment.members import Member, Members


def with_stand_ins(members: Members) -> Members:
    """The same run with data models in place of members whose options say so."""
    gone = {name: some for name, some in members.members.items() if some.options.recorded_in}
    if not gone:
        return members
    left = {
        name: _on_own_ranks(member, gone)
        for name, member in members.members.items()
        if name not in gone
    }
    _refuse_unfit(gone, left)
    tables, models = dict(members.exchange_tables), {}
    for plan in members.exchanges():
        name, source, target = plan.link.exchange, plan.link.source, plan.link.target
        if target in gone:
            tables.pop(name, None)
        elif source in gone:
            model = f"{source}-{name}"
            models[model] = _model(model, plan, left[target], gone[source])
            tables[name] = replace(
                tables[name], source=model, fields=list(plan.taken), interval="", lag=0.0,
                operator="instant", lagged=False, remapping="auto", precision="field",
            )  # fmt: skip
    options = members.schedule_options
    order = [name for name in options.order or members.members if name not in gone]
    kept = [name for name in options.recorded if name in tables or name == "all"]
    return replace(
        members,
        members=models | left,
        exchange_tables=tables,
        schedule_options=replace(
            options,
            interval=duration_text(members.schedule().interval),
            order=[*models, *order],
            recorded=kept,
        ),
    )


def _on_own_ranks(member: Member, gone: Mapping[str, Member]) -> Member:
    """A member that sat on the ranks of one that is not computed has its own."""
    if member.options.on_ranks_of not in gone:
        return member
    return replace(member, options=replace(member.options, on_ranks_of=""))


def _refuse_unfit(gone: Mapping[str, Member], left: Mapping[str, Member]) -> None:
    """Refuse nests of what is not computed, and a run that computes nothing."""
    for name, member in left.items():
        if member.options.nested_in in gone:
            raise UserError(
                f"The member '{name}' is nested in '{member.options.nested_in}', which is not"
                " computed (recorded_in): its sides are in no file. Leave recorded_in out there."
            )
    if not left:
        raise UserError(
            f"All members ({', '.join(gone)}) are recorded: nothing is computed. Leave recorded_in"
            " out for one of them."
        )


def _model(name: str, plan: ExchangePlan, taker: Member, giver: Member) -> Member:
    """The data model of one exchange: on the cells and ranks of who takes it."""
    from halocline.experiment.members import Member, of_member

    path = f"{giver.options.recorded_in}/{plan.link.target}.{plan.link.exchange}.exchange.nc"
    own = taker.case.to_table()
    table: dict[str, Any] = {key: own[key] for key in ("time", "grid", "restart", "data_folder")}
    table |= {"component": "data", "data": {"recorded": [path]}}
    table["time"] = table["time"] | {"step": duration_text(plan.link.interval)}
    table["grid"] = table["grid"] | {"closed_edges": False}  # what is sea for the taker is here
    with of_member(name):
        case = make_case(table)
    seat = plan.link.target
    return Member(name, case, MemberOptions(on_ranks_of=taker.options.on_ranks_of or seat))
