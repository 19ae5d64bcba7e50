"""Who steps when: the members of a run and their steps within one interval, as a list.

After each interval all members are at the same moment: there they are written, asked to stop, and
exchange what they exchange.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
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


@dataclass(frozen=True)
class ScheduleLine:
    """One line of a schedule: a member and its steps in one interval."""

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
class Schedule:
    """The entries of one interval, in order; every member has one.

    >>> schedule = make_schedule({"waves": duration("1h"), "tracers": duration("15min")})
    >>> schedule.text()
    'every 1h: waves 1 x 1h, tracers 4 x 15min'
    """

    interval: timedelta
    entries: tuple[ScheduleLine, ...]

    def __post_init__(self) -> None:
        names = [entry.member for entry in self.entries]
        for entry in self.entries:
            if names.count(entry.member) > 1:
                raise UserError(
                    f"The schedule names the member '{entry.member}' twice. Name every member once."
                )
            if entry.steps < 1:
                raise UserError(
                    f"The schedule never advances the member '{entry.member}': its step of"
                    f" {duration_text(entry.step)} is longer than the interval of"
                    f" {duration_text(self.interval)}. Take a longer interval (schedule.interval)"
                    " or a shorter step."
                )
            if entry.steps * entry.step != self.interval:
                raise UserError(
                    f"The schedule's interval of {duration_text(self.interval)} is no whole number"
                    f" of steps of the member '{entry.member}' ({duration_text(entry.step)}). Take"
                    " a multiple of it (schedule.interval), or another step."
                )

    def text(self) -> str:
        """The whole schedule in one line."""
        entries = ", ".join(entry.text() for entry in self.entries)
        return f"every {duration_text(self.interval)}: {entries}"

    def lines(self) -> Iterator[str]:
        """The schedule as a list, a line for each entry."""
        yield f"every {duration_text(self.interval)}"
        for number, entry in enumerate(self.entries, 1):
            yield f"  {number}. {entry.text()}"


def make_schedule(
    steps: Mapping[str, timedelta], options: ScheduleOptions | None = None
) -> Schedule:
    """The schedule of members with these time steps, in the order that the options ask for."""
    options = options or ScheduleOptions()
    order = options.order or list(steps)
    _refuse_wrong_order(order, steps)
    interval = _common(steps.values())
    if options.interval != "":
        interval = duration(options.interval)
        if interval <= timedelta(0):
            raise UserError(
                f"schedule.interval = {options.interval!r} is no positive time. Give one, as '1h'."
            )
    return Schedule(
        interval, tuple(ScheduleLine(name, interval // steps[name], steps[name]) for name in order)
    )


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
