"""The record of a run that wrote nothing, and the times of its steps after the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.record.run_record import RunRecord
from halocline_lab.diagnosis.timeline import Timeline, sums, timeline

if TYPE_CHECKING:
    from halocline.experiment.run import Result


def record_of(result: Result, communicator: Communicator, program: str) -> RunRecord | None:
    """The record of a run of one component, on rank 0; a call for all ranks, once."""
    from halocline.experiment.run_recording import gather_record, threads_per_rank

    outcome, cut = result.outcome, result.component.run.decomposition
    about = {
        "program": program,
        "ranks": communicator.size,
        "threads": threads_per_rank(),
        "cut": cut.describe(),
        "points": cut.sea_points,
        "steps": outcome.steps,
        "simulated_seconds": outcome.model_time.total_seconds(),
        "loop_seconds": outcome.seconds,
        "output_seconds": 0.0,
    }
    everyone = list(range(communicator.size))
    return gather_record(result.component.run.recorder, communicator, everyone, [], about)


def step_seconds(record: RunRecord) -> float:
    """Median time of the steps after the first [s], of the rank that takes longest."""
    lines = timeline(record)
    times = []
    for rank in range(record.size):
        steps = _steps(lines, rank)
        times.append(np.median(lines.events["end"][steps] - lines.events["begin"][steps]) / 1e9)
    return float(max(times))


def kernel_seconds(record: RunRecord) -> dict[str, float]:
    """Time of each kernel in a step [s]: the least of the steps after the first, ranks' mean."""
    lines = timeline(record)
    found: dict[str, float] = {}
    for number, region in enumerate(record.regions):
        called = lines.is_kind("kernel") & (lines.events["region"] == number)
        if called.any():
            each = [_least(lines, rank, called) for rank in range(record.size)]
            found[region.name] = float(np.mean(each))
    return {name: seconds for name, seconds in found.items() if seconds > 0.0}


def _least(lines: Timeline, rank: int, called: np.ndarray) -> float:
    """Least time of some events of a rank in a step after the first [s]."""
    begins, ends = lines.events["begin"], lines.events["end"]
    steps = _steps(lines, rank)
    rows = np.flatnonzero(called & (lines.events["rank"] == rank))
    at = np.searchsorted(begins[steps], begins[rows], side="right") - 1
    inside = (at >= 0) & (begins[rows] < ends[steps][at])
    seconds = (ends[rows] - begins[rows]) / 1e9
    return float(sums(at[inside], seconds[inside], len(steps)).min())


def _steps(lines: Timeline, rank: int) -> np.ndarray:
    """The steps of a rank as places of events; without the first, if there are more."""
    names = np.array([region.name for region in lines.regions])[lines.events["region"]]
    of_rank = lines.is_kind("phase") & (names == "step") & (lines.events["rank"] == rank)
    steps = np.flatnonzero(of_rank)
    return steps[1:] if len(steps) > 1 else steps
