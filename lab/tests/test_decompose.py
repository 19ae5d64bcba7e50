"""`halocline lab decompose`: the table, the choice, what it writes. Ranks: 2, started here."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest

from halocline.component.case.reading import read_case
from halocline.component.case.shipped import copy_case
from halocline.experiment.advice import Advice, Candidate, Rating
from halocline.experiment.command_line import main
from halocline.runtime.fields.blocks import Rectangle
from halocline.runtime.fields.processor_grid import factorisations
from halocline.runtime.running.contest import Score, Standing
from halocline_lab.benchmarks import decompose
from halocline_lab.benchmarks.decompose import Setup, decide, keys
from halocline_lab.benchmarks.decompose_plot import figure


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


def test_the_best_of_each_number_of_ranks_meet_in_a_last_round(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []

    def start(case, settings, task, ranks, threads):
        asked.append((ranks, threads, task, list(settings)))
        return (0.5 if ranks == 1 else 1.0) if "steps" in task else setup(ranks, 1, []).advice

    monkeypatch.setattr(decompose, "_start", start)
    words = ["lab", "decompose", "swell", "--cores", "2", "--steps", "3", "--seconds", "10"]
    assert main([*words, "--set", "time.length=1h"]) == 0
    assert [a[:3] for a in asked[:2]] == [
        (2, 1, {"threads": 1, "budget": 3.5}),
        (1, 2, {"threads": 2, "budget": 3.5}),
    ]
    cut = ["decomposition.kind=curve", "decomposition.blocks_per_rank=4"]
    for at, one in enumerate(asked[2:]):
        assert one == (2 - at % 2, 1 + at % 2, {"steps": 3}, ["time.length=1h", *cut])
    assert len(asked) == 2 + 2 * decompose.turns
    shown = capsys.readouterr().out
    assert "fastest 1 x 2 (ranks x threads), 2 x 1 2.00x (2.00 to 2.00)" in shown
    line = "halocline run swell -n 1 --threads 2 --set time.length=1h --set decomposition.kind"
    assert line in shown


def test_a_case_is_measured_on_two_ranks_and_its_file_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    case = copy_case("swell", tmp_path / "case")
    with case.open("a") as file:
        file.write('\n[decomposition]\nkind = "curve" # to be changed\n')
    path = tmp_path / "found.json"
    picture = tmp_path / "cuts.png"
    words = ["lab", "decompose", str(case), "-n", "2", "--seconds", "1", "--json", str(path)]
    words += ["--picture", str(picture)]
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
    assert picture.stat().st_size > 10_000
    assert read_case(case).decomposition.tiles == "given"


def test_wrong_numbers_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "decompose", "swell", "-n", "0"]) == 2
    assert "--ranks 0: must be 1 or more" in capsys.readouterr().err


def test_patches_are_bold_tiles_dashed_and_rated_times_in_the_pace_of_measured_ones() -> None:
    """Two ranks of two tiles: one bold line between them, four frames, land beside."""
    sea = np.ones((4, 6), bool)
    sea[3, 5] = False
    blocks = [Rectangle(n, n // 2, 2 * (n // 2), 2 * (n // 2) + 2, 3 * (n % 2), 3 * (n % 2) + 3)
              for n in range(4)]  # fmt: skip
    row = {"ranks": 2, "threads": 1, "cut": "blocks 2 x 2, 2 per rank", "problem": ""}
    rows = [
        {**row, "measured": 0.2, "rated": 0.05},
        {**row, "measured": None, "rated": 0.1},
        {**row, "measured": None, "rated": None, "problem": "too many"},
    ]
    plan, bars = figure("cuts", rows, sea, blocks).axes
    across, along = plan.collections
    assert len(plan.patches) == 4 and not len(across.get_segments())
    borders = np.array(along.get_segments())
    assert len(borders) == 6
    np.testing.assert_array_equal(borders[:, :, 1], 2.0)
    np.testing.assert_allclose([bar.get_width() for bar in bars.patches], [200.0, 400.0])
    assert len(figure("cuts", rows, sea, []).axes) == 1, "cards have no map"
