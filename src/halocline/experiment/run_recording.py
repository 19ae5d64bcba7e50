"""The record that a run leaves beside its results: what every rank did, in `halocline.record`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import halocline
from halocline.experiment.run_log import versions
from halocline.experiment.simulation import Outcome
from halocline.runtime.communicator import Communicator
from halocline.runtime.recorder import Recorder
from halocline.runtime.run_record import RunRecord
from halocline.runtime.run_record_file import record_name, write_record
from halocline.runtime.run_record_parts import join, read_part


def gather_record(
    recorder: Recorder,
    communicator: Communicator,
    ranks: Sequence[int],
    server_parts: Sequence[bytes],
    about: dict[str, Any],
) -> RunRecord | None:
    """The record of all ranks, on rank 0; a call for all ranks of the model, once.

    `ranks` are their numbers in the world; servers gave their parts when they ended.
    """
    size = len(ranks) + len(server_parts) if communicator.rank == 0 else 0
    size = communicator.broadcast(size)
    own = recorder.part(ranks[communicator.rank], size, {"role": "model"})
    parts = communicator.gather(own)
    if parts is None:
        return None
    return join([read_part(part) for part in [*parts, *server_parts]], about)


def about_run(title: str, outcome: Outcome, threads: int, more: dict[str, Any]) -> dict[str, Any]:
    """What the record of a run tells besides its tables."""
    return {
        "program": f"halocline {halocline.__version__}",
        "command": sys.argv,
        "title": title,
        "ended": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "threads": threads,
        "cores": len(os.sched_getaffinity(0)),
        "simulated_seconds": outcome.model_time.total_seconds(),
        "steps": outcome.steps,
        "loop_seconds": outcome.seconds,
        "output_seconds": outcome.output_seconds,
        **more,
    }


def leave_record(
    folder: Path,
    recorder: Recorder,
    communicator: Communicator,
    ranks: Sequence[int],
    server_parts: Sequence[bytes],
    about: dict[str, Any],
) -> str:
    """Write `halocline.record`; a line on what recording cost, on rank 0. A call for all ranks."""
    record = gather_record(recorder, communicator, ranks, server_parts, about)
    if record is None:
        return ""
    try:
        write_record(folder / record_name, record)
    except (OSError, RuntimeError) as error:
        return f"record: cannot be written ({error}); the results are complete without it"
    spent = float(record.ranks["recording_seconds"].max())
    return (
        f"record: {folder / record_name} ({spent:.2g} s of {record.seconds:.3g} s went into"
        f" recording, {spent / max(record.seconds, 1e-9):.2%})"
    )
