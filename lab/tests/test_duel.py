"""`halocline lab duel`: turns, the time that commands print, the verdict, mistakes."""

from __future__ import annotations

import json

import numpy as np
import pytest

from halocline.experiment.command_line import main
from halocline_lab.statistics.duel import fight, report, result_of

number = "took ([0-9.]+)"


def script(folder, name, times):
    """A command that prints the next of some times whenever it runs, and notes that it ran."""
    (folder / name).write_text("".join(f"took {time}\n" for time in times))
    path, log = folder / name, folder / "log"
    return (
        f"echo {name} >> {log}; head -n 1 {path}; tail -n +2 {path} > {path}.x; mv {path}.x {path}"
    )


def test_commands_take_turns_and_the_slower_is_named(tmp_path, capsys):
    a = script(tmp_path, "a", [1.0, 1.0, 1.1, 0.9, 1.0, 1.0, 1.0, 1.0, 1.0])
    b = script(tmp_path, "b", [9.0, 1.2, 1.25, 1.15, 1.23, 1.18, 7.0, 1.2, 1.2])
    out = tmp_path / "duel.json"
    words = ["lab", "duel", a, b, "--repeat", "8", "--number", number, "--json", str(out)]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "B is slower by 2" in shown
    assert "outliers, which count as all others do: round 6: 7 s" in shown
    assert "to find a difference of 3 % in 90% of duels" in shown
    assert (tmp_path / "log").read_text().split() == list("ab" + "abba" * 4)
    found = json.loads(out.read_text())
    assert found["verdict"] == "slower" and found["outliers"][1] == [5]
    assert set(found) == {*found["keys"], "keys"}
    assert found["seconds"][0][:3] == [1.0, 1.1, 0.9]


def test_two_runs_of_the_same_cannot_be_told_apart(tmp_path, capsys):
    a = script(tmp_path, "a", [1.0, 1.01, 0.99] * 4)
    b = script(tmp_path, "b", [1.01, 0.99, 1.0] * 4)
    assert main(["lab", "duel", a, b, "--repeat", "12", "--warm-up", "0", "--number", number]) == 0
    assert "cannot tell" in capsys.readouterr().out


def test_the_time_of_a_whole_command_is_measured():
    seconds = fight(["true", "sleep 0.02"], 2, 0)
    assert seconds.shape == (2, 2) and (seconds > 0.0).all() and (seconds[:, 1] > 0.02).all()


def test_report_of_few_runs():
    found, values = result_of(["x", "y"], np.array([[1.0, 2.0]] * 3), 3.0)
    shown = report(found, values, 3.0)
    assert "cannot tell" in shown and "3 runs" in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["true", "exit 3"], "'exit 3' ended with code 3"),
        (["true", "echo oops >&2; false"], "oops"),
        (["true", "true", "--number", "([0-9]+)"], "printed no number"),
        (["true", "true", "--number", "[0-9]+"], "has 0 groups"),
        (["true", "true", "--number", "(["], "is no pattern"),
        (["echo 0", "echo 0", "--number", "([0-9]+)"], "a time is more than 0"),
        (["true", "true", "--repeat", "0"], "--repeat is 1 or more"),
        (["true", "true", "--find", "0"], "more than 0 percent"),
    ],
)
def test_mistakes_are_said(words, message, capsys):
    assert main(["lab", "duel", *words]) == 2
    assert message in capsys.readouterr().err
