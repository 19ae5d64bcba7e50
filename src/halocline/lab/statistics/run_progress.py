"""How far a series of runs is, and how long it will still take."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from halocline.experiment.progress import time_words

line_interval = 15.0
"""Time between lines where there is no terminal [s]."""


class RunProgress:
    """A bar on a terminal, a line now and then elsewhere, both on standard error.

    `weights` are the expected costs of the runs of a round, in any unit; they make the time left
    right though runs of few ranks take longer than those of many.
    """

    def __init__(self, rounds: int, weights: dict[str, float]) -> None:
        self.rounds, self.weights = rounds, dict(weights)
        self.seconds: dict[str, list[float]] = {name: [] for name in weights}
        self.began = self.last_line = time.monotonic()
        console = Console(stderr=True)
        self.bar: Progress | None = None
        if console.is_terminal:
            self.bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f} %  {task.fields[left]}"),
                console=console,
            )
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

    def done(self, name: str, seconds: float) -> None:
        """One run of this name took so long in all [s]."""
        self.seconds[name].append(seconds)
        count, total = self.count, self.rounds * len(self.weights)
        words = f"{time_words(self.left)} left" if count < total else "done"
        if self.bar:
            line = f"run {count} of {total}, {name}"
            self.bar.update(self.task, completed=self.share, description=line, left=words)
        elif time.monotonic() - self.last_line > line_interval:
            self.last_line = time.monotonic()
            print(f"run {count} of {total}, {name}: {words}", file=sys.stderr, flush=True)

    @property
    def count(self) -> int:
        """Runs done."""
        return sum(map(len, self.seconds.values()))

    @property
    def spent(self) -> float:
        """Seconds of the runs done."""
        return sum(map(sum, self.seconds.values()))

    @property
    def left(self) -> float:
        """Expected seconds of the runs that are left."""
        done = {name: times for name, times in self.seconds.items() if times}
        known = sum(self.weights[name] for name in done)
        each = {name: sum(times) / len(times) for name, times in done.items()}
        pace = sum(each.values()) / known if known else 0.0
        return sum(
            (self.rounds - len(self.seconds[name])) * each.get(name, pace * weight)
            for name, weight in self.weights.items()
        )

    @property
    def share(self) -> float:
        """Part of the whole time that is over."""
        return self.spent / max(self.spent + self.left, 1e-9)
