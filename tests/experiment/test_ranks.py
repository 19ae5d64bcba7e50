"""Runs the tests of output on several ranks."""

import os
import subprocess
import sys
from pathlib import Path

from halocline.runtime.launch import mpi_environment, mpiexec_command


def test_output_on_ranks():
    file = str(Path(__file__).parent / "test_output.py")
    command = [*mpiexec_command(3, threads=1), sys.executable, "-m", "pytest", "-q", "-x"]
    environment = mpi_environment({**os.environ, "OMP_NUM_THREADS": "1"})
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", file],
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_unwritable_folder_is_said_once_for_all_ranks(tmp_path: Path):
    taken = tmp_path / "file"
    taken.write_text("not a folder")
    words = ["run", "swell", "-n", "2", "--output", str(taken / "results")]
    done = subprocess.run(
        [sys.executable, "-m", "halocline", *words],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("Cannot write") == 1
    assert "ABORT" not in done.stderr
