"""Starting a run: here, or on several ranks by the launcher of MPI."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from halocline.experiment import exit_codes
from halocline.experiment.ending import code_file
from halocline.runtime.launch import mpi_environment, mpiexec_command

points_per_rank = 200
"""Fewer sea points per rank than these are not worth a rank that nobody asked for."""


def cores() -> int:
    """Cores that this process may use; under Slurm the tasks of the allocation."""
    return int(os.environ.get("SLURM_NTASKS", 0)) or len(os.sched_getaffinity(0))


def default_ranks(sea_points: int, threads: int) -> int:
    """Ranks for all cores, fewer for a small grid."""
    return max(1, min(cores() // threads, sea_points // points_per_rank))


def set_threads(threads: int) -> None:
    """Threads of the kernels of this process and its ranks; before any kernel is loaded."""
    os.environ["OMP_NUM_THREADS"] = str(threads)


def on_ranks(arguments: list[str], ranks: int, threads: int, say: Callable[[str], None]) -> int:
    """Run `halocline` with `arguments` on `ranks` ranks and return its exit code.

    SIGTERM and SIGINT reach the ranks as SIGUSR1, which mpiexec passes on instead of ending them.
    """
    launcher = mpiexec_command(ranks, threads)
    command = [*launcher, sys.executable, "-P", "-m", "halocline", *arguments]
    words = shlex.join(["mpiexec", *launcher[1:], "halocline", *arguments])
    say(f"starting {ranks} ranks of {threads} thread{'s' * (threads > 1)}: {words}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "exit_code")
        environment = mpi_environment() | {code_file: str(path)}
        process = subprocess.Popen(command, env=environment, start_new_session=True)
        with _passing_on_signals(process):
            code = process.wait()
        if path.exists():
            return int(path.read_text(encoding="utf-8"))
    if code:
        raise RuntimeError(f"a rank ended without a word; mpiexec ended with code {code}")
    return exit_codes.done


@contextmanager
def _passing_on_signals(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """The first SIGTERM or SIGINT asks the ranks to stop cleanly, the second ends them."""
    received: list[int] = []

    def pass_on(number: int, frame: FrameType | None) -> None:
        process.send_signal(signal.SIGTERM if received else signal.SIGUSR1)
        received.append(number)

    before = {number: signal.signal(number, pass_on) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
