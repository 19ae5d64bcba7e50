"""One timed run of `halocline lab scale`, on the ranks that run this.

`python -m halocline_lab.scaling.scale_run SETTINGS.json ANSWER`, under a launcher of MPI if need
be. The
case runs as `halocline run` runs it, without output; the time is that of its steps, so starting the
ranks, reading and preparing do not count (W-08), nor do first steps that are to be
skipped, which may prepare too. Its phases are those of its record.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.runtime.ranks.communicator import Communicator, world
from halocline.runtime.record.run_record import RunRecord
from halocline_lab.benchmarks.rank_programs import give_answer
from halocline_lab.scaling.phase_files import phases_of_record

if TYPE_CHECKING:
    from halocline.experiment.run import Result


def measure(settings: dict[str, Any]) -> dict[str, Any]:
    """Run the case; seconds of the slowest rank in steps, and phases.

    Of phases in steps the mean over ranks [s], by name, in all steps together. With "record" the
    record is written there. Of "skip" steps at the beginning the time is told apart, as "first".
    """
    communicator = world()
    if settings["processors"]:
        os.sched_setaffinity(0, settings["processors"][communicator.rank])
    from halocline.experiment.run import run

    result = run(settings["case"], settings=settings["settings"])
    own = np.array([result.component.run.recorder.seconds("step")])
    seconds = float(communicator.maximum(own)[0])
    steps, skip = result.outcome.steps, settings.get("skip", 0)
    counted = {"seconds": seconds, "steps": steps - skip, "first": 0.0}
    found: dict[str, Any] = {**counted, "ranks": communicator.size, "phases": {}}
    record = _record(result, communicator, settings.get("record", ""))
    if record is None:
        return found
    if skip:
        found["seconds"], found["first"] = seconds_after(record, skip)
    phases = [time for time in phases_of_record(record) if time.per == "step"]
    return {**found, "phases": {time.phase: time.seconds * (steps - skip) for time in phases}}


def seconds_after(record: RunRecord, skip: int) -> tuple[float, float]:
    """Time of the slowest rank in steps after `skip` of them, and in those [s].

    A row of several steps on both sides is shared out by their numbers.
    """
    steps = record.steps
    after = np.clip((steps["step"] + steps["count"] - skip) / steps["count"], 0.0, 1.0)
    ranks = steps["rank"]
    late = np.bincount(ranks, steps["seconds"] * after)
    return float(late.max()), float(np.bincount(ranks, steps["seconds"] * (1.0 - after)).max())


def _record(result: Result, communicator: Communicator, path: str) -> RunRecord | None:
    """The record of the run, on rank 0; it is written if there is a path."""
    from halocline.runtime.record.run_record_file import write_record
    from halocline_lab.benchmarks.run_records import record_of

    record = record_of(result, communicator, "halocline lab scale")
    if path and record is not None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        write_record(path, record)
    return record


if __name__ == "__main__":
    give_answer(measure)
