"""A run on a file system without coherent writes: its damaged restart is named and passed over."""

import os
import subprocess
import sys

import pytest

from halocline.experiment.resuming import case_file, end_file
from halocline.experiment.run import run
from halocline.experiment.verifying import verify_file
from halocline.runtime import restart_layout
from halocline.runtime.checksums import DamagedFile
from halocline.runtime.communicator import under_mpi
from halocline.runtime.disk import variable
from halocline.runtime.launch import mpi_environment, mpiexec_command
from halocline.runtime.restart import find_restarts

case = {
    "component": "waves",
    "grid": {"nx": 12, "ny": 8, "dx": 10.0, "dy": 6.0, "y0": -20.0, "depth": 3000.0},
    "spectrum": {"frequencies": 5, "factor": 1.3, "directions": 8},
    "time": {"start": "2000-01-01", "length": "6h", "step": "1h"},
    "forcing": {"wind": {"speed": 17.0, "direction": 250.0}},
    "start": {"kind": "jonswap"},
    "restart": {"interval": "2h", "way": "parts"},
    "output": {
        "fields": {"maps": {"interval": "1h"}, "means": {"interval": "3h", "processing": "mean"}},
        "points": {"buoys": {"points": {"a": [50.0, 0.0]}, "interval": "1h"}},
    },
}
resumed = f"""
import sys
from halocline.experiment.run import run
from halocline.runtime import restart_layout

restart_layout.range_length = 1000
run(sys.argv[1] + "/{case_file}", output=sys.argv[1], resume=True)
"""


def contents(folder):
    return {p.name: p.read_bytes() for p in [*folder.glob("*.nc"), *find_restarts(folder)]}


@pytest.mark.skipif(under_mpi(), reason="starts ranks itself")
def test_a_run_goes_on_before_the_damaged_restart(tmp_path, monkeypatch, capfd):
    """Every rank writes its own parts of the restart, so that 4 ranks share its pages."""
    monkeypatch.setattr(restart_layout, "range_length", 1000)
    run(case, output=tmp_path)
    whole = contents(tmp_path)
    end, last = tmp_path / end_file, find_restarts(tmp_path)[0]
    last.unlink()
    end.unlink()
    environment = mpi_environment({**os.environ, variable: "incoherent:"})
    command = [*mpiexec_command(4, threads=1), sys.executable, "-c", resumed, str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    with pytest.raises(DamagedFile, match=f"{last.name}' is damaged: range"):
        verify_file(last)
    found = contents(tmp_path)
    assert {name for name in whole if found[name] != whole[name]} == {last.name}
    for path in tmp_path.glob("*.nc"):
        verify_file(path)
    end.unlink()
    run(tmp_path / case_file, output=tmp_path, resume=True)
    words = capfd.readouterr().err
    assert f"{last.name}' is damaged: range" in words
    assert "restart_20000101T040000.safetensors' (2000-01-01 04:00)" in words
    assert contents(tmp_path) == whole
