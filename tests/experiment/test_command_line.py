"""The command `halocline`: exit codes, messages, start-up time."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import halocline
from halocline.component.case.case import Case
from halocline.component.case.registry import all_cases
from halocline.component.case.shipped import copy_case, names
from halocline.experiment.command_line import build_parser, main
from halocline_lab.commands import commands


def test_help_and_version_load_no_array_library() -> None:
    program = (
        "import sys; from halocline.experiment.command_line import main; main(['--help']);"
        "sys.exit('numpy' in sys.modules)"
    )
    begin = time.perf_counter()
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.returncode == 0
    assert "exit codes:" in result.stdout
    assert time.perf_counter() - begin < 5.0


def test_explain_loads_no_reader_of_files_and_no_mpi() -> None:
    """They take a second; what tells of options needs none of them."""
    program = (
        "import sys; from halocline.experiment.command_line import main;"
        "main(['explain', 'time.length']);"
        "slow = {'xarray', 'pandas', 'zarr', 'matplotlib', 'mpi4py.MPI'};"
        "print(slow & set(sys.modules)); sys.exit(bool(slow & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
    assert "length of the run" in result.stdout


def test_explain_compiles_nothing(tmp_path: Path) -> None:
    """Where no component's C++ is there, its options can be read all the same."""
    program = """
import sys
from pathlib import Path
import halocline
from halocline.core import checkout
from halocline.experiment.command_line import main

class First(checkout.CompilingFinder):
    def find_spec(self, name, path, target=None):
        return None if name == "halocline.runtime._native" else super().find_spec(name, path)

checkout.top = Path(sys.argv[1])  # where no ./halo is
sys.meta_path.insert(0, First())
sys.exit(main(["explain", "component"]))
"""
    command = [sys.executable, "-c", program, str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "ocean" in result.stdout and "waves" in result.stdout


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"halocline {halocline.__version__}\n"


def test_mistake_is_one_line_and_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "time.lenght"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == (
        "halocline: No option, table or field 'time.lenght'. Did you mean 'time.length'?\n"
    )


def test_unknown_command_is_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rnu"]) == 2
    assert "'rnu' is none of: run, resume," in (shown := capsys.readouterr().err)
    assert ", lab" in shown
    assert shown.endswith(". Did you mean 'run'?\n")


def test_help_is_true_for_any_component() -> None:
    """No command of ours names a component, or a table that only one has; shipped cases aside."""
    kinds = all_cases(only_ours=True)
    common = {field.name for field in dataclasses.fields(Case)}
    own = {field.name for kind in kinds.values() for field in dataclasses.fields(kind)} - common
    words = (own | set(kinds) | {"wind", "spectra"}) - {"start"}
    assert {"waves", "transport", "spectrum", "forcing"} <= words
    (commands,) = (some for some in build_parser(complete=False)._actions if some.choices)
    for name, parser in commands.choices.items():  # type: ignore[union-attr]
        said = parser.format_help() if name != "plot" else ""  # it draws what files hold
        for case in names():
            said = said.replace(case, "CASE")
        assert not [word for word in words if re.search(rf"\b{word}s?\b", said)], name


def test_without_a_command_there_is_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "list the shipped cases" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "swell", "-n", "two"], "'two' is no whole number of 1 or more"),
        (["run", "swell", "-n", "0"], "'0' is no whole number of 1 or more"),
        (["run", "swell", "-n", "2", "--walltime", "soon"], "--walltime soon: write HH:MM:SS"),
        (["check", "swell", "--set", "time.length=abc"], "time.length: Cannot read the duration"),
        (["check", "swell", "--set", "time.step=abc"], "time.step: Cannot read the duration"),
        (["check", "swell", "--set", "time.start=now"], "time.start: Cannot read the date"),
        (["check", "swell", "--set", "record.counters=['cycle']"], "knows the counter 'cycle'"),
        (["plot", "a.nc", "--arrows", "winds"], "Did you mean 'wind'?"),
    ],
)
def test_wrong_words_are_refused_before_anything_starts(
    words: list[str], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    shown = capfd.readouterr()
    assert message in shown.err and "Traceback" not in shown.err
    assert shown.out == ""


def test_lab_alone_lists_its_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab"]) == 0
    shown = capsys.readouterr().out
    assert all(f"\n  {name} " in shown for name in commands)
    assert main(["lab", "reprot"]) == 2
    assert "Did you mean 'report'? 'halocline lab' lists them." in capsys.readouterr().err


def test_cases_lists_every_case_with_its_first_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cases"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == names()
    assert all(len(line.split()) > 4 for line in lines)


def test_new_copies_the_case_and_its_data(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    assert main(["new", "global-waves", str(folder)]) == 0
    assert {"case.toml", "w_depth_1p25x1.nc", "LICENSES.txt"} <= {p.name for p in folder.iterdir()}
    assert main(["new", "global-waves", str(folder)]) == 2


def test_new_refuses_what_is_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(["new", "global-waves", str(tmp_path / "file" / "case")]) == 2
    assert "Cannot write to" in capsys.readouterr().err


def test_copied_case_is_the_shipped_one(tmp_path: Path) -> None:
    path = copy_case("global-waves", tmp_path / "case")
    assert path.read_text().startswith("# Global waves")


def test_explain_shows_all_of_an_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "spectrum.first_frequency"]) == 0
    shown = capsys.readouterr().out
    assert "lowest frequency" in shown
    assert "[Hz]" in shown
    assert "0.0418" in shown
    assert "at least" in shown


def test_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -P -m halocline explain spectrum | true"
    result = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert "Traceback" not in result.stderr
