"""`halocline lab scale`: setups, turns, table, page; one real run. Ranks: 2, started here."""

from __future__ import annotations

import json
import os
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest

from halocline.component.case.shipped import copy_case
from halocline.core.errors import UserError
from halocline.experiment.command_line import main
from halocline.runtime.record.run_record import RunRecord, step_type
from halocline.runtime.record.run_record_file import read_record
from halocline_lab.acceptance.golden_tolman import table
from halocline_lab.benchmarks.rank_programs import answer_of
from halocline_lab.scaling import scale
from halocline_lab.scaling.phase_files import read_phase_times
from halocline_lab.scaling.placement import Cluster, predicted, titan
from halocline_lab.scaling.scale_plots import figure
from halocline_lab.scaling.scale_run import seconds_after
from halocline_lab.scaling.scale_setups import (
    Setup,
    all_setups,
    check_machine,
    check_smt,
    core_threads,
    different,
    processors_of_ranks,
)
from halocline_lab.scaling.scale_table import csv_text, fastest, table_rows, text
from halocline_lab.statistics.run_progress import RunProgress


def runs_of_the_report():
    """Ten runs of each number of ranks with the least, mean and largest time of table 4.1."""
    found = {}
    for line in table:
        rest = (10 * line.mean - line.least - line.most) / 8
        times = [line.least, *[rest] * 8, line.most]
        found[Setup(line.processes)] = [
            {
                "seconds": t,
                "steps": 6,
                "phases": {"halo exchange": 0.1 * t},
                "first": 0.0,
                "start_up": 1.0,
            }
            for t in times
        ]
    return found


def test_table_41_comes_out_of_its_times():
    rows, laws = table_rows(runs_of_the_report(), titan)
    for row, line in zip(rows, table, strict=True):
        assert row["processes"] == line.processes
        assert row["mean"] == pytest.approx(line.mean)
        assert (row["least"], row["most"]) == (line.least, line.most)
        if line.fraction is not None:
            assert row["parallel"] == pytest.approx(line.fraction, abs=0.001)
            assert row["efficiency"] == pytest.approx(line.efficiency, abs=0.001)
            assert abs(row["predicted"] / row["mean"] - 1.0) < 0.1
    assert [row["processes"] for row in rows if row["ideal"]] == [*range(1, 9), 12, 16]
    assert fastest(rows)["best"] == "n = 12, m = 1"
    assert "median 3.5 %" in laws["m = 1"]
    shown = text(rows, laws)
    assert "42.04" in shown and "0.736" in shown and "ideal loading" in shown
    assert len(csv_text(rows).splitlines()) == 17


def test_a_given_fraction_predicts_and_its_error_is_told():
    rows, laws = table_rows(runs_of_the_report(), titan, parallel=0.95)
    assert rows[11]["predicted"] == pytest.approx(predicted(table[0].mean, 12, 0.95, 1, titan))
    errors = [abs(row["predicted"] / row["mean"] - 1.0) for row in rows[1:]]
    assert laws["m = 1"].startswith("p_e = 0.9500;")
    assert f"largest {100 * max(errors):.1f} %" in laws["m = 1"]


def test_ties_with_the_fastest_are_told():
    runs = {
        Setup(n): [
            {"seconds": t, "steps": 1, "phases": {}, "first": 0.0, "start_up": 0.0} for t in times
        ]
        for n, times in {
            1: [4.0] * 8,
            2: [2.0, 2.1, 1.9, 2.0, 2.1, 1.9, 2.0, 2.0],
            3: [2.1, 2.0, 2.0, 1.9, 2.0, 2.0, 2.1, 2.1],
        }.items()
    }
    rows, laws = table_rows(runs, Cluster(1, 2))
    assert fastest(rows)["ties"] == ["n = 3, m = 1"]
    assert "8 rounds cannot tell from it" in fastest(rows)["words"]
    assert rows[0]["predicted"] is None


def test_figures_show_what_was_measured():
    rows, _ = table_rows(runs_of_the_report(), titan)
    first, times, fractions, efficiencies, gains = figure(rows).axes
    means = [line.mean for line in table]
    assert any(list(line.get_ydata()) == pytest.approx(means) for line in first.lines)
    assert list(times.lines[0].get_ydata()) == pytest.approx(means)
    assert list(fractions.lines[0].get_ydata()) == pytest.approx(
        [line.fraction for line in table[1:]], abs=0.001
    )
    assert len(efficiencies.lines[0].get_ydata()) == 15
    assert gains.get_title().startswith("Speed-up")


