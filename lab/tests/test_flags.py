"""`halocline lab flags`: the flags that do it are found, by few builds. Ranks: 1, started here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest

import halocline
from halocline.experiment.command_line import main
from halocline_lab.comparing.flag_search import culprits, smallest

program = """
import pathlib, sys
import netCDF4
top = pathlib.Path(__file__).parents[2]
flags = (top / "build" / "flags").read_text().split()
assert (top / "build" / "waves").exists()
folder = pathlib.Path(sys.argv[sys.argv.index("--output") + 1])
folder.mkdir(parents=True)
if "-fdie" in flags:
    sys.exit("words before\\nSegmentation fault")
with netCDF4.Dataset(folder / "maps.nc", "w") as file:
    file.createDimension("x", 3)
    height = file.createVariable("height", "f8", ("x",))
    height[:] = 1.0 + 0.1 * ("-fc" in flags) + 1e-6 * ({"-fa", "-fb"} <= set(flags))
"""

recipe = """cmake_minimum_required(VERSION 3.25)
project(a NONE)
set(HALOCLINE_FLAGS "" CACHE STRING "")
file(WRITE "${CMAKE_BINARY_DIR}/flags" "${HALOCLINE_FLAGS}")
if(HALOCLINE_FLAGS MATCHES "-fbad")
  message(FATAL_ERROR "unrecognized option -fbad")
endif()
foreach(room runtime grids numerics waves ocean atmosphere coupler biogeochemistry lab)
  add_custom_target(${room}_native ALL COMMAND ${CMAKE_COMMAND} -E touch ${room})
endforeach()
"""

case = """
grid = { kind = "cartesian", nx = 8, ny = 6, dx = 1e4, dy = 1e4 }
spectrum = { frequencies = 4, directions = 8 }
time.length = "2h"
forcing.wind.speed = 9.0
"""


@pytest.fixture
def repository(tmp_path, monkeypatch) -> Path:
    """A repository whose program depends on its flags."""
    folder = tmp_path / "repository"
    package = folder / "src" / "halocline"
    package.mkdir(parents=True)
    (folder / "CMakeLists.txt").write_text(recipe)
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text(program)
    (folder / ".gitignore").write_text("build/\n__pycache__/\n")
    me = {f"GIT_{who}_{what}": "a" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        around = {**os.environ, **me}
        subprocess.run(["git", "-C", str(folder), *words], check=True, env=around)
    monkeypatch.setattr(halocline, "__file__", str(package / "__init__.py"))
    (tmp_path / "case.toml").write_text(case)
    monkeypatch.chdir(tmp_path)
    return folder


def lab(flags: str, *more: str) -> int:
    return main(["lab", "flags", "case.toml", f"--flags={flags}", *more])


def test_all_culprits_are_found_and_why_they_are(repository, tmp_path, capsys):
    told = tmp_path / "told.json"
    flags = "-fa -f1 -fb -f2 -fc '--param x=1' -fdie"
    assert lab(flags, "--json", str(told)) == 1
    result = json.loads(told.read_text())
    assert {frozenset(some) for some in result["culprits"]} == {
        frozenset(some) for some in (["-fa", "-fb"], ["-fc"], ["-fdie"])
    }
    shown = capsys.readouterr().out
    assert "-fdie: ends in failure: Segmentation fault" in shown
    assert "-fc: different: height; by 0.1 of" in shown
    assert "-fa together with -fb: different: height; by 1e-06 of" in shown
    assert len(result["tried"]) < 30
    top = {name for name in result["keys"] if "." not in name}
    assert top | {"keys"} == set(result)
    listed = subprocess.run(
        ["git", "-C", str(repository), "worktree", "list"], capture_output=True, text=True
    )
    assert len(listed.stdout.splitlines()) == 1


def test_small_differences_need_not_count(repository, tmp_path, capsys):
    assert lab("-fa -fb", "--beyond", "1e-5") == 0
    assert "none of these flags changes the results" in capsys.readouterr().out
    for _ in range(2):
        assert lab("-fa -fb", "--builds", str(tmp_path / "builds")) == 1
    assert (tmp_path / "builds" / "results").is_dir()


def test_what_cannot_be_built_is_said(repository, capsys):
    assert lab("-f1 -fbad") == 2
    shown = capsys.readouterr()
    assert "Nothing can be built with all flags together" in shown.err
    assert "unrecognized option -fbad" in shown.err and "Traceback" not in shown.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--flags="], "give one flag or more"),
        (["--flags=-O2 -O2"], "none of them twice"),
        (["--flags=-O2 '-O3"], "No closing quotation"),
        (["--flags=-O2", "--beyond=-1"], "must be 0 or more"),
        (["--flags=-O2", "--commit=nonsense"], "no such commit"),
    ],
)
def test_mistakes_are_named(repository, words, message, capsys):
    assert main(["lab", "flags", "case.toml", *words]) == 2
    assert message in capsys.readouterr().err


def test_the_smallest_sets_of_every_kind_are_found():
    """Any one, two or three of seven flags; without them, and without any of them, it is right."""
    flags = tuple("abcdefg")
    for size in (1, 2, 3):
        for some in combinations(flags, size):
            asked = []

            def wrong(these, some=some, asked=asked):
                asked.append(these)
                return set(some) <= set(these)

            assert culprits(flags, wrong) == [some]
            assert len(set(asked)) < 30
    assert culprits(flags, lambda some: False) == []
    assert smallest(flags, lambda some: len(some) > 4) in list(combinations(flags, 5))


def test_rooms_of_a_case_are_those_that_its_run_loads(tmp_path):
    """In a process of its own: whatever else the tests have loaded."""
    (tmp_path / "case.toml").write_text(case)
    words = "from halocline_lab.comparing.flags import rooms_of; print(*rooms_of('case.toml', []))"
    done = subprocess.run(
        [sys.executable, "-c", words], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    asked = set(done.stdout.split())
    words = (
        "import halocline, sys; halocline.run('case.toml', output='results');"
        "print(*(n.split('.')[1] for n in sys.modules if n.endswith('._native')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", words], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split()) - {"_native"}
    assert {"waves", "runtime", "grids"} <= loaded <= asked
    assert "ocean" not in asked
