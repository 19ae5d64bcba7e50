"""Imports are statements, which every tool sees; they change nothing of the process."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import halocline
import halocline_lab

by_string = re.compile(r"import_module|__import__|run_module|exec_module|EntryPoint\(|\.load\(\)")

allowed = {
    "halocline/component/case/registry.py": "entry points of components",
    "halocline/experiment/added_commands.py": "entry points of other packages",
    "halocline/waves/forcing.py": "winds from a user's own file",
    "halocline/runtime/ranks/as_rank.py": "what `python -m` would run",
    "halocline_lab/diagnosis/planted/model.py": "the file that users copy",
}


def test_nothing_is_imported_by_a_string() -> None:
    found = set()
    for package in (halocline, halocline_lab):
        root = Path(package.__file__).parents[1]
        for path in root.rglob("*.py"):
            if by_string.search(path.read_text(encoding="utf-8")):
                found.add(str(path.relative_to(root)))
    assert found == set(allowed)


everything = """
import importlib, os, pkgutil, signal

def process():
    return os.sched_getaffinity(0), os.getcwd(), signal.getsignal(signal.SIGINT)

import mpi4py.MPI
before = process()
for name in ("halocline", "halocline_lab"):
    for module in pkgutil.walk_packages(importlib.import_module(name).__path__, f"{name}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
            assert process() == before, f"{module.name} changes the process that imports it"
"""


def test_imports_change_neither_cores_nor_folder_nor_signals() -> None:
    command = [sys.executable, "-P", "-c", everything]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
