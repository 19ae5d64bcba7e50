"""One timed run of `halocline lab scale`, on the ranks that run this.

`python -m halocline_lab.scaling.scale_run SETTINGS.json ANSWER`, under a launcher of MPI if need
be. The
case runs as `halocline run` runs it, without output; the time is that of its steps, so starting the
ranks, reading and preparing do not count (W-08). Its phases are those of its record.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.runtime.ranks.communicator import Communicator, world
from halocline_lab.benchmarks.rank_programs import give_answer

if TYPE_CHECKING:
    from halocline.experiment.run import Result


def measure(settings: dict[str, Any]) -> dict[str, Any]:
    """Run the case; seconds of the slowest rank in steps, and phases.

    Of phases in steps the mean over ranks [s], by name, in all steps together. With "record" the
    record is written there.
    """
    communicator = world()
    if settings["processors"]:
        os.sched_setaffinity(0, settings["processors"][communicator.rank])
    from halocline.experiment.run import run

    result = run(settings["case"], settings=settings["settings"])
    own = np.array([result.component.run.recorder.seconds("step")])
    seconds = float(communicator.maximum(own)[0])
    phases = _phases(result, communicator, settings.get("record", ""))
    steps = result.outcome.steps
    return {"seconds": seconds, "steps": steps, "phases": phases, "ranks": communicator.size}


def _phases(result: Result, communicator: Communicator, path: str) -> dict[str, float]:
    """Seconds of phases in all steps, on rank 0; its record is written if there is a path."""
    from halocline.runtime.record.run_record_file import write_record
    from halocline_lab.benchmarks.run_records import record_of
    from halocline_lab.scaling.phase_files import phases_of_record

    record = record_of(result, communicator, "halocline lab scale")
    if record is None:
        return {}
    if path:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        write_record(path, record)
    found = [time for time in phases_of_record(record) if time.per == "step"]
    return {time.phase: time.seconds * result.outcome.steps for time in found}


if __name__ == "__main__":
    give_answer(measure)
