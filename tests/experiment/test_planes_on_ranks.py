"""No rank keeps planes of the whole grid as its own: those of the grid are one copy for a node."""

import os
import subprocess
import sys
from pathlib import Path

from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command


def test_no_array_of_the_last_of_three_ranks_is_a_plane():
    """A third of a plane with its halo takes some 3.5 bytes per cell, a plane 8."""
    script = Path(__file__).parent / "planes_on_ranks.py"
    command = [*mpiexec_command(3, threads=1), sys.executable, "-P", str(script)]
    environment = mpi_environment({**os.environ, "OMP_NUM_THREADS": "1"})
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.split(maxsplit=3) for line in done.stdout.splitlines()]
    assert [f"{component} {grid}" for component, grid, _, _ in lines] == [
        "waves globe", "transport globe", "ocean globe", "ocean tripole",
    ]  # fmt: skip
    for component, grid, share, where in lines:
        assert float(share) < 6.0, f"{component} on {grid}: {where}"
