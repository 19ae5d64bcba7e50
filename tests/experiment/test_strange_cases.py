"""Cases that nobody means: one message and exit code 2 from `check` and `run`, the same words."""

from __future__ import annotations

from pathlib import Path

import pytest

from halocline.experiment.command_line import main

small = """
[grid]
kind = "cartesian"
nx = 4
ny = 4
dx = 1e4
dy = 1e4
[spectrum]
frequencies = 3
directions = 4
[time]
length = "2h"
"""
deep = "[" * 100_000
tables = "a." * 2000
digits = "9" * 5000


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("grid.nx = 2147483648", "too large"),
        ("grid.nx = 10000000\ngrid.ny = 10000000", "needs"),
        ("[grid.x]\n", "Unknown option"),
        (f"title = {deep}", "nested too deeply"),
        (f"title = {deep[:400]}{']' * 400}", "is a text"),
        (f"{tables}a = 1\n", "nested too deeply"),
        (f"[{tables}a]\n", "nested too deeply"),
        (f"title = {digits}", "no valid TOML"),
        (f"title = 0x{digits}", "is a text"),
        ("[output.fields.maps]\ninterval = '1000000000d'\n", "beyond the 9999 years"),
        ("[output.fields.maps]\ninterval = nan\n", "no number that can be used"),
        ("[output.fields.maps]\nstart = '9000000d'\n", "beyond the 9999 years"),
        ("[output.fields.maps]\nstart = '3600000d'\n", "lies outside of the years"),
        ("[output.fields.maps]\nsplit = '1000000000d'\n", "beyond the 9999 years"),
        ("[restart]\ninterval = '1000000000d'\n", "beyond the 9999 years"),
        ("[restart]\ninterval = '-1h'\n", "must be positive"),
        ("[restart]\nsource = 'nothing.safetensors'\n", "Cannot read the restart file"),
        ("[communication]\nhalos = 'pigeons'\n", "pigeons"),
        ("[communication]\nsums = 'pigeons'\n", "pigeons"),
        ("[waves.x]\n", "Unknown option"),
        (f"[forcing.wind]\nfile = '{'x' * 5000}'\n", "No data file"),
        ("[forcing.wind]\nfile = 'a\\u0000b'\n", "data file"),
        ("component = ['waves']", "is not one of"),
        ("component = {}", "is not one of"),
    ],
    ids=range(24),
)
def test_one_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, words: str
) -> None:
    path, text = tmp_path / "case.toml", small
    for one in line.split("\n") if line.startswith("grid.n") else [line]:
        if one.startswith("grid.n"):
            key = one[5:7]
            text = "\n".join(one[5:] if row.startswith(key) else row for row in text.splitlines())
        else:
            text = small + one if one.startswith("[") else f"{one}\n{small}"
    path.write_text(text)
    said = []
    for arguments in (["check"], ["run", "-n", "1", "--quiet", "--output", str(tmp_path / "out")]):
        assert main([arguments[0], str(path), *arguments[1:]]) == 2
        said.append(capsys.readouterr().err)
    assert words in said[0]
    assert said[0] == said[1]
    assert said[0].startswith("halocline: ") and len(said[0]) < 3000


def test_folders_are_no_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in (str(tmp_path), "x" * 5000, "a\0b"):
        assert main(["check", name]) == 2
        assert "No case" in capsys.readouterr().err
