"""Restarts in every way, in turns, on the ranks that run this.

`python -m halocline_lab.output_cost.output_restart_run SETTINGS.json ANSWER`, under a launcher of
MPI.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.component.case.reading import make_case
from halocline.core.clock import date
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.files.checksums import DamagedFile
from halocline.runtime.files.disk import disk
from halocline.runtime.ranks.communicator import Communicator, world
from halocline.runtime.ranks.threads import set_threads
from halocline.runtime.writing.restart import RestartTarget, restart_target, verified
from halocline.runtime.writing.writers import Writers
from halocline.waves.case import WaveCase
from halocline_lab.benchmarks.rank_programs import give_answer
from halocline_lab.output_cost.output_restart import alone
from halocline_lab.output_cost.output_writing import Crew, Watch, close, enlist, rehearsed
from halocline_lab.statistics.paired import Measured, in_turns

parameters = 8
"""Fields beside the spectra, so that the file has the 72.5 MB of the paper."""

piece = 4 * 2**20
"""What one process writes at once [byte]."""


def state(communicator: Communicator, case: dict[str, Any]) -> list[Field]:
    """Spectra and parameters on the points of a case's grid, with numbers that differ."""
    made = make_case(case)
    assert isinstance(made, WaveCase)
    grid, components = made.build_grid(), made.spectrum.components
    decomposition = Decomposition(
        grid.mask, grid.topology, halo=1, communicator=communicator, components=components
    )
    fields = [Field("spectrum", "m2 s", decomposition, axes=(components,))]
    fields += [Field(f"parameter{n}", "1", decomposition) for n in range(parameters)]
    for number, field in enumerate(fields):
        for values in field.owned:
            values[...] = np.arange(values.shape[-1]) % 251 + number
        field.written()
    return fields


class Restarts:
    """Restarts of a state in one way, one file at a time."""

    def __init__(self, crew: Crew, way: str, fields: Sequence[Field], folder: Path) -> None:
        self.crew, self.way, self.fields = crew, way, fields
        self.path = folder / "restart_lab.safetensors"
        self.damaged = 0

    @cached_property
    def watch(self) -> Watch:
        """Begins with the first restart."""
        return Watch(self.crew.model)

    @cached_property
    def writers(self) -> Writers:
        return self.crew.writers(self.way)

    def write(self) -> Sequence[float]:
        """A restart; see `output_restart.numbers`. It is verified afterwards."""
        remove(self.crew.model, self.path)
        watch, writers, target = self.watch, self.writers, target_of(self.path, self.fields)
        found = watch.times(lambda: writers.restart(target, self.fields), writers.settle)
        writers.raise_failure()
        try:
            verified(self.path, self.crew.model)
        except DamagedFile:
            self.damaged += 1
        return found

    def end(self) -> None:
        """Let servers go."""
        close(self.writers)


class OneProcess:
    """Rank 0 writes as many bytes, which it has, contiguously, and syncs."""

    def __init__(self, model: Communicator, size: int, folder: Path) -> None:
        self.model, self.path = model, folder / "restart_lab.safetensors"
        count = size if model.rank == 0 else 0
        self.data: NDArray[np.uint8] = np.arange(count, dtype=np.uint32).astype(np.uint8)

    def write(self) -> Sequence[float]:
        """As many numbers as of a restart."""
        remove(self.model, self.path)
        return Watch(self.model).times(self._write, lambda: None)

    def _write(self) -> None:
        if self.model.rank == 0:
            with disk().open(self.path, create=True) as file:
                for begin in range(0, self.data.size, piece):
                    file.write(self.data[begin : begin + piece], begin)
                file.sync()


def target_of(path: Path, fields: Sequence[Field]) -> RestartTarget:
    """The file of a restart."""
    return restart_target(path, fields, date("2000-01-01"), {})


def remove(model: Communicator, path: Path) -> None:
    """Make room for a new file, before time counts."""
    if model.rank == 0:
        path.unlink(missing_ok=True)
    model.sum(np.zeros(1))


def measure(communicator: Communicator, settings: dict[str, Any]) -> dict[str, Any] | None:
    """Seconds [round, way, number] of one process and of every way; None on servers."""
    set_threads(1)
    crew = enlist(communicator, settings["servers"])
    if crew is None:
        return None
    fields, folder = state(crew.model, settings["case"]), Path(settings["folder"])
    size = target_of(folder, fields).layout.size
    made = {way: Restarts(crew, way, fields, folder) for way in crew.offered(settings["ways"])}
    trials: dict[str, Measured] = {alone: OneProcess(crew.model, size, folder).write}
    trials |= {way: some.write for way, some in made.items()}
    able, missing = rehearsed(trials) if settings["rehearse"] else (trials, {})
    seconds = in_turns(crew.model, list(able.values()), settings["rounds"], rehearse=False)
    for way in able:
        if way in made:
            made[way].end()
    return {
        "ways": list(able),
        "missing": missing,
        "seconds": seconds.tolist(),
        "damaged": {way: made[way].damaged for way in able if way in made},
        "bytes": size,
        "ranks": crew.model.size,
        "servers": len(crew.roles.servers),
    }


if __name__ == "__main__":
    give_answer(lambda settings: measure(world(), settings))
