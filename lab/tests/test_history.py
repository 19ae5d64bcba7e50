"""Histories: code and system told apart, regressions, tables, pictures, and old versions rerun."""

import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import halocline
from halocline.core.errors import UserError
from halocline.experiment import command_line
from halocline_lab.evolution import history_series, history_tables
from halocline_lab.evolution.history_rerun import rerun
from halocline_lab.evolution.remembered import Measurement, Result, append, read_history

root = Path(__file__).parents[2]
day = "2026-01-{:02d}T00:00:00+00:00"


def batch(name, when, versions, *, noise=0.01, turns=8, better="lower", seed=0):
    """Results of versions that ran in turns; `versions` gives their times."""
    random = np.random.default_rng([seed, when])
    return [
        Result(
            date=day.format(when),
            benchmark="transport",
            arguments=("--levels", "4"),
            batch=name,
            turn=turn,
            code={"version": "0.1.0", "commit": version * 3, "commit_date": day.format(at + 1)},
            build={"compiler": "c"},
            system={"kernel": f"k{when}"},
            machine={"name": "m", "processor": "p", "cores": 2},
            measurements=(
                Measurement("step", float(time * random.lognormal(0, noise)), "ms", better=better),
            ),
        )
        for turn in range(turns)
        for at, (version, time) in enumerate(versions.items())
    ]


def only_series(results):
    (series,) = history_series.series_of(results)
    return series


def test_code_and_system_are_told_apart():
    """The new code takes 0.8 of the time; the new system makes all of it 1.25 times as long."""
    results = batch("x", 1, {"aaaa": 1.0, "bbbb": 1.1})
    results += batch("y", 9, {"bbbb": 1.1 * 1.25, "cccc": 1.1 * 1.25 * 0.8})
    series = only_series(results)
    (split,) = history_series.splits(series)
    assert split.code.comparison.ratio == pytest.approx(0.8, rel=0.02)
    assert split.system.comparison.ratio == pytest.approx(1.25, rel=0.02)
    assert split.whole.comparison.verdict == "cannot tell"
    assert split.code.comparison.verdict == "faster"
    assert split.system.comparison.verdict == "slower"
    (system,) = history_series.system_changes(series)
    assert (system.before.batch, system.after.batch) == ("x", "y")
    assert system.before.version == system.after.version == "bbbbbbb"
    assert history_tables.recorded(system) == "kernel: k1 to k9"
    code = history_series.code_changes(series)
    assert [change.words.split()[0] for change in code] == ["slower", "faster"]


def test_a_drift_of_the_machine_within_a_batch_is_no_change_of_the_code():
    results = batch("x", 1, {"aaaa": 1.0, "bbbb": 1.0}, turns=12)
    drifting = [
        replace(
            result,
            measurements=(replace(row, value=row.value * (1 + result.turn)),),
        )
        for result in results
        for row in result.measurements
    ]
    (change,) = history_series.code_changes(only_series(drifting))
    assert change.comparison.verdict == "cannot tell"


def test_higher_is_better_where_it_is_said():
    results = batch("x", 1, {"aaaa": 10.0, "bbbb": 12.0}, better="higher")
    (change,) = history_series.code_changes(only_series(results))
    assert change.comparison.verdict == "faster"
    assert not change.regression


def test_regressions_are_beyond_noise_and_more_than_5_percent():
    def found(times, noise=0.01):
        return history_tables.regressions([only_series(batch("x", 1, times, noise=noise))])

    assert found({"aaaa": 1.0, "bbbb": 1.2})
    assert not found({"aaaa": 1.0, "bbbb": 1.03})
    assert not found({"aaaa": 1.0, "bbbb": 1.2}, noise=0.5)
    assert not found({"aaaa": 1.0, "bbbb": 0.8})


def test_noise_alone_is_no_regression():
    alarms = 0
    for seed in range(100):
        series = only_series(batch("x", 1, {"aaaa": 1.0, "bbbb": 1.0}, noise=0.1, seed=seed))
        alarms += bool(history_tables.regressions([series]))
    assert alarms <= 10  # 2.5 % are expected: slower beyond bounds of 95 %


def test_nightly_runs_have_change_points_in_the_words():
    results = []
    for night in range(1, 25):
        time = 1.0 if night < 13 else 1.3
        results += batch(f"n{night:02d}", night, {"abcdefg"[night % 7] * 4: time}, turns=1)
    words = history_tables.tables([only_series(results)])
    assert "Change point: step" in words and "2026-01-13" in words
    calm = [r for r in results if r.date < day.format(13)]
    assert "no change points" in history_tables.tables([only_series(calm)])


