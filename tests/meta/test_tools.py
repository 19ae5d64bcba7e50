"""What machines can check about the sources: format, lint, types, rooms, spelling."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

top = Path(__file__).parents[2]
programs = Path(sys.executable).parent
python_folders = ["src", "lab", "tests", "conftest.py"]
cpp_files = sorted(
    str(path.relative_to(top))
    for folder in ("cpp", "src", "lab/src")
    for path in (top / folder).rglob("*.[ch]pp")
)

checks = {
    "python format": ["ruff", "format", "--check", "--diff", *python_folders],
    "python lint": ["ruff", "check", *python_folders],
    "types": ["mypy"],
    "rooms": ["lint-imports", "--no-cache"],
    "c++ format": ["clang-format", "--dry-run", "--Werror", *cpp_files],
    "spelling": ["typos", "--format", "brief"],
}


@pytest.mark.parametrize("name", checks)
def test_sources_pass(name: str) -> None:
    program, *arguments = checks[name]
    result = subprocess.run(
        [programs / program, *arguments], cwd=top, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, f"{result.stdout}{result.stderr}"
