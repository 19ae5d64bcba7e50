"""The table of what members give each other, read and checked before a run.

[exchanges.stress]
source = "air"
target = "sea"
fields = ["surface_downward_eastward_stress", "surface_downward_northward_stress"]
interval = "1h"
operator = "mean"
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from halocline.component.case.case import Case
from halocline.component.exchange import Pair, refuse_other_units
from halocline.core.clock import duration, duration_text
from halocline.core.errors import UserError, nearest
from halocline.core.names import Quantity
from halocline.core.options import Options, option
from halocline.experiment.schedule import ExchangeEnds
from halocline.grids.remapping.vectors import Frame, Vector

if TYPE_CHECKING:
    from halocline.experiment.members import Member

operators = ("instant", "mean", "sum")


@dataclass(frozen=True, kw_only=True)
class ExchangeOptions(Options):
    """Fields that one member gives another one."""

    source: str = option("", "", "the member that gives")
    target: str = option("", "", "the member that takes")
    fields: list[str] = option(
        [], "", "the fields, by CF standard names or by short names, which may differ at both ends"
    )
    interval: str | float = option(
        "",
        "s",
        "time between two exchanges, a multiple of the schedule's interval, which it is if empty",
    )
    operator: str = option(
        "instant",
        "",
        "what is given: values of the moment; or the mean or the sum of those after each step of"
        " the source since the exchange before",
        choices=operators,
    )
    lagged: bool = option(
        False,
        "",
        "whether values of the end of an interval are given, which the target has in the next one:"
        " members on ranks of their own compute side by side then",
    )
    lag: str | float = option(
        0.0,
        "s",
        "time by which the target has values later still, a multiple of `interval`; messages have"
        " that long to arrive",
    )
    remapping: str = option(
        "auto",
        "",
        "between the grids: 'nest' where cells of one fill those of the other, in a plane too; on"
        " the sphere 'nearest', 'bilinear', 'patch', 'conservative' or 'conservative-2'; 'auto':"
        " 'nest' where it can be, else 'bilinear'",
        choices=(
            *("auto", "nest", "nearest", "bilinear", "patch", "conservative", "conservative-2"),
        ),
    )
    extrapolation: str = option(
        "none",
        "",
        "what points take that no sea of the source surrounds: 'none' (they keep what they have),"
        " the 'nearest' value, or means that 'creep' inland",
        choices=("none", "nearest", "creep"),
    )
    normalisation: str = option(
        "fracarea",
        "",
        "of conservative means of cells that the source's sea covers in part: by the area that is"
        " covered; 'destarea' by the whole cell, 'ownarea' so that integrals over the areas of"
        " both models are the same",
        choices=("fracarea", "destarea", "ownarea"),
    )
    weights: str = option(
        "",
        "",
        "folder where weights on the sphere are kept for runs to come, and taken from if grids,"
        " masks and method are the same; empty: they are made by each run",
    )
    vectors: str = option(
        "space",
        "",
        "how both components of a vector are remapped, eastward and northward or along x and y,"
        " that are among the fields: as vectors in 'space', right at poles and over folds; or as"
        " numbers ('components'), which keeps the integral of each with 'ownarea'",
        choices=("space", "components"),
    )
    precision: str = option(
        "field",
        "",
        "of values on their way: that of each field, or 'float32' where that is lower",
        choices=("field", "float32"),
    )
    path: str = option(
        "parallel",
        "",
        "all ranks with all, or 'serial': from the first rank of the source to the first of the"
        " target; 'auto': the one that took less time in the first exchanges",
        choices=("parallel", "serial", "auto"),
    )


@dataclass(frozen=True)
class ExchangePlan:
    """One exchange of a run; of a nest the kind is `sides` or `feedback`."""

    link: ExchangeEnds
    pairs: tuple[Pair, ...]
    kind: str = "fields"
    options: ExchangeOptions = ExchangeOptions()
    vectors: tuple[Vector, ...] = ()

    @property
    def given(self) -> tuple[str, ...]:
        """Short names at the source."""
        return tuple(pair.given for pair in self.pairs)

    @property
    def taken(self) -> tuple[str, ...]:
        """Short names at the target."""
        return tuple(pair.taken for pair in self.pairs)

    @property
    def late(self) -> int:
        """By how many of its intervals the target has values later."""
        lag = duration(self.options.lag or 0)
        return int(lag / self.link.every) if lag else 0

    def words(self) -> str:
        """How fields get there, for people."""
        some = self.options
        named = [one if one == other else f"{one} as {other}" for one, other in self.pairs]
        lag = f", {duration_text(duration(some.lag))} later" if self.late else ""
        told = [
            f"{some.operator} of every {duration_text(self.link.every)}{lag}"
            if self.kind == "fields"
            else "",
            f"remapping {some.remapping}" if self.kind == "fields" else "",
            f"by {some.normalisation}" if some.normalisation != "fracarea" else "",
            "vectors by components" if some.vectors != "space" else "",
            f"{some.precision} on the wire" if some.precision != "field" else "",
            f"path {some.path}" if some.path != "parallel" else "",
        ]
        return "; ".join([", ".join(named), *filter(None, told)])


def plans_of(
    members: Mapping[str, Member], tables: Mapping[str, ExchangeOptions], interval: timedelta
) -> list[ExchangePlan]:
    """All exchanges of a run, those of nests first; refused where nobody gives or takes.

    `interval` is that of the schedule.
    """
    found = []
    for name, member in members.items():
        outer = member.options.nested_in
        if not outer:
            continue
        nested = tuple(Pair(some, some) for some in member.case.nested)
        ends = ExchangeEnds(f"sides of {name}", outer, name)
        compared = tuple(Pair(some, some) for some in member.case.beneath)
        found.append(ExchangePlan(ends, (*nested, *compared), "sides"))
        if member.options.feedback:
            found.append(
                ExchangePlan(ExchangeEnds(f"from {name}", name, outer), nested, "feedback")
            )
    taken: dict[tuple[str, str], str] = {}
    for name, table in tables.items():
        pairs = _pairs(name, table, members)
        every, lag = _times(name, table, interval)
        late = table.lagged or lag > timedelta(0)
        link = ExchangeEnds(name, table.source, table.target, late, every, interval)
        vectors = _vectors(pairs, table, members) if table.vectors == "space" else ()
        found.append(ExchangePlan(link, tuple(pairs), options=table, vectors=vectors))
        for pair in pairs:
            before = taken.setdefault((table.target, pair.taken), name)
            if before != name:
                raise UserError(
                    f"exchanges.{before} and exchanges.{name} both give '{pair.taken}' to"
                    f" '{table.target}'. Let one of them do."
                )
    return found


def _times(name: str, table: ExchangeOptions, interval: timedelta) -> tuple[timedelta, timedelta]:
    """The interval and the lag of an exchange, which are whole numbers of shorter ones."""
    every = interval if table.interval == "" else duration(table.interval)
    lag = duration(table.lag or 0)
    if every <= timedelta(0) or every % interval:
        raise UserError(
            f"exchanges.{name}.interval = {duration_text(every)} is no multiple of the schedule's"
            f" interval of {duration_text(interval)}, after which members are at one moment. Take"
            " a multiple, or another schedule.interval."
        )
    if lag < timedelta(0) or lag % every:
        raise UserError(
            f"exchanges.{name}.lag = {duration_text(lag)} is no multiple of the exchange's interval"
            f" of {duration_text(every)}. Take a multiple of it."
        )
    return every, lag


def _pairs(name: str, table: ExchangeOptions, members: Mapping[str, Member]) -> list[Pair]:
    """The fields of an exchange at both ends; refused without ends or where one is not known."""
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
    gives = members[table.source].case.gives()
    takes = members[table.target].case.takes_from_others()
    pairs = []
    for field in table.fields:
        given = _known(field, gives, members[table.source].case)
        if given is None:
            raise UserError(
                f"{where}: the member '{table.source}' does not give '{field}'."
                f"{nearest(field, gives)} It gives {_listed(gives)}."
            )
        taken = _known(field, takes, members[table.target].case, gives[given].standard_name)
        if taken is None:
            raise UserError(
                f"{where}: the member '{table.target}' does not take '{field}'."
                f"{nearest(field, takes)} It takes {_listed(takes)}."
            )
        one, other = gives[given], takes[taken]
        if one.units and other.units:
            refuse_other_units(name, field, one.units, other.units)
        if table.operator != "instant" and one.is_direction:
            raise UserError(
                f"{where}: '{field}' is a direction, which has no {table.operator}. Give it with"
                " operator = 'instant', or give components."
            )
        pairs.append(Pair(given, taken))
    return pairs


def _vectors(
    pairs: Sequence[Pair], table: ExchangeOptions, members: Mapping[str, Member]
) -> tuple[Vector, ...]:
    """Fields that are both components of a vector, at both ends."""
    gives = members[table.source].case.gives()
    takes = members[table.target].case.takes_from_others()
    given = [_meaning(gives[pair.given]) for pair in pairs]
    taken = [_meaning(takes[pair.taken]) for pair in pairs]
    found = []
    for one in range(len(pairs)):
        (other_given, frame), (other_taken, own_frame) = _other(given[one]), _other(taken[one])
        there = [n for n in range(len(pairs)) if (given[n], taken[n]) == (other_given, other_taken)]
        if there and other_given and other_taken:
            found.append(Vector((one, there[0]), frame, own_frame))
    return tuple(found)


def _meaning(facts: Quantity) -> str:
    return facts.standard_name or facts.long_name


def _other(first: str) -> tuple[str, Frame]:
    """The second component of a vector by the name of the first, and what they go along.

    >>> _other("surface_downward_eastward_stress"), _other("sea_water_x_velocity")
    (('surface_downward_northward_stress', 'geographic'), ('sea_water_y_velocity', 'grid'))
    """
    if "eastward" in first:
        return first.replace("eastward", "northward"), "geographic"
    second = re.sub(r"(^|_)x_", r"\1y_", first)
    return (second, "grid") if second != first else ("", "grid")


def _known(
    name: str, known: Mapping[str, Quantity], case: Case, standard_name: str = ""
) -> str | None:
    """The short name of a field that is named by either name; refused where two have it."""
    if name in known:
        return name
    wanted = {name, standard_name} - {""}
    found = [short for short, facts in known.items() if facts.standard_name in wanted]
    if len(found) > 1:
        raise UserError(
            f"The component '{case.component}' has {_listed(found)} by the standard name"
            f" '{name}'. Write the short name of one."
        )
    return found[0] if found else None


def _listed(names: Mapping[str, object] | list[str]) -> str:
    return ", ".join(names) or "nothing"
