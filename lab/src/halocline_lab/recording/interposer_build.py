"""Builds the interposer against an MPI library's own mpi.h, once per library and compiler."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from halocline.core.errors import UserError
from halocline.core.programs import find_program
from halocline.runtime.running.referee import cache_folder
from halocline_lab.recording.interposer_wrappers import declared_calls, wrappers

sources = Path(__file__).parent / "interposer"
launchers = ("mpiexec", "mpirun", "orterun", "prterun", "mpiexec.hydra", "mpiexec.openmpi",
             "mpirun.openmpi", "mpiexec.mpich", "mpirun.mpich")  # fmt: skip

flags = (
    "-std=c++20", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-fvisibility-inlines-hidden",
    "-fno-gnu-unique",
    "-static-libstdc++", "-static-libgcc", "-Wl,--exclude-libs,ALL", "-Wl,-z,lazy",
    "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", "-pthread",
)  # fmt: skip


@dataclass(frozen=True)
class Library:
    """How an MPI library is compiled against: options of the compiler, its mpi.h preprocessed."""

    options: tuple[str, ...]
    header: str


def launcher_in(command: Sequence[str]) -> str | None:
    """The path of the launcher in a command, if there is one.

    >>> launcher_in(["timeout", "9", "no-such-folder/mpiexec", "-n", "2", "./a"])
    >>> launcher_in(["./a"])
    """
    for word in command:
        if Path(word).name in launchers:
            return find_program(word, own_first=False)
    return None


def find_mpicc(command: Sequence[str], given: str | None = None) -> str | None:
    """The compiler wrapper of the MPI of a command: given, beside its launcher, or on PATH."""
    if given is not None:
        found = find_program(given, own_first=False)
        if found is None:
            raise UserError(f"There is no '{given}' to be run. Give --mpicc a path of an mpicc.")
        return found
    launcher = launcher_in(command)
    if launcher is not None:
        name = Path(launcher).name
        ending = name.partition(".")[2] if name.endswith(("openmpi", "mpich")) else ""
        for folder in (Path(launcher).parent, Path(launcher).resolve().parent):
            for one in ([f"mpicc.{ending}"] if ending else []) + ["mpicc"]:
                if (folder / one).exists():
                    return str(folder / one)
    return find_program("mpicc", own_first=False)


def find_library(command: Sequence[str], given: str | None = None) -> Library:
    """How to compile for the MPI of a command."""
    mpicc = find_mpicc(command, given)
    options: tuple[str, ...] = ()
    if mpicc is not None:
        options = _options(mpicc)
    else:
        launcher = launcher_in(command)
        beside = Path(launcher).resolve().parents[1] / "include" if launcher else Path("/nowhere")
        if (beside / "mpi.h").exists():
            options = (f"-I{beside}",)
    return Library(options, _header(options, mpicc))


def _options(mpicc: str) -> tuple[str, ...]:
    """Where an mpicc has mpi.h: its -I and -D."""
    for question in ("--showme:compile", "-compile_info", "-show"):
        done = subprocess.run([mpicc, question], capture_output=True, text=True, check=False)
        if done.returncode == 0 and "-I" in done.stdout:
            return include_options(done.stdout)
    return ()


def include_options(line: str) -> tuple[str, ...]:
    """The options of a compiler's command line that tell where headers are.

    >>> include_options("gcc -I/a -O2 -isystem /b -DX=1 -L/lib -lmpi")
    ('-I/a', '-isystem', '/b', '-DX=1')
    """
    words, kept = shlex.split(line), []
    for word, after in zip(words, [*words[1:], ""], strict=True):
        if word in ("-I", "-isystem", "-idirafter"):
            kept += [word, after]
        elif word.startswith(("-I", "-D")):
            kept.append(word)
    return tuple(kept)


def compiler() -> str:
    """The C++ compiler: $CXX, or one on PATH."""
    for name in (os.environ.get("CXX"), "c++", "g++", "clang++"):
        found = find_program(name.split()[0], own_first=False) if name else None
        if found:
            return found
    raise UserError(
        "No C++ compiler found: the recorder is compiled once for each MPI library. Install g++ or"
        " clang++ (C++20), or name one in the environment variable CXX."
    )


def _header(options: tuple[str, ...], mpicc: str | None) -> str:
    command = [compiler(), "-E", "-P", "-x", "c++", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]
    done = subprocess.run(
        [*command, *options, "-"], input="#include <mpi.h>\n", capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    if done.returncode == 0:
        return done.stdout
    where = f"'{mpicc}' knows of none" if mpicc else "there is no mpicc beside mpiexec or on PATH"
    raise UserError(
        f"No mpi.h found to build the recorder for the program's MPI: {where}. Install the MPI's"
        " development files (Debian: libopenmpi-dev or libmpich-dev), or name its mpicc with"
        " --mpicc."
    )


def _recording_folder() -> Path:
    """Where recording.hpp is: beside the other sources in a package, in cpp/base in a checkout."""
    return sources if (sources / "recording.hpp").exists() else sources.parents[4] / "cpp" / "base"


def _key(library: Library) -> str:
    """What the interposer depends on, as a short word."""
    version = subprocess.run(
        [compiler(), "--version"], capture_output=True, text=True, check=False
    ).stdout
    content = hashlib.sha256()
    program = os.path.realpath(compiler())  # links to one compiler are one compiler
    for text in (library.header, " ".join(library.options), program, version, *flags):
        content.update(text.encode() + b"\0")
    files = [*sources.rglob("*.[ch]pp"), *sources.rglob("*.h"), *_recording_folder().glob("rec*")]
    for file in sorted(files):
        content.update(file.read_bytes())
    content.update(wrappers(library.header).encode())
    return content.hexdigest()[:16]


def interposer(library: Library) -> Path:
    """The interposer for a library, built if it is not yet in the cache."""
    place = cache_folder() / "interposers" / _key(library)
    if not (place / "interposer.so").exists():
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            folder = Path(tempfile.mkdtemp(prefix="building-", dir=place.parent))
        except OSError as error:
            raise UserError(
                f"The recorder cannot be kept in '{place.parent}' ({error.strerror}). Set"
                " XDG_CACHE_HOME to a folder that can be written."
            ) from None
        said = "halocline: compiling the recorder for this MPI (once, some 10 s)"
        print(said, file=sys.stderr, flush=True)
        try:
            _build(library, folder)
            try:
                folder.rename(place)
            except OSError:  # another built it at the same time
                if not (place / "interposer.so").exists():
                    raise
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return place / "interposer.so"


def _build(library: Library, folder: Path) -> None:
    (folder / "wrappers.inc").write_text(wrappers(library.header), encoding="utf-8")
    around = [f"-I{folder}", f"-I{sources}", f"-I{_recording_folder()}", *library.options]
    if "Group_from_session_pset" in declared_calls(library.header):
        around.append("-DHALOCLINE_HAS_SESSIONS")
    for name in ("handles", "interposer"):
        command = [
            compiler(),
            *flags,
            *around,
            "-o",
            f"{folder}/{name}.so",
            f"{sources}/{name}.cpp",
        ]
        done = subprocess.run([*command, "-ldl"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            first = re.findall(r"^.*(?:error|not found).*$", done.stderr, re.MULTILINE)[:3]
            raise UserError(
                f"The recorder cannot be compiled with '{compiler()}' (a C++20 compiler is needed;"
                " CXX names another):\n" + "\n".join(first or [done.stderr[-500:]])
            )
    (folder / "wrappers.inc").unlink()
