"""Processes killed at random moments (SIGKILL): nothing complete is lost, and resuming mends it.

After every kill each file under its final name verifies; the resumed run gives the bits of an
unbroken one. Ranks: 1, and 3 (one of them an output server) of which one is killed.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from halocline.runtime.ranks.launch import mpi_environment


def kill(kind, folder, count, seed):
    script = Path(__file__).parent / "killing.py"
    environment = mpi_environment({**os.environ, "OMP_NUM_THREADS": "1"})
    done = subprocess.run(
        [sys.executable, str(script), kind, str(folder), str(count), str(seed)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60 + 24 * count,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return int(done.stdout)


def test_a_killed_process(tmp_path):
    assert kill("fork", tmp_path, 8, seed=1) > 1


def test_a_killed_rank(tmp_path):
    assert kill("ranks", tmp_path, 2, seed=2) == 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 4])
def test_a_process_killed_very_often(tmp_path, seed):
    assert kill("fork", tmp_path, 125, seed) > 5


@pytest.mark.slow
def test_a_rank_killed_often(tmp_path):
    assert kill("ranks", tmp_path, 50, seed=5) == 50