def test_values_that_may_be_negative_have_points_but_no_ratios():
    results = batch("x", 1, {"aaaa": -0.1, "bbbb": 1.2})
    series = only_series(results)
    assert history_series.code_changes(series) == []
    assert "aaaaaaa" in history_tables.tables([series])


def test_tables_are_markdown_and_say_all(tmp_path, capsys):
    path = tmp_path / "history.jsonl"
    for result in [
        *batch("x", 1, {"aaaa": 1.0, "bbbb": 1.2}),
        *batch("y", 9, {"bbbb": 1.2, "cccc": 2.4}),
    ]:
        append(path, result)
    page, picture = tmp_path / "page.md", tmp_path / "history.png"
    page.write_text(f"# Title\n\n{history_tables.begin}\nold\n{history_tables.end}\n\nTail.\n")
    words = ["lab", "history", str(path), "--page", str(page), "--picture", str(picture)]
    assert command_line.main(words) == 0
    out = capsys.readouterr().out
    assert "slower by" in out and "cannot tell" in out and "Regression: step" in out
    rows = [line for line in out.splitlines() if line.startswith("|")]
    assert {line.count("|") for line in rows} == {9, 6}
    text = page.read_text()
    assert text.startswith("# Title") and text.endswith("Tail.\n") and "old" not in text
    assert out.strip() in text
    assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size < 150_000
    assert command_line.main([*words, "--strict"]) == 1
    assert command_line.main(["lab", "history", str(path), "--only", "nothing"]) == 2
    page.write_text("no marks")
    assert command_line.main(words) == 2


def test_the_page_of_the_project_is_in_step_with_its_history(tmp_path):
    history, page = root / "docs" / "history.jsonl", root / "docs" / "history.md"
    text = page.read_text()
    made = text.partition(history_tables.begin)[2].partition(history_tables.end)[0]
    series = history_series.series_of(read_history(history), ratios=True)
    assert made.strip() == history_tables.tables(series)


def test_the_history_of_the_project_is_of_its_own_versions():
    for result in read_history(root / "docs" / "history.jsonl"):
        assert re.fullmatch("[0-9a-f]{12}", result.code["commit"]) and not result.code["dirty"]
        assert result.build["compiler"] != "unknown"


