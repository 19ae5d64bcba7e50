"""`halocline lab loading` and `lab predict placement`: tables, figures, files, mistakes."""

from __future__ import annotations

import json

import matplotlib.image
import pytest

from halocline.experiment.command_line import main
from halocline_lab.acceptance.golden_tolman import table
from halocline_lab.acceptance.loading import Loading, rows
from halocline_lab.acceptance.loading_plots import figure
from halocline_lab.scaling.placement import Cluster, alpha, efficiency, predicted, titan
from halocline_lab.statistics.number_lists import whole_numbers


def test_figures_are_drawn_of_the_models_values():
    loading = Loading(titan, range(1, 26), [1, 2, 3, 4], [1.0, 0.9, 0.8])
    sheet = figure(loading)
    loads, *others = sheet.axes
    for place, per_node in enumerate([1, 2, 3, 4]):
        line = loads.lines[place]
        assert list(line.get_ydata()) == [alpha(n, per_node, titan) for n in range(1, 26)]
    assert len(others) == 6
    for row, parallel in enumerate([1.0, 0.9, 0.8]):
        times, zetas = others[2 * row : 2 * row + 2]
        for place, per_node in enumerate([1, 2, 3, 4]):
            expected = [predicted(1.0, n, parallel, per_node, titan) for n in range(1, 26)]
            assert list(times.lines[place].get_ydata()) == expected
            expected = [efficiency(1.0, t, n, titan) for n, t in enumerate(expected, 1)]
            assert list(zetas.lines[place].get_ydata()) == expected


def test_the_command_for_a_cluster_of_ones_own(tmp_path, capsys):
    picture, values = tmp_path / "new" / "loading.png", tmp_path / "loading.json"
    words = ["lab", "loading", "--nodes", "3", "--processors", "8", "--threads", "2"]
    words += ["--ranks", "1-30", "--per-node", "1,4,6", "--parallel", "0.95"]
    assert main([*words, "--output", str(picture), "--json", str(values)]) == 0
    shown = capsys.readouterr().out
    assert "3 nodes of 8 processors, processes of 2 threads" in shown
    assert "ideal loading, m = 4: n = 1-12, 24" in shown
    assert "(3.13) of the report as printed gives n = 18" in shown
    assert matplotlib.image.imread(picture).shape[0] > 300
    found = json.loads(values.read_text())
    assert found["cluster"] == {"nodes": 3, "processors": 8, "threads": 2}
    cluster = Cluster(3, 8, 2)
    assert found["rows"] == rows(Loading(cluster, range(1, 31), [1, 4, 6], [0.95]))
    assert {f"rows.{name}" for name in found["rows"][0]} <= set(found["keys"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--nodes", "0"], "A cluster of 0 nodes"),
        (["--ranks", "4-1"], "--ranks 4-1: '4-1' is no number from 1 up"),
        (["--ranks", "0-3"], "is no number from 1 up"),
        (["--per-node", "x"], "--per-node x"),
        (["--parallel", "1.5"], "is not between 0 and 1"),
        (["--output", "picture.doc"], "must end in one of"),
    ],
)
def test_mistakes_are_said(words, message, capsys):
    assert main(["lab", "loading", *words]) == 2
    assert message in capsys.readouterr().err


def test_lists_of_numbers():
    assert whole_numbers("8, 1-3,2", "--ranks") == [1, 2, 3, 8]


def timings_file(folder):
    path = folder / "times.csv"
    lines = [f"{line.processes},1,{line.mean}" for line in table]
    path.write_text("\n".join(["# table 4.1", "processes,per_node,seconds", *lines]) + "\n")
    return path


def test_prediction_from_measured_times(tmp_path, capsys):
    values = tmp_path / "predicted.json"
    words = ["lab", "predict", "placement", "--times", str(timings_file(tmp_path))]
    assert main([*words, "--ranks", "1-20", "--json", str(values)]) == 0
    shown = capsys.readouterr().out
    assert "median 3.5 %, largest 8.1 %" in shown and "fastest: n = 8, m = 1" in shown
    found = {row["processes"]: row for row in json.loads(values.read_text())["rows"]}
    assert found[12]["measured"] == 42.04 and found[20]["measured"] is None
    assert found[12]["seconds"] == pytest.approx(42.04, rel=0.05)


def test_placement_from_a_given_fraction_with_files(tmp_path, capsys):
    folder = tmp_path / "files"
    words = ["lab", "predict", "placement", "--parallel", "0.967", "--seconds", "247.45"]
    words += ["--ranks", "12", "--hosts", "a,b,c,d", "--files", str(folder)]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "processes by node: a 3, b 3, c 3, d 3" in shown
    assert "42.1" in shown and "srun -N 4 -n 12 -m plane=1" in shown
    assert (folder / "rankfile").read_text().startswith("rank 0=a slot=0-1\nrank 1=b")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "Give either measured times"),
        (["--parallel", "0.9", "--times", "x.csv"], "Give either measured times"),
        (["--times", "nowhere.csv"], "Cannot read the times in 'nowhere.csv'"),
        (["--parallel", "0.9", "--seconds", "-1"], "a time is more than 0"),
        (["--parallel", "0.9", "--files", "x"], "--files is for one placement"),
        (
            ["--parallel", "0.9", "--ranks", "3", "--hosts", "a", "--files", "x"],
            "1 different names",
        ),
    ],
)
def test_mistakes_of_predictions_are_said(words, message, capsys):
    assert main(["lab", "predict", "placement", *words]) == 2
    assert message in capsys.readouterr().err


def test_files_without_times_are_refused(tmp_path, capsys):
    path = tmp_path / "times.csv"
    for words in ("n,t\n1,2\n", "processes,seconds\n1,-2\n", "processes,seconds\nx,2\n"):
        path.write_text(words)
        assert main(["lab", "predict", "placement", "--times", str(path)]) == 2
        assert "has no times" in capsys.readouterr().err
