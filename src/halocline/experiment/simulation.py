"""The time loop: step the component, feed the output streams, stop cleanly when asked."""

from __future__ import annotations

import time as wall
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from halocline.component.component import Component
from halocline.component.streams.stream import OutputStream
from halocline.core.clock import Clock, Date
from halocline.experiment.stopping import Stopping


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
    """One run of a component from the clock's time to its end."""

    def __init__(
        self,
        component: Component,
        clock: Clock,
        streams: Sequence[OutputStream],
        stopping: Stopping,
        *,
        restarted: bool = False,
        after_step: Callable[[Date], None] | None = None,
    ) -> None:
        self.component, self.clock, self.streams = component, clock, streams
        self.stopping, self.restarted, self.after_step = stopping, restarted, after_step

    def run(self) -> Outcome:
        """Step to the end, or until a signal or the wall time asks to stop."""
        recorder = self.component.run.recorder
        first, steps, stopped_by = self.clock.time, 0, ""
        begin = wall.perf_counter()
        self.component.start(self.clock.time, self.restarted)
        if not self.restarted:
            self._output()
        with self.stopping.listening():
            while not self.clock.finished:
                with recorder.step():
                    self.component.step(self.clock.time)
                self.clock.advance()
                steps += 1
                self._output()
                if self.after_step:
                    self.after_step(self.clock.time)
                stopped_by = self.stopping.asked()
                if stopped_by:
                    break
        for stream in self.streams:
            stream.close()
        return Outcome(
            time=self.clock.time,
            steps=steps,
            seconds=wall.perf_counter() - begin,
            output_seconds=recorder.seconds("output"),
            stopped_by=stopped_by if not self.clock.finished else "",
            model_time=self.clock.time - first,
        )

    def _output(self) -> None:
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
