"""How many output servers a run has, and why: as the case says, or as its output needs."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from halocline.component.case.case import Case
from halocline.component.case.output_writers import OutputWriters
from halocline.core.errors import UserError
from halocline.experiment.expectations import restart_bytes, work
from halocline.experiment.start import cores
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.files.disk import disk
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.ranks.launch import can_start_ranks
from halocline.runtime.ranks.roles import count_words, lay_out
from halocline.runtime.writing.restart import on_first_rank

variable = "HALOCLINE_SERVERS"
"""Environment variable by which whoever started the ranks says how many of them are servers, and
why."""

trial_bytes = 32 * 2**20
"""What is written to measure a disk; less output than that needs no server."""

assembly_speed = 6e8
"""What ranks of the model pack, move, put in order and write at most, whatever the disk [byte s-1]:
measured for hourly maps of `global-waves` on a disk seven times as fast."""

busy = 0.5
"""Share of the time of the model in which a server may be writing."""

ranks_per_server = 4
"""No more servers than one for so many ranks of the model (but one)."""


@dataclass(frozen=True)
class ServerCount:
    """A number of output servers, and the reason."""

    count: int
    reason: str

    @property
    def line(self) -> str:
        """Both in one line.

        >>> ServerCount(0, "nothing is written").line
        'no output server: nothing is written'
        """
        return f"{count_words(self.count) if self.count else 'no output server'}: {self.reason}"


def advised_servers(
    volume: float, seconds: float, bandwidth: float, budget: float, ranks: int
) -> ServerCount:
    """How many servers a run needs whose `ranks` ranks of the model compute for `seconds` [s].

    None, if the disk of some `bandwidth` [byte s-1] takes the output of `volume` [byte] within the
    share `budget` of that time; else so many that each writes for less than half of it.

    >>> [advised_servers(1e9, seconds, 2e8, 0.02, 4).count for seconds in (1000.0, 20.0)]
    [0, 1]
    """
    writing = volume / bandwidth
    share = writing / seconds
    facts = (
        f"{_megabytes(volume)} at {_megabytes(bandwidth)}/s take {writing:.3g} s,"
        f" {100 * share:.2g} % of the expected time of the model"
    )
    if share <= budget:
        return ServerCount(0, f"{facts}, within the budget of {100 * budget:g} %")
    wanted = math.ceil(share / busy)
    most = max(1, ranks // ranks_per_server)
    reason = f"{facts}, beyond the budget of {100 * budget:g} %"
    if wanted > most:
        reason += f"; more would not be worth it beside {ranks} rank{'s' * (ranks > 1)}"
    return ServerCount(min(wanted, most), reason)


def planned_servers(case: Case, grid: Grid, ranks: int, folder: Path | None) -> ServerCount:
    """The servers of a run that is to be started with `ranks` ranks of the model."""
    output = case.output
    settled = _settled(case, output, folder)
    if settled is not None:
        return settled
    assert folder is not None
    needed = output.servers.groups if output.needs_servers(case.restart.way) else 0
    found = _measured(case, grid, ranks, folder)
    if found.count < needed:
        return ServerCount(needed, "some output is to be written by servers (way = 'servers')")
    return ServerCount(max(found.count, output.servers.groups) if found.count else 0, found.reason)


def refuse_wrong_layout(case: Case, ranks: int, servers: int) -> None:
    """Refuse before anything starts what the roles of the ranks would refuse."""
    given = case.output.servers
    lay_out([0] * (ranks + servers), servers, groups=given.groups, placement=given.placement)


def decided_servers(case: Case, world: Communicator, folder: Path | None) -> ServerCount:
    """The servers among the ranks that run now, as rank 0 knows them; a call for all ranks."""
    return on_first_rank(world, lambda: _decided(case, folder))


def _decided(case: Case, folder: Path | None) -> ServerCount:
    output = case.output
    settled = _settled(case, output, folder)
    if settled is not None:
        return settled
    said = os.environ.get(variable, "")
    if said:
        number, _, reason = said.partition(" ")
        if not number.isdecimal():
            raise UserError(
                f"The environment's {variable} is '{said}'. Set it to the number of output servers"
                " among the ranks, or unset it."
            )
        return ServerCount(int(number), reason or f"as {variable} says")
    if output.needs_servers(case.restart.way):
        return ServerCount(
            output.servers.groups, "some output is to be written by servers (way = 'servers')"
        )
    return ServerCount(
        0,
        "the ranks were not started by 'halocline run', which would choose (output.servers.count)",
    )


@contextmanager
def telling(servers: ServerCount) -> Iterator[None]:
    """Let a run in this process know its servers."""
    before = os.environ.get(variable)
    os.environ[variable] = f"{servers.count} {servers.reason}"
    try:
        yield
    finally:
        del os.environ[variable]
        if before is not None:
            os.environ[variable] = before


def disk_bandwidth(folder: Path) -> float | None:
    """How fast the disk of a folder takes 32 MiB until they are safe [byte s-1]; None if it cannot.

    The folder need not be there yet. Nothing is left behind.
    """
    there = folder.absolute()
    while not there.is_dir() and there != there.parent:
        there = there.parent
    path = there / f".halocline-trial-{os.getpid()}"
    part = np.random.default_rng(0).integers(0, 256, 2**20, np.uint8)
    try:
        with disk().open(path, create=True) as file:
            path.unlink()  # the file lives on until it is closed, and no kill can leave it
            begin = time.perf_counter()
            for offset in range(0, trial_bytes, part.size):
                file.write(part, offset)
            file.sync()
            return trial_bytes / (time.perf_counter() - begin)
    except OSError:
        return None


def _settled(case: Case, output: OutputWriters, folder: Path | None) -> ServerCount | None:
    """What needs no thought: a run that writes nothing, a number in the case."""
    if folder is None:
        return ServerCount(0, "nothing is written")
    if output.servers.given is not None:
        return ServerCount(output.servers.given, "as the case says (output.servers)")
    return None


def _measured(case: Case, grid: Grid, ranks: int, folder: Path) -> ServerCount:
    """What the output of the case needs on this disk."""
    clock = case.time.clock()
    volume = sum(case.stream_bytes(grid, clock).values()) + restart_bytes(case, grid, clock)
    if volume < trial_bytes:
        return ServerCount(0, f"the output is small ({_megabytes(volume)})")
    if not can_start_ranks():
        return ServerCount(0, "no 'mpiexec' is found, which would start one")
    bandwidth = disk_bandwidth(folder)
    if bandwidth is None:
        return ServerCount(0, f"the disk of '{folder}' could not be measured")
    seconds = max(work(case, grid, clock) / min(ranks, cores()), 1e-3)
    budget = case.output.writing.budget
    return advised_servers(volume, seconds, min(bandwidth, assembly_speed), budget, ranks)


def _megabytes(size: float) -> str:
    return f"{size / 1e6:,.0f} MB" if size >= 1e7 else f"{size / 1e6:.1f} MB"
