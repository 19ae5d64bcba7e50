"""Runs on a file system without coherent shared writes: servers are immune; damage is found out.

Ranks: 4, and 2 with 2 servers, by the command.
"""

import os
import subprocess
import sys
import tomllib

import pytest
import tomli_w

from halocline.experiment.resuming import case_file, end_file
from halocline.experiment.run import run
from halocline.experiment.verifying import verify_file
from halocline.runtime.files.checksums import DamagedFile
from halocline.runtime.files.disk import variable
from halocline.runtime.ranks.launch import mpi_environment
from halocline.runtime.ranks.launched import under_mpi
from halocline.runtime.writing.restart import find_restarts

pytestmark = pytest.mark.skipif(under_mpi(), reason="starts ranks itself")
variables = ["significant_height", "peak_period", "mean_direction", "wind_speed"]
case = {
    "component": "waves",
    "grid": {"nx": 160, "ny": 120, "dx": 1.0, "dy": 1.0, "y0": -60.0, "depth": 3000.0},
    "spectrum": {"frequencies": 6, "factor": 1.3, "directions": 12},
    "time": {"start": "2000-01-01", "length": "6h", "step": "1h"},
    "forcing": {"wind": {"speed": 17.0, "direction": 250.0}},
    "start": {"kind": "jonswap"},
    "restart": {"interval": "2h"},
    "output": {
        "writing": {"block_size": 65536},
        "fields": {
            "maps": {"variables": variables, "interval": "1h"},
            "means": {"interval": "3h", "processing": "mean"},
        },
        "points": {"buoys": {"points": {"a": [50.0, 0.0]}, "interval": "1h"}},
    },
}


def contents(folder):
    return {p.name: p.read_bytes() for p in [*folder.glob("*.nc"), *find_restarts(folder)]}


def command(*words, network="incoherent:page=65536"):
    environment = mpi_environment({**os.environ, variable: network})
    done = subprocess.run([sys.executable, "-m", "halocline", *map(str, words), "--quiet"],
                          env=environment, capture_output=True, text=True, timeout=300)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder of a run of one process on an ordinary disk."""
    folder = tmp_path_factory.mktemp("whole")
    run(case, output=folder)
    return folder


def test_servers_are_immune(tmp_path, whole):
    """Two servers write the blocks of every file among them, and no page is written by both."""
    path = tmp_path / "case.toml"
    path.write_text(tomli_w.dumps(case))
    ways = ["--set", "output.servers.count=2", "--set", "output.writing.way=servers"]
    command("run", path, "-n", 2, *ways, "--output", tmp_path / "results")
    assert contents(tmp_path / "results") == contents(whole)


def test_a_run_goes_on_before_the_damaged_restart(tmp_path, whole, capfd):
    """Ranks that write their own parts fetch pages before the others write theirs."""
    for path in [case_file, *(p.name for p in find_restarts(whole)[1:])]:
        (tmp_path / path).write_bytes((whole / path).read_bytes())
    for path in whole.glob("*.nc"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    last = tmp_path / find_restarts(whole)[0].name
    options = tomllib.loads((tmp_path / case_file).read_text())
    options["restart"]["way"] = "parts"
    (tmp_path / case_file).write_text(tomli_w.dumps(options))
    command("resume", tmp_path, "-n", 4, network="incoherent:")
    with pytest.raises(DamagedFile, match=f"{last.name}' is damaged: range"):
        verify_file(last)
    found = contents(tmp_path)
    assert {name for name in found if found[name] != contents(whole)[name]} == {last.name}
    (tmp_path / end_file).unlink()
    run(tmp_path / case_file, output=tmp_path, resume=True)
    words = capfd.readouterr().err
    assert f"{last.name}' is damaged: range" in words
    assert "restart_20000101T040000.safetensors' (2000-01-01 04:00)" in words
    assert contents(tmp_path) == contents(whole)
