"""`halocline compile`: programs of C and Fortran that compute a member of a run."""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path

from halocline.core.errors import UserError
from halocline.core.programs import find_program

words = "compile a program of C or Fortran that computes a member of a run"
example = "compile gcc -O2 slab.c -o slab"

sources = Path(__file__).with_name("other_languages")
fortran = re.compile(r"fort|flang|f77|f90|f95|ifx|ftn")
"""What names of Fortran compilers have in them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline compile`."""
    parser.add_argument("--show", action="store_true", help="print the command, do not run it")
    parser.add_argument(
        "words", metavar="COMMAND", nargs=argparse.REMAINDER, help="compiler and its arguments"
    )


def main(options: argparse.Namespace) -> int:
    """Run the compiler; its exit code."""
    if not options.words:
        raise UserError("No compiler is named. Write for example 'halocline compile gcc slab.c'.")
    compiler, *rest = options.words
    path = find_program(compiler, own_first=False)
    if not path:
        raise UserError(f"There is no compiler '{compiler}' on PATH. Install it, or give its path.")
    in_fortran = bool(fortran.search(Path(compiler).name))
    command = [path, *compiler_words(rest, in_fortran=in_fortran)]
    if options.show:
        print(shlex.join(command))
        return 0
    if "-c" in rest and in_fortran:
        _make_module(path, rest)
    return subprocess.run(command).returncode


def compiler_words(given: Sequence[str], *, in_fortran: bool) -> list[str]:
    """The words of a compiler's command with all that Halocline needs.

    With -c only headers are found; without it a program is linked with what starts Python.
    """
    found = [f"-I{sources}", *given]
    if "-c" in given:
        return found
    if in_fortran:
        found.insert(1, str(sources / "halocline.f90"))
    return [*found, *_python()]


def _python() -> list[str]:
    """What links this Python into a program, and tells it where its packages are."""
    values = {name: sysconfig.get_config_var(name) for name in ("LIBDIR", "LDLIBRARY", "VERSION")}
    headers, folder = sysconfig.get_path("include"), Path(str(values["LIBDIR"]))
    library = f"python{values['VERSION']}{sys.abiflags}"
    if not Path(headers, "Python.h").exists() or not (folder / f"lib{library}.so").exists():
        raise UserError(
            f"This Python ({sys.executable}) has no headers or no library to link with (Python.h,"
            f" lib{library}.so). Install them (Debian: python3-dev)."
        )
    return [
        f"-I{headers}",
        f'-DHALOCLINE_PYTHON="{sys.executable}"',
        str(sources / "halocline.c"),
        f"-L{folder}",
        f"-Wl,-rpath,{folder}",
        f"-l{library}",
    ]


def _make_module(compiler: str, given: Sequence[str]) -> None:
    """Make halocline.mod where the compiler looks for modules."""
    at = [word for word in given if word.startswith("-J")]
    if "-J" in given:
        at = ["-J", given[given.index("-J") + 1]]
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder, "halocline.o"))
        command = [compiler, "-c", *at, str(sources / "halocline.f90"), "-o", out]
        subprocess.run(command, check=True)
