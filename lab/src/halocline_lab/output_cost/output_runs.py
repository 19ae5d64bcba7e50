"""Runs of the wave model with and without its outputs, in pairs, on the ranks that run this.

A block of steps is run again and again from one state, each time with other outputs, so that runs
with and without an output meet the same work and nearly the same moment; the state then goes on.
Output changes no bit of the model, so all blocks of a round end in the same state.

`python -m halocline_lab.output_cost.output_runs SETTINGS.json ANSWER`, under a launcher of MPI if
need be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.component.case.reading import make_case
from halocline.component.case.restart_options import RestartOptions
from halocline.core.clock import Date
from halocline.experiment.building import build_component
from halocline.experiment.restarting import Restarts
from halocline.runtime.ranks.communicator import Communicator, world
from halocline.runtime.ranks.threads import set_threads
from halocline.waves.case import WaveCase
from halocline.waves.component import WaveComponent
from halocline.waves.output import make_streams
from halocline_lab.benchmarks.rank_programs import give_answer
from halocline_lab.benchmarks.wave_run import benchmark_case
from halocline_lab.benchmarks.waves import spin_up_hours
from halocline_lab.output_cost import output_load
from halocline_lab.output_cost.output_papers import arrangements
from halocline_lab.output_cost.output_writing import Crew, close, enlist
from halocline_lab.statistics.paired import Stopwatch, in_turns

numbers = ("run", "on disk", "calls", "diagnostics")
"""What a block is measured by [s]: until the model has done its steps; until besides all files are
on disk; the part of the run inside output calls; and that in diagnostics for them, which the third
does not count."""

hourly = ("fields", "points", "boundary")
measured: tuple[tuple[str, ...], ...] = ((), *arrangements, hourly)
"""Blocks of a round: without output, the paper's arrangements, and what a day has 23 times."""


class State:
    """A copy of what a component needs to run a block again."""

    def __init__(self, component: WaveComponent) -> None:
        self.fields = component.restart_fields()
        self.copies = [[array.copy() for array in field.owned] for field in self.fields]

    def keep(self) -> None:
        """Take the present state."""
        for field, copies in zip(self.fields, self.copies, strict=True):
            for copy, array in zip(copies, field.owned, strict=True):
                copy[...] = array

    def restore(self) -> None:
        """Go back to the state that was kept."""
        for field, copies in zip(self.fields, self.copies, strict=True):
            for copy, array in zip(copies, field.owned, strict=True):
                array[...] = copy
            field.written()


class Outputs:
    """The load of the paper on a component, through one way of writing."""

    def __init__(
        self, case: WaveCase, component: WaveComponent, folder: Path, crew: Crew, way: str
    ) -> None:
        self.component, self.folder = component, folder
        clock = case.time.clock()
        made = make_streams(
            output_load.load(component.grid),
            component.grid,
            component.spectral,
            clock,
            folder,
            crew.model,
            decomposition=component.decomposition,
            precision=case.precision,
        )
        self.streams = {stream.stream.name: stream for stream in made}
        self.writers = crew.writers(way)
        for stream in made:
            stream.open(self.writers)
        self.restarts = Restarts(RestartOptions(keep=1), component, clock, folder)

    def write(self, kinds: Sequence[str], time: Date) -> tuple[float, float]:
        """Write a record of every stream of some kinds; seconds in diagnostics, and in calls."""
        chosen = [s for name, s in self.streams.items() if output_load.kind_of(name) in kinds]
        names = sorted({name for stream in chosen for name in stream.names})
        watch = Stopwatch()
        fields = self.component.diagnose(names, time)
        diagnostics = watch.lap()
        for stream in chosen:
            stream.write(time, fields)
        if "restart" in kinds:
            self.restarts.write(self.writers, self.folder, time)
        return diagnostics, watch.lap()

    def settle(self) -> None:
        """Wait until everything is on disk."""
        self.writers.settle()

    def close(self) -> None:
        """Finish all files, and let servers go."""
        for stream in self.streams.values():
            stream.close()
        close(self.writers)


class Blocks:
    """Blocks of steps with an output before each, from one state after the other."""

    def __init__(
        self, component: WaveComponent, outputs: Outputs, start: Date, length: int
    ) -> None:
        self.component, self.outputs, self.time, self.length = component, outputs, start, length
        self.state = State(component)
        self.ends: list[NDArray[Any]] = []

    def trial(self, kinds: Sequence[str]) -> Callable[[], Sequence[float]]:
        """A block with some outputs, from the state of the round; see `numbers`."""

        def run() -> Sequence[float]:
            self.state.restore()
            self.component.start(self.time, restarted=True)
            self.component.run.decomposition.communicator.sum(np.zeros(1))
            watch, calls, diagnostics = Stopwatch(), 0.0, 0.0
            for step in range(self.length):
                time = self.time + step * self.component.step_length
                if kinds:
                    # One restart in a block, with its first records.
                    wanted = [kind for kind in kinds if kind != "restart" or step == 0]
                    diagnosing, calling = self.outputs.write(wanted, time)
                    diagnostics, calls = diagnostics + diagnosing, calls + calling
                self.component.step(time)
            done = watch.seconds
            self.outputs.settle()
            return done, watch.seconds, calls, diagnostics

        return run

    def go_on(self, turn: int) -> None:
        """Make the end of the last block the state of the next round."""
        if turn:
            self.time += self.length * self.component.step_length
            self.state.keep()


def prepare(crew: Crew, settings: dict[str, Any]) -> Blocks:
    """The model at its first state, its outputs open."""
    case = make_case(settings["case"])
    assert isinstance(case, WaveCase)
    clock = case.time.clock()
    component = build_component(case, clock, crew.model)
    assert isinstance(component, WaveComponent)
    component.start(clock.time, Restarts(case.restart, component, clock).read())
    outputs = Outputs(case, component, Path(settings["folder"]), crew, settings["way"])
    return Blocks(component, outputs, clock.time, settings["length"])


def measure(communicator: Communicator, settings: dict[str, Any]) -> dict[str, Any] | None:
    """Seconds [round, arrangement, number] of blocks without output and with every arrangement.

    None on servers.
    """
    set_threads(1)
    crew = enlist(communicator, settings["servers"])
    if crew is None:
        return None
    blocks = prepare(crew, settings)
    trials = [blocks.trial(kinds) for kinds in measured]
    seconds = in_turns(crew.model, trials, settings["rounds"], before_round=blocks.go_on)
    blocks.outputs.close()
    return {
        "seconds": seconds.tolist(),
        "ranks": crew.model.size,
        "writers": settings["writers"],
        "servers": len(crew.roles.servers),
        "length": settings["length"],
        "sizes": sizes(Path(settings["folder"])) if crew.model.rank == 0 else {},
    }


def settings_of(
    restart: str, folder: str, writers: str, rounds: int, length: int, physics: str = "ST2"
) -> dict[str, Any]:
    """What `measure` needs, for the benchmark of the paper."""
    hours, servers = rounds * length + 1, int(writers in ("servers", "core"))
    case = benchmark_case(physics, restart, f"{spin_up_hours + hours}h")
    return {
        "case": case,
        "folder": folder,
        "writers": writers,
        "way": "servers" if servers else writers,
        "servers": servers,
        "rounds": rounds,
        "length": length,
    }


def sizes(folder: Path) -> dict[str, int]:
    """Bytes of the files of a folder, by name."""
    return {path.name: path.stat().st_size for path in sorted(folder.iterdir())}


if __name__ == "__main__":
    give_answer(lambda settings: measure(world(), settings))
