"""The members of a run: cases of one component each, that run side by side or in sequence.

    [members.waves]
    case = "swell"

    [members.tracers]
    case = "tracer-rotation"
    time.step = "15min"
    ranks = 1

What stands beside `[members]` (`time`, `restart`, ...) holds for all of them; what stands in the
table of a member comes before it, the case that the member names after it. A case without members
is one member without a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, fields, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from halocline.component.case.case import Case
from halocline.component.case.reading import make_case, read_table
from halocline.component.case.tables import put, read_setting
from halocline.core.clock import Clock, Date, duration, duration_text, text
from halocline.core.errors import UserError, nearest
from halocline.experiment.exchange_table import ExchangeOptions, ExchangePlan, plans_of
from halocline.experiment.itinerary import itinerary_lines, refuse_wrong_itineraries
from halocline.experiment.member_options import MemberOptions
from halocline.experiment.schedule import (
    Nested,
    Schedule,
    ScheduleOptions,
    interval_of,
    make_schedule,
)
from halocline.experiment.stand_ins import with_stand_ins
from halocline.link.options import LinkOptions
from halocline.runtime.ranks.seats import Wish, refuse_equal_names

own_tables = ("title", "data_folder", "members", "schedule", "exchanges", "site", "link")
"""What a case with members has for itself; all other tables are those of its members."""


@dataclass(frozen=True)
class Member:
    """One member: its name (empty where it is the only one), its case, and its wishes."""

    name: str
    case: Case
    options: MemberOptions = field(default_factory=MemberOptions)

    @property
    def clock(self) -> Clock:
        """A clock of its own, at its start."""
        with of_member(self.name):
            return self.case.time.clock()

    def running(self) -> Case:
        """The case as it runs in a folder with others: names of files begin with the member's."""
        if not self.name:
            return self.case
        output: Any = self.case.output
        streams = {
            kind: {name: prefixed(stream, self.name) for name, stream in tables.items()}
            for kind, tables in vars(output).items()
            if isinstance(tables, dict)
        }
        changed: dict[str, Any] = {"output": replace(output, **streams)}
        return replace(self.case, **changed)


