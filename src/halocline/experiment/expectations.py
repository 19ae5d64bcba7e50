"""What a run is expected to take: time to compute, bytes to write; rough rules."""

from __future__ import annotations

import numpy as np

from halocline.component.case.case import Case
from halocline.core.clock import Alarm, Clock, duration
from halocline.grids.horizontal.grid import Grid


def work(case: Case, grid: Grid, clock: Clock) -> float:
    """Expected time of the whole run on one core, without output [s]."""
    return case.cost * case.state_values(grid) * clock.steps


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
