"""Input, steps and storing of 51 tracers on the ranks that run this, in several ways, in turns.

`python -m halocline_lab.acceptance.tracers_run SETTINGS.json ANSWER`, under a launcher of MPI.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.biogeochemistry.bfm.tracers import homogeneous_start
from halocline.biogeochemistry.biogeochemistry_component import BiogeochemistryComponent
from halocline.biogeochemistry.start_file import StartFileOptions, from_file
from halocline.biogeochemistry.transport import TransportState
from halocline.component.case.reading import make_case, read_table
from halocline.component.forcing.field_places import FieldPlaces
from halocline.component.streams.field_stream import FieldStream
from halocline.experiment.building import build_component
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.halos.choices import HaloChoice, parse_choice, simplest
from halocline.runtime.halos.exchange import Request
from halocline.runtime.ranks.communicator import Alone, Communicator, Ranks, world
from halocline.runtime.ranks.threads import set_threads
from halocline.runtime.writing.writers import Writers
from halocline.runtime.writing.writing_options import WritingOptions
from halocline_lab.benchmarks import tracer_messages
from halocline_lab.benchmarks.rank_programs import give_answer
from halocline_lab.statistics.paired import Measured, Stopwatch, in_turns

every_rank, by_parts = "every rank reads all", "by parts"
printed, paper, ours = "as printed", "the paper's gains", "Halocline"
blocking, collective = "blocking messages to the first rank", "collective"
homogeneous, mixed = "homogeneous", "mixed"
blocking_sends = "1 in a message, blocking"
test_steps = 3
"""Steps of the paper's test."""

pieces = 12
"""Messages that a tracer is stored by: 612 of every rank but the first."""

others = ("neighbours", "persistent", "put-fence", "shared-read", "shared-put")
"""Further ways of the same exchange, all in one message."""

small_grid: dict[str, Any] = {
    "nx": 48,
    "ny": 16,
    "x0": 0.0625,
    "y0": 33.0625,
    "dx": 0.125,
    "dy": 0.125,
    "depth": 1000.0,
    "land": [[2.0, 3.0, 33.0, 34.0]],
    "levels": {"thickness": [10.0, 20.0, 70.0, 900.0]},
}
"""What `--quick` computes in place of the Mediterranean."""


def benchmark_case(*, quick: bool, levels: int | None) -> dict[str, Any]:
    """Tables of the shipped case, moved by analytic gyres in seasonal water by formulas.

    So it needs no run of an ocean before it. Ranks are a chain from west to east, as OPATM's. Its
    length is that of two stores, as many as are on the disk at once: whoever steps it may go on.
    """
    _, table = read_table("mediterranean-bloom")
    table["transport"] = {"circulation": "gyres", "profiles": table["transport"]["profiles"]}
    table["decomposition"] = {"rows": 1}
    table["time"]["length"] = "30min"
    one = {"interval": "30min", "split": "30min", "existing": "replace"}
    table["output"] = {"fields": {"store": {**one, "variables": list(homogeneous_start())}}}
    if quick:
        table["grid"] = small_grid
    elif levels is not None:
        table["grid"]["levels"] = {"count": levels}
    return table


class Model:
    """The 51 tracers with their transport and biology, at their start, and one store of them."""

    def __init__(self, communicator: Communicator, table: dict[str, Any], folder: Path) -> None:
        self.communicator, self.folder = communicator, folder
        case = make_case(table)
        clock = case.time.clock()
        component = build_component(case, clock, communicator)
        assert isinstance(component, BiogeochemistryComponent)
        component.start(clock.time, restarted=False)
        self.component, self.time = component, clock.time
        self.state: TransportState = component.model.state
        self.tracer: Field = self.state.tracer
        self.writers = Writers(communicator, WritingOptions(way="buffered"))
        (stream,) = case.streams(component, clock, folder, communicator)
        assert isinstance(stream, FieldStream)
        self.stream = stream
        stream.open(self.writers)
        self._old: list[Path] = []

    def everyone(self, value: float) -> float:
        """The mean over the ranks."""
        return float(self.communicator.sum(np.array([value]))[0]) / self.communicator.size

    def step(self) -> None:
        """A step of the model."""
        self.component.step(self.time)
        self.time += self.component.step_length

    def store(self) -> Sequence[float]:
        """One store of all tracers, complete on the disk [s]; how much of it is MPI is not told."""
        watch = Stopwatch()
        self.stream.write(self.time, self.component.diagnose(self.stream.names, self.time))
        self.writers.settle()
        seconds = watch.seconds
        if self.communicator.rank == 0:
            for path in self._old:
                path.unlink(missing_ok=True)
        self._old = [self.stream.path]
        self.time += self.component.step_length
        return seconds, 0.0

    def end(self) -> None:
        """Close all files."""
        self.stream.close()
        self.writers.close()
        self.writers.free()
        self.component.close()


