"""When a run starts and ends, and its step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from halocline.core.clock import Clock, Date, date, duration, later
from halocline.core.errors import UserError
from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class TimeOptions(Options):
    """When the run starts and ends, and its step."""

    start: str = option("2000-01-01T00:00:00", "", "date of the start, UTC")
    end: str = option("", "", "date of the end, UTC; or give the length")
    length: str | float = option("", "s", "length of the run, as '5d' or a number of seconds")
    calendar: str = option("standard", "", "calendar of CF")
    step: str | float = option("1h", "s", "global time step, as '1h' or a number of seconds")

    def clock(self) -> Clock:
        """The clock of this run, at its start."""
        if (self.end == "") == (self.length == ""):
            raise UserError("[time] needs either 'end' or 'length'. Give one of the two.")
        with _named("start"):
            start = date(self.start, self.calendar)
        with _named("end" if self.end else "length"):
            end: Date = (
                date(self.end, self.calendar) if self.end else later(start, duration(self.length))
            )
        with _named("step"):
            step = duration(self.step)
        return Clock(start, end, step)


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Name the option of [time] in a message on its value."""
    try:
        yield
    except UserError as error:
        raise UserError(f"time.{name}: {error}") from None
