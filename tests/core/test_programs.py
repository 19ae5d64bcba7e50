"""Programs that the package starts are found in its own environment, activated or not."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

import halocline
import halocline_lab
from halocline.core.programs import find_program


def planted(folder: Path, name: str) -> str:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("#!/bin/sh\n")
    (folder / name).chmod(0o755)
    return str(folder / name)


def test_own_programs_come_first_and_users_as_the_shell_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, elsewhere = tmp_path / "own", tmp_path / "elsewhere"
    ours, others = planted(own, "cmake"), planted(elsewhere, "cmake")
    only_here, only_there = planted(own, "ninja"), planted(elsewhere, "git")
    monkeypatch.setattr(sys, "executable", str(own / "python"))
    monkeypatch.setenv("PATH", str(elsewhere))
    assert find_program("cmake") == ours
    assert find_program("cmake", own_first=False) == others
    assert find_program("ninja", own_first=False) == find_program("ninja") == only_here
    assert find_program("git") == only_there
    assert find_program(others) == others
    monkeypatch.delenv("PATH")
    assert find_program("sh") is not None and find_program("no-such-program") is None


def test_nothing_of_the_package_looks_elsewhere() -> None:
    """`shutil.which` and started programs that are named without a path would."""
    package, laboratory = (Path(some.__file__).parent for some in (halocline, halocline_lab))
    own = package / "core" / "programs.py"
    bare = re.compile(r"shutil\.which|(?:run|Popen)\(\s*\[\s*[\"']")
    files = [path for path in (*package.rglob("*.py"), *laboratory.rglob("*.py")) if path != own]
    assert len(files) > 100
    assert not [path for path in files if bare.search(path.read_text(encoding="utf-8"))]


def test_building_an_old_version_needs_no_activated_environment() -> None:
    """The programs that `lab history --rerun` starts are not on the PATH of the checks."""
    folders = os.environ["PATH"].split(os.pathsep)
    for name in ("cmake", "ninja"):
        assert not any((Path(folder) / name).exists() for folder in folders)
        assert find_program(name) is not None
