"""Runs on more ranks than this machine can bear are refused unless they are asked for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from halocline.component.case.case import Case
from halocline.core.errors import UserError
from halocline.experiment.expectations import state_bytes
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.files.room import size_words

most_per_core = 8
"""Ranks times threads for each core; beyond, they only wait for each other."""

bytes_per_rank = 100e6
"""What a rank takes before it has any field: 40 to 60 MB of its own, and buffers of MPI."""

fields_per_state = 2.0
"""Bytes of all fields over those of the state: 1.4 with blocks, and a second copy for cards."""

option = "--oversubscribe"

_limits = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Memory that a container may use, of either version of control groups."""


def refuse_too_many(fields: Mapping[str, float], processes: int, threads: int, cores: int) -> None:
    """Refuse what `why_too_many` says."""
    if reason := why_too_many(fields, processes, threads, cores):
        raise UserError(
            f"Cannot start {_words(processes, threads)} here: {reason}. Use fewer ranks (-n),"
            f" or add {option} if that is meant."
        )


def why_too_many(fields: Mapping[str, float], processes: int, threads: int, cores: int) -> str:
    """Whether there would be more than 8 threads for a core, or more than memory holds.

    `fields` are the `field_bytes` of each member of the run, by name.
    """
    if processes * threads > most_per_core * cores:
        return f"more than {most_per_core} for each of {cores} cores bring a machine to a halt"
    needed, there = expected_memory(fields, processes), available_memory()
    if needed <= there:
        return ""
    each = ", ".join(f"{size_words(some)} for fields of '{name}'" for name, some in fields.items())
    whose = f" ({each})" if len(fields) > 1 else ""
    return (
        f"they need about {needed / 1e9:.1f} GB of memory{whose}, and {there / 1e9:.1f} GB are free"
    )


def expected_memory(fields: Mapping[str, float], processes: int) -> float:
    """Memory that the processes of a run take together, roughly [byte]."""
    return processes * bytes_per_rank + sum(fields.values())


def field_bytes(case: Case, grid: Grid) -> float:
    """Memory that the fields of a case take on all ranks together, roughly [byte]."""
    return fields_per_state * state_bytes(case, grid)


def available_memory() -> float:
    """Memory that new processes can have on all nodes of the run [byte]."""
    nodes = int(os.environ.get("SLURM_JOB_NUM_NODES", 1))
    lines = Path("/proc/meminfo").read_text(encoding="utf-8").splitlines()
    facts = {name: words for name, _, words in (line.partition(":") for line in lines)}
    free = 1024.0 * int(facts["MemAvailable"].split()[0])
    for path in map(Path, _limits):
        limit = path.read_text(encoding="utf-8").strip() if path.exists() else ""
        if limit.isdecimal():
            free = min(free, float(limit))
    return nodes * free


def _words(processes: int, threads: int) -> str:
    """What would be started.

    >>> _words(40, 1), _words(9, 4)
    ('40 processes', '9 processes of 4 threads')
    """
    return f"{processes} processes" + (f" of {threads} threads" if threads > 1 else "")
