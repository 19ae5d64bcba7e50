"""The checks see no program that README does not name."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from named_programs import link_programs, named, variable, where_installed

top = Path(__file__).parents[2]

needing = """
import subprocess

def test_that_needs_a_tool():
    subprocess.run(["{tool}", "--version"], check=True, timeout=240)
"""


def run_check(folder: Path, tool: str) -> subprocess.CompletedProcess[str]:
    """A check that needs a tool, on a machine that has it."""
    tools = folder / "bin"
    tools.mkdir(exist_ok=True)
    (tools / tool).write_text("#!/bin/sh\nexit 0\n")
    (tools / tool).chmod(0o755)
    (folder / "test_tool.py").write_text(needing.format(tool=tool))
    around = {name: value for name, value in os.environ.items() if name != variable}
    around |= {"PATH": f"{tools}{os.pathsep}{os.environ[variable]}", "PYTHONPATH": str(top)}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "conftest",
        "-c",
        str(top / "pyproject.toml"),
    ]
    return subprocess.run(
        [*command, "--rootdir", str(folder), "test_tool.py"],
        cwd=folder, env=around, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("tool", ["planted-tool", "cmake"])
def test_a_tool_that_happens_to_be_installed_hides_nothing(tool: str, tmp_path: Path) -> None:
    done = run_check(tmp_path, tool)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "FileNotFoundError" in done.stdout and f"'{tool}'" in done.stdout


def test_a_named_one_is_seen(tmp_path: Path) -> None:
    done = run_check(tmp_path, "git")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_path_holds_named_programs_only() -> None:
    (folder,) = os.environ["PATH"].split(os.pathsep)
    assert {path.name for path in Path(folder).iterdir()} <= {*named, "python3"}
    for name in ("g++", "git", "python3", "sh"):
        assert shutil.which(name), name
    assert where_installed("sh")


def test_links_are_those_of_a_path(tmp_path: Path) -> None:
    there, links = tmp_path / "there", tmp_path / "links"
    for folder in (there, links):
        folder.mkdir()
    for name in ("cmake", "sed"):
        (there / name).write_text("#!/bin/sh\n")
        (there / name).chmod(0o755)
    link_programs(links, str(there))
    assert sorted(path.name for path in links.iterdir()) == ["python3", "sed"]