@dataclass(frozen=True)
class Members:
    """All members of a run, by name, and in what turns they step."""

    members: Mapping[str, Member]
    title: str = ""
    schedule_options: ScheduleOptions = field(default_factory=ScheduleOptions)
    exchange_tables: Mapping[str, ExchangeOptions] = field(default_factory=dict)
    site: str = ""
    link: LinkOptions | None = None

    @classmethod
    def of(cls, case: Case) -> Members:
        """A case of one component."""
        return cls({"": Member("", case)}, case.title)

    def __post_init__(self) -> None:
        refuse_equal_names(list(self.members))
        _refuse_wrong_nests(self.members)
        if len(self.members) > 1 or "" not in self.members:
            _refuse_what_cannot_run_together(self)
        _refuse_wrong_sites(self)

    @property
    def several(self) -> bool:
        """Whether members have names."""
        return "" not in self.members

    @property
    def here(self) -> Mapping[str, Member]:
        """Those that compute at this site: all, unless the run is one of two sites."""
        if not self.site:
            return self.members
        return {name: some for name, some in self.members.items() if some.options.site == self.site}

    @property
    def other_site(self) -> str:
        """The name of the other site, empty where there is none."""
        named = [some.options.site for some in self.members.values()]
        return next((site for site in named if self.site and site != self.site), "")

    @property
    def first(self) -> Member:
        """The first of them."""
        return next(iter(self.members.values()))

    @property
    def start(self) -> Date:
        """When all members begin."""
        return self.first.clock.start

    def turns(self) -> list[str]:
        """The schedule as a list, and when nests begin and move."""
        return [*self.schedule().lines(), *itinerary_lines(self)]

    def schedule(self) -> Schedule:
        """The members' steps in one interval."""
        nested = [
            Nested(name, member.options.nested_in)
            for name, member in self.members.items()
            if member.options.nested_in
        ]
        links = [plan.link for plan in self.exchanges()]
        return make_schedule(self._steps(), self.schedule_options, links, nested)

    def exchanges(self) -> list[ExchangePlan]:
        """What the members give each other."""
        interval = interval_of(self._steps(), self.schedule_options)
        return plans_of(self.members, self.exchange_tables, interval)

    def recorded(self, target: str) -> list[ExchangePlan]:
        """The exchanges whose target keeps on file what it was given."""
        names = self.schedule_options.recorded
        return [
            plan
            for plan in (self.exchanges() if names else [])
            if plan.kind == "fields"
            and plan.link.target == target
            and ("all" in names or plan.link.exchange in names)
        ]

    def _steps(self) -> dict[str, timedelta]:
        return {name: member.clock.step for name, member in self.members.items()}

    def wishes(self, work: Mapping[str, float], servers: Mapping[str, int]) -> list[Wish]:
        """What the members ask of the ranks, those without a share by their expected `work`."""
        options = {name: member.options for name, member in self.here.items()}
        named = sum(some.share for some in options.values())
        free = [
            name
            for name, some in options.items()
            if not (some.ranks or some.share or some.on_ranks_of)
        ]
        if named > 1.0 or (free and named >= 1.0):
            raise UserError(
                f"The shares of the members add up to {named:g}"
                f"{f', which leaves nothing for {free[0]!r}' if named <= 1.0 else ''}. Let all"
                " of them add up to 1 at most (members.NAME.share)."
            )
        total = sum(self._work_of(name, work) for name in free)
        return [
            Wish(
                name,
                some.ranks,
                some.share or (1.0 - named) * self._work_of(name, work) / max(total, 1e-300),
                some.on_ranks_of,
                servers.get(name, 0),
            )
            for name, some in options.items()
        ]

    def least_ranks(self) -> int:
        """Ranks by which every member has its own, or those that it asks for."""
        own = [m.options for m in self.here.values() if not m.options.on_ranks_of]
        return sum(some.ranks or 1 for some in own)

    def ranks_by_number(self) -> bool:
        """Whether all members ask for numbers of ranks, so that no other number fits."""
        own = [m.options for m in self.here.values() if not m.options.on_ranks_of]
        return all(some.ranks for some in own)

    def _work_of(self, leader: str, work: Mapping[str, float]) -> float:
        """The work on the ranks of a member: its own, and of those that ask for its ranks."""
        others = (n for n, member in self.here.items() if member.options.on_ranks_of == leader)
        return work[leader] + sum(work[name] for name in others)

    def to_table(self) -> dict[str, Any]:
        """Every option of every member, as a case file that gives the same run."""
        if not self.several:
            return self.first.case.to_table()
        members = {
            name: {**_seat(member.options), **member.case.to_table()}
            for name, member in self.members.items()
        }
        link = {"link": self.link.to_table()} if self.link is not None else {}
        sites = {"site": self.site, **link} if self.site else {}
        return {
            "title": self.title,
            **sites,
            "schedule": self.schedule_options.to_table(),
            "exchanges": {name: some.to_table() for name, some in self.exchange_tables.items()},
            "members": members,
        }


@contextmanager
def of_member(name: str) -> Iterator[None]:
    """Say of a mistake that it is one of a member."""
    try:
        yield
    except UserError as error:
        if not name:
            raise
        raise type(error)(f"Member '{name}': {error}") from None


def read_members(name: str | Path, settings: Iterable[str] = ()) -> Members:
    """Read a case with or without members: a file, a folder with one, or a shipped case.

    >>> list(read_members("two-members").members), list(read_members("swell").members)
    (['waves', 'tracers'], [''])
    """
    path, table = read_table(name)
    try:
        return make_members(table, settings)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None


def make_members(table: Mapping[str, Any], settings: Iterable[str] = ()) -> Members:
    """Members from nested tables, with other values as "key=value"."""
    table = _set(table, settings)
    if "members" not in table:
        return Members.of(make_case(table))
    tables = table["members"]
    if not isinstance(tables, Mapping) or not tables:
        raise UserError("[members] names no member. Add a table [members.NAME] for each.")
    folder = str(table.get("data_folder", ""))
    common = {key: value for key, value in table.items() if key not in own_tables}
    members = {name: _member(name, some, common, folder) for name, some in tables.items()}
    _check_stripes(members)
    schedule = ScheduleOptions.from_table(table.get("schedule", {}), "schedule")
    exchanges = {
        name: ExchangeOptions.from_table(some, f"exchanges.{name}")
        for name, some in table.get("exchanges", {}).items()
    }
    site, link = str(table.get("site", "")), None
    if site and "link" in table:
        link = LinkOptions.from_table(table["link"], "link").beside(Path(folder))
    read = Members(members, str(table.get("title", "")), schedule, exchanges, site, link)
    return with_stand_ins(read)


