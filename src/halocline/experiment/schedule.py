"""Who steps when: the members of a run and their steps within one interval, as a list.

After each interval all members are at the same moment: there they are written, asked to stop, and
exchange what they exchange.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from halocline.core.clock import duration, duration_text
from halocline.core.errors import UserError, nearest
from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class ScheduleOptions(Options):
    """In what turns the members of a run step."""

    interval: str | float = option(
        "",
        "s",
        "time after which all members are at the same moment, as '1h' or a number of seconds; the"
        " least common multiple of their steps if empty",
    )
    order: list[str] = option(
        [], "", "all members, in the order of their turns; that of their tables if empty"
    )
    recorded: list[str] = option(
        [],
        "",
        "exchanges of which files keep what their target was given, TARGET.NAME.exchange.nc, so"
        " that a data model can give it again; 'all' of them",
    )


@dataclass(frozen=True)
class ScheduleLine:
    """One line of a schedule: a member and its steps in one turn."""

    member: str
    steps: int
    step: timedelta

    def text(self) -> str:
        """The entry as people read it.

        >>> ScheduleLine("tracers", 4, timedelta(minutes=15)).text()
        'tracers 4 x 15min'
        """
        return f"{self.member} {self.steps} x {duration_text(self.step)}".strip()


@dataclass(frozen=True)
class Giving:
    """One line of a schedule: a member gives another what the exchange of this name says.

    It does so after `every` so much time; in each turn if that is 0.
    """

    exchange: str
    source: str
    target: str
    every: timedelta = timedelta(0)

    def text(self) -> str:
        """The entry as people read it.

        >>> Giving("sides", "outer", "inner").text()
        'outer gives inner: sides'
        """
        seldom = f", every {duration_text(self.every)}" if self.every else ""
        return f"{self.source} gives {self.target}: {self.exchange}{seldom}"


@dataclass(frozen=True)
class Repeated:
    """Some turns that come several times, one after the other."""

    times: int
    turns: tuple[Turn, ...]

    def text(self) -> str:
        """The turns as people read them."""
        return f"{self.times} times ({', '.join(turn.text() for turn in self.turns)})"


Turn = ScheduleLine | Giving | Repeated


def in_turn(turns: Iterable[Turn]) -> Iterator[ScheduleLine | Giving]:
    """All turns one after the other."""
    for turn in turns:
        if isinstance(turn, Repeated):
            for _ in range(turn.times):
                yield from in_turn(turn.turns)
        else:
            yield turn


def _numbered(turns: Iterable[Turn], before: str) -> Iterator[str]:
    for number, turn in enumerate(turns, 1):
        if isinstance(turn, Repeated):
            yield f"{before}{number}. {turn.times} times"
            yield from _numbered(turn.turns, f"   {before}")
        else:
            yield f"{before}{number}. {turn.text()}"


@dataclass(frozen=True)
class Schedule:
    """The turns of one interval, in order; every member steps through it.

    >>> schedule = make_schedule({"waves": duration("1h"), "tracers": duration("15min")})
    >>> schedule.text()
    'every 1h: waves 1 x 1h, tracers 4 x 15min'
    """

    interval: timedelta
    entries: tuple[Turn, ...]

    def __post_init__(self) -> None:
        named = [turn.member for turn in self.entries if isinstance(turn, ScheduleLine)]
        passed: dict[str, timedelta] = {}
        for turn in in_turn(self.entries):
            if isinstance(turn, Giving):
                continue
            if named.count(turn.member) > 1:
                raise UserError(
                    f"The schedule names the member '{turn.member}' twice. Name every member once."
                )
            if turn.steps < 1:
                raise UserError(
                    f"The schedule never advances the member '{turn.member}': its step of"
                    f" {duration_text(turn.step)} is longer than the interval of"
                    f" {duration_text(self.interval)}. Take a longer interval (schedule.interval)"
                    " or a shorter step."
                )
            so_far = passed.get(turn.member, timedelta(0))
            passed[turn.member] = so_far + turn.steps * turn.step
        for turn in in_turn(self.entries):
            if isinstance(turn, ScheduleLine) and passed[turn.member] != self.interval:
                raise UserError(
                    f"The schedule's interval of {duration_text(self.interval)} is no whole number"
                    f" of steps of the member '{turn.member}' ({duration_text(turn.step)}). Take"
                    " a multiple of it (schedule.interval), or another step."
                )

    def text(self) -> str:
        """The whole schedule in one line."""
        entries = ", ".join(entry.text() for entry in self.entries)
        return f"every {duration_text(self.interval)}: {entries}"

    def lines(self) -> Iterator[str]:
        """The schedule as a list, a line for each entry."""
        yield f"every {duration_text(self.interval)}"
        yield from _numbered(self.entries, "  ")


@dataclass(frozen=True)
class ExchangeEnds:
    """An exchange as the schedule sees it.

    Where the source steps before the target it takes place between their turns, else, and where
    it is `lagged`, at the end of the interval. It does so `every` so much time, where that is more
    than the schedule's `interval`.
    """

    exchange: str
    source: str
    target: str
    lagged: bool = False
    every: timedelta = timedelta(0)
    interval: timedelta = timedelta(0)

    @property
    def giving(self) -> Giving:
        """Its line."""
        seldom = self.every if self.every > self.interval else timedelta(0)
        return Giving(self.exchange, self.source, self.target, seldom)


@dataclass(frozen=True)
class Nested:
    """A member inside of another one: it steps through each step of that one.

    Before its steps come the exchanges that give it its sides, after them those that give back.
    """

    member: str
    inside: str


def make_schedule(
    steps: Mapping[str, timedelta],
    options: ScheduleOptions | None = None,
    links: Sequence[ExchangeEnds] = (),
    nested: Sequence[Nested] = (),
) -> Schedule:
    """The schedule of members with these time steps, in the order that the options ask for.

    Members that are nested in another one have their turns within its steps.
    """
    options = options or ScheduleOptions()
    inner = {some.member for some in nested}
    outer = {name: step for name, step in steps.items() if name not in inner}
    order = options.order or list(outer)
    _refuse_wrong_order(order, outer)
    interval = interval_of(steps, options)
    within = {(some.inside, some.member) for some in nested}
    free = [
        link
        for link in links
        if not {(link.source, link.target), (link.target, link.source)} & within
    ]
    entries: list[Turn] = []
    done: set[str] = set()
    for name in order:
        here = {name} | _all_inside(name, nested)
        entries += [
            link.giving
            for link in free
            if link.target in here and link.source in done and not link.lagged
        ]
        entries += _turns_of(name, interval, steps, links, nested)
        done |= here
    given = [turn.exchange for turn in entries if isinstance(turn, Giving)]
    entries += [link.giving for link in free if link.exchange not in given]
    return Schedule(interval, tuple(entries))


def interval_of(steps: Mapping[str, timedelta], options: ScheduleOptions) -> timedelta:
    """The time after which all members are at one moment."""
    if options.interval == "":
        return _common(steps.values())
    interval = duration(options.interval)
    if interval <= timedelta(0):
        raise UserError(
            f"schedule.interval = {options.interval!r} is no positive time. Give one, as '1h'."
        )
    return interval


def _turns_of(
    name: str,
    length: timedelta,
    steps: Mapping[str, timedelta],
    links: Sequence[ExchangeEnds],
    nested: Sequence[Nested],
) -> list[Turn]:
    """The turns of a member, and of those inside of it, through a length of time."""
    step, count = steps[name], length // steps[name]
    inside = [some.member for some in nested if some.inside == name]
    if not inside:
        return [ScheduleLine(name, count, step)]
    turns: list[Turn] = [ScheduleLine(name, 1, step)]
    for some in inside:
        turns += [link.giving for link in links if (link.source, link.target) == (name, some)]
        turns += _turns_of(some, step, steps, links, nested)
        turns += [link.giving for link in links if (link.source, link.target) == (some, name)]
    return turns if count == 1 else [Repeated(count, tuple(turns))]


def _all_inside(name: str, nested: Sequence[Nested]) -> set[str]:
    """Members inside of one, and those inside of these."""
    inner = {some.member for some in nested if some.inside == name}
    return inner.union(*(_all_inside(some, nested) for some in inner))


def _common(steps: Collection[timedelta]) -> timedelta:
    """The shortest time that is a whole number of each of the steps.

    >>> _common([timedelta(minutes=20), timedelta(minutes=30)])
    datetime.timedelta(seconds=3600)
    """
    unit = timedelta(microseconds=1)
    found = math.lcm(*(step // unit for step in steps))
    if found > timedelta.max // unit:
        words = ", ".join(duration_text(step) for step in steps)
        raise UserError(
            f"Members with steps of {words} are never again at the same moment. Take steps with a"
            " common multiple."
        )
    return found * unit


def _refuse_wrong_order(order: Sequence[str], known: Mapping[str, timedelta]) -> None:
    for name in order:
        if name not in known:
            raise UserError(
                f"schedule.order names '{name}', which is no member of this run."
                f"{nearest(name, known)} Members: {', '.join(known)}."
            )
    for name in known:
        if name not in order:
            raise UserError(
                f"The schedule never advances the member '{name}': schedule.order does not name"
                " it. Name every member there, or leave schedule.order out."
            )
