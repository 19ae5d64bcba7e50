"""Imports are statements, which every tool sees; they change nothing of the process."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import halocline
import halocline_lab

by_string = re.compile(r"import_module|__import__|run_module|exec_module|EntryPoint\(|\.load\(\)")

allowed = {
    "halocline/core/checkout.py": "modules in C++ that are compiled first",
    "halocline/biogeochemistry/fabm/model.py": "pyfabm, where it is installed",
    "halocline/biogeochemistry/known_biologies.py": "entry points of biologies",
    "halocline/component/case/registry.py": "entry points of components",
    "halocline/experiment/added_commands.py": "entry points of other packages",
    "halocline/waves/forcing.py": "winds from a user's own file",
    "halocline/runtime/ranks/as_rank.py": "what `python -m` would run",
    "halocline_lab/diagnosis/planted/model.py": "the file that users copy",
}


def test_nothing_is_imported_by_a_string() -> None:
    found = set()
    for package in (halocline, halocline_lab):
        (room,) = package.__path__
        root = Path(room).parent
        for path in root.rglob("*.py"):
            if by_string.search(path.read_text(encoding="utf-8")):
                found.add(str(path.relative_to(root)))
    assert found == set(allowed)


def test_modules_import_at_their_head_only_packages_that_users_have() -> None:
    """Those of the lock for users; what tests or extras bring may be asked for in functions."""
    lock = (Path(__file__).parents[2] / "requirements.lock").read_text(encoding="utf-8")
    users = set(re.findall(r"^([a-z0-9-]+)==", lock, re.MULTILINE))
    brought, missing = packages_distributions(), set()
    for package in (halocline, halocline_lab):
        for path in Path(package.__path__[0]).rglob("*.py"):
            for statement in ast.parse(path.read_text(encoding="utf-8")).body:
                names = [one.name for one in getattr(statement, "names", [])]
                if isinstance(statement, ast.ImportFrom):
                    names = [str(statement.module)]
                elif not isinstance(statement, ast.Import):
                    continue
                for name in {name.partition(".")[0] for name in names}:
                    ours = name in sys.stdlib_module_names or name.startswith("halocline")
                    sources = [name, *brought.get(name, [])]
                    from_any = {one.lower().replace("_", "-") for one in sources}
                    if not ours and not users & from_any:
                        missing.add((path.name, name))
    assert not missing


everything = """
import importlib, os, pkgutil, signal, sys, threading
from pathlib import Path

def process():
    return {
        "cores": os.sched_getaffinity(0),
        "folder": os.getcwd(),
        "signals": {n: signal.getsignal(n) for n in signal.valid_signals()},
        "threads": threading.enumerate(),
        "children": Path(f"/proc/self/task/{os.getpid()}/children").read_text(),
        "environment": dict(os.environ),
    }

import mpi4py.MPI, netCDF4  # these set up the process themselves
before = process()
for name in sys.argv[1:]:
    for module in pkgutil.walk_packages(importlib.import_module(name).__path__, f"{name}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
            after = process()
            for what in [what for what in after if after[what] != before[what]]:
                print(f"{module.name} changes the {what} of the process that imports it")
            before = after
"""


def changes(*packages: str, path: str = "") -> list[str]:
    """What imports of all modules of packages change in a process."""
    command = [sys.executable, "-P", "-c", everything, *packages]
    environment = {**os.environ, **({"PYTHONPATH": path} if path else {})}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return [
        line for line in done.stdout.splitlines() if " changes the " in line
    ]  # MPI may speak too


def test_imports_start_nothing_and_change_nothing_of_the_process() -> None:
    assert not changes("halocline", "halocline_lab")


restless = {
    "cores": "os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})",
    "folder": "os.chdir('/')",
    "signals": "signal.signal(signal.SIGTERM, signal.SIG_IGN)",
    "threads": "threading.Thread(target=time.sleep, args=[9], daemon=True).start()",
    "children": "kept = subprocess.Popen(['sleep', '9'], stdout=null, stderr=null)",
    "environment": "os.environ['OMP_NUM_THREADS'] = '77'",
}


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="nothing to bind to")
def test_modules_that_do_are_found(tmp_path: Path) -> None:
    package = tmp_path / "restless"
    package.mkdir()
    (package / "__init__.py").write_text("")
    for what, line in restless.items():
        needs = "import os, signal, subprocess, threading, time\nnull = subprocess.DEVNULL"
        (package / f"of_{what}.py").write_text(f"{needs}\n{line}\n")
    says = "of the process that imports it"
    assert changes("restless", path=str(tmp_path)) == [
        f"restless.of_{what} changes the {what} {says}" for what in sorted(restless)
    ]


@pytest.mark.parametrize(
    "line",
    [
        "importlib.import_module(name)", "__import__(name)", "runpy.run_module(name)",
        "spec.loader.exec_module(module)", "EntryPoint(name, value, group)", "point.load()",
    ],
)  # fmt: skip
def test_an_import_by_a_string_is_seen(line: str) -> None:
    assert by_string.search(f"    found = {line}\n")
