"""Where a result comes from: code, build, system, machine; without it no two can be compared."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import platform
import re
import struct
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import halocline
from halocline.core.programs import find_program

compiled = (".", ":/cpp", ":/CMakeLists.txt")
"""What makes the package, seen from its folder."""

recorded_switches = b".GCC.command.line"
"""Section of a module that was compiled with -frecord-gcc-switches."""


def provenance(package: Path | None = None) -> dict[str, dict[str, Any]]:
    """Code, build, system and machine of the package whose sources are in this folder.

    Without a folder it is the package that runs.
    """
    folder = Path(halocline.__file__).parent if package is None else package
    return {
        "code": code(folder),
        "build": build(folder),
        "system": system(),
        "machine": machine(),
    }


def code(package: Path) -> dict[str, Any]:
    """Version; in a checkout also commit, its date, and whether files differ from it."""
    text = (package / "__init__.py").read_text(encoding="utf-8")
    version = re.search(r'^__version__ = "(.*)"', text, re.MULTILINE)
    found: dict[str, Any] = {"version": version[1] if version else ""}
    line = git(package, "log", "-1", "--format=%H %cI")
    # A package that is installed inside some other checkout has no commit of its own.
    if line and git(package, "ls-files", "__init__.py"):
        commit, found["commit_date"] = line.split()
        found["commit"] = commit[:12]
        found["dirty"] = bool(git(package, "status", "--porcelain", "--", *compiled))
    return found


def git(folder: Path, *words: str) -> str:
    """What git says about a folder, or nothing."""
    program = find_program("git")
    if program is None:
        return ""
    try:
        done = subprocess.run(
            [program, "-C", str(folder), *words], capture_output=True, text=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def build(package: Path) -> dict[str, str]:
    """Compiler and flags as the first compiled module tells them, and how it was installed."""
    modules = sorted(package.glob("*/_native*.so"))
    if not modules:
        return {"compiler": "unknown", "flags": "unknown", "variant": "not built"}
    content = modules[0].read_bytes()
    switches = section(content, recorded_switches).split(b"\0")
    lines = [line.decode(errors="replace") for line in switches if b" -std" in line]
    words = lines[0].split() if lines else []
    compiler = re.search(rb"(?:GCC: \([^)]*\) [\d.]+)|(?:clang version [\d.]+)", content)
    in_place = (package.parents[1] / "CMakeLists.txt").exists()
    return {
        "compiler": compiler[0].decode() if compiler else "unknown",
        "flags": " ".join(w for w in words if chosen.match(w)) or "not recorded",
        "features": digest(" ".join(w for w in words if not chosen.match(w))) if words else "",
        "variant": "in place" if in_place else "installed",
    }


def build_words(build: Mapping[str, str]) -> str:
    """A build in a line.

    >>> build_words({"compiler": "GCC: (a) 12.2.0", "flags": "-O3", "variant": "in place"})
    'built by GCC: (a) 12.2.0 with -O3, in place'
    """
    return f"built by {build['compiler']} with {build['flags']}, {build['variant']}"


chosen = re.compile(r"-(?!m)|-m(arch|tune|prefer)")
"""Flags that somebody chose; the others are features of the processor that -march stands for."""


def digest(words: str) -> str:
    """A short name for many words."""
    return hashlib.sha256(words.encode()).hexdigest()[:8]


def section(content: bytes, name: bytes) -> bytes:
    """A section of a 64-bit ELF file; nothing where it has none of that name.

    Layout: System V gABI, chapter 4.
    """
    if content[:5] != b"\x7fELF\x02":
        return b""
    table = struct.unpack_from("<Q", content, 0x28)[0]
    size, count, names_at = struct.unpack_from("<HHH", content, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", content, table + n * size) for n in range(count)]
    names = headers[names_at][4]
    for header in headers:
        start = names + header[0]
        if content[start : content.index(b"\0", start)] == name:
            return content[header[4] : header[4] + header[5]]
    return b""


def system() -> dict[str, str]:
    """Kernel of the operating system, message passing, Python and its arrays."""
    return {
        "kernel": f"{platform.system()} {platform.release()}",
        "c_library": " ".join(platform.libc_ver()),
        "mpi": mpi_library(),
        "python": platform.python_version(),
        "numpy": importlib.metadata.version("numpy"),
    }


@cache
def mpi_library() -> str:
    """Name and version of the MPI library, asked for in a process of its own: nothing starts here.

    >>> bool(mpi_library())
    True
    """
    script = (
        "import mpi4py; mpi4py.rc.initialize = False; from mpi4py import MPI;"
        "print(MPI.Get_library_version())"
    )
    try:
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    words = done.stdout.strip("\0 \n").splitlines()
    return words[0].split(", package")[0] if done.returncode == 0 and words else "none"


def machine() -> dict[str, Any]:
    """Processor, cores that this process may use, memory [byte], and one name for all of it."""
    found: dict[str, Any] = {
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
    }
    gibibytes = round(found["memory"] / 2**30)
    return {**found, "name": digest(f"{found['processor']}|{found['cores']}|{gibibytes}")}


def processor() -> str:
    """The model of the processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
