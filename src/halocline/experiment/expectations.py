"""What a run is expected to take: time to compute, bytes to write; rough rules."""

from __future__ import annotations

import numpy as np

from halocline.component.case.case import Case
from halocline.component.streams.interval_values import IntervalOptions
from halocline.core.clock import Alarm, Clock, duration
from halocline.grids.horizontal.grid import Grid

to_start = 0.7
"""From the command to the first step, and from the last one to the end [s]: Python and packages.

Runs of a few steps took 0.65 to 0.95 s on a core of an AMD EPYC of 2025 that others used too.
"""

of_a_sample, of_a_record = 2e-4, 1.5e-3
"""What a value of a mean and a record take however few cells there are [s]; the same machine."""


def work(case: Case, grid: Grid, clock: Clock) -> float:
    """Expected time of the whole run on one core, without output [s]."""
    return case.cost * case.state_values(grid) * clock.steps


def showing(case: Case, clock: Clock) -> float:
    """Expected time of the output on however small a grid [s]; ranks do not share it."""
    found = 0.0
    for _, stream in case.output.streams():
        found += of_a_record * stream.records(clock)
        if isinstance(stream, IntervalOptions) and stream.cumulative:
            found += of_a_sample * stream.samples(clock).count(clock.time, clock.end)
    return found


def restart_bytes(case: Case, grid: Grid, clock: Clock) -> int:
    """Bytes of all restart files of a run that reaches its end: the state of its component."""
    options, count = case.restart, int(case.restart.at_end)
    if options.interval != "":
        alarm = Alarm(clock.start, duration(options.interval))
        count = alarm.count(clock.start, clock.end) - 1
        count += options.at_end and not alarm.rings(clock.end)
    return count * state_bytes(case, grid)


def state_bytes(case: Case, grid: Grid) -> int:
    """Bytes of the state of a component, on all ranks."""
    return case.state_values(grid) * np.dtype(case.precision).itemsize