class Input:
    """All tracers from one file, by two ways that give the same values."""

    def __init__(self, model: Model) -> None:
        model.store()
        self.path = model.folder / "start.nc"
        if model.communicator.rank == 0:
            shutil.copyfile(model.stream.path, self.path)
        model.communicator.broadcast(None)
        names = model.component.options.tracers
        self.options = StartFileOptions(file=str(self.path), variables={n: n for n in names})
        grid, levels = model.component.grid, model.state.levels
        alone = Decomposition(grid.mask, grid.topology, halo=1, communicator=Alone())
        whole = TransportState(grid, names[:1], alone).space
        self.places = {
            by_parts: FieldPlaces(model.state.space, Place.center, grid.horizontal, levels),
            every_rank: FieldPlaces(whole, Place.center, grid.horizontal, levels),
        }

    def read(self, way: str) -> Sequence[float]:
        """Read the file, every tracer [s]."""
        watch = Stopwatch()
        from_file(self.options, self.places[way].wanted)
        return watch.seconds, 0.0

    def same(self) -> bool:
        """Whether a rank's own columns have the same values either way, of the first tracer."""
        (name, *_) = self.options.variables
        one = replace(self.options, variables={name: name})
        (part,) = from_file(one, self.places[by_parts].wanted).values()
        (whole,) = from_file(one, self.places[every_rank].wanted).values()
        width = int(self.places[every_rank].cells[1].max()) + 1
        numbers = [j * width + i for j, i in (self.places[w].cells for w in (every_rank, by_parts))]
        at = {int(number): n for n, number in enumerate(numbers[0])}
        return np.array_equal(whole[:, [at[int(number)] for number in numbers[1]]], part)


class Halos:
    """Exchanges of all tracers, by one routine of OPATM or another."""

    def __init__(self, model: Model) -> None:
        self.model, self.exchange = model, model.component.run.exchange
        self.layout = model.tracer.layout
        depths = (2, 2, 2, 2)
        flats = model.tracer.storage(self.layout).flat
        levels, count = model.state.levels.size, model.state.tracers.size
        self.levels = levels

        def requests(rows: Sequence[slice]) -> list[Request]:
            return [Request([flat[some] for flat in flats], Place.center, depths) for some in rows]

        self.all = requests([slice(0, count * levels)])
        self.diffused = requests([slice(0, count * (levels - 1))])
        self.each = requests([slice(n * levels, (n + 1) * levels) for n in range(count)])
        signature = self.exchange.signature(self.layout, self.all)
        partners = self.exchange.route(self.layout, signature, simplest).partners
        largest = int(model.communicator.maximum(np.array([partners.sent.max(initial=0.0)]))[0])
        self.variable = largest // count
        """What a neighbour gets of one tracer [byte]."""

    def segmented(self, variables: int, kind: str = homogeneous) -> HaloChoice:
        """Messages of so many tracers: parts of one array, or of arrays one after the other."""
        grouping = "segments" if kind == homogeneous else "mixed"
        return HaloChoice("messages", grouping, variables * self.variable)

    def once(self, requests: Sequence[Request], choice: HaloChoice) -> float:
        """One exchange [s]."""
        watch = Stopwatch()
        self.exchange(self.layout, requests, choice)
        return watch.seconds

    def routines(self, way: str) -> list[tuple[Sequence[Request], HaloChoice, int]]:
        """What OPATM exchanges in a step beside the model's own exchange, which counts as one."""
        one, level = self.segmented(1), HaloChoice("messages", "segments", 1)
        last = one if way == printed else simplest
        calls = {routine.name: routine.calls for routine in tracer_messages.routines}
        return [
            (self.all, one, calls["trcadv"] - 1),
            (self.diffused, level, calls["trchdf"]),
            (self.all, last, calls["trcnxt"]),
        ]

    def steps(self, way: str) -> Sequence[float]:
        """The steps of the test [s], and what of them is exchanges."""
        for signature in list(self.exchange.chosen):
            self.exchange.use(signature, simplest if way == ours else self.segmented(1))
        spent = sum(counter.seconds for counter in self.exchange.spent.values())
        watch, added = Stopwatch(), 0.0
        for _ in range(test_steps):
            self.model.step()
            for requests, choice, calls in [] if way == ours else self.routines(way):
                for _ in range(calls):
                    added += self.once(requests, choice)
        seconds = watch.seconds
        spent = sum(counter.seconds for counter in self.exchange.spent.values()) - spent
        return seconds, self.model.everyone(spent + added)

    def trials(self) -> dict[str, Measured]:
        """One exchange of all tracers in every size of segments, and in other ways."""

        def trial(requests: Sequence[Request], choice: HaloChoice) -> Measured:
            return lambda: (self.once(requests, choice), 0.0)

        found = {
            "a message for each level": trial(self.all, HaloChoice("messages", "segments", 1)),
            blocking_sends: trial(self.all, HaloChoice("blocking", "segments", self.variable)),
        }
        for kind, requests in ((homogeneous, self.all), (mixed, self.each)):
            for variables in tracer_messages.segments():
                name = f"{kind}, {variables}"
                found[name] = trial(requests, self.segmented(variables, kind))
        for name in others:
            found[name] = trial(self.all, parse_choice(f"{name} aggregated"))
        return found


