"""No way to write, and no number of servers, changes a byte of any file of a run.

Fields, means, points, a boundary-like stream in Zarr, and restarts, of the model at work.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import tomli_w

from halocline.runtime.ranks.launched import under_mpi

pytestmark = pytest.mark.skipif(under_mpi(), reason="starts ranks itself")
maps = {"variables": ["significant_height", "mean_direction"], "interval": "1h"}
case = {
    "component": "waves",
    "grid": {"nx": 24, "ny": 17, "dx": 10.0, "dy": 8.0, "y0": -64.0, "depth": 3000.0},
    "spectrum": {"frequencies": 6, "factor": 1.3, "directions": 8},
    "time": {"start": "2000-01-01", "length": "6h", "step": "1h"},
    "forcing": {"wind": {"speed": 17.0, "direction": 250.0}},
    "start": {"kind": "jonswap"},
    "restart": {"interval": "2h"},
    "output": {
        "fields": {
            "maps": {**maps, "split": "3h"},
            "means": {**maps, "interval": "3h", "processing": "mean"},
            "chunks": {**maps, "interval": "2h", "format": "zarr", "region": [40, 150, -30, 30]},
        },
        "points": {"buoys": {"points": {"a": [50.0, 0.0], "b": [173.0, 21.0]}}},
    },
}


def run(folder, name, ranks, **settings):
    """All files of results of a run with some settings, by name."""
    path = folder / "case.toml"
    path.write_text(tomli_w.dumps(case))
    words = [w for key, value in settings.items() for w in ("--set", f"{key}={value}")]
    command = [sys.executable, "-m", "halocline", "run", str(path), "-n", str(ranks), "--quiet"]
    done = subprocess.run(
        [*command, "--output", str(folder / name), *words],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return contents(folder / name)


def contents(folder: Path):
    found = [*folder.rglob("*.nc"), *folder.rglob("*.safetensors"), *folder.rglob("*.zarr/**/*")]
    return {str(p.relative_to(folder)): p.read_bytes() for p in found if p.is_file()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """One process writes everything."""
    found = run(tmp_path_factory.mktemp("one"), "whole", 1, **{"output.servers.count": 0})
    assert {Path(name).suffix for name in found} >= {".nc", ".safetensors", ".json"}
    assert len(found) > 8
    return found


@pytest.mark.parametrize(
    ("ranks", "settings"),
    [
        (3, {"output.writing.way": "shared", "restart.way": "parts"}),
        (3, {"output.writing.way": "separate", "decomposition.kind": "cards"}),
        (2, {"output.servers.count": 1}),
        (3, {"output.servers.count": 2, "output.servers.groups": 2, "restart.way": "buffered"}),
        (2, {"output.writing.budget": 0}),
    ],
)
def test_no_output_setting_changes_a_byte(tmp_path, whole, ranks, settings):
    found = run(tmp_path, "some", ranks, **settings)
    assert found.keys() == whole.keys()
    assert [name for name in whole if found[name] != whole[name]] == []
