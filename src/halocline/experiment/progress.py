"""What the user sees while a run goes on: model time, speed, time left."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from halocline.core.clock import Date, text

if TYPE_CHECKING:
    from rich.progress import Progress as Bar


def speed_words(days_per_day: float) -> str:
    """Simulated days per day in a few letters.

    >>> speed_words(12345.0), speed_words(8.25)
    ('12,345 simulated days per day', '8.2 simulated days per day')
    """
    number = f"{days_per_day:,.0f}" if days_per_day >= 100 else f"{days_per_day:.1f}"
    return f"{number} simulated days per day"


def time_words(seconds: float) -> str:
    """A time of waiting in a few letters.

    >>> time_words(75), time_words(7300), time_words(4)
    ('1 min 15 s', '2 h 01 min', '4 s')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


class ProgressBar:
    """A bar on a terminal, a line now and then elsewhere, on standard error, where `show` asks."""

    line_interval = 15.0
    """Time between lines where there is no terminal [s]."""

    def __init__(self, *, show: bool = True) -> None:
        self.show = show
        self.began = self.last_line = time.monotonic()
        self.bar: Bar | None = None
        if show and sys.stderr.isatty():
            self.bar = _bar()
            self.task = self.bar.add_task("", total=1.0, left="")

    def __enter__(self) -> Self:
        if self.bar:
            self.bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.bar:
            self.bar.stop()

    def tell(self, where: str, share: float, left: str) -> None:
        """Say where one is, the part of the whole that is done, and what is left."""
        if self.bar:
            self.bar.update(self.task, completed=share, description=where, left=left)
        elif self.show and time.monotonic() - self.last_line > self.line_interval:
            self.last_line = time.monotonic()
            print(f"{where}  {share:4.0%}  {left}", file=sys.stderr, flush=True)


def _bar() -> Bar:
    """A bar; what draws it is loaded where there is a terminal only."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %  {task.fields[left]}"),
        console=Console(stderr=True),
    )


class Progress(ProgressBar):
    """How far a run is in model time.

    >>> from halocline.core.clock import date
    >>> with Progress(date("2000-01-01"), date("2000-01-02"), show=False) as progress:
    ...     progress.update(date("2000-01-01 12"))
    >>> progress.share
    0.5
    """

    def __init__(self, start: Date, end: Date, *, first: Date | None = None, show: bool) -> None:
        """The run goes from `start` to `end`; this part of it begins at `first`."""
        super().__init__(show=show)
        self.start, self.end, self.first = start, end, first or start
        self.now = self.first

    def update(self, now: Date) -> None:
        """The model has reached `now`."""
        self.now = now
        self.tell(text(now), self.share, self.pace())

    @property
    def share(self) -> float:
        """Part of the run that is done."""
        length = (self.end - self.start).total_seconds()
        return (self.now - self.start).total_seconds() / length if length else 1.0

    @property
    def elapsed(self) -> float:
        """Wall time since the beginning [s]."""
        return time.monotonic() - self.began

    @property
    def days_per_day(self) -> float:
        """Simulated time over wall time."""
        return (self.now - self.first).total_seconds() / max(self.elapsed, 1e-9)

    def pace(self) -> str:
        """Speed and time left."""
        if self.now <= self.first:
            return ""
        left = (self.end - self.now).total_seconds() / self.days_per_day
        return f"{speed_words(self.days_per_day)}, {time_words(left)} left"
