"""The lines of the source where calls come from, from the addresses in the parts of a record."""

from __future__ import annotations

import os
import re
import struct
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from halocline.core.programs import find_program
from halocline.runtime.record.run_record_parts import RecordPart
from halocline_lab.recording.function_names import cpp_name, demangled, fortran_name

address = re.compile(r"^(?P<path>/.*)\+0x(?P<offset>[0-9a-f]+)(?: in (?P<symbol>.*))?$")


def resolve_sites(parts: Iterable[RecordPart]) -> None:
    """Turn "PATH+0xOFFSET in SYMBOL" into "file:line in function" as far as that is known."""
    regions = [region for part in parts for region in part.about["regions"]]
    wanted: dict[str, set[str]] = defaultdict(set)
    for _, _, site in regions:
        if found := address.match(site):
            wanted[found["path"]].add(found["offset"])
    lines = {
        (path, offset): line
        for path, offsets in wanted.items()
        for offset, line in source_lines(path, sorted(offsets)).items()
    }
    symbols = demangled(
        found["symbol"] or "" for _, _, site in regions if (found := address.match(site))
    )
    for region in regions:
        region[2] = readable(region[2], lines, symbols)
        if region[0] == "function":
            region[0], region[2] = named(region[2])


def named(site: str) -> tuple[str, str]:
    """The function of a site for people, and where it begins.

    >>> named("x.c:7 in relax"), named("relax in prog"), named("prog+0x12")
    (('relax', 'x.c:7'), ('relax', 'prog'), ('prog+0x12', ''))
    """
    first, _, last = site.partition(" in ")
    return (last, first) if ":" in first and last else (first, last)


def source_lines(path: str, offsets: list[str]) -> dict[str, tuple[str, str]]:
    """Function and "file:line" of addresses in a program or library ("??" where unknown)."""
    tool = find_program("addr2line")
    if tool is None or not Path(path).is_file():
        return {}
    done = subprocess.run(
        [tool, "-f", "-C", "-e", path], input="\n".join(f"0x{offset}" for offset in offsets),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    answers = done.stdout.splitlines()
    if done.returncode != 0 or len(answers) != 2 * len(offsets):
        return {}
    found = {
        offset: (answers[2 * at], re.sub(r" \(discriminator \d+\)", "", answers[2 * at + 1]))
        for at, offset in enumerate(offsets)
    }
    if symbol_table not in section_types(Path(path).read_bytes()):
        # Only what is exported is named: the nearest of these is another function.
        found = {offset: row for offset, row in found.items() if not row[1].startswith("??")}
    return found


symbol_table = 2
"""Type of a section of ELF."""


def section_types(content: bytes) -> list[int]:
    """The types of the sections of an ELF file of 64 bits; none for other files."""
    if content[:5] != b"\x7fELF\x02":
        return []
    order = "<" if content[5] == 1 else ">"
    (start,) = struct.unpack_from(f"{order}Q", content, 40)
    size, count = struct.unpack_from(f"{order}HH", content, 58)
    return [
        struct.unpack_from(f"{order}I", content, start + size * at + 4)[0] for at in range(count)
    ]


def readable(
    site: str,
    lines: Mapping[tuple[str, str], tuple[str, str]],
    symbols: Mapping[str, str] | None = None,
) -> str:
    """A site for people: the line, else the function, else the place in the program.

    `symbols` has the signatures of symbols of C++.

    >>> readable("/a/b.so+0x12 in send", {("/a/b.so", "12"): ("main", "/src/x.c:7")})
    'x.c:7 in main'
    >>> readable("/a/b.so+0x12", {("/a/b.so", "12"): ("ring_", "/src/x.f90:7")})
    'x.f90:7 in ring'
    >>> readable("/a/b.so+0x12 in __w3initmd_MOD_w3init", {})
    'w3initmd::w3init in b.so'
    >>> readable("/a/b.so+0x12 in _Z4sendi", {}, {"_Z4sendi": "send(int)"})
    'send in b.so'
    >>> readable("/a/b.so+0x12 in send", {("/a/b.so", "12"): ("??", "??:0")})
    'send in b.so'
    >>> readable("/a/prog+0x12", {})
    'prog+0x12'
    """
    found = address.match(site)
    if found is None:
        return _python_site(site)
    name = Path(found["path"]).name
    function, line = lines.get((found["path"], found["offset"]), ("??", "??:0"))
    symbol = found["symbol"] or ""
    known = function if function != "??" else (symbols or {}).get(symbol, symbol)
    file, _, number = line.rpartition(":")
    known = fortran_name(cpp_name(known), fortran=bool(re.search(r"\.(f|F|for|FOR)\d*$", file)))
    if file not in ("", "??") and number.isdigit() and int(number) > 0:
        return f"{_short(file)}:{number}" + (f" in {known}" if known else "")
    return f"{known} in {name}" if known else f"{name}+0x{found['offset']}"


def _python_site(site: str) -> str:
    file, line, rest = site.partition(".py:")
    return f"{_short(file + '.py')}:{rest}" if line else site


def _short(file: str) -> str:
    """A file below the current folder by its way from there, others by their name."""
    here = os.getcwd() + os.sep
    return file[len(here) :] if file.startswith(here) else Path(file).name
