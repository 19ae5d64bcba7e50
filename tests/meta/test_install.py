"""`pip install .`: the wheel holds the kernels, the cases and their data, and runs elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

top = Path(__file__).parents[2]


@pytest.mark.slow
def test_wheel_runs_a_case_far_from_the_checkout(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "pip", "wheel", str(top), "--no-deps", "--no-build-isolation"]
    build += ["--config-settings", f"build-dir={tmp_path / 'build'}", "-w", str(tmp_path)]
    programs = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    programs["CXX"] = "g++"  # not the longer name that Python was built with
    subprocess.run(build, check=True, cwd=tmp_path, env=os.environ | programs)
    (wheel,) = tmp_path.glob("halocline-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path / "site")
    assert "halocline/cases/global-waves/case.toml" in names
    assert "halocline/cases/data/LICENSES.txt" in names
    for room in ("runtime", "waves", "numerics"):
        assert any(name.startswith(f"halocline/{room}/_native.") for name in names)

    program = "import sys; from halocline.experiment.command_line import main; sys.exit(main())"
    arguments = ["run", "duration-limited", "-n", "1", "--set", "time.length=1h", "--output", "out"]
    result = subprocess.run(
        [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, 'site'); {program}"]
        + arguments,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "4 steps to" in result.stdout
    assert (tmp_path / "out" / "maps.nc").exists()