def test_setups_and_what_stands_for_nodes():
    setups = all_setups([2, 3], [1, 2], [1], [""])
    assert [setup.name for setup in setups[:4]] == [
        "n = 1, m = 1", "n = 2, m = 1", "n = 3, m = 1", "n = 1, m = 2",
    ]  # fmt: skip
    assert len(different(setups, Cluster(1, 2))) == 3, "on one node all groups are alike"
    assert len(different(setups, Cluster(2, 1))) == 5
    cores = [[0, 4], [1, 5], [2, 6], [3, 7]]
    assert processors_of_ranks(Setup(3, 2), Cluster(2, 2), cores) == [
        [0, 4, 1, 5], [0, 4, 1, 5], [2, 6, 3, 7],
    ]  # fmt: skip
    assert processors_of_ranks(Setup(2, 1, 1, "off"), Cluster(2, 2), cores) == [[0, 1], [2, 3]]
    assert processors_of_ranks(Setup(2), Cluster(1, 4), cores) == []
    assert processors_of_ranks(Setup(2, 1, 1, "off"), Cluster(1, 4), cores) == [[0, 1, 2, 3]] * 2


def test_hardware_threads_of_cores_are_read(tmp_path):
    for cpu in range(4):
        folder = tmp_path / f"cpu{cpu}" / "topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(f"{cpu % 2},{cpu % 2 + 2}\n")
    assert core_threads([0, 1, 2, 3], str(tmp_path)) == [[0, 2], [1, 3]]
    assert core_threads([0, 3], str(tmp_path)) == [[0], [3]]
    assert core_threads([5], str(tmp_path)) == [[5]]
    assert check_smt("off,on", [[0, 2], [1, 3]]) == ["off", "on"]
    with pytest.raises(UserError, match="one hardware thread per core"):
        check_smt("on", [[0], [1]])
    with pytest.raises(UserError, match="write off, on"):
        check_smt("maybe", [[0, 1]])


@pytest.mark.parametrize(
    ("cluster", "ranks", "points", "message"),
    [
        (Cluster(2, 2), [1], 100, "need 4 cores to stand for them; there are 2"),
        (Cluster(1, 2), [101], 100, "Cannot share 100 sea points among 101 ranks"),
        (Cluster(1, 1), [65], 100, "would take turns more than 64 on each"),
    ],
)
def test_what_cannot_be_is_refused(cluster, ranks, points, message):
    with pytest.raises(UserError, match=message):
        check_machine(cluster, 2, ranks, points)


def fake_runs(monkeypatch):
    """Runs that take 1 / ranks seconds, in no time; what was asked for."""
    asked = []

    def answer(module, settings, ranks, threads, launcher=()):
        asked.append((ranks, settings["processors"], list(launcher), settings["record"]))
        seconds = 1.0 / ranks + 0.001 * len(asked)
        phases = {"halo exchange": 0.1 * seconds, "propagate_space": 0.5 * seconds}
        found = {"seconds": seconds, "steps": 4, "phases": phases, "ranks": ranks}
        return json.dumps(found).encode()

    monkeypatch.setattr(scale, "answer_of", answer)
    return asked


def test_setups_take_turns_and_all_files_are_written(tmp_path, monkeypatch, capsys):
    asked = fake_runs(monkeypatch)
    monkeypatch.setattr(scale, "core_threads", lambda: [[0], [1]])
    words = ["lab", "scale", "swell", "--ranks", "2-3", "--per-node", "1,2", "--repeat", "6"]
    words += ["--nodes", "2", "--set", "time.length=6h", "--output", str(tmp_path / "out")]
    history = tmp_path / "history.jsonl"
    assert main([*words, "--remember", str(history)]) == 0
    first = [(1, [[0]]), (2, [[0], [1]]), (3, [[0], [1], [0]]), (2, [[0], [0]])]
    assert [one[:2] for one in asked[:5]] == [*first, (3, [[0], [0], [1]])]
    assert [one[0] for one in asked[5:10]] == [3, 2, 3, 2, 1]
    assert len(asked) == 5 * 6
    kept = [Path(one[3]).name for one in asked if one[3]]
    assert len(kept) == 5 and "n3-m2.record" in kept and asked[-1][3]
    shown = capsys.readouterr().out
    assert "2 nodes of 1 processor" in shown and "fastest: n = 3" in shown
    files = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert files == ["scale.html", "scale.json", "scale.png", "table.csv", "table.txt"]
    result = json.loads((tmp_path / "out" / "scale.json").read_text())
    top = {name for name in result["keys"] if "." not in name}
    assert top | {"keys"} == set(result)
    inner = {name[5:] for name in result["keys"] if name.startswith("rows.")}
    assert inner == set(result["rows"][0])
    assert result["points"] == 5451
    names = [one["name"] for one in json.loads(history.read_text())["measurements"]]
    assert "speed_up, processes 2, per_node 1, threads 1" in names
    page = (tmp_path / "out" / "scale.html").read_text()
    assert "<svg" in page and "http-equiv" not in page and "src=" not in page
    assert matplotlib.image.imread(tmp_path / "out" / "scale.png").shape[0] > 600
    times = read_phase_times(tmp_path / "out" / "scale.json")
    assert {time.phase for time in times} == {
        "halo exchange", "propagate_space", "slowest rank", "start-up",
    }  # fmt: skip
    halo = next(time for time in times if time.phase == "halo exchange")
    assert halo.seconds == pytest.approx(0.1 * result["rows"][0]["median"] / 4, rel=0.1)


