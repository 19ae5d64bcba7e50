"""What a rank loads: nothing that it does not use."""

from __future__ import annotations

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
