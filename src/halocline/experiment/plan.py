"""The kernels and exchanges of one step, in order, without computing anything."""

from __future__ import annotations

from halocline.component.case.case import Case
from halocline.experiment.check import Imagined
from halocline.experiment.run import build_component
from halocline.runtime.running.runner import Plan


def plan(case: Case, ranks: int) -> str:
    """The first step of `case` on `ranks` ranks, a line for each kernel and exchange."""
    clock, lines = case.time.clock(), Plan()
    component = build_component(case, clock, Imagined(ranks), plan=lines)
    component.start(clock.time, restarted=False)
    heading = f"one step on {ranks} ranks ({component.run.decomposition.describe()})"
    lines.lines.clear()
    component.step(clock.time)
    component.close()
    return "\n".join([heading, *lines.lines])