def test_an_interrupt_leaves_the_rounds_that_are_complete(monkeypatch, capsys):
    fake_runs(monkeypatch)
    answer, done = scale.answer_of, []

    def interrupted(*words, **options):
        done.append(words)
        if len(done) == 6:
            raise KeyboardInterrupt
        return answer(*words, **options)

    monkeypatch.setattr(scale, "answer_of", interrupted)
    words = ["lab", "scale", "swell", "--ranks", "1,2", "--repeat", "9"]
    assert main(words) == 0
    shown = capsys.readouterr()
    assert "interrupted: 2 of 9 rounds are complete" in shown.err
    assert "2 runs of each, in turns" in shown.out
    monkeypatch.setattr(
        scale, "answer_of", lambda *a, **k: (_ for _ in ()).throw(KeyboardInterrupt)
    )
    assert main(words) == 130


def test_ranks_of_a_cluster_are_started_by_its_own_words(monkeypatch, capsys):
    asked = fake_runs(monkeypatch)
    start = "srun -n {ranks} -m plane={per_node} -c {threads}"
    words = ["lab", "scale", "swell", "--ranks", "1,6", "--per-node", "2", "--repeat", "1"]
    assert main([*words, "--nodes", "4", "--processors", "2", "--launcher", start]) == 0
    assert asked[1][:3] == (6, [], ["srun", "-n", "6", "-m", "plane=2", "-c", "1"])
    assert "Fewer than 6 runs of each tell nothing for sure" in capsys.readouterr().out
    monkeypatch.setattr(
        scale, "answer_of", lambda *a, **k: json.dumps({"ranks": 1, "seconds": 1}).encode()
    )
    assert main([*words, "--nodes", "4", "--processors", "2", "--launcher", "srun"]) == 2
    assert "6 ranks were asked for, 1 ran" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--repeat", "0"], "--repeat 0"),
        (["--ranks", "0-2"], "--ranks 0-2"),
        (["--ranks", "6000"], "Cannot share 5451 sea points among 6000 ranks"),
        (["--launcher", "srun"], "give the processors of a node"),
        (["--launcher", "srun {cores}", "--processors", "2"], "what can be filled in"),
        (["--launcher", "x", "--processors", "2", "--smt", "on"], "--smt is for this machine"),
        (["--nodes", "1000"], "need 1000 cores"),
        (["--set", "grid.nx=none"], "nx"),
        (["--vary", "grid.nx"], "give an option and two values or more"),
        (["--vary", "grid.nx=8,8"], "a value stands there twice"),
        (["--vary", "grid.nz=8,9"], "nz"),
        (["--skip", "-1"], "must be 0 or more"),
        (["--skip", "10000"], "leaves none of the"),
        (["--parallel", "2"], "is not between 0 and 1"),
        (["--ranks", "2-5", "--set", "decomposition.rows=2"], "cannot run on 1, 3, 5 ranks"),
    ],
)
def test_mistakes_are_said_before_anything_runs(words, message, capsys, monkeypatch):
    monkeypatch.setattr(scale, "answer_of", lambda *a, **k: pytest.fail("a run was started"))
    assert main(["lab", "scale", "swell", *words]) == 2
    assert message in capsys.readouterr().err


def test_the_time_left_is_reckoned_from_what_runs_took():
    with RunProgress(2, {"a": 1.0, "b": 3.0}) as progress:
        progress.done("a", 2.0)
        assert progress.left == pytest.approx(2.0 + 2 * 6.0)
        progress.done("b", 4.0)
        assert progress.left == pytest.approx(2.0 + 4.0)
        assert progress.share == pytest.approx(0.5)