def _set(table: Mapping[str, Any], settings: Iterable[str]) -> dict[str, Any]:
    """The same with other values; those for all members come before what stands in one's table."""
    read = [read_setting(setting) for setting in settings]
    _refuse_strangers(table.get("members", {}), [name for name, _ in read])
    result: dict[str, Any] = deepcopy(dict(table)) if read else dict(table)
    for name, value in read:
        put(result, name, value)
    tables = result.get("members", {})
    for own in tables.values() if isinstance(tables, Mapping) else ():
        for name, value in read:
            if name.partition(".")[0] not in own_tables and isinstance(own, dict):
                put(own, name, value)
    for name, value in read:
        if name.startswith("members."):
            put(result, name, value)
    return result


def _refuse_strangers(tables: Any, names: Iterable[str]) -> None:
    """Refuse settings of members that are not there, unless they say what a new one is."""
    known = list(tables) if isinstance(tables, Mapping) else []
    some = [name.split(".") for name in names if name.startswith("members.")]
    made = {own for _, own, *rest in some if rest in (["case"], ["component"])}
    for _, own, *_ in some:
        if own not in known and own not in made:
            there = f"Its members are {', '.join(known)}" if known else "It has no members"
            raise UserError(
                f"The case has no member '{own}'.{nearest(own, known)} {there}; a new one needs"
                f" its case: --set members.{own}.case=NAME."
            )


def _check_stripes(members: Mapping[str, Member]) -> None:
    """Refuse members that want unlike stripes of the files in their one folder."""
    found = {
        name: (member.case.output.writing.stripe_count, member.case.output.writing.stripe_size)
        for name, member in members.items()
    }
    if len(set(found.values())) > 1:
        each = "; ".join(f"{name} {count} and {size}" for name, (count, size) in found.items())
        raise UserError(
            "output.writing.stripe_count and stripe_size are those of the folder that all members"
            f" write to, and differ: {each}. Give them once, in [output.writing]."
        )


def _member(name: str, table: Any, common: Mapping[str, Any], folder: str) -> Member:
    """A member from its table, what holds for all, and its own case."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,39}", name):
        raise UserError(
            f"members.{name[:60]}: the name of a member begins the names of its files. Use letters,"
            " digits, '_' and '-', a letter first, 40 at most."
        )
    if not isinstance(table, Mapping):
        raise UserError(f"'members.{name}' is a table of options. Write it as [members.{name}].")
    own = {field.name for field in fields(MemberOptions)}
    with of_member(name):
        options = MemberOptions.from_table(
            {key: value for key, value in table.items() if key in own}, f"members.{name}"
        )
        base: dict[str, Any] = {"data_folder": folder} if folder else {}
        if options.case:
            beside = Path(folder) / options.case
            _, base = read_table(beside if folder and beside.exists() else options.case)
            if "members" in base:
                raise UserError(f"The case '{options.case}' has members itself. Name one without.")
        inner = {key: value for key, value in table.items() if key not in own}
        return Member(name, make_case(_merged(_merged(base, common), inner)), options)


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Nested tables, in which what is `above` counts.

    >>> _merged({"time": {"step": "1h", "length": "1d"}}, {"time": {"step": "2h"}})
    {'time': {'step': '2h', 'length': '1d'}}
    """
    result = dict(below)
    for key, value in above.items():
        under = result.get(key)
        if isinstance(value, Mapping) and isinstance(under, Mapping):
            value = _merged(under, value)
        result[key] = value
    return result


def prefixed(stream: Any, name: str) -> Any:
    """Options of a stream whose files begin with the member's name."""
    folder, slash, last = stream.file.rpartition("/")
    return replace(stream, file=f"{folder}{slash}{name}.{last}" if last else stream.file)


def _seat(options: MemberOptions) -> dict[str, Any]:
    """Where a member computes; its case is told whole."""
    return {key: value for key, value in options.to_table().items() if key != "case"}


