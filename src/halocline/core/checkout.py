"""In a checkout that `./halo` set up: entry points, and C++ that is compiled when first used.

An installed package has both from its wheel; there, nothing of this does anything.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import invalidate_caches
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from halocline.core.errors import UserError

top = Path(__file__).parents[3]
"""The checkout, if this is one."""

rooms_elsewhere = {"halocline_lab": "lab"}
"""Rooms of C++ whose packages do not lie in `halocline`, by package."""


class LateModule(ModuleType):
    """A module in C++ that is compiled and loaded when anything of it is first asked for."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        assert self.__spec__ is not None
        found = vars(_compiled(self.__name__, self.__spec__.loader_state))
        vars(self).update(found)
        return found[name] if name in found else super().__getattribute__(name)


class LateLoader(Loader):
    """Makes such modules."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Nothing but the name."""
        return LateModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing yet."""


class CompilingFinder:
    """The last to be asked for a module: finds `halocline.ROOM._native` where it is missing."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A module that is compiled by need; None for all that is no module of ours in C++."""
        package, _, last = name.rpartition(".")
        ours = package.partition(".")[0] in ("halocline", *rooms_elsewhere)
        if last != "_native" or not ours or not path or not Path(path[0], "_native.pyi").exists():
            return None
        return ModuleSpec(name, LateLoader(), loader_state=list(path))


def _compiled(name: str, path: Sequence[str]) -> ModuleType:
    """The module in C++ of a room whose package lies in `path`, compiled and loaded."""
    import subprocess

    from halocline.core.programs import find_program

    package = name.rpartition(".")[0]
    room = rooms_elsewhere.get(package, package.rpartition(".")[2])
    shell = find_program("sh") or "/bin/sh"
    done = subprocess.run([shell, top / "halo", "--compile", room], stdout=sys.stderr)
    if done.returncode:
        raise UserError(f"'{name}' is not compiled yet, and cannot be; see above")
    invalidate_caches()
    spec = PathFinder.find_spec(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def is_ours() -> bool:
    """Whether this is the environment of a checkout."""
    return (top / "halo").exists() and Path(sys.prefix).resolve() == (top / ".venv").resolve()


def compile_when_used() -> None:
    """Let missing modules be compiled when they are used, in the environment of a checkout."""
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