def test_a_case_is_run_on_one_and_two_ranks(tmp_path: Path, capsys):
    case = copy_case("swell", tmp_path / "case")
    words = ["lab", "scale", str(case), "--ranks", "1,2", "--repeat", "1", "--processors", "1"]
    words += ["--set", "time.length=2h", "--set", "spectrum.directions=12"]
    if len(os.sched_getaffinity(0)) > 1:
        words += ["--nodes", "2"]
    assert main([*words, "--output", str(tmp_path / "out")]) == 0
    assert "seconds of 2 steps" in capsys.readouterr().out
    rows = json.loads((tmp_path / "out" / "scale.json").read_text())["rows"]
    assert [row["processes"] for row in rows] == [1, 2]
    for row in rows:
        assert 0.0 < row["mean"] < row["start_up"] + 60.0
        assert {"propagate_space", "turn_directions"} <= set(row["phases"])
        between = row["phases"].pop("other")  # steps, when other programs had the processor
        assert between >= 0.0 and 0.0 < sum(row["phases"].values()) < 1.5 * row["mean"]
    record = read_record(tmp_path / "out" / "records" / "n2-m1.record")
    assert (record.size, record.about["steps"]) == (2, 2)


def test_values_of_an_option_are_series_of_their_own(tmp_path, monkeypatch, capsys):
    """0.1 s and 0.01 s for each level: a line through the times finds both."""
    asked = []

    def answer(module, task, ranks, threads, launcher=()):
        levels = int(task["settings"][-1].partition("=")[2])
        asked.append((levels, task["skip"]))
        seconds = (0.1 + 0.01 * levels) / ranks
        found = {"seconds": seconds, "first": 1.0, "steps": 3, "phases": {}, "ranks": ranks}
        return json.dumps(found).encode()

    monkeypatch.setattr(scale, "answer_of", answer)
    words = ["lab", "scale", "bubble", "--ranks", "1,2", "--repeat", "6", "--skip", "1"]
    words += ["--vary", "atmosphere.layers.count=20, 40,80", "--output", str(tmp_path)]
    assert main(words) == 0
    assert {one[0] for one in asked} == {20, 40, 80} and {one[1] for one in asked} == {1}
    result = json.loads((tmp_path / "scale.json").read_text())
    inner = {name[7:] for name in result["keys"] if name.startswith("growth.")}
    assert [set(found) for found in result["growth"]] == [inner, inner]
    alone, two = result["growth"]
    assert alone["values"] == [20.0, 40.0, 80.0]
    assert (alone["each"], alone["fixed"]) == pytest.approx((0.01, 0.1))
    assert two["each"] == pytest.approx(0.005)
    assert alone["ratio"] == pytest.approx(3.0)
    assert alone["power"] == pytest.approx(np.log(3.0) / np.log(4.0))
    assert [row["setting"][-2:] for row in result["rows"]] == ["20"] * 2 + ["40"] * 2 + ["80"] * 2
    assert all(row["speed_up"] == pytest.approx(row["processes"]) for row in result["rows"])
    assert result["rows"][0]["first"] == 1.0 and "after 1 that do not count" in result["unit"]
    assert result["build"]["compiler"] in capsys.readouterr().out
    assert matplotlib.image.imread(tmp_path / "growth.png").shape[0] > 400
    most = max(row["most"] for row in result["rows"])
    panels = figure(result["rows"]).axes[:3]
    assert all(panel.get_ylim()[0] == 0.0 and panel.get_ylim()[1] > most for panel in panels)
    with pytest.raises(UserError, match="are not those of one case"):
        read_phase_times(tmp_path / "scale.json")


def test_first_steps_are_left_out():
    """Of rows of one step and of two, on two ranks."""
    rows = np.zeros(4, step_type)
    rows["rank"], rows["step"], rows["count"] = [0, 0, 1, 1], [0, 1, 0, 1], [1, 2, 1, 2]
    rows["seconds"] = [9.0, 2.0, 1.0, 4.0]
    record = RunRecord({}, [], steps=rows)
    assert seconds_after(record, 1) == (4.0, 9.0)
    assert seconds_after(record, 2) == (2.0, 10.0)
    assert seconds_after(record, 0) == (11.0, 0.0)


def test_the_first_steps_of_a_run_are_told_apart(tmp_path: Path):
    """Of four steps two count: their time is part of that of all of them."""
    case = copy_case("swell", tmp_path / "case")
    task = {
        "case": str(case), "settings": ["time.length=4h", "spectrum.directions=12"],
        "processors": [], "skip": 2, "record": str(tmp_path / "a.record"),
    }  # fmt: skip
    found = json.loads(answer_of("halocline_lab.scaling.scale_run", task, 1, 1))
    steps = read_record(tmp_path / "a.record").steps
    assert found["steps"] == 2 and steps["count"].sum() == 4
    assert found["seconds"] == pytest.approx(steps["seconds"][2:].sum())
    assert found["first"] == pytest.approx(steps["seconds"][:2].sum())
    assert sum(found["phases"].values()) < 1.5 * (found["seconds"] + found["first"]) / 2 + 1.0