def _refuse_wrong_sites(members: Members) -> None:
    """Refuse a run of two sites without saying which, and members that are at no site or at a
    third one, or want ranks of the other one."""
    named = {name: some.options.site for name, some in members.members.items()}
    sites = sorted(filter(None, set(named.values())))
    if not sites and not members.site:
        return
    if lacking := [name for name, site in named.items() if not site]:
        raise UserError(
            f"The member '{lacking[0]}' has no site, and others have ({', '.join(sites)})."
            f" Name one for each (members.{lacking[0]}.site), or for none."
        )
    if len(sites) != 2:
        raise UserError(
            f"The members of this run have the sites {', '.join(sites)}. Give them two"
            " (members.NAME.site), or none where all compute in one job."
        )
    if members.site not in sites:
        said = f"site = '{members.site}'" if members.site else "no site"
        raise UserError(
            f"This run is one of two sites, {' and '.join(sites)}, and was started with {said}."
            f" Start each at its own: halocline run CASE --site {sites[0]}"
        )
    for name, some in members.members.items():
        leader = some.options.on_ranks_of
        if leader and named.get(leader, named[name]) != named[name]:
            raise UserError(
                f"The member '{name}' asks for the ranks of '{leader}', which is at another site."
                " Let both be at one, or leave members.NAME.on_ranks_of out."
            )


def _refuse_wrong_nests(members: Mapping[str, Member]) -> None:
    """Refuse nests in nobody, in themselves, and with steps that do not fill the outer one's."""
    for name, member in members.items():
        outer = member.options.nested_in
        if not outer:
            continue
        if outer not in members:
            raise UserError(
                f"members.{name}.nested_in names '{outer}', which is no member of this run."
                f"{nearest(outer, members)} Members: {', '.join(members)}."
            )
        around = [name]
        while (above := members[around[-1]].options.nested_in) in members:
            if above in around:
                raise UserError(
                    f"The member '{name}' lies in itself: {' in '.join([*around, above])}. Let one"
                    " of them lie in nobody (members.NAME.nested_in)."
                )
            around.append(above)
        if not member.case.nested:
            raise UserError(
                f"The member '{name}' cannot be nested: its component '{member.case.component}'"
                " takes no sides from others. Leave nested_in out."
            )
        if missing := set(member.case.nested).symmetric_difference(members[outer].case.nested):
            raise UserError(
                f"The member '{name}' is nested in '{outer}', but only one of them has"
                f" {', '.join(sorted(missing))}. Let both have the same state."
            )
        step, long = member.clock.step, members[outer].clock.step
        if long % step:
            raise UserError(
                f"The member '{name}' steps by {duration_text(step)}, and '{outer}', in which it"
                f" lies, by {duration_text(long)}, which is no whole number of its steps. Take"
                f" another time.step."
            )


def _refuse_what_cannot_run_together(members: Members) -> None:
    """Refuse members that do not begin together, never step, or whose restarts would not meet."""
    first = members.first
    schedule = members.schedule()
    for name, member in members.members.items():
        clock = member.clock
        if (clock.start, clock.calendar) != (first.clock.start, first.clock.calendar):
            raise UserError(
                f"The member '{name}' begins at {text(clock.start)} ({clock.calendar}),"
                f" '{first.name}' at {text(first.clock.start)} ({first.clock.calendar}). Let all"
                " members begin together: [time] beside [members] holds for all."
            )
        if not clock.steps:
            raise UserError(
                f"The schedule never advances the member '{name}': its run ends where it begins"
                f" ({text(clock.start)}). Give it a later end (members.{name}.time)."
            )
        if member.case.restart != first.case.restart:
            raise UserError(
                f"The members '{first.name}' and '{name}' have different options in [restart], but"
                " a restart is of all members at one moment. Give them once, beside [members]."
            )
    for name in members.schedule_options.recorded:
        if name not in (*members.exchange_tables, "all"):
            raise UserError(
                f"schedule.recorded names '{name}', which is no exchange of this run."
                f"{nearest(name, members.exchange_tables)} Exchanges:"
                f" {', '.join(members.exchange_tables)}; 'all' is all of them."
            )
    refuse_wrong_itineraries(members, schedule.interval)
    interval = first.case.restart.interval
    if interval != "" and duration(interval) % schedule.interval:
        raise UserError(
            f"restart.interval = {interval!r} is no whole number of intervals of the schedule"
            f" ({duration_text(schedule.interval)}), after which all members are at one moment."
            " Take a multiple of it."
        )
