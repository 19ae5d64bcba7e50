"""The same bits on any number of ranks and threads, and on any decomposition.

Ranks: 1, 2, 3, 8, and 4 and 6 with `--all`, started here; more than there are cores on most
machines.
"""

import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pytest

from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command

folder = Path(__file__).parent
still, moving = "small_ocean.py", "small_flowing_sea.py"


@lru_cache
def bits(script: str, ranks: int, threads: int) -> tuple[str, ...]:
    """Hashes of all ways to cut the grid, on so many ranks and threads."""
    command = [sys.executable, str(folder / script)]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    if ranks > 1:
        command = [*mpiexec_command(ranks, threads), *command]
        environment = mpi_environment(environment)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("bits ")]
    assert len(lines) == 5, done.stdout
    return tuple(line.split()[1] for line in lines)


@pytest.mark.parametrize(
    "ranks", [1, 2, 3, 8, *(pytest.param(ranks, marks=pytest.mark.slow) for ranks in (4, 6))]
)
def test_ranks_and_decompositions(ranks):
    reference = bits(still, 1, 1)[0]
    assert set(bits(still, ranks, 1)) == {reference}


@pytest.mark.parametrize("threads", [2, 3])
def test_threads(threads):
    assert set(bits(still, 1, threads)) == {bits(still, 1, 1)[0]}


@pytest.mark.parametrize(("ranks", "threads"), [(1, 1), (3, 1), (1, 3)])
def test_over_water_that_moves_and_rises(ranks, threads):
    reference = bits(moving, 1, 1)[0]
    assert reference != bits(still, 1, 1)[0]
    assert set(bits(moving, ranks, threads)) == {reference}
