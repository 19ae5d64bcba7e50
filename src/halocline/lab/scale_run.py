"""One timed run of `halocline lab scale`, on the ranks that run this.

`python -m halocline.lab.scale_run SETTINGS.json ANSWER`, under a launcher of MPI if need be. The
case runs as `halocline run` runs it, without output; the time is that of its steps, so starting the
ranks, reading and preparing do not count (W-08).
"""

from __future__ import annotations

import os
from typing import Any

from halocline.lab.rank_programs import give_answer
from halocline.runtime.communicator import world


def measure(settings: dict[str, Any]) -> dict[str, Any]:
    """Run the case; seconds of the slowest rank, of all steps and by phase."""
    communicator = world()
    if settings["processors"]:
        os.sched_setaffinity(0, settings["processors"][communicator.rank])
    from halocline.experiment.run import run

    result = run(settings["case"], settings=settings["settings"], output=settings["output"])
    recorder = result.component.run.recorder
    counters = {name: counter.seconds for name, counter in recorder.counters.items()}
    everyone = communicator.gather((counters, recorder.message_count, recorder.message_bytes))
    if everyone is None:
        return {}
    names = sorted({name for phases, _, _ in everyone for name in phases})
    largest = {name: max(phases.get(name, 0.0) for phases, _, _ in everyone) for name in names}
    return {
        "seconds": largest.pop("step"),
        "steps": result.outcome.steps,
        "phases": largest,
        "messages": sum(count for _, count, _ in everyone),
        "bytes": sum(size for _, _, size in everyone),
        "ranks": communicator.size,
    }


if __name__ == "__main__":
    give_answer(measure)
