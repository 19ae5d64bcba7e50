"""Every way to write gives the bytes of a plain file, on any number of ranks and servers.

W-26, W-30, R-22, R-25, R-28, R-29.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command

few = [(5, 0), (6, 3)]
more = [(1, 0), (2, 0), (2, 1), (5, 2)]


@pytest.mark.parametrize(
    ("ranks", "servers"), few + [pytest.param(*some, marks=pytest.mark.slow) for some in more]
)
def test_all_ways_give_the_same_bytes(tmp_path, ranks, servers):
    script = Path(__file__).with_name("every_way.py")
    launcher = mpiexec_command(ranks, threads=1) if ranks > 1 else []
    done = subprocess.run(
        [*launcher, sys.executable, "-m", "mpi4py", str(script), str(tmp_path), str(servers)],
        env=mpi_environment({**os.environ, "OMP_NUM_THREADS": "1"}),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all the same bytes" in done.stdout
