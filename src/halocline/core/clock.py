"""Model time: calendars, durations, dates, the clock and its alarms."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeAlias

import cftime

from halocline.core.errors import UserError, nearest

calendars = (
    "standard",
    "proleptic_gregorian",
    "julian",
    "noleap",
    "all_leap",
    "360_day",
)
"""Calendars of CF that a case may choose."""

_aliases = {"gregorian": "standard", "365_day": "noleap", "366_day": "all_leap"}
_real = ("standard", "proleptic_gregorian")
first_year, last_year = 1, 9999
_longest = timedelta(days=366 * last_year)
_seconds = {"s": 1, "min": 60, "h": 3600, "d": 86400, "w": 604800}

Date: TypeAlias = cftime.datetime


def duration(value: str | float | timedelta) -> timedelta:
    """A length of time from "6h", "1d", "3600s", "1d 12h", a number of seconds.

    >>> duration("1d 6h")
    datetime.timedelta(days=1, seconds=21600)
    """
    if isinstance(value, timedelta):
        return value
    if not isinstance(value, str):
        return _length(value, value)
    parts = re.findall(r"(-?\d+(?:\.\d+)?)\s*([a-z]+)", value)
    pattern = r"\s*(-?\d+(\.\d+)?\s*(s|min|h|d|w)\s*)+"
    if not parts or not re.fullmatch(pattern, value):
        raise UserError(
            f"Cannot read the duration '{value}'. Write a number and a unit of:"
            f" {', '.join(_seconds)}; for example '6h' or '1d 12h'."
        )
    return _length(sum(float(number) * _seconds[unit] for number, unit in parts), value)


def _length(seconds: float, given: str | float) -> timedelta:
    if not abs(seconds) <= _longest.total_seconds():
        words = str(given)[:40]
        raise UserError(f"The duration '{words}' is beyond the {last_year} years that can be told.")
    return timedelta(seconds=seconds)


def later(time: Date, length: timedelta) -> Date:
    """The date some time after another.

    >>> later(date("2011-01-15"), duration("1d")).isoformat()
    '2011-01-16T00:00:00'
    """
    try:
        result = time + length
    except (OverflowError, ValueError):
        result = None
    if result is None or not first_year <= result.year <= last_year:
        raise UserError(
            f"{duration_text(length)} after {text(time)} lies outside of the years {first_year} to"
            f" {last_year}."
        )
    return result


def duration_text(length: timedelta) -> str:
    """A duration as a case file has it.

    >>> duration_text(timedelta(hours=30))
    '1d 6h'
    """
    rest, words = length.total_seconds(), []
    sign, rest = ("-", -rest) if rest < 0 else ("", rest)
    for unit in ("d", "h", "min"):
        count, rest = divmod(rest, _seconds[unit])
        if count:
            words.append(f"{sign}{int(count)}{unit}")
    if rest or not words:
        words.append(f"{sign}{rest:g}s")
    return " ".join(words)


def known_calendar(name: str) -> str:
    """The CF name of a calendar, aliases resolved."""
    name = _aliases.get(name.lower(), name.lower())
    if name not in calendars:
        raise UserError(
            f"Unknown calendar '{name}'.{nearest(name, calendars)} Known: {', '.join(calendars)}."
        )
    return name


def date(value: str | datetime | Date, calendar: str = "standard") -> Date:
    """A date in a calendar, from ISO 8601 text such as "2011-01-15T12:00" or "2011-01-15 12".

    >>> date("2011-01-15 12").isoformat()
    '2011-01-15T12:00:00'
    >>> date("2011-02-30", "360_day").isoformat()
    '2011-02-30T00:00:00'
    """
    calendar = known_calendar(calendar)
    if isinstance(value, cftime.datetime):
        return in_calendar(value, calendar)
    if isinstance(value, datetime):
        value = value.isoformat()
    digits = re.fullmatch(
        r"\s*(\d{1,4})-(\d\d?)-(\d\d?)"
        r"(?:[T ](\d\d?)(?::?(\d\d)(?::?(\d\d)(?:\.(\d{1,6}))?)?)?)?\s*(?:Z|UTC)?\s*",
        str(value),
    )
    if digits is None:
        raise UserError(
            f"Cannot read the date '{value}'. Write it as YYYY-MM-DD or YYYY-MM-DDThh:mm:ss (UTC)."
        )
    *whole, fraction = digits.groups()
    numbers = [int(number or 0) for number in whole]
    try:
        if numbers[0] < first_year:
            raise ValueError
        return Date(*numbers, int((fraction or "0").ljust(6, "0")), calendar=calendar)
    except ValueError:
        raise UserError(f"There is no date '{value}' in the calendar '{calendar}'.") from None


def in_calendar(time: Date, calendar: str) -> Date:
    """The same year, month, day and time of day in another calendar."""
    if known_calendar(time.calendar) == calendar:
        return time if time.calendar == calendar else _retag(time, calendar)
    try:
        return _retag(time, calendar)
    except ValueError:
        raise UserError(
            f"The date {time.isoformat()} of the calendar '{time.calendar}' does not exist in the"
            f" calendar '{calendar}'. Use the calendar of the file (option 'calendar')."
        ) from None


def _retag(time: Date, calendar: str) -> Date:
    fields = (time.year, time.month, time.day, time.hour, time.minute, time.second)
    return Date(*fields, time.microsecond, calendar=calendar)


def time_units(calendar: str) -> tuple[str, str]:
    """Units and calendar of a time axis in a file."""
    return "seconds since 1970-01-01 00:00:00", calendar


def to_number(time: Date) -> float:
    """Seconds since 1970-01-01 in the calendar of `time`."""
    units, calendar = time_units(time.calendar)
    return float(cftime.date2num(time, units, calendar))


def from_number(seconds: float, calendar: str) -> Date:
    """The date at a number of seconds since 1970-01-01."""
    units, calendar = time_units(calendar)
    time: Any = cftime.num2date(seconds, units, calendar, only_use_cftime_datetimes=True)
    return Date(*time.timetuple()[:6], time.microsecond, calendar=calendar)


def day_of_year(time: Date) -> float:
    """Days since the year began.

    >>> day_of_year(date("2011-02-01 12"))
    31.5
    """
    return time.dayofyr - 1 + (3600 * time.hour + 60 * time.minute + time.second) / 86400.0


def text(time: Date) -> str:
    """A date for people: 2011-01-15 12:00, with seconds where there are some."""
    return time.strftime("%Y-%m-%d %H:%M:%S" if time.second else "%Y-%m-%d %H:%M")


@dataclass(frozen=True)
class Alarm:
    """Rings at `start`, `start + interval`, ... up to `end` (without end where None).

    It has no memory, so a restarted run rings at the same times.
    """

    start: Date
    interval: timedelta
    end: Date | None = None

    def __post_init__(self) -> None:
        if self.interval <= timedelta(0):
            raise UserError(f"An interval must be positive, got {duration_text(self.interval)}.")

    def rings(self, time: Date) -> bool:
        """Whether the alarm rings at `time`.

        >>> alarm = Alarm(date("2011-01-15"), duration("6h"))
        >>> alarm.rings(date("2011-01-15 12")), alarm.rings(date("2011-01-15 13"))
        (True, False)
        """
        if time < self.start or (self.end is not None and time > self.end):
            return False
        return (time - self.start) % self.interval == timedelta(0)

    def count(self, first: Date, last: Date) -> int:
        """How often the alarm rings from `first` to `last`, both included."""
        first = max(first, self.start)
        last = last if self.end is None else min(last, self.end)
        if last < first:
            return 0
        before = -((self.start - first) // self.interval)
        return max(0, (last - self.start) // self.interval - before + 1)


class Clock:
    """Model time, counted in whole steps from the start.

    >>> clock = Clock(date("2011-01-15 12"), date("2011-01-16 12"), duration("1h"))
    >>> clock.advance(); text(clock.time), clock.seconds, clock.steps, clock.finished
    ('2011-01-15 13:00', 3600.0, 24, False)
    """

    def __init__(self, start: Date, end: Date, step: timedelta) -> None:
        if step <= timedelta(0):
            raise UserError(f"The time step must be positive, got {duration_text(step)}.")
        if end < start:
            raise UserError(f"The run ends ({text(end)}) before it starts ({text(start)}).")
        if (end - start) % step != timedelta(0):
            raise UserError(
                f"The run from {text(start)} to {text(end)} lasts {duration_text(end - start)},"
                f" which is no whole number of steps of {duration_text(step)}. Change the end or"
                " the step."
            )
        self.start, self.end, self.step = start, end, step
        self.step_number = 0

    @property
    def time(self) -> Date:
        return self.start + self.step_number * self.step

    @property
    def seconds(self) -> float:
        """Model time since the start [s]."""
        return (self.step_number * self.step).total_seconds()

    @property
    def steps(self) -> int:
        """Number of steps from start to end."""
        return (self.end - self.start) // self.step

    @property
    def finished(self) -> bool:
        return self.step_number >= self.steps

    @property
    def calendar(self) -> str:
        return str(self.start.calendar)

    def advance(self) -> None:
        """Go on by one step."""
        self.step_number += 1

    def set(self, time: Date) -> None:
        """Continue at `time`, which lies a whole number of steps after the start."""
        number, rest = divmod(time - self.start, self.step)
        if rest or not 0 <= number <= self.steps:
            raise UserError(
                f"Cannot continue at {text(time)}: the run has steps of"
                f" {duration_text(self.step)} from {text(self.start)} to {text(self.end)}."
            )
        self.step_number = number


def is_due(elapsed: float, dt: float, interval: float) -> bool:
    """Whether a step that begins at `elapsed` is the first one in an interval [s].

    >>> [is_due(elapsed, 200.0, 600.0) for elapsed in (0.0, 200.0, 400.0, 600.0)]
    [True, False, False, True]
    >>> is_due(200.0, 200.0, 0.0)
    True
    """
    if interval <= dt:
        return True
    first = round(elapsed / dt)
    return int(first * dt / interval + 1e-9) != int((first - 1) * dt / interval + 1e-9) or not first
