"""What a script prints of the bits of its results, on any number of ranks and threads."""

import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command


@lru_cache
def printed_bits(
    script: str, ranks: int, threads: int, lines: int, *arguments: str
) -> frozenset[str]:
    """The distinct ones of the `lines` lines that begin with "bits", of a script beside this."""
    command = [sys.executable, str(Path(__file__).parent / script), *arguments]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive"}
    if ranks > 1:
        command = [*mpiexec_command(ranks, threads), *command]
        environment = mpi_environment(environment)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    found = [line for line in done.stdout.splitlines() if line.startswith("bits ")]
    assert len(found) == lines, done.stdout
    return frozenset(found)
