"""Runs the runtime's unit tests on several ranks, more than there are cores among them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command
from halocline.runtime.ranks.launched import under_mpi

of_any_number = [
    "test_halos.py",
    "test_land_blocks.py",
    "test_places.py",
    "test_reductions.py",
    "test_transfer.py",
]
"""What ranks send depends on how many there are."""

of_several = [
    "test_doubles.py",
    "test_halo_truth.py",
    "test_library_parts.py",
    "test_memory.py",
    "test_mpi_files.py",
    "test_once_per_node.py",
    "test_overlap.py",
    "test_picking.py",
    "test_referee.py",
    "test_restart.py",
    "test_shared_memory.py",
]
"""All that matters is that there are others."""


@pytest.mark.skipif(under_mpi(), reason="starts ranks itself")
@pytest.mark.parametrize(
    "ranks, files",
    [
        pytest.param(3, of_any_number + of_several, id="3"),
        pytest.param(5, of_any_number, id="5", marks=pytest.mark.slow),
    ],
)
def test_runtime_tests_pass_on_ranks(ranks, files):
    here = Path(__file__).parent
    command = [
        *mpiexec_command(ranks, threads=1),
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        *[str(here / name) for name in files],
    ]
    environment = mpi_environment({**os.environ, "OMP_NUM_THREADS": "1"})
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=480)
    assert done.returncode == 0, done.stdout + done.stderr
