"""What a rank loads: nothing that it does not use."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

program = """
import sys
from halocline.experiment.command_line import main
others = {
    "swell": ["halocline.biogeochemistry", "halocline.numerics._native"],
    "tracer-rotation": ["halocline.waves"],
}
code = main(sys.argv[1:])
heavy = "cmocean matplotlib pandas pyarrow rich scipy wavespectra xarray zarr".split()
heavy += ["halocline_lab", *others.get(sys.argv[2], [])]
print("code", code, "loaded", [name for name in heavy if name in sys.modules])
"""
small = ["-n", "1", "--quiet", "--set", "time.length=1h", "--output", "results"]
commands = [
    ["explain", "time.length"],
    ["check", "global-waves"],
    ["run", "swell", *small],
    ["run", "tracer-rotation", *small, "--set", "time.step=1h"],
]


@pytest.mark.parametrize("words", commands, ids=" ".join)
def test_no_package_is_loaded_that_is_not_used(words: list[str], tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-c", program, *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.stdout.splitlines()[-1:] == ["code 0 loaded []"], done.stderr


def test_a_run_alone_has_the_threads_that_were_asked_for(tmp_path: Path) -> None:
    """Modules of C++ are loaded, and OpenMP has looked at the environment, before it starts."""
    text = """
from halocline.experiment.command_line import main
from halocline_lab import _native
code = main(["run", "swell", *"-n 1 --quiet --set time.length=1h --output results".split(), *more])
print("code", code, "threads", _native.threads())
"""
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    for more, threads in ((["--threads", "3"], 3), ([], 1)):
        done = subprocess.run(
            [sys.executable, "-c", f"more = {more}\n{text}"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert f"code 0 threads {threads}" in done.stdout, done.stdout + done.stderr