main_of_a_version = """
import json, pathlib, sys
path = sys.argv[sys.argv.index("--json") + 1]
flags = pathlib.Path(__file__).parents[2] / "build" / "flags"
time = {time} * (10.0 if flags.exists() and flags.read_text() == "-O1 -g" else 1.0)
row = {{"tracers": 2, "precision": "float32", "threads": 1, "processes": "all", "floor": 1.0,
       "nanoseconds": time, "spread": [time, time], "processor_nanoseconds": time}}
json.dump({{"rows": [row]}}, open(path, "w"))
"""


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository of three small versions, the newest of which runs."""
    folder = tmp_path / "repository"
    package = folder / "src" / "halocline"
    package.mkdir(parents=True)
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(a NONE)\n"
        'file(WRITE "${CMAKE_BINARY_DIR}/flags" "${HALOCLINE_FLAGS}")\n'
    )
    (package / "__init__.py").write_text('__version__ = "1.0"\n')
    (folder / ".gitignore").write_text("build/\n__pycache__/\n")
    me = {f"GIT_{who}_{what}": "a" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    hashes = []
    for number, time in enumerate((4.0, 2.0, 3.0)):
        (package / "__main__.py").write_text(main_of_a_version.format(time=time))
        dates = {f"GIT_{who}_DATE": day.format(number + 1) for who in ("AUTHOR", "COMMITTER")}
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", f"time {time}"]):
            around = {**os.environ, **me, **dates}
            subprocess.run(["git", "-C", str(folder), *words], check=True, env=around)
        head = subprocess.run(
            ["git", "-C", str(folder), "rev-parse", "HEAD"], capture_output=True, text=True
        )
        hashes.append(head.stdout.strip())
    monkeypatch.setattr(halocline, "__file__", str(package / "__init__.py"))
    return folder, hashes


def test_old_versions_run_again_in_turns(repository, tmp_path, capsys):
    folder, hashes = repository
    history = tmp_path / "history.jsonl"
    words = ["lab", "history", str(history), "--rerun", f"{hashes[0]},{hashes[1][:8]}"]
    words += ["--benchmark", "transport --tracers 2 --repeats 3", "--rounds", "6"]
    assert command_line.main(words) == 0
    results = read_history(history)
    assert len(results) == 18 and len({result.batch for result in results}) == 1
    assert [r.code["commit"] for r in results[:6]] == [h[:12] for h in (*hashes, *hashes[::-1])]
    assert results[0].arguments == ("--tracers", "2", "--repeats", "3")
    assert results[0].measurements[0].runs == 3
    series = {s.name: s for s in history_series.series_of(results)}
    changes = history_series.code_changes(series["nanoseconds, tracers 2, float32, threads 1, all"])
    assert [change.comparison.ratio for change in changes] == pytest.approx([0.5, 1.5])
    out = capsys.readouterr().out
    assert "round 6 of 6" in out and "slower by 50 %" in out
    listed = subprocess.run(
        ["git", "-C", str(folder), "worktree", "list"], capture_output=True, text=True
    )
    assert len(listed.stdout.splitlines()) == 1


def test_a_version_is_built_with_other_flags(repository, tmp_path):
    """Its time is that of its flags, its name tells them; what knows no flags is refused."""
    folder, hashes = repository
    history, builds = tmp_path / "history.jsonl", tmp_path / "builds"
    words = ["lab", "history", str(history), "--rerun", hashes[2], "--flags=-O2", "--flags=-O1 -g"]
    words += ["--benchmark", "transport --tracers 2", "--rounds", "1", "--builds", str(builds)]
    assert command_line.main(words) == 0
    found = {r.version: r.measurements[0].value for r in read_history(history)}
    new = hashes[2][:7]
    assert found == {f"{new} -O2": 3.0, f"{new} -O1 -g": 30.0, new: 3.0}
    (folder / "CMakeLists.txt").write_text("project(a NONE)")
    subprocess.run(["git", "-C", str(folder), "add", "."], check=True)
    identity = ["-c", "user.name=a", "-c", "user.email=a"]
    subprocess.run(["git", "-C", str(folder), *identity, "commit", "-qm", "old"], check=True)
    with pytest.raises(UserError, match="cannot be built with other flags"):
        rerun(history, ["HEAD"], "transport", 1, None, tell=lambda words: None, flags=["-O2"])


def test_builds_are_kept_where_they_are_wanted(repository, tmp_path):
    _, hashes = repository
    history, builds = tmp_path / "history.jsonl", tmp_path / "builds"
    for _ in range(2):
        rerun(history, hashes[:1], "transport", 1, builds, ["over floor"], tell=lambda words: None)
    assert (builds / hashes[0][:12] / "build" / "build.ninja").exists()
    assert all("over floor" in m.name for r in read_history(history) for m in r.measurements)
    (builds / hashes[0][:12] / "src" / "halocline" / "__init__.py").write_text("changed")
    with pytest.raises(UserError, match="not an unchanged checkout"):
        rerun(history, hashes[:1], "transport", 1, builds, tell=lambda words: None)


def test_mistakes_of_reruns_are_named(repository, tmp_path):
    folder, hashes = repository
    history = tmp_path / "history.jsonl"
    with pytest.raises(UserError, match="no such commit"):
        rerun(history, ["nothing"], "transport", 1, None)
    with pytest.raises(UserError, match="is none of"):
        rerun(history, hashes[:1], "nothing", 1, None)
    with pytest.raises(UserError, match="measures nothing"):
        rerun(history, hashes[:1], "transport", 1, tmp_path / "b", ["x"], tell=lambda words: None)
    (folder / "src" / "halocline" / "__main__.py").write_text("raise SystemExit('not today')")
    with pytest.raises(UserError, match="not today"):
        rerun(history, hashes[:1], "transport", 1, tmp_path / "b", tell=lambda words: None)
    assert command_line.main(["lab", "history", str(history), "--rerun", hashes[0]]) == 2


def test_an_installed_package_cannot_rerun(tmp_path, monkeypatch):
    package = tmp_path / "halocline"
    package.mkdir()
    monkeypatch.setattr(halocline, "__file__", str(package / "__init__.py"))
    with pytest.raises(UserError, match="from a checkout"):
        rerun(tmp_path / "h.jsonl", ["a"], "transport", 1, None)
