"""One cut of a case with the processor's counters on: see `tiles.py`.

`python -m halocline_lab.benchmarks.tiles_run SETTINGS.json ANSWER` leaves time and counts in
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


def answer(settings: dict[str, Any]) -> dict[str, Any]:
    """Seconds of a step of the slowest rank, and the counts of its kernels on all ranks."""
    communicator = world()
    case = read_case(settings["case"], [])
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
    recorder = run(case.with_settings(wanted)).component.run.recorder
    steps = recorder.counters["step"].calls
    slowest = communicator.maximum(np.array([recorder.seconds("step") / steps]))
    names = list(recorder.hardware)
    kernels = sorted(recorder.work)
    counts: dict[str, dict[str, float]] = {}
    for kernel in kernels:
        found = recorder.work[kernel].counted()
        values = np.array([found.get(name, np.nan) for name in names])
        total = communicator.sum(values) / steps if values.size else values
        known = zip(names, total.tolist(), strict=True)
        counts[kernel] = {name: value for name, value in known if np.isfinite(value)}
    return {"seconds": float(slowest[0]), "counts": counts}


if __name__ == "__main__":
    give_answer(answer)
