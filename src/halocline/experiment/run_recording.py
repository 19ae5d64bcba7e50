"""The record that a run leaves beside its results: what every rank did, in `halocline.record`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import halocline
from halocline.component.case.case import Case
from halocline.component.component import Component
from halocline.experiment.energy import Energy
from halocline.experiment.run_log import machine_facts, versions
from halocline.experiment.simulation import Outcome
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import Communicator, Ranks
from halocline.runtime.record.hardware_counters import running
from halocline.runtime.record.recorder import Recorder
from halocline.runtime.record.run_record import RunRecord
from halocline.runtime.record.run_record_file import record_name, write_record
from halocline.runtime.record.run_record_parts import join, read_part
from halocline.runtime.writing.writers import Writers


class RunRecording:
    """The recording of one run, or a member of it, from the time that its component is made.

    Of a member, `world` are the numbers that its ranks and servers have in the whole run.
    """

    def __init__(
        self,
        case: Case,
        component: Component,
        writers: Writers,
        world: Sequence[int] | None = None,
    ) -> None:
        self.case, self.component, self.writers = case, component, writers
        self.world = world
        self.began = datetime.now(UTC)
        self.energy = Energy()
        self.recorder = component.run.recorder
        self.recorder.hardware = running(tuple(case.record.counters))
        self.recorder.world_ranks = np.array(self.ranks)
        self.recorder.server_ranks = None if world is None else np.array(world)
        writers.record_in(self.recorder)

    @property
    def ranks(self) -> list[int]:
        """The numbers that the ranks which compute have in the whole run."""
        own = self.writers.world_ranks
        return list(own) if self.world is None else [self.world[rank] for rank in own]

    def leave(self, folder: Path, outcome: Outcome, state: Sequence[Field]) -> str:
        """Write `halocline.record`; a line on it, on rank 0. A call for all ranks, once.

        `state` are the fields of a restart.
        """
        writers = self.writers
        about = {**facts_of_place(writers.communicator), **self.facts(outcome, state)}
        about["joules"] = self.energy.joules()
        record = gather_record(
            self.recorder, writers.communicator, self.ranks, writers.server_parts, about
        )
        return "" if record is None else leave_record(folder, record)

    def facts(self, outcome: Outcome, state: Sequence[Field]) -> dict[str, Any]:
        """What was run, and how it went; a call for all ranks."""
        costs = self.writers.costs()
        return {
            "title": self.case.title,
            "component": self.case.component,
            "precision": self.case.precision,
            "began": self.began.isoformat(timespec="seconds"),
            "ranks": self.writers.communicator.size,
            "cut": self.component.run.decomposition.describe(),
            "simulated_seconds": outcome.model_time.total_seconds(),
            "steps": outcome.steps,
            "loop_seconds": outcome.seconds,
            "output_seconds": outcome.output_seconds,
            "output_bytes": sum(cost.bytes for cost in costs.values()),
            **self._size(state),
        }

    def _size(self, state: Sequence[Field]) -> dict[str, Any]:
        """The size of what was run; a call for all ranks."""
        cut = self.component.run.decomposition
        own = sum(block.owned_points for block in cut.home.blocks)
        everyone = self.writers.communicator.gather(own)
        columns = [field for field in state if field.place != Place.none]
        variables = sum(int(np.prod(field.outer, dtype=int)) for field in columns)
        size = sum(int(np.prod(field.outer, dtype=int)) * field.dtype.itemsize for field in columns)
        points = [0] * (len(everyone or []) + len(self.writers.server_parts))
        for rank, count in zip(self.writers.world_ranks, everyone or [], strict=False):
            points[rank] = count
        return {
            "points": cut.sea_points,
            "points_of_ranks": points,
            "prognostic_variables": variables,
            "state_bytes": size * cut.sea_points,
        }


def threads_per_rank() -> int:
    """Threads that each rank uses."""
    return int(os.environ.get("OMP_NUM_THREADS", "0") or 0) or 1


def mpi_library(communicator: Communicator) -> str:
    """The library of the ranks and its version; "" without MPI."""
    if not isinstance(communicator, Ranks):
        return ""
    from mpi4py import MPI

    return MPI.Get_library_version().splitlines()[0].partition(",")[0].rstrip("\0")


def facts_of_place(communicator: Communicator) -> dict[str, Any]:
    """What ran where: program, libraries, machine."""
    return {
        "program": f"halocline {halocline.__version__}",
        "command": sys.argv,
        "mpi": mpi_library(communicator),
        "versions": versions(),
        "machine": machine_facts(),
        "threads": threads_per_rank(),
    }


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


def leave_record(folder: Path, record: RunRecord) -> str:
    """Write `halocline.record`; a line on it."""
    path = folder / record_name
    try:
        write_record(path, record)
    except (OSError, RuntimeError) as error:
        return f"record: cannot be written ({error}); the results are complete without it"
    spent = float(record.ranks["recording_seconds"].max())
    return (
        f"record: {path} ({spent:.2g} s of {record.seconds:.3g} s went into"
        f" recording, {spent / max(record.seconds, 1e-9):.2%})"
    )
