"""More ranks than the machine can bear are refused, unless they are asked for."""

from __future__ import annotations

import pytest

from halocline.component.case.reading import read_case
from halocline.experiment import start, too_many_ranks
from halocline.experiment.check import report
from halocline.experiment.command_line import main


@pytest.fixture
def started(monkeypatch):
    """Ranks that would be started on a machine of two cores, by number; none is."""
    numbers = []

    def on_ranks(arguments, ranks, threads, *, servers=0, **more):
        numbers.append(ranks + servers)
        return 0

    monkeypatch.setattr(start, "cores", lambda: 2)
    monkeypatch.setattr(start, "on_ranks", on_ranks)
    monkeypatch.setattr(too_many_ranks, "available_memory", lambda: 2.5e9)
    return numbers


def run(*words):
    return main(["run", "swell", *words])


@pytest.mark.parametrize("words", [("-n", "17"), ("-n", "1000"), ("-n", "6", "--threads", "3")])
def test_more_than_eight_for_a_core_are_refused(started, capsys, words):
    assert run(*words) == 2
    message = capsys.readouterr().err
    assert message.startswith(f"halocline: Cannot start {words[1]} processes")
    assert "more than 8 for each of 2 cores" in message and "add --oversubscribe" in message
    assert message.count("\n") == 1
    assert started == []


def test_fewer_and_asked_for_ones_are_started(started):
    for words in (("-n", "16"), ("-n", "8", "--threads", "2"), ("-n", "50", "--oversubscribe")):
        assert run(*words) == 0
    assert started == [16, 8, 50]


def test_more_than_memory_holds_are_refused(started, capsys, monkeypatch):
    monkeypatch.setattr(too_many_ranks, "available_memory", lambda: 0.5e9)
    assert run("-n", "4") == 0
    assert run("-n", "6") == 2
    assert "they need about 0.6 GB of memory, and 0.5 GB are free" in capsys.readouterr().err
    large = ("--set", "spectrum.frequencies=60", "--set", "spectrum.directions=360")
    assert run("-n", "2", "--set", "output.servers.count=0", *large) == 2
    assert "1.1 GB of memory" in capsys.readouterr().err
    assert run("-n", "6", "--oversubscribe") == 0
    assert started == [4, 6]


def test_check_says_what_a_run_would_refuse():
    case = read_case("swell")
    assert "wants --oversubscribe" in report(case, 2000)
    assert "oversubscribe" not in report(case, 1)


def test_memory_is_that_of_the_machine_and_its_container(monkeypatch, tmp_path):
    free = too_many_ranks.available_memory()
    assert 1e8 < free < 1e15
    (tmp_path / "max").write_text("123456789\n")
    monkeypatch.setattr(too_many_ranks, "_limits", (str(tmp_path / "max"),))
    assert too_many_ranks.available_memory() == 123456789
    (tmp_path / "max").write_text("max\n")
    assert too_many_ranks.available_memory() > 123456789


def test_the_option_explains_itself(capsys):
    assert main(["run", "--help"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "--oversubscribe start the ranks even where they are more than 8 for each core" in told