class ToFirst:
    """All tracers to the first rank, which composes and writes them."""

    def __init__(self, model: Model) -> None:
        assert isinstance(model.communicator, Ranks)
        self.model, self.comm = model, model.communicator.comm.Dup()
        blocks = model.tracer.layout.blocks
        mine = [b.rectangle for b in blocks if isinstance(b, Block)]
        self.boxes = model.communicator.broadcast(
            model.communicator.gather([(r.j0, r.j1, r.i0, r.i1) for r in mine])
        )
        self.outer = (model.state.tracers.size, model.state.levels.size)
        self.messages = 0

    def store(self, way: str, variables: int = tracer_messages.tracers) -> Sequence[float]:
        """Bring all together by blocking messages or collectives, and write [s]; what was MPI."""
        own = self._own()
        watch = Stopwatch()
        parts = self._blocking(own) if way == blocking else self._collective(own, variables)
        mpi = watch.seconds
        if parts is not None:
            self._write(self._compose(parts), self.model.folder / f"{way.split()[0]}.bin")
        self.model.communicator.broadcast(None)
        return watch.seconds, self.model.everyone(mpi)

    def _own(self) -> NDArray[Any]:
        """What this rank has, (tracers, values)."""
        arrays = [values.reshape(self.outer[0], -1) for values in self.model.tracer.read()]
        return np.ascontiguousarray(np.concatenate(arrays, axis=1))

    def _values(self, rank: int) -> int:
        """Values of a tracer that a rank has."""
        return self.outer[1] * sum((j1 - j0) * (i1 - i0) for j0, j1, i0, i1 in self.boxes[rank])

    def _blocking(self, own: NDArray[Any]) -> list[NDArray[Any]] | None:
        """Twelve messages for each tracer of each rank, one after the other."""
        if self.comm.rank:
            for tracer in own:
                for piece in np.array_split(tracer, pieces):
                    self.comm.Send(piece, 0)
            self.messages = pieces * len(own)
            return None
        parts = [own]
        for rank in range(1, self.comm.size):
            part = np.empty((self.outer[0], self._values(rank)), own.dtype)
            for tracer in part:
                for piece in np.array_split(tracer, pieces):
                    self.comm.Recv(piece, rank)
            parts.append(part)
        return parts

    def _collective(self, own: NDArray[Any], variables: int) -> list[NDArray[Any]] | None:
        """A gathering for each segment of tracers."""
        counts = np.array([self._values(rank) for rank in range(self.comm.size)])
        first = self.comm.rank == 0
        sizes = [(self.outer[0], int(count)) for count in counts]
        parts = [np.empty(size, own.dtype) for size in sizes] if first else None
        for begin in range(0, self.outer[0], variables):
            some = own[begin : begin + variables]
            ends = np.cumsum(len(some) * counts)
            target = np.empty(int(ends[-1]), own.dtype) if first else None
            self.comm.Gatherv(some, [target, len(some) * counts] if first else None)
            if parts is not None and target is not None:
                for part, values in zip(parts, np.split(target, ends[:-1]), strict=True):
                    part[begin : begin + len(some)] = values.reshape(len(some), -1)
        return parts

    def _compose(self, parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """The whole of all tracers, (tracers, levels, rows, columns); land is 0 where none is."""
        shape = self.model.component.grid.mask.shape
        whole = np.zeros((*self.outer, *shape), parts[0].dtype)
        for boxes, part in zip(self.boxes, parts, strict=True):
            at = 0
            for j0, j1, i0, i1 in boxes:
                size = self.outer[1] * (j1 - j0) * (i1 - i0)
                values = part[:, at : at + size].reshape(*self.outer, j1 - j0, i1 - i0)
                whole[..., j0:j1, i0:i1] = values
                at += size
        return whole

    def _write(self, whole: NDArray[Any], path: Path) -> None:
        with path.open("wb") as file:
            whole.tofile(file)
            file.flush()
            os.fsync(file.fileno())

    def free(self) -> None:
        """Give the communicator back."""
        self.comm.Free()


def whole_run(model: Model, halos: Halos, steps: int, stores: int) -> float:
    """The real case with a store in every so many steps and at the end [s]."""
    for signature in list(halos.exchange.chosen):
        halos.exchange.use(signature, simplest)
    every = steps // stores
    model.communicator.sum(np.zeros(1))
    watch = Stopwatch()
    for number in range(1, steps + 1):
        model.step()
        if number % every == 0:
            model.store()
    return float(model.communicator.maximum(np.array([watch.seconds]))[0])


def measure(communicator: Communicator, settings: dict[str, Any]) -> dict[str, Any]:
    """Seconds [round, trial, (total, MPI)] of all trials; a call for all ranks."""
    set_threads(1)
    begin = time.perf_counter()
    rounds, whole = settings["rounds"], settings["whole"]
    table = benchmark_case(quick=settings["quick"], levels=settings["levels"])
    model = Model(communicator, table, Path(settings["folder"]))
    built = time.perf_counter() - begin
    read, halos, to_first = Input(model), Halos(model), ToFirst(model)
    assert read.same(), "the two ways of input differ"
    model.step()  # so that its exchanges are known
    trials: dict[str, Callable[[], Sequence[float]]] = {
        f"input, {every_rank}": partial(read.read, every_rank),
        f"input, {by_parts}": partial(read.read, by_parts),
        **{f"loop, {way}": partial(halos.steps, way) for way in (printed, paper, ours)},
        f"storage, {blocking}": partial(to_first.store, blocking),
        f"storage, {collective}": partial(to_first.store, collective),
        f"storage, {ours}": model.store,
    }
    exchanges = halos.trials()
    trials |= {f"exchange, {name}": trial for name, trial in exchanges.items()}
    sent = messages_of(model, halos)
    ran = whole_run(model, halos, whole, settings["stores"]) if whole else None
    seconds = in_turns(communicator, list(trials.values()), rounds)
    found = {
        "ranks": communicator.size,
        "built": float(communicator.maximum(np.array([built]))[0]),
        "cells": [int(n) for n in model.component.grid.shape],
        "wet_cells": int(model.component.grid.wet_levels.sum()),
        "variable_bytes": halos.variable,
        "messages": sent,
        "stored_messages": int(communicator.sum(np.array([float(to_first.messages)]))[0]),
        "trials": list(trials),
        "seconds": seconds.tolist(),
        "whole": ran,
    }
    to_first.free()
    model.end()
    return found


def messages_of(model: Model, halos: Halos) -> dict[str, list[float]]:
    """Messages and bytes that each rank sends in a step as printed, as its recorder counts them."""
    recorder = model.component.run.recorder
    found = {}
    for name, requests, choice, calls in (
        ("trcadv", halos.all, halos.segmented(1), 8),
        ("trchdf", halos.diffused, HaloChoice("messages", "segments", 1), 1),
        ("trcnxt", halos.all, halos.segmented(1), 1),
        (ours, halos.all, simplest, 1),
    ):
        before = recorder.message_count, recorder.message_bytes
        for _ in range(calls):
            halos.once(requests, choice)
        counts = [recorder.message_count - before[0], recorder.message_bytes - before[1]]
        everyone = model.communicator.broadcast(model.communicator.gather(counts))
        found[name] = [float(n) for n in np.sum(everyone, axis=0)]
    return found


if __name__ == "__main__":
    give_answer(lambda settings: measure(world(), settings))
