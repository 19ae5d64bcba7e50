"""Runs whose fields are on a pretended device give the files of runs on the host, to the bit.

Ranks: 1 and 3.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command
from halocline.runtime.ranks.launched import under_mpi

names = ["waves", "waves-cards", "transport", "shallow-water"]


@pytest.mark.skipif(under_mpi(), reason="starts ranks itself")
@pytest.mark.parametrize("ranks", [1, 3])
def test_a_device_gives_the_same_files(tmp_path: Path, ranks: int) -> None:
    script = Path(__file__).with_name("on_a_device.py")
    command = [*mpiexec_command(ranks, threads=1), sys.executable, "-P", str(script)]
    environment = mpi_environment({**os.environ, "OMP_NUM_THREADS": "1"})
    done = subprocess.run(
        [*command, str(tmp_path), *names], env=environment, capture_output=True, text=True,
        timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.split()[2] for line in done.stdout.splitlines() if "same" in line] == names


@pytest.mark.skipif(under_mpi(), reason="starts programs itself")
def test_a_device_solves_to_the_same_bits() -> None:
    found = []
    for name in ("small_solver.py", "solver_on_a_device.py"):
        command = [sys.executable, "-P", str(Path(__file__).with_name(name))]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        found.append(done.stdout)
    assert len(found[0].splitlines()) > 20 and found[0] == found[1]
