"""The time loop of one component: step it, feed the output streams."""

from __future__ import annotations

import time as wall
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from halocline.component.component import Component
from halocline.component.outside import ComputedOutside
from halocline.component.streams.stream import OutputStream
from halocline.core.clock import Clock, Date


@dataclass
class Outcome:
    """How a run ended."""

    time: Date
    steps: int
    seconds: float  # wall time of the loop
    output_seconds: float  # of it, in output
    stopped_by: str  # empty when the run reached its end
    model_time: timedelta = timedelta()

    @property
    def days_per_day(self) -> float:
        """Simulated days per day of wall time."""
        return self.model_time.total_seconds() / max(self.seconds, 1e-9)


class Simulation:
    """The steps of one component from the clock's time to its end, and its output."""

    def __init__(
        self,
        component: Component,
        clock: Clock,
        streams: Sequence[OutputStream],
        *,
        restarted: bool = False,
        after_step: Callable[[], None] = lambda: None,
    ) -> None:
        self.component, self.clock, self.streams = component, clock, streams
        self.restarted, self.after_step = restarted, after_step
        self.first, self.steps, self.began = clock.time, 0, wall.perf_counter()

    def begin(self) -> None:
        """Get ready for the first step."""
        self.first, self.began = self.clock.time, wall.perf_counter()
        self.component.start(self.clock.time, self.restarted)

    def sleep(self, steps: int) -> None:
        """Let the time of some steps pass."""
        for _ in range(min(steps, self.clock.steps - self.clock.step_number)):
            self.clock.advance()

    def advance(self, steps: int) -> Iterator[ComputedOutside]:
        """Some steps, or fewer where the run ends before; a pause in each computed outside."""
        for _ in range(min(steps, self.clock.steps - self.clock.step_number)):
            with self.component.run.recorder.step():
                if isinstance(self.component, ComputedOutside):
                    yield self.component
                self.component.step(self.clock.time)
            self.clock.advance()
            self.steps += 1
            self.show()
            self.after_step()

    def end(self, stopped_by: str) -> Outcome:
        """Close the files; how the run went."""
        for stream in self.streams:
            stream.close()
        return Outcome(
            time=self.clock.time,
            steps=self.steps,
            seconds=wall.perf_counter() - self.began,
            output_seconds=self.component.run.recorder.seconds("output"),
            stopped_by=stopped_by if not self.clock.finished else "",
            model_time=self.clock.time - self.first,
        )

    def show(self) -> None:
        """Write a record of every stream that is due; shared diagnostics are computed once."""
        due = [stream for stream in self.streams if stream.due(self.clock.time)]
        if not due:
            return
        recorder = self.component.run.recorder
        with recorder.time("output", "output"):
            names = sorted({name for stream in due for name in stream.names})
            with recorder.time("output: diagnostics"):
                fields = self.component.diagnose(names, self.clock.time)
            for stream in due:
                stream.write(self.clock.time, fields)
