"""`lab record --sample`: what takes time, what to trace of it, and that traced. Ranks: 2."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command
from halocline.runtime.record.run_record_file import read_record
from halocline_lab.recording.interposer_build import find_mpicc, sources
from halocline_lab.recording.traced_functions import compiler_flags
from records.told import programs


def compiled(folder: Path, *options: str) -> Path:
    program = folder / "sampled"
    mpicc = find_mpicc(mpiexec_command(1))
    words = [str(mpicc), "-g", "-O1", f"-I{sources / 'regions'}", "-o", str(program)]
    subprocess.run([*words, *options, str(programs / "sampled.c")], check=True)
    return program


def lab_record(folder: Path, *words: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "halocline", "lab", "record", *words],
        capture_output=True, text=True, cwd=folder,
        env={**mpi_environment(dict(os.environ)), "OMP_NUM_THREADS": "1", **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def of_program(program: Path, *words: str) -> list[str]:
    return ["timeout", "200", *mpiexec_command(2), str(program), *words]


@pytest.mark.parametrize("steps", [True, False])
def test_what_takes_time_after_the_start_is_proposed_and_traced(tmp_path, steps):
    program = compiled(tmp_path)
    more, most = ([], "100000") if steps else (["without"], "256")
    words = ["--sample", "2000", "--", *of_program(program, *more)]
    shown = lab_record(tmp_path, *words, HALOCLINE_RECORD_SAMPLES=most)
    functions = tmp_path / "halocline.functions"
    assert f"what to trace: {functions.name}" in shown
    found = {one["name"]: one for one in read_record(tmp_path).about["samples"]}
    relax, smooth, tables = (found[name] for name in ("relax", "smooth", "make_tables"))
    assert relax["file"] == "sampled.c" and relax["own"]
    assert relax["steady"] == pytest.approx(2 * smooth["steady"], rel=0.35)
    total = relax["steady"] + smooth["steady"] + tables["start"]
    assert total > 100 if steps else 160 < total <= 2 * 256
    assert tables["start"] == pytest.approx(0.29 * total, rel=0.35)
    assert tables["steady"] < 0.1 * tables["start"]
    signs = {
        line.partition("%")[2].partition("[")[0].strip(): line[0]
        for line in functions.read_text().splitlines() if not line.startswith("#")
    }  # fmt: skip
    assert (signs["relax"], signs["smooth"], signs["make_tables"]) == ("+", "+", "-")
    if not steps:
        return
    flags = lab_record(tmp_path, "--flags", str(functions)).split()
    assert "make_tables" in flags[1].partition("=")[2].split(",")
    lab_record(tmp_path, "--", *of_program(compiled(tmp_path, *flags)))
    record = read_record(tmp_path)
    calls = {
        one.name: record.statistics["calls"][record.statistics["region"] == at].sum()
        for at, one in enumerate(record.regions)
    }
    assert calls["relax"] == calls["smooth"] == 2 * 8
    assert "make_tables" not in calls and "main" not in calls
    place = next(one.site for one in record.regions if one.name == "relax")
    assert place.startswith("sampled.c:")
    seconds = {
        name: record.statistics["own_seconds"][
            np.isin(
                record.statistics["region"],
                [n for n, r in enumerate(record.regions) if r.name == name],
            )
        ].sum()
        for name in ("relax", "one_step")
    }
    assert seconds["relax"] > 10 * seconds["one_step"]


head = "# a comment\n"


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("+ 40.0 %  a::relax  [a.f90]\n- 1.0 %  b::init  [b.f90]  # start\n", " -finstrument"
         "-functions-exclude-function-list=init"),
        ("+ 40.0 %  init_step  [a.c]\n- 1.0 %  init  [b.c]\n- 1 %  code of x  []\n", ""),
        ("+ 40.0 %  run<...>  [a.cpp]\n", ""),
    ],
)  # fmt: skip
def test_flags_of_an_edited_list(tmp_path, text, flags):
    """A word that is part of a function that stays cannot be left out; nor what has no name."""
    path = tmp_path / "list"
    path.write_text(head + text)
    assert compiler_flags(path) == "-finstrument-functions" + flags


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is no list of functions"),
        ("relax\n", "the line 'relax' has no"),
        ("- 40.0 %  relax  [a.c]\n", "traces nothing"),
    ],
)
def test_what_is_no_list_is_said(tmp_path, text, words):
    path = tmp_path / "list"
    path.write_text(text)
    with pytest.raises(UserError, match=words):
        compiler_flags(path)
    with pytest.raises(UserError, match="Cannot read the list of functions"):
        compiler_flags(tmp_path / "none")
