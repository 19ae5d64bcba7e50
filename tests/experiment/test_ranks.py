"""Runs the tests of output on several ranks."""

import os
import subprocess
import sys
from pathlib import Path

from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command


def test_output_on_ranks():
    file = str(Path(__file__).parent / "test_output.py")
    command = [*mpiexec_command(3, threads=1), sys.executable, "-m", "pytest", "-q", "-x"]
    environment = mpi_environment({**os.environ, "OMP_NUM_THREADS": "1"})
    once = "not wavespectra or (settings0 and blocks)"  # the rest of it knows no ranks
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", "-k", once, file],
        env=environment,
        capture_output=True,
        text=True,
        timeout=480,
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
        timeout=300,
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("Cannot write") == 1
    assert "ABORT" not in done.stderr


def run_without_mpi(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A run on a machine that has no launcher: that of this environment is out of sight."""
    script = (
        "import sys\n"
        "from halocline.experiment.command_line import main\n"
        "from halocline.experiment import start\n"
        "start.cores = lambda: 2\n"
        "sys.executable = '/nowhere/python'\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    folder = str(tmp_path / "results")
    words = ("run", "swell", "--set", "time.length=6h", "--output", folder, *words)
    return subprocess.run(
        [sys.executable, "-c", script, *words], capture_output=True, text=True, timeout=300
    )


def test_without_mpi_a_plain_run_goes_on_with_one_rank(tmp_path: Path):
    done = run_without_mpi(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "one rank, not 2: no 'mpiexec' is found. Install MPI" in done.stdout
    assert "6 steps to" in done.stdout and (tmp_path / "results" / "maps.nc").exists()
    assert run_without_mpi(tmp_path, "-n", "1").returncode == 0


def test_without_mpi_ranks_that_are_asked_for_are_refused(tmp_path: Path):
    done = run_without_mpi(tmp_path, "-n", "2")
    assert done.returncode == 2
    assert (
        done.stderr.startswith("halocline: No 'mpiexec' found") and "Traceback" not in done.stderr
    )
