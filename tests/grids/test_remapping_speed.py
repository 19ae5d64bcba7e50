"""A million by a million points on two ranks, within a minute and within stated memory.

Ranks: 2, started here.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command


@pytest.mark.slow
@pytest.mark.parametrize("method", ["bilinear", "conservative", "conservative-2", "patch"])
def test_a_million_by_a_million(method: str):
    script = str(Path(__file__).parent / "large_remapping.py")
    command = [*mpiexec_command(2, 1), sys.executable, script, method]
    environment = mpi_environment({**os.environ, "OMP_NUM_THREADS": "1"})
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    words = done.stdout.split()
    print(done.stdout)
    assert float(words[3]) < 60.0
    assert float(words[5]) < 700.0
