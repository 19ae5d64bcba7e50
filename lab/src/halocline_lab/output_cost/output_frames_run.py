"""Frames of 160 variables on three grids, in every way, in turns, on the ranks that run this.

`python -m halocline_lab.output_cost.output_frames_run SETTINGS.json ANSWER`, under a launcher of
MPI.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from time import thread_time
from typing import Any

import netCDF4
import numpy as np

from halocline.core.clock import Clock, Date, date, duration
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from halocline.runtime.ranks.communicator import Communicator, world
from halocline.runtime.ranks.threads import set_threads
from halocline.runtime.writing.sources import Columns
from halocline.runtime.writing.stream_options import StreamOptions
from halocline.runtime.writing.streams import Stream, define_time
from halocline.runtime.writing.writers import Writers
from halocline_lab.benchmarks.rank_programs import give_answer
from halocline_lab.output_cost.output_frames import deep, variables
from halocline_lab.output_cost.output_writing import Crew, Watch, close, enlist, rehearsed
from halocline_lab.statistics.paired import in_turns


class Domain:
    """The fields of one grid, and how its files begin."""

    def __init__(
        self, number: int, shape: tuple[int, int], levels: int, communicator: Communicator
    ) -> None:
        self.name, self.shape, self.levels = f"domain{number}", shape, levels
        mask = np.ones(shape, bool)
        decomposition = Decomposition(mask, Topology(*shape), halo=1, communicator=communicator)
        self.fields = [
            Field(
                f"variable{n}",
                "1",
                decomposition,
                axes=(levels,) if n < deep else (),
                place=Place.center,
            )
            for n in range(variables)
        ]
        for n, field in enumerate(self.fields):
            for values in field.owned:
                values[...] = np.arange(values.shape[-1]) + n
            field.written()
        self.columns = Columns()

    def define(self, file: netCDF4.Dataset) -> None:
        """Dimensions and variables of a file."""
        define_time(file, "standard")
        sizes = {"level": self.levels, "y": self.shape[0], "x": self.shape[1]}
        for name, size in sizes.items():
            file.createDimension(name, size)
        for field in self.fields:
            outer = ("level",) if field.outer else ()
            file.createVariable(field.name, "f4", ("time", *outer, "y", "x"))


class Frames:
    """Frames of all domains in one way, each in files of its own."""

    def __init__(self, crew: Crew, way: str, domains: Sequence[Domain], folder: Path) -> None:
        self.crew, self.way, self.domains = crew, way, domains
        start = date("2000-01-01")
        self.clock = Clock(start, start + duration("9999h"), duration("1h"))
        self._old: list[Path] = []
        options = StreamOptions(split="1h", existing="replace")
        self.streams = [
            Stream(f"{way}_{domain.name}", options, self.clock, folder, domain.define, records=1)
            for domain in domains
        ]

    @cached_property
    def watch(self) -> Watch:
        """Begins with the first frame."""
        return Watch(self.crew.model)

    @cached_property
    def writers(self) -> Writers:
        """They keep a packed copy of a record of every file."""
        writers = self.crew.writers(self.way)
        for stream in self.streams:
            stream.open(writers)
        return writers

    def write(self) -> Sequence[float]:
        """One frame; see `output_frames.numbers`."""
        watch, writers = self.watch, self.writers
        busy: list[float] = []

        def append() -> None:
            begun = thread_time()
            self._append(self.clock.time)
            busy.append(thread_time() - begun)

        found = watch.times(append, writers.settle)
        writers.raise_failure()
        self._remove_old()
        self._old = [stream.final_path for stream in self.streams]
        self.clock.advance()
        return (*found, *busy)

    def _remove_old(self) -> None:
        """Remove the frame before: it is closed, and an open file would be freed by its writer."""
        if self.crew.model.rank == 0:
            for path in self._old:
                path.unlink()

    def _append(self, time: Date) -> None:
        for stream, domain in zip(self.streams, self.domains, strict=True):
            stream.append(
                time, {field.name: domain.columns.source(field) for field in domain.fields}
            )

    def end(self) -> None:
        """Let servers go."""
        close(self.writers)
        self._remove_old()


def measure(communicator: Communicator, settings: dict[str, Any]) -> dict[str, Any] | None:
    """Seconds [frame, way, number] of every way; None on servers."""
    set_threads(1)
    layout = {key: settings[key] for key in ("servers", "placement", "assignment")}
    crew = enlist(communicator, **layout)
    if crew is None:
        return None
    domains = [
        Domain(number, tuple(shape), settings["levels"], crew.model)
        for number, shape in enumerate(settings["grids"], 1)
    ]
    folder = Path(settings["folder"])
    made = {way: Frames(crew, way, domains, folder) for way in crew.offered(settings["ways"])}
    able, missing = rehearsed({way: frames.write for way, frames in made.items()})
    seconds = in_turns(crew.model, list(able.values()), settings["frames"], rehearse=False)
    for way in able:
        made[way].end()
    return {
        **layout,
        "kind": settings["kind"],
        "whole": settings["whole"],
        "ways": list(able),
        "missing": missing,
        "seconds": seconds.tolist(),
        "bytes": sum(field_bytes(domain) for domain in domains),
        "ranks": crew.model.size,
    }


def field_bytes(domain: Domain) -> int:
    """Bytes of the values of a frame of a domain."""
    cells = domain.shape[0] * domain.shape[1]
    return sum(4 * cells * int(np.prod(field.outer)) for field in domain.fields)


if __name__ == "__main__":
    give_answer(lambda settings: measure(world(), settings))
