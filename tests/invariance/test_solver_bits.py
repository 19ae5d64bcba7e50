"""Elliptic solutions: the same bits on any ranks, threads, blocks and cuts.

Ranks: 1, 2, 4, started here; more than there are cores on most machines.
"""

import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pytest

from halocline.runtime.launch import mpi_environment, mpiexec_command

script = Path(__file__).parent / "small_solver.py"


@lru_cache
def bits(ranks: int, threads: int) -> frozenset[str]:
    """Distinct lines of method and hash, over all ways to cut the grid."""
    command = [sys.executable, str(script)]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    if ranks > 1:
        command = [*mpiexec_command(ranks, threads), *command]
        environment = mpi_environment(environment)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("bits ")]
    assert len(lines) == 40, done.stdout
    return frozenset(lines)


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_ranks_and_cuts(ranks):
    assert len(bits(1, 1)) == 10  # one of each choice
    assert bits(ranks, 1) == bits(1, 1)


def test_threads():
    assert bits(1, 3) == bits(1, 1)
