"""Writers of a laboratory's own: one way at a time, with servers or without, and watched."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from halocline.core.errors import UserError
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.ranks.roles import Roles, split
from halocline.runtime.writing.serving import Server
from halocline.runtime.writing.writers import Writers
from halocline.runtime.writing.writing_options import WritingOptions
from halocline_lab.benchmarks.wave_run import resident
from halocline_lab.statistics.paired import Measured, Stopwatch


@dataclass(frozen=True)
class Crew:
    """The ranks of the model, and those of all of this start, with their roles."""

    model: Communicator
    world: Communicator
    roles: Roles
    round_robin: bool = False

    def writers(self, way: str) -> Writers:
        """Writers of all files in one way; a call for all ranks of the model."""
        options = WritingOptions(way=way)
        if way != "servers":
            return Writers(self.model, options)
        return Writers(
            self.model, options, world=self.world, roles=self.roles, round_robin=self.round_robin
        )

    def offered(self, ways: Sequence[str]) -> list[str]:
        """The ways that these ranks can take: servers only where there are some."""
        return [way for way in ways if way != "servers" or self.roles.servers]


def rehearsed(trials: Mapping[str, Measured]) -> tuple[dict[str, Measured], dict[str, str]]:
    """The trials that can be done here, each done once, and why the others cannot, by name."""
    able, unable = {}, {}
    for name, trial in trials.items():
        try:
            trial()
        except UserError as error:
            unable[name] = str(error)
        else:
            able[name] = trial
    return able, unable


def enlist(
    world: Communicator,
    servers: int,
    placement: str | Sequence[int] = "packed",
    assignment: str = "consecutive",
) -> Crew | None:
    """The crew, on ranks of the model; servers serve, and get nothing when all is written."""
    model, roles = split(world, servers, placement=placement)
    round_robin = assignment == "round-robin"
    if model is None:
        Server(world, roles, WritingOptions(), round_robin).serve()
        return None
    return Crew(model, world, roles, round_robin)


def close(writers: Writers) -> None:
    """End writers for good."""
    writers.close()
    writers.free()


class Watch:
    """Times of one way, and the most memory of its first use beyond what was held before it [byte].

    Later uses find their buffers ready.
    """

    def __init__(self, communicator: Communicator) -> None:
        self.communicator = communicator
        give_back_memory()
        self.held = resident("VmRSS")
        self.memory: float | None = None
        forget_peak()

    def times(
        self, write: Callable[[], None], settle: Callable[[], None]
    ) -> tuple[float, float, float]:
        """Seconds lost in `write`, seconds until all has settled, and the memory."""
        self.communicator.sum(np.zeros(1))
        watch = Stopwatch()
        write()
        lost = watch.seconds
        settle()
        settled = watch.seconds
        if self.memory is None:
            self.memory = float(max(0, resident("VmHWM") - self.held))
        return lost, settled, self.memory


def give_back_memory() -> None:
    """Let free memory go back to the system, where its C library can."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        gc.collect()
        trim(0)


def forget_peak() -> None:
    """Let the most memory that this process held be what it holds now, where the system can."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return
