"""What recording takes in one run, in ranks of its own: see `recorder.py`.

`python -m halocline_lab.benchmarks.recorder_run SETTINGS.json ANSWER` leaves it in ANSWER.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from halocline.experiment.run import run
from halocline.runtime.ranks.communicator import world
from halocline.runtime.record.run_record_file import read_record, record_name
from halocline_lab.benchmarks.rank_programs import give_answer
from halocline_lab.benchmarks.wave_run import benchmark_case


def answer(settings: dict[str, Any]) -> dict[str, Any] | None:
    """Run a case and read what its record says of the recording, on rank 0."""
    communicator = world()
    with tempfile.TemporaryDirectory() as folder:
        place = communicator.broadcast(folder)
        if settings["case"] == "waves":
            run(benchmark_case("ST2", "", settings["length"]), output=place)
        else:
            run(settings["case"], settings=[f"time.length={settings['length']}"], output=place)
        communicator.broadcast(None)
        if communicator.rank > 0:
            return None
        record = read_record(place)
        size = (Path(place) / record_name).stat().st_size
    steps = record.about["steps"]
    model = record.ranks[record.ranks["role"] == 0]
    calls = record.statistics[record.statistics["rank"] == 0]["calls"].sum()
    return {
        "steps": steps,
        "calls_per_step": float(calls) / steps,
        "step_seconds": record.about["loop_seconds"] / steps,
        "recording_seconds": float(model["recording_seconds"].max()),
        "overhead": float(model["recording_seconds"].max()) / record.about["loop_seconds"],
        "bytes": size,
    }


if __name__ == "__main__":
    give_answer(answer)
