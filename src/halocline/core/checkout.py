"""In a checkout that `./halo` set up: entry points, and C++ that is compiled when first imported.

An installed package has both from its wheel; there, nothing of this does anything.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import invalidate_caches
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

top = Path(__file__).parents[3]
"""The checkout, if this is one."""

rooms_elsewhere = {"halocline_lab": "lab"}
"""Rooms of C++ whose packages do not lie in `halocline`, by package."""


class CompilingFinder:
    """The last to be asked for a module: compiles `halocline.ROOM._native` where it is missing."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where the module lies now; None for all that is no module of ours in C++."""
        package, _, last = name.rpartition(".")
        ours = package.partition(".")[0] in ("halocline", *rooms_elsewhere)
        if last != "_native" or not ours or not path or not Path(path[0], "_native.pyi").exists():
            return None
        room = rooms_elsewhere.get(package, package.rpartition(".")[2])
        import subprocess

        from halocline.core.programs import find_program

        shell = find_program("sh") or "/bin/sh"
        done = subprocess.run([shell, top / "halo", "--compile", room], stdout=sys.stderr)
        if done.returncode:
            raise ImportError(f"'{name}' is not compiled yet, and cannot be; see above", name=name)
        invalidate_caches()
        return PathFinder.find_spec(name, path, target)


def is_ours() -> bool:
    """Whether this is the environment of a checkout."""
    return (top / "halo").exists() and Path(sys.prefix).resolve() == (top / ".venv").resolve()


def compile_when_imported() -> None:
    """Let missing modules be compiled, in the environment of a checkout."""
    if is_ours():
        sys.meta_path.append(CompilingFinder())


def register(version: str) -> None:
    """Write what `pyproject.toml` says of entry points into this environment, as a wheel would."""
    import shutil
    import sysconfig
    import tomllib

    project = tomllib.loads((top / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {"console_scripts": project["scripts"], **project.get("entry-points", {})}
    lines = [
        line
        for group, entries in groups.items()
        for line in (f"[{group}]", *(f"{name} = {place}" for name, place in entries.items()))
    ]
    files = {
        "entry_points.txt": "\n".join(lines) + "\n",
        "METADATA": f"Metadata-Version: 2.1\nName: halocline\nVersion: {version}\n",
    }
    folder = Path(sysconfig.get_path("purelib"), f"halocline-{version}.dist-info")
    for former in folder.parent.glob("halocline-*.dist-info"):
        if former != folder:
            shutil.rmtree(former)
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        if not (folder / name).exists() or (folder / name).read_text(encoding="utf-8") != text:
            (folder / name).write_text(text, encoding="utf-8")
