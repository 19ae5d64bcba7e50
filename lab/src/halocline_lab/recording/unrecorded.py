"""Why a command left no record, as far as its words tell."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

from halocline.core.programs import find_program
from halocline_lab.recording.interposer_build import launchers

dynamic, interpreter = 2, 3
"""Types of a program header of ELF."""


def why_nothing(command: Sequence[str], code: int = 0) -> str:
    """One message for a command of which no rank left a part of a record."""
    programs = [
        Path(found)
        for word in command
        if Path(word).name not in launchers and (found := find_program(word, own_first=False))
    ]
    static = [path for path in programs if is_static(path)]
    if static:
        return (
            f"Nothing was recorded: '{static[0]}' is linked statically, so that nothing can be"
            " loaded before it. Link it dynamically with its MPI library."
        )
    own_mpi = [path for path in programs if has_own_mpi(path)]
    if own_mpi:
        return (
            f"Nothing was recorded: '{own_mpi[0]}' has its MPI library inside it. Link it with the"
            " shared library of its MPI."
        )
    if code != 0:
        return (
            "Nothing was recorded: it ended before any of its processes had come out of MPI_Init."
            " Does it run without 'halocline lab record --'?"
        )
    return (
        "Nothing was recorded: no process of the command called MPI_Init. Is it an MPI program, and"
        " are its ranks started with the environment of this command (LD_PRELOAD)?"
    )


def program_headers(content: bytes) -> list[int]:
    """The types of the program headers of an ELF file of 64 bits; none for other files."""
    if content[:5] != b"\x7fELF\x02":
        return []
    order = "<" if content[5] == 1 else ">"
    (start,) = struct.unpack_from(f"{order}Q", content, 32)
    size, count = struct.unpack_from(f"{order}HH", content, 54)
    return [struct.unpack_from(f"{order}I", content, start + size * at)[0] for at in range(count)]


def is_static(path: Path) -> bool:
    """Whether a file is a program without an interpreter that would load libraries."""
    headers = program_headers(path.read_bytes())
    return bool(headers) and interpreter not in headers


def has_own_mpi(path: Path) -> bool:
    """Whether a program itself defines MPI_Init: it is in no library that it names."""
    content = path.read_bytes()
    return bool(program_headers(content)) and b"MPI_Init" in content and b"libmpi" not in content
