"""One cut of a case with the processor's counters on: see `tiles.py`.

`python -m halocline_lab.benchmarks.tiles_run SETTINGS.json ANSWER` leaves times and counts in
ANSWER.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from halocline.biogeochemistry.case import TransportCase
from halocline.component.case.reading import read_case
from halocline.experiment.run import run
from halocline.runtime.ranks.communicator import world
from halocline_lab.benchmarks.rank_programs import give_answer
from halocline_lab.benchmarks.run_records import kernel_seconds, record_of, step_seconds


def answer(settings: dict[str, Any]) -> dict[str, Any] | None:
    """Seconds of a step of the slowest rank; of kernels seconds, bytes and counts on all ranks."""
    communicator = world()
    case = read_case(settings["case"], settings["settings"])
    step = case.time.clock().step
    wanted: dict[str, Any] = {
        "decomposition.blocks_per_rank": settings["blocks_per_rank"],
        "decomposition.tiles": "given",
        "time.length": f"{int(step.total_seconds() * settings['steps'])}s",
        "restart.at_end": False,
        "record.counters": settings["counters"],
    }
    if isinstance(case, TransportCase) and settings["tile_bytes"]:
        wanted["transport.tile_bytes"] = settings["tile_bytes"]
    result = run(case.with_settings(wanted))
    recorder = result.component.run.recorder
    steps = recorder.counters["step"].calls
    names = list(recorder.hardware)
    counts: dict[str, dict[str, float]] = {}
    for kernel in sorted(recorder.work):
        found = recorder.work[kernel].counted()
        values = np.array([found.get(name, np.nan) for name in names])
        total = communicator.sum(values) / steps if values.size else values
        known = zip(names, total.tolist(), strict=True)
        counts[kernel] = {name: value for name, value in known if np.isfinite(value)}
    record = record_of(result, communicator, "halocline lab tiles")
    if record is None:
        return None
    tiles = settings["blocks_per_rank"]
    moved = {name: work.bytes / work.calls / tiles for name, work in recorder.work.items()}
    kernels = {
        name: {"seconds": seconds, "bytes": moved[name]}
        for name, seconds in kernel_seconds(record).items()
        if name in moved
    }
    return {"seconds": step_seconds(record), "kernels": kernels, "counts": counts}


if __name__ == "__main__":
    give_answer(answer)
