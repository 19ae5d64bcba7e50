"""Addresses in programs become lines of the source, functions, or places in the program."""

from __future__ import annotations

import subprocess

from halocline.runtime.record.run_record_parts import RecordPart
from halocline_lab.recording.call_sites import readable, resolve_sites, section_types, source_lines

source = """
static int __attribute__((noinline)) hidden(int x) { return x + 1; }
int shown(int x) { return hidden(x) + 2; }
int main(int count, char** words) { (void)words; return shown(count) - count - 3; }
"""


def built(folder, *options):
    (folder / "a.c").write_text(source)
    words = ["gcc", "-O1", "-fno-inline", *options, "-o", "a.out", "a.c"]
    subprocess.run(words, cwd=folder, check=True)
    return folder / "a.out"


def address_of(program, name):
    table = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    return next(f"{int(row.split()[0], 16):x}" for row in table.splitlines() if row.endswith(name))


def test_names_are_those_of_the_author(tmp_path):
    """Templates and methods of C++, with lines and without."""
    (tmp_path / "b.cpp").write_text(
        "namespace grid {\n"
        "template <class T> __attribute__((noinline)) T twice(T x) { return x + x; }\n"
        "struct Halo { __attribute__((noinline)) int fill(int n) { return n + 1; } };\n"
        "}\n"
        "int main(int n, char**) { return grid::twice<double>(n) > grid::Halo().fill(n); }\n"
    )
    for options, place in ((["-g"], "b.cpp:"), ([], "b.out")):
        words = ["g++", "-O1", "-fno-inline", "-rdynamic", *options, "-o", "b.out", "b.cpp"]
        subprocess.run(words, cwd=tmp_path, check=True)
        program = tmp_path / "b.out"
        for name, mangled in (("grid::twice<...>", "twice"), ("grid::Halo::fill", "fill")):
            table = subprocess.run(["nm", program], capture_output=True, text=True, check=True)
            row = next(row for row in table.stdout.splitlines() if mangled in row)
            site = f"{program}+0x{int(row.split()[0], 16):x} in {row.split()[-1]}"
            part = RecordPart({"regions": [["MPI_Send", "send", site]]}, {})
            resolve_sites([part])
            said = part.about["regions"][0][2]
            assert name in said and place in said and "_Z" not in said


def test_lines_functions_and_places(tmp_path):
    program = built(tmp_path, "-g")
    offset = address_of(program, " hidden")
    site = f"{program}+0x{offset}"
    lines = {(str(program), offset): source_lines(str(program), [offset])[offset]}
    assert readable(site, lines) == "a.c:2 in hidden"

    program = built(tmp_path)
    offset = address_of(program, " hidden")
    lines = {(str(program), offset): source_lines(str(program), [offset])[offset]}
    assert readable(f"{program}+0x{offset}", lines) == "hidden in a.out"

    subprocess.run(["strip", program], check=True)
    assert 2 not in section_types(program.read_bytes())
    assert source_lines(str(program), [offset]) == {}
    assert readable(f"{program}+0x{offset}", {}) == f"a.out+0x{offset}"


def test_files_that_are_no_programs(tmp_path):
    (tmp_path / "text").write_text("no program")
    assert source_lines(str(tmp_path / "text"), ["10"]) == {}
    assert source_lines(str(tmp_path / "missing"), ["10"]) == {}
