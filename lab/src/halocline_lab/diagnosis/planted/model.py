"""What the programs with planted faults share: what a small model does.

Computation is waiting for a clock, asleep where ranks share cores: it takes equally long on however
many cores. Each program takes `--fixed`, which mends it.
"""

import os
import sys
import time
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import numpy as np
from mpi4py import MPI

from halocline_lab.recording.interposer_build import sources


def _region_calls() -> Any:
    """The calls that name steps, of the file that a user would copy."""
    path = sources / "regions" / "halocline_regions.py"
    found = spec_from_file_location(path.stem, path)
    assert found is not None and found.loader is not None
    module = module_from_spec(found)
    found.loader.exec_module(module)
    return module


world = MPI.COMM_WORLD
rank, size = world.rank, world.size
fixed = "--fixed" in sys.argv
cores = sorted(os.sched_getaffinity(0))
left, right = (rank - 1) % size, (rank + 1) % size


def compute(seconds: float) -> None:
    """Work that takes so long, on a core of its own."""
    until = time.perf_counter() + seconds
    if size > len(cores):
        time.sleep(max(0.0, seconds - 2e-4))
    while time.perf_counter() < until:
        pass


def steps(count: int) -> Iterator[int]:
    """Numbers of steps, on a core for each rank where there are as many; the recorder is told."""
    if size <= len(cores):
        os.sched_setaffinity(0, {cores[rank]})
    calls = _region_calls()
    for number in range(count):
        calls.step()
        yield number
    calls.steps_end()


def tell_work(points: int) -> None:
    """Rank 0 gathers a field of all points, whose parts differ in length."""
    counts = np.zeros(size, np.int64)
    world.Allgather(np.array([points], np.int64), counts)
    whole = (np.zeros(int(counts.sum())), counts) if rank == 0 else None
    world.Gatherv(np.zeros(points), whole, root=0)


def halo(length: int = 200) -> None:
    """Exchange contiguous halos with both neighbours."""
    here = np.zeros((2, length))
    there = np.zeros((2, length))
    requests = [world.Irecv(there[0], left, 1), world.Irecv(there[1], right, 2)]
    requests += [world.Isend(here[0], right, 1), world.Isend(here[1], left, 2)]
    MPI.Request.Waitall(requests)


def reduce() -> None:
    """A global sum, as models do for the volume or the energy."""
    total = np.zeros(1)
    world.Allreduce(np.ones(1), total)
