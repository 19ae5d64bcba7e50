"""`halocline lab decompose`: the table, the choice, what it writes. Ranks: 2, started here."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from halocline.experiment.advice import Advice, Candidate, Rating
from halocline.experiment.case import read_case
from halocline.experiment.command_line import main
from halocline.experiment.shipped import copy_case
from halocline.lab import decompose
from halocline.lab.decompose import Setup, decide, keys
from halocline.runtime.contest import Score, Standing
from halocline.runtime.decomposition import factorisations


def setup(ranks: int, threads: int, seconds: list[float]) -> Setup:
    rating = Rating(Candidate("curve", 4), 0.1, 1.0)
    standing = Standing(0, (0,), {0: Score(0.1, 1.0, 1.0, 1.0, 8)}, 8, 1.0)
    return Setup(ranks, threads, Advice([rating], standing, 0, [0]), seconds)


def test_ranks_and_threads_are_told_apart_only_beyond_noise() -> None:
    few, many = setup(1, 2, [0.8, 0.9, 0.8]), setup(2, 1, [1.0, 1.1, 1.0])
    place, reason = decide([many, few])
    assert place == 1 and "2 x 1 1.25x" in reason and "tie" not in reason
    noisy = setup(2, 1, [1.0, 0.8, 1.0])
    place, reason = decide([noisy, few])
    assert place == 0 and "a tie of 2, the simplest is taken: 2 x 1" in reason


def test_a_case_is_measured_on_two_ranks_and_its_file_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    case = copy_case("swell", tmp_path / "case")
    with case.open("a") as file:
        file.write('\n[decomposition]\nkind = "curve" # to be changed\n')
    path = tmp_path / "found.json"
    words = ["lab", "decompose", str(case), "-n", "2", "--seconds", "1", "--json", str(path)]
    monkeypatch.setattr(decompose, "share_of_candidates", 1.0)
    assert main([*words, "--write", "--set", "spectrum.directions=12"]) == 0
    shown = capsys.readouterr().out
    result = json.loads(path.read_text())
    assert result["keys"] == keys
    assert set(result["rows"][0]) == {name[5:] for name in keys if name.startswith("rows.")}
    grids = {row["cut"].split(",")[0] for row in result["rows"]}
    expected = [cut for n in (1, 2, 4, 8) for cut in factorisations(2 * n)]
    assert {f"blocks {rows} x {columns}" for rows, columns in expected} <= grids
    assert all(row["cut"] in shown for row in result["rows"])
    assert any(row["measured"] for row in result["rows"])
    best = result["best"]
    assert (best["ranks"], best["threads"]) == (2, 1)
    assert f"halocline run {case} -n 2 --threads 1 --set spectrum.directions=12" in shown
    for name, value in best["settings"].items():
        assert f"--set {name}={value}" in shown
        table = tomllib.loads(case.read_text())
        assert table["decomposition"][name.split(".")[1]] == value
    assert "# to be changed" in case.read_text()
    assert read_case(case).decomposition.tiles == "given"


def test_wrong_numbers_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "decompose", "swell", "-n", "0"]) == 2
    assert "--ranks 0: must be 1 or more" in capsys.readouterr().err
